#include "Lookups.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace gradtidy {

namespace fs = llvm::sys::fs;

bool LookupChecker::holds(const std::vector<Lookup> &lookups) {
  for (const Lookup &lookup : lookups)
    for (const std::string &folder : lookup.folders)
      for (const std::string &name : lookup.names)
        if (has(folder, name))
          return false;
  return true;
}

bool LookupChecker::has(const std::string &folder, llvm::StringRef name) {
  const auto [known, added] = entries.try_emplace(folder);
  if (added) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
      known->second.insert(llvm::sys::path::filename(entry->path()));
  }
  const llvm::StringRef first = name.split('/').first;
  const bool isPlain = !first.empty() && first != "." && first != "..";
  if (isPlain && !known->second.contains(first))
    return false;
  const std::string file = folder + "/" + name.str();
  const auto [place, isNew] = files.try_emplace(file, false);
  if (isNew)
    place->second = fs::exists(file) && !fs::is_directory(file);
  return place->second;
}

} // namespace gradtidy
