#include "Kernels.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

/// Whether Python or a dispatcher gets hold of \p function. Without Python's headers clang takes
/// the definition of a module for none; what is written has to do then.
static bool isHandedOn(const LauncherVisit &visit, const FunctionBody &function) {
  const clang::SourceManager &sources = visit.source.manager;
  const llvm::StringRef text =
      sources.getBufferData(sources.getFileID(sources.getFileLoc(function.function->location)));
  return visit.unit.program().isHandedOn(function) ||
         (text.contains("PYBIND11_MODULE(") && !function.function->name.empty() &&
          text.contains(("&" + function.function->name).str()));
}

static Cared caredByCallers(const LauncherVisit &visit, const FunctionBody &function,
                            bool KernelCare::*what,
                            llvm::SmallPtrSetImpl<const FunctionBody *> &seen) {
  if (!seen.insert(&function).second)
    return Cared::Yes;
  if (function.isOwnBackward) // The engine has made the GPU current, and gives it any gradient.
    return what == &KernelCare::choosesDevice ? Cared::Yes : Cared::No;
  if (isHandedOn(visit, function))
    return Cared::No;
  // A function that makes sure of its tensors is the first that gets them: none has chosen a GPU.
  Cared least = visit.unit.callGraph().isCalled(function) ? Cared::Yes
                : function.kernelCare.checksDevice        ? Cared::No
                                                          : Cared::Unknown;
  for (const FunctionBody *caller : visit.unit.callGraph().callersOf(function))
    if (!(caller->kernelCare.*what))
      least = std::max(least, caredByCallers(visit, *caller, what, seen));
  return least;
}

Cared caredByCallers(const LauncherVisit &visit, bool KernelCare::*what) {
  llvm::SmallPtrSet<const FunctionBody *, 8> seen;
  return caredByCallers(visit, visit.function, what, seen);
}

clang::SourceLocation writtenAt(const LauncherVisit &visit, clang::SourceLocation location) {
  return visit.source.manager.getFileLoc(location);
}

Finding findingAt(const LauncherVisit &visit, const KernelLaunch &launch) {
  return {Level::Certain, clang::SourceRange(writtenAt(visit, launch.call->begin()),
                                             writtenAt(visit, launch.configuration->end()))};
}

} // namespace gradtidy
