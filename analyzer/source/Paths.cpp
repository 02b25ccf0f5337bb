#include "Paths.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace gradtidy {

using llvm::StringRef;
namespace path = llvm::sys::path;

std::string absolutePath(StringRef file, StringRef folder) {
  llvm::SmallString<256> result(folder);
  path::append(result, file);
  if (path::is_absolute(file))
    result = file;
  // Without a working directory (it was deleted) the path stays relative, and no file is found.
  (void)llvm::sys::fs::make_absolute(result);
  path::remove_dots(result, /*remove_dot_dot=*/true);
  while (result.size() > 1 && result.back() == '/')
    result.pop_back();
  return std::string(result);
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
