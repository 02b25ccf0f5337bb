// Closes function bodies that lack a brace, so that they do not swallow the definitions behind
// them.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace gradtidy {

/// \p text with a brace for each that is missing before a later definition; nothing if none is.
///
/// A definition is taken to be swallowed if it is not indented further than the line that opens the
/// body around it. The braces take the place of spaces, comments or, where there are no others,
/// line breaks: all else keeps its offset.
std::optional<std::string> closeBodies(llvm::StringRef text);

} // namespace gradtidy
