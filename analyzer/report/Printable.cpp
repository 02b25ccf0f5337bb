#include "Printable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/WithColor.h"

namespace gradtidy {

using llvm::StringRef;

namespace {

/// Takes one letter away from \p text; nothing, and no letter, where there is no UTF-8.
std::optional<unsigned> takeLetter(StringRef &text) {
  const auto *at = text.bytes_begin();
  const unsigned length = llvm::getNumBytesForUTF8(*at);
  if (length > text.size() || !llvm::isLegalUTF8Sequence(at, at + length))
    return std::nullopt;
  llvm::UTF32 letter = 0;
  if (llvm::convertUTF8Sequence(&at, at + length, &letter, llvm::strictConversion) !=
      llvm::conversionOK)
    return std::nullopt;
  text = text.drop_front(length);
  return letter;
}

std::string hex(unsigned number, unsigned width) {
  return llvm::utohexstr(number, /*LowerCase=*/true, width);
}

} // namespace

std::string printable(StringRef text) {
  std::string result;
  while (!text.empty()) {
    const unsigned char byte = text.front();
    if (byte == '\n' || byte == '\r' || byte == '\t') {
      result += byte == '\n' ? "\\n" : byte == '\r' ? "\\r" : "\\t";
      text = text.drop_front();
    } else if (byte < 0x80) {
      if (llvm::isPrint(byte))
        result += static_cast<char>(byte);
      else
        result += "\\x" + hex(byte, 2);
      text = text.drop_front();
    } else {
      const StringRef before = text;
      if (const std::optional<unsigned> letter = takeLetter(text)) {
        if (llvm::sys::unicode::isPrintable(static_cast<int>(*letter)))
          result += before.drop_back(text.size());
        else
          result += *letter > 0xFFFF ? "\\U" + hex(*letter, 8) : "\\u" + hex(*letter, 4);
      } else {
        result += "\\x" + hex(byte, 2);
        text = text.drop_front();
      }
    }
  }
  return result;
}

std::string withoutCommands(StringRef line, StringRef colon, StringRef hash) {
  std::string result;
  const StringRef start = line.ltrim();
  if (start.starts_with("::")) {
    result = line.drop_back(start.size()).str() + ":" + colon.str();
    line = start.drop_front(2);
  }
  while (!line.empty()) {
    const size_t at = line.find("##");
    result += line.take_front(at);
    line = line.substr(at);
    if (line.empty())
      break;
    const StringRef rest = line.drop_front(2).drop_while(llvm::isAlpha);
    result += rest.starts_with("[") ? "#" + hash.str() : "#";
    line = line.drop_front(rest.starts_with("[") ? 2 : 1);
  }
  return result;
}

std::string printableLine(StringRef text) { return withoutCommands(printable(text)); }

ErrorLine::ErrorLine()
    : PrintableLine(llvm::errs(), [] {
        std::string prefix;
        llvm::raw_string_ostream out(prefix);
        out.enable_colors(llvm::WithColor::defaultAutoDetectFunction()(llvm::errs()));
        llvm::WithColor::error(out, "gradtidy", !out.colors_enabled());
        return prefix;
      }()) {}

} // namespace gradtidy
