// Places in sources, as a text names them.
#pragma once

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace gradtidy::ir {

/// A place in a file.
struct Place {
  std::string file;       ///< Below the project's folder if it lies there, else absolute.
  unsigned inclusion = 1; ///< A file that is included several times is another one each time.
  unsigned line = 0, column = 0; ///< From 1.

  bool operator==(const Place &) const = default;
};

class Places {
public:
  /// Where the token at a valid location is spelled. If a macro gives it, there follow the places
  /// that the macro, or its parameter, stands at, from the innermost to the one in a file.
  using Chain = llvm::SmallVector<Place, 1>;

  virtual ~Places();
  virtual Chain of(clang::SourceLocation location) const = 0;

  /// The main file of the unit, as a place names it.
  virtual std::string mainFile() const = 0;
};

/// The places of a unit that clang has read.
class SourcePlaces : public Places {
public:
  /// Paths below the folder \p root, which may be empty, are shown relative to it.
  SourcePlaces(const clang::SourceManager &sources, llvm::StringRef root);

  Chain of(clang::SourceLocation location) const override;
  std::string mainFile() const override;

private:
  struct File {
    std::string name;
    unsigned inclusion = 0;
  };
  const File &fileOf(clang::FileID id) const;

  const clang::SourceManager &sources;
  std::string root;
  mutable llvm::DenseMap<clang::FileID, File> files;
  mutable llvm::StringMap<unsigned> inclusions;
};

} // namespace gradtidy::ir
