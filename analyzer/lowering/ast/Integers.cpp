#include "Integers.h"

namespace gradtidy {

std::optional<std::int64_t> integerIn(const clang::Expr &expr, const clang::ASTContext &context) {
  clang::Expr::EvalResult result;
  if (expr.isValueDependent() || !expr.EvaluateAsInt(result, context))
    return std::nullopt;
  return result.Val.getInt().tryExtValue();
}

} // namespace gradtidy
