// Where a command keeps the programs and libraries that it builds.
#pragma once

#include "CommandLine.h"

#include "analyzer/frontend/CacheFolder.h"

#include <optional>

namespace gradtidy {

/// The folder \p name of the cache or, where there is none or it cannot be used, which is told, one
/// that lasts as long as \p scratch. Throws std::runtime_error if there is no place for that.
CacheFolder openBuildCache(const CommandLine &commandLine, llvm::StringRef name,
                           std::optional<ScratchFolder> &scratch);

} // namespace gradtidy
