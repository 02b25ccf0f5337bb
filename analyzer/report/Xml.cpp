#include "Xml.h"

#include "llvm/Support/JSON.h"

namespace gradtidy {

std::string xmlText(llvm::StringRef text) {
  std::string xml;
  for (const char c : llvm::json::fixUTF8(text))
    switch (c) {
    case '&':
      xml += "&amp;";
      break;
    case '<':
      xml += "&lt;";
      break;
    case '>':
      xml += "&gt;";
      break;
    case '"':
      xml += "&quot;";
      break;
    case '\n': // In an attribute a plain one is read as a space.
      xml += "&#10;";
      break;
    default:
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F)
        xml += "\xEF\xBF\xBD";
      else
        xml += c;
    }
  return xml;
}

} // namespace gradtidy
