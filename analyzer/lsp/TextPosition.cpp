#include "TextPosition.h"

#include <algorithm>

namespace gradtidy {

using llvm::StringRef;

/// The bytes of the character that begins with \p lead.
static unsigned sizeOf(unsigned char lead) {
  if (lead < 0xC0) // ASCII, or in the middle of one.
    return 1;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

static unsigned unitsOf(unsigned char lead) { return sizeOf(lead) == 4 ? 2 : 1; }

/// From line \p number, counted from 0, to the end; nothing if there is no such line.
static StringRef from(StringRef text, unsigned number) {
  for (; number > 0; --number) {
    const size_t end = text.find('\n');
    if (end == StringRef::npos)
      return text.take_back(0);
    text = text.drop_front(end + 1);
  }
  return text;
}

static StringRef firstLine(StringRef text) {
  return text.take_until([](char c) { return c == '\n'; });
}

size_t offsetOf(StringRef text, TextPosition position, PositionEncoding encoding) {
  const StringRef rest = from(text, position.line);
  const StringRef line = firstLine(rest).rtrim('\r');
  size_t bytes = position.character;
  if (encoding == PositionEncoding::Utf16) {
    bytes = 0;
    for (unsigned units = 0; bytes < line.size() && units < position.character;) {
      units += unitsOf(line[bytes]);
      bytes += sizeOf(line[bytes]);
    }
  }
  return (rest.data() - text.data()) + std::min(bytes, line.size());
}

TextPosition positionOf(StringRef text, unsigned line, unsigned column, PositionEncoding encoding) {
  if (line == 0)
    return {};
  const StringRef before = firstLine(from(text, line - 1)).take_front(column ? column - 1 : 0);
  unsigned character = before.size();
  if (encoding == PositionEncoding::Utf16) {
    character = 0;
    for (size_t byte = 0; byte < before.size(); byte += sizeOf(before[byte]))
      character += unitsOf(before[byte]);
  }
  return {line - 1, character};
}

} // namespace gradtidy
