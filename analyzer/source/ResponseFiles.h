// Response files: "@file" in a command line stands for the words in the file.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gradtidy {

/// \p words with the words of each response file in the place of "@file", those of response files
/// that these name too. Relative names start at \p directory (the working directory if empty). As
/// in gcc, "@file" stays as it is where there is no such file.
/// Fails if a file cannot be read, names itself, or if all together are more than a command line
/// ever has.
llvm::Expected<std::vector<std::string>> expandResponseFiles(std::vector<std::string> words,
                                                             llvm::StringRef directory);

} // namespace gradtidy
