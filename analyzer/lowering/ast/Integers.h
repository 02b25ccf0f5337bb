// Integers that the compiler knows.
#pragma once

#include "clang/AST/Expr.h"

#include <cstdint>
#include <optional>

namespace gradtidy {

/// The value of \p expr if it is an integer that the compiler knows, and no template decides it.
std::optional<std::int64_t> integerIn(const clang::Expr &expr, const clang::ASTContext &context);

} // namespace gradtidy
