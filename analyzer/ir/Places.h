// Places in sources, as a text names them.
#pragma once

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>
#include <vector>

namespace gradtidy::ir {

/// A place in a file.
struct Place {
  /// Below the project's folder if it lies there, else absolute. Kept by whoever tells places.
  llvm::StringRef file;
  unsigned inclusion = 1; ///< A file that is included several times is another one each time.
  unsigned line = 0, column = 0;       ///< From 1.
  bool isParameter = false;            ///< In a Chain: a parameter of a macro stands here.
  unsigned endLine = 0, endColumn = 0; ///< In a Chain: the last token of what calls a macro here.

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
  virtual llvm::StringRef mainFile() const = 0;

  /// Where the file of that name is included for the time \p inclusion, if a file of the project
  /// includes it.
  virtual std::optional<Place> includedAt(llvm::StringRef file, unsigned inclusion) const = 0;

  /// Whether the file, of the project, is included as a header of the system.
  virtual bool isOfSystem(llvm::StringRef file, unsigned inclusion) const = 0;
};

/// Makes locations of places.
class Locations {
public:
  virtual ~Locations();

  /// Told of each file before a place in it.
  virtual void addFile(llvm::StringRef file, unsigned inclusion,
                       const std::optional<Place> &includedAt, bool isOfSystem) = 0;

  /// Invalid where the files do not have the place.
  virtual clang::SourceLocation at(const Places::Chain &chain) = 0;
};

/// The places of a unit that clang has read.
class SourcePlaces : public Places {
public:
  /// Paths below the folder \p root, which may be empty, are shown relative to it.
  SourcePlaces(const clang::SourceManager &sources, llvm::StringRef root);

  Chain of(clang::SourceLocation location) const override;
  llvm::StringRef mainFile() const override;
  std::optional<Place> includedAt(llvm::StringRef file, unsigned inclusion) const override;
  bool isOfSystem(llvm::StringRef file, unsigned inclusion) const override;

private:
  struct File {
    llvm::StringRef name; ///< A key of `inclusions`.
    unsigned inclusion = 0;
  };
  File fileOf(clang::FileID id) const;
  Place placeAt(clang::SourceLocation location) const;
  /// Whether the text that a precompiled header was made of includes something there.
  bool isOfPrecompiled(clang::SourceLocation include) const;
  /// That place in the main file, if the same line is there: precompiled or not makes no
  /// difference.
  std::optional<Place> inMainFile(clang::SourceLocation include) const;
  /// Invalid where no place was in the file.
  clang::FileID find(llvm::StringRef file, unsigned inclusion) const;

  const clang::SourceManager &sources;
  std::string root;
  mutable llvm::DenseMap<clang::FileID, File> files;
  mutable llvm::StringMap<std::vector<clang::FileID>> inclusions;
};

} // namespace gradtidy::ir
