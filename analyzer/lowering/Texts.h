// Strings as they are put together: names of files, above all.
#pragma once

#include "analyzer/lowering/ast/FunctionCode.h"
#include "analyzer/lowering/ast/Values.h"

namespace gradtidy {

/// What \p expr, a string in \p function, is put together from: literals, and variables that hold
/// strings or numbers, each as it is there; be it by a function that does nothing else. Nothing
/// where anything else takes part, or a variable that changes other than from one round of a `for`
/// loop to the next.
std::optional<Text> textOf(const clang::Expr &expr, const FunctionCode &function, Values &values,
                           PathTable &paths);

} // namespace gradtidy
