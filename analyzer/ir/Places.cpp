#include "Places.h"

#include "clang/Basic/FileManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace gradtidy::ir {

Places::~Places() = default;

SourcePlaces::SourcePlaces(const clang::SourceManager &sources, llvm::StringRef root)
    : sources(sources), root(root.empty() ? "" : root.rtrim('/').str() + "/") {}

const SourcePlaces::File &SourcePlaces::fileOf(clang::FileID id) const {
  File &file = files[id];
  if (file.inclusion)
    return file;
  llvm::SmallString<128> path = sources.getBufferOrFake(id).getBufferIdentifier();
  if (const auto entry = sources.getFileEntryRefForID(id)) {
    path = entry->getName();
    if (!root.empty())
      sources.getFileManager().makeAbsolutePath(path);
    llvm::sys::path::remove_dots(path);
    // What is above a link is not what is above its name.
    if (path.str().contains("/../"))
      (void)llvm::sys::fs::real_path(llvm::SmallString<128>(path), path);
  }
  llvm::StringRef name = path;
  name.consume_front(root);
  file = {name.str(), ++inclusions[name]};
  return file;
}

Places::Chain SourcePlaces::of(clang::SourceLocation location) const {
  Chain chain;
  for (;;) {
    const auto [id, offset] = sources.getDecomposedSpellingLoc(location);
    const File &file = fileOf(id);
    // Where the preprocessor keeps what it makes depends on all that it has made before.
    if (sources.isWrittenInScratchSpace(sources.getSpellingLoc(location)))
      chain.push_back({file.name, 1, 1, 1});
    else
      chain.push_back({file.name, file.inclusion, sources.getLineNumber(id, offset),
                       sources.getColumnNumber(id, offset)});
    if (!location.isMacroID())
      return chain;
    location = sources.getImmediateExpansionRange(location).getBegin();
  }
}

std::string SourcePlaces::mainFile() const { return fileOf(sources.getMainFileID()).name; }

} // namespace gradtidy::ir
