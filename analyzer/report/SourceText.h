// The text of reported files, read once: positions for offsets, and lines for positions.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gradtidy {

/// Counts from 1, columns in bytes; 0 where the file cannot be read.
struct Position {
  unsigned line = 0, column = 0;
};

class SourceText {
public:
  /// The text of \p file is this, whatever is on the disk. Before it is asked for.
  void set(llvm::StringRef file, llvm::StringRef content);

  /// The whole text; nothing if the file cannot be read. Lives as long as this.
  std::optional<llvm::StringRef> content(llvm::StringRef file);

  /// \p text for a place in \p file, its lines ended as those of the file are there.
  std::string withItsLineEnds(llvm::StringRef file, unsigned offset, llvm::StringRef text);

  /// An offset behind the end counts as the end.
  Position position(llvm::StringRef file, unsigned offset);

  /// The text of a line without its end; empty if there is no such line. Lives as long as this.
  llvm::StringRef line(llvm::StringRef file, unsigned number);

  /// How many lines \p file has; none if it cannot be read.
  unsigned lineCount(llvm::StringRef file);

  /// The characters of the statement at a place, without blanks and comments: from behind the last
  /// semicolon or brace before the place to the next one.
  std::string statement(llvm::StringRef file, unsigned line, unsigned column);

  /// \p column, given in bytes, in Unicode code points.
  unsigned codePointColumn(llvm::StringRef file, unsigned line, unsigned column);

private:
  struct Text {
    std::unique_ptr<llvm::MemoryBuffer> buffer; ///< Null if the file cannot be read.
    std::vector<size_t> lineStarts;
  };
  const Text &read(llvm::StringRef file);
  static Text textOf(std::unique_ptr<llvm::MemoryBuffer> buffer);

  llvm::StringMap<Text> texts;
};

} // namespace gradtidy
