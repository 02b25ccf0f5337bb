// Learning rates that the source says.
#pragma once

#include "clang/AST/Expr.h"

namespace gradtidy {

struct LearningRate {
  const clang::Expr *expr = nullptr; ///< Where it is said; null if nobody knows it.
  double value = 0;
};

/// The rate that \p options, an argument of an optimizer's constructor in \p body, set to a
/// constant.
LearningRate rateOf(const clang::Expr &options, const clang::Stmt &body,
                    const clang::ASTContext &context);

} // namespace gradtidy
