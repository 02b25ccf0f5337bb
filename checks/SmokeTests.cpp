#include "SmokeTests.h"

#include "Loops.h"

namespace gradtidy {
namespace {

/// Tells tensors that the source makes up, of random numbers or literally, from data.
class Synthetic {
public:
  Synthetic(const PathTable &paths, const FunctionBody &function)
      : paths(paths), function(function) {}

  bool holds(PathId path, unsigned depth = 0) const {
    const PathStep &name = paths.last(path);
    if (depth > maxDepth || (name.kind != PathStep::Temporary && !isLocalVariable(name)))
      return false;
    bool isMade = false;
    for (const Block &block : function.blocks)
      for (const Event &event : block.events) {
        const bool makes = event.result == path || isPut(event, path);
        if (makes ? !isMadeOf(event, depth) : mayFill(event, path))
          return false;
        isMade |= makes;
      }
    return isMade;
  }

private:
  static constexpr unsigned maxDepth = 8;

  static bool isLocalVariable(const PathStep &name) {
    if (name.kind != PathStep::Variable)
      return false;
    const auto *variable = name.symbol();
    return variable->hasLocalStorage() && variable->kind != ir::SymbolKind::Parameter;
  }

  /// Whether the event gives the variable \p path a value, or adds one to the list.
  static bool isPut(const Event &event, PathId path) {
    return event.subject.path == path &&
           (event.kind == EventKind::Bind ||
            (event.kind == EventKind::Combine && event.subject.escapes &&
             event.subject.role == TypeRole::None));
  }

  bool isMadeOf(const Event &event, unsigned depth) const {
    const auto isSynthetic = [&](const Operand &operand) {
      return !operand.isTensor || holds(operand.path, depth + 1);
    };
    switch (event.kind) {
    case EventKind::Create:
      return !event.subject.path && !event.isData;
    case EventKind::Combine:
    case EventKind::Move:
      return (event.subject.escapes || isSynthetic(event.subject)) &&
             llvm::all_of(event.operands, isSynthetic);
    case EventKind::Bind:
    case EventKind::Construct:
      return llvm::all_of(event.operands, isSynthetic);
    default:
      return false;
    }
  }

  /// Whether the event may write other values into the tensor at \p path, or let others do so.
  bool mayFill(const Event &event, PathId path) const {
    const bool isWritten = event.subject.escapes || event.kind == EventKind::Bind ||
                           event.kind == EventKind::Overwrite;
    const bool isOpened = !event.isTensor && !event.isArithmetic && !event.isAttribute;
    const bool mayWrite = event.kind == EventKind::Call;
    return (isWritten && isView(event.subject.path, path)) ||
           (isOpened && event.kind == EventKind::Combine && event.subject.path == path) ||
           (mayWrite && llvm::any_of(event.operands, [&](const Operand &operand) {
              return operand.escapes && operand.path == path;
            }));
  }

  /// Whether \p view is a part of the tensor at \p path, as it is written.
  bool isView(PathId view, PathId path, unsigned depth = 0) const {
    if (!view || depth > maxDepth)
      return false;
    return paths.isWithin(view, path) || llvm::any_of(function.blocks, [&](const Block &block) {
             return llvm::any_of(block.events, [&](const Event &event) {
               return event.result == view && event.subject.path != view &&
                      isView(event.subject.path, path, depth + 1);
             });
           });
  }

  const PathTable &paths;
  const FunctionBody &function;
};

} // namespace

bool isFirstLook(const Visit &visit) {
  return visit.before.module(visit.event.subject).isNew && loopsAround(visit).empty();
}

bool isOnSyntheticInput(const Visit &visit) {
  const Event &shown = visit.shown();
  const bool isTrainedHere = visit.before.module(visit.event.subject).isTrained &&
                             llvm::any_of(shown.function->blocks, [](const Block &block) {
                               return llvm::any_of(block.events, [](const Event &event) {
                                 return event.kind == EventKind::Backward;
                               });
                             });
  if (isTrainedHere)
    return false;
  bool isGiven = false;
  const bool isSynthetic = llvm::all_of(shown.operands, [&](const Operand &operand) {
    if (!operand.isTensor)
      return true;
    isGiven = true;
    return Synthetic(visit.unit.tables().paths, *shown.function).holds(operand.path);
  });
  return isGiven && isSynthetic && visit.unit.tables().sites.callers(visit.site).empty() &&
         loopsAround(visit).empty();
}

} // namespace gradtidy
