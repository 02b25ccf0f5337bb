// Edits of a text that keep its line numbers, in groups of which each is made as a whole or not.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace rewrites {

/// Offsets into a text; the end is exclusive.
struct Range {
  unsigned begin = 0, end = 0;
};

/// The edits that rewrite one place of a program.
class Place {
public:
  /// Inserts at the beginning of what is at \p offset; outer places come before inner ones.
  void before(unsigned offset, std::string text);
  /// Inserts behind what ends at \p offset; inner places come before outer ones.
  void after(unsigned offset, std::string text);
  /// Replaces \p range. Its line breaks are kept, behind \p text.
  void replace(Range range, std::string text);

  struct Edit {
    Range range; ///< Empty for insertions.
    std::string text;
    bool isAfter = false;
  };

  std::vector<Edit> edits;
};

/// A text after edits, and which place each changed part of it comes from.
struct Rewritten {
  struct Part {
    Range range;
    size_t place;
  };
  std::string text;
  std::vector<Part> parts; ///< In the order of the text.
};

/// The positions of places that can be made together: a place that edits what an earlier one
/// replaces is left out. Outer places are to come first.
std::vector<size_t> compatible(llvm::ArrayRef<Place> places);

/// \p text after the edits of those \p places that \p chosen names.
Rewritten apply(llvm::StringRef text, llvm::ArrayRef<Place> places, llvm::ArrayRef<size_t> chosen);

} // namespace rewrites
