// The files that the text of a unit names, loaded again: what is asked of locations has the answers
// that it had when clang parsed the unit.
#pragma once

#include "Places.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"

#include <map>
#include <tuple>

namespace gradtidy::ir {

class LoadedSources : public Locations {
public:
  /// Relative names are those of files below \p root. All are read from \p files, or from the disk
  /// if that is null.
  explicit LoadedSources(llvm::StringRef root,
                         llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files = nullptr);
  ~LoadedSources() override;

  clang::SourceManager &manager() { return sources; }
  const clang::SourceManager &manager() const { return sources; }

  /// The name of a file, and for which time it is included.
  using Name = std::pair<llvm::StringRef, unsigned>;
  Name nameOf(clang::FileID file) const;
  /// All in which there are places.
  auto files() const { return llvm::make_first_range(names); }

  void addFile(llvm::StringRef file, unsigned inclusion, const std::optional<Place> &includedAt,
               bool isOfSystem) override;
  clang::SourceLocation at(const Places::Chain &chain) override;

private:
  clang::FileID fileOf(const Name &name);
  /// A file that is no file, such as what the preprocessor pastes tokens into, or that is gone.
  clang::FileID emptyFile(llvm::StringRef name, clang::SourceLocation includedAt);
  clang::SourceLocation at(llvm::StringRef file, unsigned inclusion, unsigned line,
                           unsigned column);

  /// A token at \p spelled of a macro that is called from \p begin to \p end, or of an argument
  /// where the parameter at \p begin stands: then there is no end.
  clang::SourceLocation expanded(clang::SourceLocation spelled, clang::SourceLocation begin,
                                 clang::SourceLocation end);

  /// Some of what a macro or argument stands for. What comes from one has an order.
  struct Expansion {
    unsigned offset = 0, length = 0; ///< Of its text in the file.
    clang::SourceLocation start;
  };

  const std::string root;
  clang::DiagnosticOptions options;
  clang::DiagnosticsEngine diagnostics;
  clang::FileManager fileManager;
  clang::SourceManager sources;
  struct Inclusion {
    std::optional<Place> place;
    bool isOfSystem = false;
  };
  llvm::BumpPtrAllocator allocator;
  llvm::UniqueStringSaver fileNames{allocator};
  llvm::DenseMap<Name, Inclusion> inclusions;
  llvm::DenseMap<Name, clang::FileID> loaded;
  llvm::DenseMap<clang::FileID, Name> names;
  /// The last of each macro's call, or parameter's use, and the file with the text.
  std::map<std::tuple<clang::SourceLocation, clang::SourceLocation, clang::FileID>, Expansion>
      expansions;
  bool hasMain = false;
};

} // namespace gradtidy::ir
