// Learning rates, and momentum, that the source says.
#pragma once

#include "FunctionCode.h"

#include "clang/AST/Expr.h"

#include <optional>

namespace gradtidy {

/// The number that \p expr in \p body is, be it by way of a variable that never changes.
std::optional<double> numberOf(const clang::Expr *expr, const clang::Stmt &body,
                               const clang::ASTContext &context);

/// The rate (see rateIn) that \p options, an argument of an optimizer's constructor, set.
LearningRate rateOf(const clang::Expr &options, const FunctionCode &function);

/// Whether \p options set a momentum, which is not 0.
bool setsMomentum(const clang::Expr &options, const clang::Stmt &body,
                  const clang::ASTContext &context);

} // namespace gradtidy
