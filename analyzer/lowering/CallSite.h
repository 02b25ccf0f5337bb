// A call, as the lowering sees it. Internal to the folder.
#pragma once

#include "analyzer/ir/Event.h"

#include "clang/AST/ExprCXX.h"

#include <string>

namespace gradtidy {

/// What a call calls, on what and with what: FunctionLowering::resolve() fills it in, and
/// FunctionLowering::classify() the last part.
struct CallSite {
  const clang::CallExpr *call = nullptr;
  const clang::FunctionDecl *callee = nullptr;  ///< Null where errors or templates hide it.
  const clang::CXXMethodDecl *method = nullptr; ///< The callee, if it is one.
  const clang::Expr *object = nullptr;          ///< Of a member call or of a member operator.
  llvm::SmallVector<const clang::Expr *, 4> arguments; ///< Without the object.
  std::string name; ///< Of the callee, simple; where it is hidden, as written.
  FunctionRole role = FunctionRole::None;
  bool isExternal = false;   ///< What it does is said by the model.
  bool isAssignment = false; ///< `a = b` of a class.

  EventKind kind = EventKind::Call;
  bool isComputed = false; ///< What a factory makes of tensors, such as means, is where they are.
  const clang::CXXConstructorDecl *constructor = nullptr; ///< The user's, which a factory runs.
};

} // namespace gradtidy
