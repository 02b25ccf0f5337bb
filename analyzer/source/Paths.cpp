#include "Paths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <climits>
#include <mutex>

namespace gradtidy {

using llvm::StringRef;
namespace path = llvm::sys::path;

namespace {

std::string joined(StringRef file, StringRef folder) {
  llvm::SmallString<256> result(folder);
  path::append(result, file);
  if (path::is_absolute(file))
    result = file;
  // Without a working directory (it was deleted) the path stays relative, and no file is found.
  (void)llvm::sys::fs::make_absolute(result);
  path::remove_dots(result);
  while (result.size() > 1 && result.back() == '/')
    result.pop_back();
  return std::string(result);
}

/// Absolute \p folder without links, as far as it exists.
std::string resolved(const std::string &folder) {
  if (folder.size() >= PATH_MAX) // Nothing has such a path, and it may have very many parents.
    return folder;
  static std::mutex mutex; // Analyses run in threads of their own.
  static llvm::StringMap<std::string> known;
  {
    const std::lock_guard guard(mutex);
    if (const auto found = known.find(folder); found != known.end())
      return found->second;
  }
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(folder, real)) {
    const StringRef parent = path::parent_path(folder), name = path::filename(folder);
    if (parent.empty() || parent == folder)
      return folder;
    real = resolved(parent.str());
    if (name == "..")
      path::remove_filename(real);
    else
      path::append(real, name);
    return std::string(real); // It may still be made.
  }
  const std::lock_guard guard(mutex);
  return known.try_emplace(folder, std::string(real)).first->second;
}

} // namespace

std::string absolutePath(StringRef file, StringRef folder) {
  const std::string whole = joined(file, folder);
  const StringRef name = path::filename(whole), parent = path::parent_path(whole);
  if (name == ".." || parent.empty())
    return resolved(whole);
  llvm::SmallString<256> result(resolved(parent.str()));
  path::append(result, name);
  return std::string(result);
}

std::string folderPath(StringRef file, StringRef folder) { return resolved(joined(file, folder)); }

std::string realPath(StringRef file) {
  llvm::SmallString<256> real;
  return llvm::sys::fs::real_path(file, real) ? file.str() : std::string(real);
}

void ShownPaths::add(StringRef given, StringRef real) {
  llvm::SmallString<256> whole(joined(given, {}));
  path::remove_dots(whole, /*remove_dot_dot=*/true);
  StringRef typed = whole;
  while (typed != real && !path::filename(typed).empty() &&
         path::filename(typed) == path::filename(real)) {
    typed = path::parent_path(typed);
    real = path::parent_path(real);
  }
  // The first spelling of a folder is the one that is shown.
  if (llvm::none_of(folders, [&](const auto &folder) { return folder.first == real; }))
    folders.emplace_back(real, typed);
}

std::string ShownPaths::of(StringRef file) const {
  const std::pair<std::string, std::string> *nearest = nullptr;
  for (const auto &folder : folders)
    if (liesIn(file, folder.first) && (!nearest || folder.first.size() > nearest->first.size()))
      nearest = &folder;
  if (!nearest || nearest->first == nearest->second)
    return file.str();
  llvm::SmallString<256> shown(nearest->second);
  path::append(shown, file.drop_front(nearest->first.size()));
  return std::string(shown);
}

bool liesIn(StringRef file, StringRef folder) {
  return !folder.empty() && file.consume_front(folder) &&
         (file.empty() || folder.ends_with("/") || file.starts_with("/"));
}

StringRef commonFolder(StringRef one, StringRef other) {
  while (!one.empty() && !liesIn(other, one))
    one = path::parent_path(one);
  return one;
}

bool isHeader(StringRef file) {
  static const llvm::StringSet<> extensions = {".h",   ".hh",  ".hpp", ".hxx", ".h++", ".H",  ".hp",
                                               ".cuh", ".inc", ".inl", ".ipp", ".tpp", ".txx"};
  return extensions.contains(path::extension(file));
}

} // namespace gradtidy
