// Files that somebody else wrote, read without trusting their size or kind.
#pragma once

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace gradtidy {

/// The largest files that are read, in bytes, by what they are.
namespace limits {
inline constexpr uint64_t source = uint64_t(64) << 20;
/// What #embed takes of a file, of which clang makes 57 bytes for each. No power of two, which
/// other programs choose for sizes: a file of this size counts as cut.
inline constexpr uint64_t embedded = (uint64_t(1) << 20) - 1;
inline constexpr uint64_t database = uint64_t(512) << 20;
inline constexpr uint64_t model = uint64_t(16) << 20;
inline constexpr uint64_t configuration = uint64_t(1) << 20;
inline constexpr uint64_t results = uint64_t(1) << 30; ///< Of a shard, or a SARIF baseline.
} // namespace limits

/// The contents of \p file, in memory of this process: changes of the file do not reach them.
/// Symbolic links are followed. A directory, FIFO, socket or device is never opened, and a file of
/// more than \p limit bytes is never read. The error is a reason without the name of the file, as
/// in "not a regular file".
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readFile(llvm::StringRef file,
                                                             uint64_t limit = limits::source);

/// The same; null for a file that cannot be read.
std::unique_ptr<llvm::MemoryBuffer> readFileIfPossible(llvm::StringRef file,
                                                       uint64_t limit = limits::source);

/// Why \p file cannot be read with readFile(); empty if it can.
std::string whyUnreadable(llvm::StringRef file, uint64_t limit = limits::source);

/// The file system for libraries that read configuration files by themselves: it reads as
/// readFile() does. A file that cannot be read counts as empty, once \p fail was told
/// "NAME: REASON".
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
boundedFileSystem(uint64_t limit, std::function<void(const std::string &)> fail);

} // namespace gradtidy
