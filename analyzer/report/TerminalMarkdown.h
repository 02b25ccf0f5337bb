// Markdown as a terminal shows it: for pages of checks.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {

/// \p markdown with headings, code, emphasis and tables laid out in \p columns; links become their
/// text, and pictures and comments are left out. Code keeps its lines, however long.
/// \param colors whether escape sequences of ANSI terminals may be used.
std::string renderMarkdown(llvm::StringRef markdown, unsigned columns, bool colors);

} // namespace gradtidy
