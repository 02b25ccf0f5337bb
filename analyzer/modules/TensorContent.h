// What the tensors that a program makes hold.
#pragma once

#include "ModuleUses.h"
#include "RecursionGuard.h"

namespace gradtidy {

/// What a tensor holds. Ordered like answers: the larger one is that of whatever may be either.
enum class Content : unsigned char {
  Nothing,
  Scalar,  ///< Without dimensions: as an operand it fits tensors on every device.
  Indices, ///< Whole numbers or flags that can be made again: as an index it fits as well.
  Unknown,
  Data,
};

class TensorContents {
public:
  explicit TensorContents(const ModuleUses &uses) : uses(uses) {}

  Content of(const ir::Node *value) { return of(value, 0); }

  /// Whether the value is computed anew from others, on the device of somebody's choice: a table,
  /// and not the first value of something that is trained or changed.
  bool isComputed(const ir::Node *value);

  /// Whether something in it has the trait, and is not given false.
  bool mentions(const ir::Node *code, Trait trait) const;

private:
  Content of(const ir::Node *value, unsigned depth);
  Content ofOperation(const ir::Node &operation, unsigned depth);
  Content ofMethod(const ir::Node &call, unsigned depth);
  Content ofFunction(const ir::Node &call, unsigned depth);
  Content ofCreation(const ir::Node &call, const ir::Symbol &callee) const;
  Content ofVariable(Entity variable, unsigned depth);
  bool isPlaced(const ir::Node *code);

  const ModuleUses &uses;
  ActiveSet active;
};

} // namespace gradtidy
