// Forms of the syntax tree that the views of modules share: what names a variable or member, and
// what hands its value on.
#pragma once

#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"

#include <functional>
#include <optional>

namespace gradtidy {

/// A variable, parameter or data member.
using Entity = const clang::ValueDecl *;

/// The declaration that stands for all of the entity; that of the whole for a structured binding.
Entity canonical(const clang::ValueDecl *declaration);

/// The variable, structured binding or member that the expression names, or null.
Entity entityOf(const clang::Expr *expr);

/// The variable that the expression names, or null.
const clang::VarDecl *variableOf(const clang::Expr *expr);

/// Calls \p visit with every statement in \p root, also those of closures.
void forEach(const clang::Stmt *root, llvm::function_ref<void(const clang::Stmt *)> visit);

/// A plain assignment, built in or overloaded. Its value is its target's.
struct Assigned {
  const clang::Expr *target, *value;
};

/// What \p expr assigns where it is an assignment.
std::optional<Assigned> asAssignment(const clang::Expr *expr);

/// What a conversion to a class, such as that for numbers, is made of, or null.
const clang::Expr *convertedFrom(const clang::Expr *value);

/// The object of a member call or of a member operator, or null.
const clang::Expr *objectOf(const clang::CallExpr *call);

/// Whether a part of the class does not compile.
bool isDamaged(const clang::CXXRecordDecl &record);

/// Whether visitors of the user's code, which \p isUserCode tells, pass over the declaration.
bool isPassedOver(const clang::Decl *declaration,
                  const std::function<bool(const clang::Decl *)> &isUserCode);

} // namespace gradtidy
