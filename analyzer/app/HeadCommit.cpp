#include "HeadCommit.h"

#include "GitFolder.h"
#include "analyzer/source/BoundedFile.h"
#include "analyzer/source/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace gradtidy {
namespace {

using llvm::StringRef;

std::string read(const std::string &file) {
  const auto text = readFileIfPossible(file);
  return text ? text->getBuffer().trim().str() : std::string();
}

bool isCommit(StringRef text) { return text.size() >= 40 && llvm::all_of(text, llvm::isHexDigit); }

/// The commit of \p branch ("refs/heads/main") in the repository \p folder.
std::string commitOf(StringRef branch, const std::string &folder) {
  if (std::string own = read(absolutePath(branch, folder)); isCommit(own))
    return own;
  const std::string packed = read(absolutePath("packed-refs", folder));
  for (const StringRef line : llvm::split(StringRef(packed), '\n')) {
    const auto [commit, name] = line.split(' ');
    if (name == branch && isCommit(commit))
      return commit.str();
  }
  return {};
}

} // namespace

std::string headCommit(StringRef root) {
  const std::string folder = gitFolder(root);
  if (folder.empty())
    return {};
  std::string head = read(absolutePath("HEAD", folder));
  if (StringRef branch = head; branch.consume_front("ref:")) {
    branch = branch.trim();
    if (branch.contains(".."))
      return {};
    std::string commit = commitOf(branch, folder);
    // The branches of a worktree are those of its repository.
    if (const std::string common = read(absolutePath("commondir", folder));
        commit.empty() && !common.empty())
      commit = commitOf(branch, absolutePath(common, folder));
    head = std::move(commit);
  }
  constexpr size_t shownDigits = 12;
  return isCommit(head) ? head.substr(0, shownDigits) : std::string();
}

} // namespace gradtidy
