// Files that stand in for others: clang's virtual file system overlays, as --vfsoverlay names one.
#pragma once

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <string>

namespace gradtidy {

/// An overlay as it was read.
struct Overlay {
  std::string file; ///< Absolute: names in it may be relative to it.
  std::string text; ///< YAML; empty without an overlay.
};

/// \p base as \p overlay changes it. Null if that is malformed. Whatever it names is read through
/// \p base.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
overlaid(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> base, const Overlay &overlay);

} // namespace gradtidy
