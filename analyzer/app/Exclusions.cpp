#include "Exclusions.h"

#include "analyzer/source/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

namespace gradtidy {

namespace path = llvm::sys::path;

llvm::Expected<Exclusions> Exclusions::parse(llvm::StringRef globs) {
  Exclusions exclusions;
  for (llvm::StringRef glob : llvm::split(globs, ';')) {
    glob = glob.trim().rtrim('/');
    glob.consume_front("./");
    if (glob.empty())
      continue;
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(glob);
    if (!pattern)
      return llvm::createStringError(
          "'" + glob + "' is no glob for files to exclude: " + llvm::toString(pattern.takeError()));
    exclusions.patterns.push_back(std::move(*pattern));
  }
  return exclusions;
}

bool Exclusions::contain(llvm::StringRef file, llvm::StringRef root) const {
  const bool isBelow = liesIn(file, root);
  for (llvm::StringRef at = file; !at.empty() && at != root && at != path::root_path(at);
       at = path::parent_path(at)) {
    const llvm::StringRef whole = isBelow ? at.drop_front(root.size()).ltrim('/') : at;
    if (llvm::any_of(patterns, [&](const llvm::GlobPattern &pattern) {
          return pattern.match(whole) || pattern.match(path::filename(at));
        }))
      return true;
    if (!isBelow)
      break;
  }
  return false;
}

} // namespace gradtidy
