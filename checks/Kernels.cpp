#include "Kernels.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

/// Whether Python or a dispatcher gets hold of \p function. Without Python's headers clang takes
/// the definition of a module for none; what is written has to do then.
static bool isHandedOn(const UnitAnalysis &unit, const FunctionBody &function) {
  const clang::SourceManager &sources = unit.sources();
  const llvm::StringRef text =
      sources.getBufferData(sources.getFileID(sources.getFileLoc(function.function->location)));
  return unit.program().isHandedOn(function) ||
         (text.contains("PYBIND11_MODULE(") && !function.function->name.empty() &&
          text.contains(("&" + function.function->name).str()));
}

static Cared caredByCallers(const UnitAnalysis &unit, const FunctionBody &function,
                            bool KernelCare::*what,
                            llvm::SmallPtrSetImpl<const FunctionBody *> &seen) {
  if (!seen.insert(&function).second)
    return Cared::Yes;
  if (isHandedOn(unit, function))
    return Cared::No;
  Cared least = unit.callGraph().isCalled(function) ? Cared::Yes : Cared::Unknown;
  for (const FunctionBody *caller : unit.callGraph().callersOf(function))
    if (!(unit.program().kernelCareOf(*caller).*what))
      least = std::max(least, caredByCallers(unit, *caller, what, seen));
  return least;
}

Cared caredByCallers(const LauncherVisit &visit, bool KernelCare::*what) {
  llvm::SmallPtrSet<const FunctionBody *, 8> seen;
  return caredByCallers(visit.unit, visit.function, what, seen);
}

clang::SourceLocation writtenAt(const LauncherVisit &visit, clang::SourceLocation location) {
  return visit.source.manager.getFileLoc(location);
}

Finding findingAt(const LauncherVisit &visit, const KernelLaunch &launch) {
  return {Level::Certain, clang::SourceRange(writtenAt(visit, launch.call->begin()),
                                             writtenAt(visit, launch.configuration->end()))};
}

bool declares(const LauncherVisit &visit, llvm::StringRef space, llvm::StringRef name) {
  return visit.unit.code().declares("c10", space, name);
}

} // namespace gradtidy
