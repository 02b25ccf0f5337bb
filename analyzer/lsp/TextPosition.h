// Places in the text of a document that is open in an editor.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {

/// What the characters of a line are counted in: the client and the server agree on it.
enum class PositionEncoding : unsigned char { Utf8, Utf16 };

/// Both count from 0.
struct TextPosition {
  unsigned line = 0, character = 0;
};

/// The byte offset of a place. Behind the end of its line it is that end, behind the last line the
/// end of the text.
size_t offsetOf(llvm::StringRef text, TextPosition position, PositionEncoding encoding);

/// The place of a line and a column as findings have them: from 1, in bytes.
TextPosition positionOf(llvm::StringRef text, unsigned line, unsigned column,
                        PositionEncoding encoding);

} // namespace gradtidy
