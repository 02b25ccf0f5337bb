// Strings as they are put together: names of files, above all.
#pragma once

#include "analyzer/ir/Event.h"
#include "analyzer/ir/Path.h"

namespace gradtidy {

/// What \p expr, a string in \p function, is put together from: literals, and variables that hold
/// strings or numbers, each as it is there; be it by a function that does nothing else. Nothing
/// where anything else takes part, or a variable that changes other than from one round of a `for`
/// loop to the next.
/// \param pathOf The path of what an expression in \p function names.
std::optional<Text> textOf(const ir::Node &expr, const FunctionBody &function, PathTable &paths,
                           llvm::function_ref<PathId(const ir::Node &)> pathOf);

} // namespace gradtidy
