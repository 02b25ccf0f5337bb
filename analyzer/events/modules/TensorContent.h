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
  TensorContents(Vocabulary &vocabulary, ModuleUses &uses) : vocabulary(vocabulary), uses(uses) {}

  Content of(const clang::Expr *value) { return of(value, 0); }

  /// Whether the value is computed anew from others, on the device of somebody's choice: a table,
  /// and not the first value of something that is trained or changed.
  bool isComputed(const clang::Expr *value);

  /// Whether something in it has the trait, and is not given false.
  bool mentions(const clang::Stmt *statement, Trait trait);

private:
  Content of(const clang::Expr *value, unsigned depth);
  Content ofOperation(const clang::CXXOperatorCallExpr *operation, unsigned depth);
  Content ofMethod(const clang::CXXMemberCallExpr *call, unsigned depth);
  Content ofFunction(const clang::CallExpr *call, unsigned depth);
  Content ofCreation(const clang::CallExpr *call, const clang::FunctionDecl *callee);
  Content ofVariable(Entity variable, unsigned depth);
  bool isPlaced(const clang::Stmt *statement);

  Vocabulary &vocabulary;
  ModuleUses &uses;
  ActiveSet active;
};

} // namespace gradtidy
