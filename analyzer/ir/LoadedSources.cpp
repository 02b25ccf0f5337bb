#include "LoadedSources.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace gradtidy::ir {

LoadedSources::LoadedSources(llvm::StringRef root,
                             llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files)
    : root(root), diagnostics(clang::DiagnosticIDs::create(), options),
      fileManager(clang::FileSystemOptions(), std::move(files)), sources(diagnostics, fileManager) {
}

LoadedSources::~LoadedSources() = default;

void LoadedSources::addFile(llvm::StringRef file, unsigned inclusion,
                            const std::optional<Place> &includedAt, bool isOfSystem) {
  file = fileNames.save(file);
  Inclusion &known = inclusions[{file, inclusion}] = {includedAt, isOfSystem};
  if (known.place)
    known.place->file = fileNames.save(known.place->file);
  if (!std::exchange(hasMain, true))
    sources.setMainFileID(fileOf({file, inclusion}));
}

clang::FileID LoadedSources::emptyFile(llvm::StringRef name, clang::SourceLocation includedAt) {
  constexpr size_t lines = 1 << 16;
  return sources.createFileID(llvm::MemoryBuffer::getMemBufferCopy(std::string(lines, '\n'), name),
                              clang::SrcMgr::C_User, 0, 0, includedAt);
}

clang::FileID LoadedSources::fileOf(const Name &name) {
  if (const auto known = loaded.find(name); known != loaded.end())
    return known->second;
  // What nobody says of comes before all that the main file says.
  clang::SourceLocation includedAt;
  if (sources.getMainFileID().isValid())
    includedAt = sources.getLocForStartOfFile(sources.getMainFileID());
  clang::SrcMgr::CharacteristicKind kind = clang::SrcMgr::C_User;
  if (const auto known = inclusions.find(name); known != inclusions.end()) {
    const Inclusion inclusion = known->second;
    inclusions.erase(known); // A text may say that files include each other in a circle.
    kind = inclusion.isOfSystem ? clang::SrcMgr::C_System : kind;
    if (const std::optional<Place> &around = inclusion.place)
      includedAt = at(around->file, around->inclusion, around->line, around->column);
  }
  llvm::SmallString<128> path(name.first);
  if (!llvm::sys::path::is_absolute(path))
    (path = root).append({"/", name.first});
  const auto entry = fileManager.getOptionalFileRef(path);
  const clang::FileID id =
      entry ? sources.createFileID(*entry, includedAt, kind) : emptyFile(name.first, includedAt);
  const Name kept(fileNames.save(name.first), name.second);
  names[id] = kept;
  return loaded[kept] = id;
}

LoadedSources::Name LoadedSources::nameOf(clang::FileID file) const {
  return names.find(file)->second;
}

clang::SourceLocation LoadedSources::at(llvm::StringRef file, unsigned inclusion, unsigned line,
                                        unsigned column) {
  const clang::FileID id = fileOf({file, inclusion});
  // SourceManager reads the line up to a column: very slow in one that holds all.
  const clang::SourceLocation begin = sources.translateLineCol(id, line, 1);
  const unsigned size = sources.getFileIDSize(id);
  if (begin.isInvalid() || column == 0 || sources.getFileOffset(begin) + column > size)
    return sources.translateLineCol(id, line, column);
  return begin.getLocWithOffset(static_cast<int>(column) - 1);
}

clang::SourceLocation LoadedSources::expanded(clang::SourceLocation spelled,
                                              clang::SourceLocation begin,
                                              clang::SourceLocation end) {
  const auto [file, offset] = sources.getDecomposedLoc(spelled);
  Expansion &known = expansions[{begin, end, file}];
  if (offset < known.offset || offset >= known.offset + known.length) {
    // Some of the text around it: other tokens of the same macro, or argument, are there.
    constexpr unsigned around = 2048;
    known.offset = offset > around ? offset - around : 0;
    known.length = std::min<unsigned>(2 * around, sources.getFileIDSize(file) + 1 - known.offset);
    const clang::SourceLocation start = sources.getComposedLoc(file, known.offset);
    known.start = end.isInvalid() ? sources.createMacroArgExpansionLoc(start, begin, known.length)
                                  : sources.createExpansionLoc(start, begin, end, known.length);
  }
  return known.start.getLocWithOffset(static_cast<int>(offset - known.offset));
}

clang::SourceLocation LoadedSources::at(const Places::Chain &chain) {
  clang::SourceLocation location;
  for (const Place *place = chain.end(), *behind = nullptr; place-- != chain.begin();
       behind = place) {
    const clang::SourceLocation spelled =
        at(place->file, place->inclusion, place->line, place->column);
    if (spelled.isInvalid())
      return {};
    clang::SourceLocation end = location;
    if (behind && behind->endLine)
      end = at(behind->file, behind->inclusion, behind->endLine, behind->endColumn);
    if (behind && behind->isParameter)
      end = {};
    location = behind ? expanded(spelled, location, end) : spelled;
  }
  return location;
}

} // namespace gradtidy::ir
