#include "Variation.h"

#include "Calls.h"
#include "Loops.h"

#include "llvm/ADT/SetVector.h"

namespace gradtidy {
namespace {

/// The functions from the one in which a loop stands to that of an event.
class VaryingNames {
public:
  VaryingNames(const Visit &visit, const ir::Node *loop) : visit(visit), loop(loop) {
    while (first < visit.callers.size() && !isAround(*visit.callers[first]))
      ++first;
  }

  bool varies(const ir::Node *expr) const { return varies(expr, visit.callers.size(), 0); }

private:
  bool isAround(const Event &event) const {
    return llvm::is_contained(event.function->loopsAround(event.site), loop);
  }

  const FunctionBody &functionAt(size_t depth) const {
    return depth == visit.callers.size() ? *visit.event.function : *visit.callers[depth]->function;
  }

  bool varies(const ir::Node *expr, size_t depth, unsigned hops) const {
    if (!expr || hops > 8)
      return hops > 8;
    return llvm::any_of(functionAt(depth).namedIn(expr), [&](const ir::Symbol *named) {
      if (isGlobalConstant(*named))
        return false;
      return named->isVariable() ? varies(*named, depth, hops) : changesMember(*named);
    });
  }

  static bool isGlobalConstant(const ir::Symbol &named) {
    return named.kind == ir::SymbolKind::Variable && !named.owner && !named.isLocal && named.type &&
           named.type->isConst && !named.type->isReference;
  }

  bool varies(const ir::Symbol &variable, size_t depth, unsigned hops) const {
    const FunctionBody &function = functionAt(depth);
    if (variable.isRangeElement)
      return contains(visit, loop, variable.location) || depth > first;
    const bool isOwn = variable.owner == function.function;
    const bool isParameter = variable.kind == ir::SymbolKind::Parameter;
    if (isOwn && depth > first) { // It begins anew with each call.
      if (function.mayChange(variable, function.body))
        return true;
      if (!isParameter)
        return !variable.init || varies(variable.init, depth, hops + 1);
      const Event &call = *visit.callers[depth - 1];
      return call.kind == EventKind::Call && variable.index < call.operands.size() &&
             varies(call.operands[variable.index].expr, depth - 1, hops + 1);
    }
    const bool isStaticLocal = variable.isLocal && variable.isStatic && !variable.isExtern;
    if ((!variable.isLocal && !isParameter) || isStaticLocal)
      return llvm::any_of(visit.unit.callGraph().functions(), [&](const FunctionBody *each) {
        return each->mayChange(variable, each->body);
      });
    if (functionAt(first).mayChange(variable, loop))
      return true;
    return contains(visit, loop, variable.location) &&
           (!variable.init || varies(variable.init, depth, hops + 1));
  }

  /// Whether the loop, or a function that it calls, may change the member of any object, but for
  /// constructors.
  bool changesMember(const ir::Symbol &member) const {
    const FunctionBody &function = functionAt(first);
    const auto changes = [&](const FunctionBody &each) {
      return each.function->kind != ir::SymbolKind::Constructor &&
             each.mayChange(member, each.body);
    };
    if (function.mayChange(member, loop))
      return true;
    llvm::SetVector<const FunctionBody *> reached;
    const auto reach = [&](const Event &event) {
      const auto bodies = visit.unit.callGraph().candidates(event);
      reached.insert(bodies.begin(), bodies.end());
    };
    forEachEvent(function, [&](const Event &event) {
      if (llvm::is_contained(function.loopsAround(event.site), loop))
        reach(event);
    });
    for (size_t i = 0; i < reached.size(); ++i) {
      if (changes(*reached[i]))
        return true;
      forEachEvent(*reached[i], reach);
    }
    return false;
  }

  static void forEachEvent(const FunctionBody &function,
                           llvm::function_ref<void(const Event &)> see) {
    for (const Block &block : function.blocks)
      for (const Event &event : block.events)
        if (event.callee)
          see(event);
  }

  const Visit &visit;
  const ir::Node *loop;
  size_t first = 0; ///< The calls that lead to the function of the loop.
};

} // namespace

bool variesIn(const Visit &visit, const ir::Node *expr, const ir::Node *loop) {
  return VaryingNames(visit, loop).varies(expr);
}

bool isWithin(const Visit &visit, const Observation &other, const ir::Node *loop) {
  const auto isHere = [&](const Event *event) {
    return llvm::is_contained(event->function->loopsAround(event->site), loop);
  };
  return isHere(other.event) || llvm::any_of(other.callers, isHere);
}

/// What stands around both, in the same function.
static const ir::Node *aroundBoth(const ir::Node *site, const ir::Node *other) {
  llvm::SmallPtrSet<const ir::Node *, 16> around;
  for (; site; site = site->parent)
    around.insert(site);
  while (other && !around.contains(other))
    other = other->parent;
  return other;
}

bool isSkippedIn(const Visit &visit, const ir::Node *loop, const ir::Node *user) {
  const Frames frames = framesOf(visit);
  for (const Event *frame : llvm::reverse(frames)) {
    const bool isOfLoop = llvm::is_contained(frame->function->loopsAround(frame->site), loop);
    const ir::Node *whole = user ? aroundBoth(frame->site, user) : loop;
    if (frame->function->isLeftOut(frame->site, isOfLoop ? whole : nullptr))
      return true;
    if (frame != &visit.event && frame->kind != EventKind::Call)
      return true;
    if (isOfLoop)
      break;
  }
  return false;
}

} // namespace gradtidy
