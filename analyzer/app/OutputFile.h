// Opens files that the user asked for, past what a repository under test has put in their place.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <system_error>

namespace gradtidy {

/// Opens \p file to be written anew; "-" is standard output. A symbolic link of that name, or one
/// of several hard links, is replaced by a new file: what it leads to stays as it is. What lies in
/// /dev or /proc, as /dev/stdout does, is written as it is. A FIFO that nobody reads is an error.
/// Without a file \p error says why, and the stream writes nothing.
std::unique_ptr<llvm::raw_fd_ostream> openOutput(llvm::StringRef file, std::error_code &error);

} // namespace gradtidy
