#include "Overlay.h"
#include "analyzer/source/BoundedText.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace gradtidy {

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
overlaid(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> base, const Overlay &overlay) {
  if (overlay.text.empty())
    return base;
  if (!yamlTooDeep(overlay.text).empty())
    return nullptr;
  const auto ignore = [](const llvm::SMDiagnostic &, void *) {};
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files = llvm::vfs::getVFSFromYAML(
      llvm::MemoryBuffer::getMemBuffer(overlay.text), ignore, overlay.file, nullptr, base);
  if (!files)
    return nullptr;
  auto all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(std::move(base));
  all->pushOverlay(std::move(files));
  return all;
}

} // namespace gradtidy
