// Text in documents of HTML and XML.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {

/// \p text in one line (see printable()) as content of an element or of a quoted attribute, without
/// what build servers take for a command.
std::string markupText(llvm::StringRef text);

} // namespace gradtidy
