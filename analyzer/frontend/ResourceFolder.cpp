#include "ResourceFolder.h"
#include "analyzer/source/Paths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace gradtidy {

static const std::string &resourceFolder() {
  static int inThisProgram;
  static const std::string folder = [] {
    const std::string program = llvm::sys::fs::getMainExecutable("gradtidy", &inThisProgram);
    const std::string installed =
        absolutePath("../lib/gradtidy/clang", folderPath(llvm::sys::path::parent_path(program)));
    return llvm::sys::fs::exists(installed + "/include/stddef.h") ? installed
                                                                  : GRADTIDY_RESOURCE_DIR;
  }();
  return folder;
}

void addResourceFolder(std::vector<std::string> &arguments) {
  if (llvm::none_of(arguments,
                    [](llvm::StringRef argument) { return argument.starts_with("-resource-dir"); }))
    arguments.insert(arguments.begin() + 1, "-resource-dir=" + resourceFolder());
}

} // namespace gradtidy
