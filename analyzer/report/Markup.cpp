#include "Markup.h"
#include "Printable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace gradtidy {

std::string markupText(llvm::StringRef text) {
  std::string markup;
  llvm::raw_string_ostream out(markup);
  llvm::printHTMLEscaped(printable(text), out);
  return withoutCommands(markup, "&#58;", "&#35;");
}

} // namespace gradtidy
