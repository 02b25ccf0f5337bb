// What errors in the code of module classes hide: clang leaves methods apart from their
// declarations, and drops expressions.
#pragma once

#include "analyzer/events/values/Vocabulary.h"

#include "llvm/ADT/DenseSet.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace gradtidy {

class ModuleUses;

/// Definitions that clang did not connect with their declarations, for errors in both.
struct StrayMethods {
  using Functions = llvm::DenseMap<const clang::FunctionDecl *, const clang::FunctionDecl *>;
  Functions definitions;  ///< By canonical declaration.
  Functions declarations; ///< The canonical ones, by canonical definition.
};

/// Those in the traversal scope of \p context.
StrayMethods findStrayMethods(const clang::ASTContext &context);

/// The module classes among those of \p uses that may have calls in their source that register
/// something and are not in the syntax tree. \p seen are the places in it where functions that
/// register are named.
llvm::DenseSet<const clang::CXXRecordDecl *>
findDamagedClasses(const clang::ASTContext &context, const ModuleUses &uses,
                   const Vocabulary &vocabulary, const llvm::DenseSet<clang::SourceLocation> &seen);

} // namespace gradtidy
