// Guards in code: objects that decide by being alive whether gradients are recorded, or in which
// precision is computed.
#pragma once

#include "Vocabulary.h"

#include "clang/AST/Expr.h"

namespace gradtidy {

/// The member by which a class of the user is a guard itself, or null.
const clang::FieldDecl *guardMemberOf(clang::QualType type, Vocabulary &vocabulary);

/// What the constructor in \p init makes \p member of.
llvm::SmallVector<const clang::Expr *, 2> argumentsOf(const clang::FieldDecl *member,
                                                      const clang::Expr *init);

/// Whether a function with that body disables gradients for itself.
bool hasGuard(const clang::Stmt *body, Vocabulary &vocabulary);

/// Whether the expression tells if gradients are recorded.
bool asksForGradMode(const clang::Expr *expr, Vocabulary &vocabulary);

/// The module of which the expression tells whether it is in training mode, or null.
const clang::Expr *moduleAskedForMode(const clang::Expr *expr, Vocabulary &vocabulary);

} // namespace gradtidy
