// Paths as diagnostics carry them.
#pragma once

#include "clang/Basic/FileEntry.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace clang {
class FileManager;
class SourceManager;
} // namespace clang

namespace gradtidy {

/// The one form of \p path (see analyzer/source/Paths.h), against \p folder. An empty path, that of
/// what lies in no file, stays empty.
std::string cleanPath(llvm::StringRef path, llvm::StringRef folder);

/// The one form of the path of \p file, which the compiler may name relatively.
std::string cleanPath(const clang::FileEntryRef &file, const clang::SourceManager &sources);
std::string cleanPath(const clang::FileEntryRef &file, const clang::FileManager &files);

} // namespace gradtidy
