#include "Calls.h"

#include "clang/AST/Expr.h"

namespace gradtidy {

llvm::StringRef calledName(const clang::Stmt *site) {
  const auto *expr = llvm::dyn_cast_or_null<clang::Expr>(site);
  const auto *call =
      llvm::dyn_cast_or_null<clang::CallExpr>(expr ? expr->IgnoreUnlessSpelledInSource() : nullptr);
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  return callee && callee->getIdentifier() ? callee->getName() : llvm::StringRef();
}

} // namespace gradtidy
