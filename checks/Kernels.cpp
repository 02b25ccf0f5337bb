#include "Kernels.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

FunctionParts::FunctionParts(const FunctionBody &function) {
  ir::forEach(function.body, [&](const ir::Node &node) { add(node); });
}

bool FunctionParts::dependsOn(const ir::Node *expr, Trait trait) const {
  llvm::SmallSetVector<const ir::Symbol *, 8> names;
  bool depends = false;
  const auto look = [&](const ir::Node *part) {
    ir::forEach(part, [&](const ir::Node &node) {
      depends |= node.symbol && node.symbol->trait == trait;
      if (const ir::Symbol *variable = ir::variableIn(&node))
        names.insert(variable);
    });
  };
  look(expr);
  for (size_t i = 0; i < names.size() && !depends; ++i)
    if (const auto found = given.find(names[i]); found != given.end())
      llvm::for_each(found->second, look);
  return depends;
}

void FunctionParts::add(const ir::Node &node) {
  if (node.isCall() && node.symbol && node.symbol->operation == Operation::Barrier)
    barriers.push_back(&node);
  if (node.isCall() && node.symbol && node.symbol->operation == Operation::AddAtomically)
    atomics.push_back(&node);
  if (node.kind == ir::NodeKind::Subscript)
    subscripts.push_back(&node);
  for (const ir::Symbol *variable : node.declared)
    if (variable->init)
      given[variable].push_back(variable->init);
  if (!node.isAssignment() || node.children.size() != 2)
    return;
  writes.push_back(&node);
  if (const ir::Symbol *variable = ir::variableIn(node.children[0]))
    given[variable].push_back(node.children[1]);
}

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
  Cared least = visit.unit.callGraph().isCalled(function) ? Cared::Yes : Cared::Unknown;
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
