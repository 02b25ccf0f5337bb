// Text in XML documents.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {

/// \p text as content of an element or a quoted attribute: valid UTF-8, what has a meaning is
/// escaped, line breaks are kept, and control characters, which XML has not, become U+FFFD.
std::string xmlText(llvm::StringRef text);

} // namespace gradtidy
