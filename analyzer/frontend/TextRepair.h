// Repairs text that does not parse, so that a missing brace, a garbage line or chevrons with spaces
// between them hide nothing.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace gradtidy {

/// \p text with a brace for each that is missing before a later definition, without lines
/// between definitions that are part of no declaration, and with `<<<` for `<< <`; nothing if there
/// are no such.
///
/// A definition is taken to be swallowed if it is not indented further than the line that opens the
/// body around it. The braces take the place of spaces, comments or, where there are no others,
/// line breaks, and spaces that of other lines: all else keeps its offset.
std::optional<std::string> repaired(llvm::StringRef text);

} // namespace gradtidy
