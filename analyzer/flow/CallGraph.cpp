#include "CallGraph.h"

namespace gradtidy {

CallGraph::CallGraph(const LoweredUnit &unit) : unit(unit) {
  for (const FunctionBody *body : functions())
    addCallsOf(*body);
  // Of partners only what leads to the unit's own functions.
  for (size_t i = 0; i < leading.size(); ++i)
    leading.insert_range(callers.lookup(leading[i]));
  llvm::copy_if(functions(), std::back_inserter(followed),
                [&](const FunctionBody *body) { return leading.contains(body); });
}

void CallGraph::addCallsOf(const FunctionBody &body) {
  const bool isOfUnit = unit.isOwn(body);
  if (isOfUnit)
    leading.insert(&body);
  if (const FunctionBody *around = isClosure(body) ? bodyAround(body) : nullptr) {
    callers[&body].push_back(around);
    closures[around].push_back(&body);
  }
  for (const Block &block : body.blocks)
    for (const Event &event : block.events) {
      if (event.kind != EventKind::Call)
        continue;
      for (const FunctionBody *callee : candidates(event)) {
        if (callee == &body)
          continue;
        if (isOfUnit || !leading.contains(callee))
          called.insert(callee);
        callers[callee].push_back(&body);
      }
    }
}

const FunctionBody *CallGraph::bodyAround(const FunctionBody &closure) const {
  const ir::Symbol *lambda = closure.function->owner;
  const ir::Symbol *around = lambda ? lambda->owner : nullptr;
  return around ? bodyOf(*around) : nullptr;
}

llvm::SmallVector<const FunctionBody *, 4> CallGraph::candidates(const Event &call) const {
  llvm::SmallVector<const ir::Symbol *, 4> callees;
  if (call.callee && !call.callee->isPureVirtual)
    callees.push_back(call.callee);
  if (call.callee && call.isVirtual)
    llvm::append_range(callees, unit.overridersOf(*call.callee->first));
  llvm::SmallVector<const FunctionBody *, 4> found;
  for (const ir::Symbol *callee : callees)
    if (const FunctionBody *body = bodyOf(*callee))
      found.push_back(body);
    else
      return {};
  return found;
}

const FunctionBody *CallGraph::calleeOf(const Event &call) const {
  const auto bodies = candidates(call);
  return bodies.size() == 1 ? bodies.front() : nullptr;
}

bool CallGraph::runs(FunctionSet &reached, llvm::function_ref<bool(const Event &)> one,
                     llvm::function_ref<bool(const Event &)> unseen,
                     llvm::function_ref<void(const FunctionBody &)> more) const {
  const auto isOne = [&](const Event &event) {
    if ((event.kind != EventKind::Call && event.kind != EventKind::Forward) || one(event))
      return one(event);
    const auto callees = candidates(event);
    reached.insert(callees.begin(), callees.end());
    return event.kind == EventKind::Call && callees.empty() && unseen(event);
  };
  for (size_t i = 0; i < reached.size(); ++i) {
    if (hasEvent(*reached[i], isOne))
      return true;
    more(*reached[i]);
  }
  return false;
}

bool CallGraph::runs(const FunctionBody &function, llvm::function_ref<bool(const Event &)> one,
                     llvm::function_ref<bool(const Event &)> unseen) const {
  FunctionSet reached;
  reached.insert(&function);
  return runs(reached, one, unseen, [](const FunctionBody &) {});
}

bool CallGraph::mayRun(const FunctionBody &function,
                       llvm::function_ref<bool(const Event &)> one) const {
  FunctionSet reached;
  reached.insert(&function);
  return runs(
      reached, one, [](const Event &) { return false; },
      [&](const FunctionBody &each) {
        if (const auto within = closures.find(&each); within != closures.end())
          reached.insert_range(within->second);
      });
}

llvm::ArrayRef<const FunctionBody *> CallGraph::callersOf(const FunctionBody &function) const {
  const auto known = callers.find(&function);
  if (known == callers.end())
    return {};
  return known->second;
}

bool isModuleCall(const Event &event) {
  return event.kind == EventKind::Forward ||
         (event.kind == EventKind::Call && event.callee && isModule(event.subject.role) &&
          event.isTensor && event.result != event.subject.path);
}

bool isClosure(const FunctionBody &function) { return function.function->isClosure; }

bool hasEvent(const FunctionBody &function, llvm::function_ref<bool(const Event &)> one) {
  return llvm::any_of(function.blocks,
                      [&](const Block &block) { return llvm::any_of(block.events, one); });
}

} // namespace gradtidy
