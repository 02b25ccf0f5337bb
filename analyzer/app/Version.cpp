#include "Version.h"

#include "Commit.h" // Written by every build.

namespace gradtidy {

std::string versionText() {
  const std::string commit = GRADTIDY_COMMIT;
  return "gradtidy " GRADTIDY_VERSION " (" + (commit.empty() ? "" : "commit " + commit + ", ") +
         "LLVM " GRADTIDY_LLVM_VERSION ")";
}

} // namespace gradtidy
