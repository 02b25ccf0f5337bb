// Strings as they are put together: names of files, above all.
#pragma once

#include "analyzer/events/Event.h"
#include "analyzer/events/values/Values.h"

namespace gradtidy {

/// Whether values of that type are strings, or paths of files.
bool isText(clang::QualType type);

/// What \p expr, a string in \p function, is put together from: literals, and variables that hold
/// strings or numbers, each as it is there. Nothing where anything else takes part, or a number
/// that changes other than from one round of a `for` loop to the next.
std::optional<Text> textOf(const clang::Expr &expr, const FunctionBody &function, Values &values);

} // namespace gradtidy
