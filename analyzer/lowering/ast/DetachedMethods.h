// Definitions of methods that clang did not connect with their declarations, for errors in both.
#pragma once

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/DenseMap.h"

namespace gradtidy {

struct DetachedMethods {
  using Functions = llvm::DenseMap<const clang::FunctionDecl *, const clang::FunctionDecl *>;
  Functions definitions;  ///< By canonical declaration.
  Functions declarations; ///< The canonical ones, by canonical definition.
};

/// Those in the traversal scope of \p context; none where all compiles.
DetachedMethods findDetachedMethods(const clang::ASTContext &context);

} // namespace gradtidy
