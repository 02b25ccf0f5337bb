#include "Installation.h"

#include "analyzer/frontend/Paths.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace gradtidy {

namespace {

/// The first of three folders in which \p file is: beside the folder of \p executable, as installed
/// and as built, and where it was built.
std::string find(llvm::StringRef executable, llvm::StringRef installed, llvm::StringRef built,
                 const std::string &original, llvm::StringRef file) {
  const llvm::StringRef bin = llvm::sys::path::parent_path(executable);
  for (const std::string &folder :
       {(bin + "/../" + installed).str(), (bin + "/../" + built).str(), original})
    if (llvm::sys::fs::exists(folder + "/" + file))
      return cleanPath(folder, {});
  return {};
}

} // namespace

std::string findRuntime(llvm::StringRef executable) {
  return find(executable, "share/gradtidy/runtime/compat", "../runtime/compat",
              GRADTIDY_SOURCE_DIR "/runtime/compat", "torch/torch.h");
}

std::string findRuntimeLibrary(llvm::StringRef executable) {
  const std::string folder = find(executable, "lib/gradtidy", "runtime",
                                  GRADTIDY_BINARY_DIR "/runtime", "libgradtidy_runtime.a");
  return folder.empty() ? "" : folder + "/libgradtidy_runtime.a";
}

std::string findPages(llvm::StringRef executable) {
  return find(executable, "share/gradtidy/docs/checks", "../docs/checks",
              GRADTIDY_SOURCE_DIR "/docs/checks", "README.md");
}

std::string findFixtures(llvm::StringRef executable) {
  return find(executable, "share/gradtidy/fixtures", "../fixtures", GRADTIDY_SOURCE_DIR "/fixtures",
              "harness.h");
}

std::string findWatchSources(llvm::StringRef executable) {
  return find(executable, "share/gradtidy/watch", "../watch", GRADTIDY_SOURCE_DIR "/watch",
              "Session.cpp");
}

} // namespace gradtidy
