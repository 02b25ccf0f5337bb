#include "Places.h"

#include "clang/Basic/FileManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace gradtidy::ir {

Places::~Places() = default;
Locations::~Locations() = default;

SourcePlaces::SourcePlaces(const clang::SourceManager &sources, llvm::StringRef root)
    : sources(sources), root(root.empty() ? "" : root.rtrim('/').str() + "/") {}

SourcePlaces::File SourcePlaces::fileOf(clang::FileID id) const {
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
  auto &known = *inclusions.try_emplace(name).first;
  known.second.push_back(id);
  file = {known.first(), static_cast<unsigned>(known.second.size())};
  return file;
}

Place SourcePlaces::placeAt(clang::SourceLocation location) const {
  const auto [id, offset] = sources.getDecomposedSpellingLoc(location);
  const File file = fileOf(id);
  // Where the preprocessor keeps what it makes depends on all that it has made before.
  if (file.name == "<scratch space>" && !sources.getFileEntryRefForID(id))
    return {file.name, 1, 1, 1};
  // SourceManager reads the line up to a column: very slow in one that holds all.
  const unsigned line = sources.getLineNumber(id, offset);
  const unsigned begin = sources.getFileOffset(sources.translateLineCol(id, line, 1));
  return {file.name, file.inclusion, line, offset - begin + 1};
}

Places::Chain SourcePlaces::of(clang::SourceLocation location) const {
  Chain chain = {placeAt(location)};
  while (location.isMacroID()) {
    const bool isParameter = sources.isMacroArgExpansion(location);
    const clang::CharSourceRange call = sources.getImmediateExpansionRange(location);
    location = call.getBegin();
    Place place = placeAt(location);
    place.isParameter = isParameter;
    if (location.isFileID() && call.getEnd() != location && call.getEnd().isFileID()) {
      const Place end = placeAt(call.getEnd());
      place.endLine = end.line;
      place.endColumn = end.column;
    }
    chain.push_back(std::move(place));
  }
  return chain;
}

std::optional<Place> SourcePlaces::includedAt(llvm::StringRef file, unsigned inclusion) const {
  const clang::FileID id = find(file, inclusion);
  const clang::SourceLocation location =
      id.isValid() ? sources.getIncludeLoc(id) : clang::SourceLocation();
  // What leads to files outside of the project depends on the precompiled headers that there are.
  if (location.isInvalid() || (!root.empty() && llvm::sys::path::is_absolute(file)))
    return std::nullopt;
  if (isOfPrecompiled(location))
    return inMainFile(location);
  const Place place = placeAt(location);
  return root.empty() || !llvm::sys::path::is_absolute(place.file) ? std::optional(place)
                                                                   : std::nullopt;
}

bool SourcePlaces::isOfPrecompiled(clang::SourceLocation include) const {
  const clang::FileID file = sources.getFileID(include);
  const clang::SourceLocation around = sources.getIncludeLoc(file);
  return sources.isLoadedFileID(file) && around.isValid() && sources.getFileOffset(around) == 0;
}

std::optional<Place> SourcePlaces::inMainFile(clang::SourceLocation include) const {
  const auto [file, offset] = sources.getDecomposedSpellingLoc(include);
  const auto lineIn = [&](clang::FileID id, unsigned line) {
    const llvm::StringRef text = sources.getBufferData(id);
    const clang::SourceLocation begin = sources.translateLineCol(id, line, 1);
    return begin.isInvalid() ? llvm::StringRef()
                             : text.drop_front(sources.getFileOffset(begin)).split('\n').first;
  };
  const clang::FileID mainFile = sources.getMainFileID();
  const unsigned line = sources.getLineNumber(file, offset);
  // What the header has is left out of the main file: blanks are in its place.
  const llvm::StringRef here = lineIn(file, line), there = lineIn(mainFile, line);
  if (here != there && (here.size() != there.size() || !there.trim().empty()))
    return std::nullopt;
  const File name = fileOf(mainFile);
  return Place{name.name, name.inclusion, line, sources.getColumnNumber(file, offset)};
}

clang::FileID SourcePlaces::find(llvm::StringRef file, unsigned inclusion) const {
  const auto known = inclusions.find(file);
  return known == inclusions.end() || known->second.size() < inclusion
             ? clang::FileID()
             : known->second[inclusion - 1];
}

bool SourcePlaces::isOfSystem(llvm::StringRef file, unsigned inclusion) const {
  const clang::FileID id = find(file, inclusion);
  return id.isValid() && !llvm::sys::path::is_absolute(file) && sources.getFileEntryRefForID(id) &&
         clang::SrcMgr::isSystem(sources.getFileCharacteristic(sources.getLocForStartOfFile(id)));
}

llvm::StringRef SourcePlaces::mainFile() const { return fileOf(sources.getMainFileID()).name; }

} // namespace gradtidy::ir
