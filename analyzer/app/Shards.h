// The results of a part of the files, kept until those of all parts are there.
#pragma once

#include "Analysis.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gradtidy {

llvm::Error writeShard(const std::string &file, const Run &run, const CommandLine &commandLine);

/// The run that the shards in \p files are parts of. Fails unless each part is there once.
llvm::Expected<Run> readShards(llvm::ArrayRef<std::string> files);

} // namespace gradtidy
