// Which devices the variables, members and parameters of a program may name, whatever the flow.
#pragma once

#include "analyzer/events/Event.h"
#include "analyzer/events/values/Vocabulary.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace gradtidy {

class DeviceOrigins {
public:
  /// The body that a call runs, or null.
  using Callee = llvm::function_ref<const FunctionBody *(const Event &call)>;

  DeviceOrigins(const PathTable &paths, Vocabulary &vocabulary,
                llvm::ArrayRef<const FunctionBody *> bodies, Callee calleeOf);

  /// Whether the device at \p path may be of \p kind, a GPU or the CPU: not if all it gets its
  /// value from names the other.
  bool mayBe(Device::Kind kind, PathId path) const;

private:
  /// What a path is known by, whatever object it is a part of; null if it is not to be known.
  const void *keyOf(PathId path) const;
  void add(const Event &event, Callee calleeOf);
  /// The initialiser of a variable or member where no function initialises it.
  void addInitialiser(PathId path, Vocabulary &vocabulary);

  const PathTable &paths;
  llvm::DenseMap<const void *, std::vector<Operand>> origins;
  llvm::DenseSet<const void *> initialised; ///< Variables and members.
};

} // namespace gradtidy
