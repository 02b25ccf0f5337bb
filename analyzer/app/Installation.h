// Where the files that come with gradtidy lie, beside the program.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {

/// The folder runtime/compat, whose torch/torch.h is the bundled runtime's. Like the others here:
/// of the installation or the build folder that \p executable lies in, else of the tree that it was
/// built from; empty if there is none.
std::string findRuntime(llvm::StringRef executable);

/// libgradtidy_runtime.a.
std::string findRuntimeLibrary(llvm::StringRef executable);

/// The folder of the pages of checks, with README.md.
std::string findPages(llvm::StringRef executable);

/// The folder of fixtures, with harness.h.
std::string findFixtures(llvm::StringRef executable);

/// The folder of the watching library's sources, with Session.cpp.
std::string findWatchSources(llvm::StringRef executable);

} // namespace gradtidy
