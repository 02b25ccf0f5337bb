#include "CallGraph.h"

namespace gradtidy {

CallGraph::CallGraph(const LoweredUnit &unit) : unit(unit) {
  for (const FunctionBody *body : functions())
    addOwnForward(*body);
  for (const FunctionBody *body : functions())
    addCallsOf(*body);
  // Of other sources only what leads to the unit's own functions.
  for (size_t i = 0; i < leading.size(); ++i)
    leading.insert_range(callers.lookup(leading[i]));
  llvm::copy_if(functions(), std::back_inserter(followed),
                [&](const FunctionBody *body) { return leading.contains(body); });
}

void CallGraph::addOwnForward(const FunctionBody &body) {
  if (!body.function->isStaticMethod || !body.function->aspects.has(Aspect::OwnForward))
    return;
  for (const ir::Symbol *base : body.function->owner->bases)
    if (base->trait == Trait::OwnGradients)
      ownForwards[base->first].push_back(&body);
}

llvm::ArrayRef<const FunctionBody *> CallGraph::appliedBy(const Event &event) const {
  const ir::Node *call = event.kind == EventKind::Combine ? ir::asCall(event.site) : nullptr;
  const ir::Symbol *record = call && call->symbol ? call->symbol->owner : nullptr;
  const auto known = record ? ownForwards.find(record->first) : ownForwards.end();
  if (known == ownForwards.end())
    return {};
  return known->second;
}

void CallGraph::addCallsOf(const FunctionBody &body) {
  const bool isOfUnit = body.linkedFrom.empty();
  if (isOfUnit)
    leading.insert(&body);
  if (const FunctionBody *around = isClosure(body) ? bodyAround(body) : nullptr) {
    callers[&body].push_back(around);
    closures[around].push_back(&body);
  }
  for (const Block &block : body.blocks)
    for (const Event &event : block.events) {
      for (const FunctionBody *callee : appliedBy(event))
        callers[callee].push_back(&body);
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

bool CallGraph::isAlwaysOverridden(const ir::Symbol &base) const {
  const auto overriders = unit.overridersOf(*base.first);
  const auto inherits = [&](const ir::Symbol *other) {
    return llvm::none_of(overriders, [&](const ir::Symbol *each) {
      return ir::isOrDerives(*other->owner, *each->owner);
    });
  };
  return base.owner && llvm::any_of(ir::classOf(*base.owner).methods, [&](const ir::Method &each) {
           const ir::Symbol &method = *each.symbol;
           const auto whole = unit.overridersOf(*method.first);
           return method.isPureVirtual && !whole.empty() && llvm::none_of(whole, inherits);
         });
}

llvm::SmallVector<const FunctionBody *, 4> CallGraph::candidates(const Event &call) const {
  llvm::SmallVector<const ir::Symbol *, 4> callees;
  if (call.callee && !call.callee->isPureVirtual &&
      !(call.isVirtual && isAlwaysOverridden(*call.callee)))
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

llvm::SmallVector<const FunctionBody *, 4> CallGraph::candidates(const Event &call,
                                                                 const ir::Symbol &record) const {
  auto bodies = candidates(call);
  const auto ownerOf = [](const FunctionBody *body) { return body->function->owner; };
  const FunctionBody *last = nullptr; // Of those that the class has, the last to be declared.
  for (const FunctionBody *body : bodies)
    if (ownerOf(body) && ir::isOrDerives(record, *ownerOf(body)) &&
        (!last || ir::isOrDerives(*ownerOf(body), *ownerOf(last))))
      last = body;
  if (last)
    bodies = {last};
  return bodies;
}

void CallGraph::forEachCall(const FunctionBody &function,
                            llvm::function_ref<void(const Event &call)> visit) const {
  for (const FunctionBody *caller : callersOf(function))
    for (const Block &block : caller->blocks)
      for (const Event &event : block.events)
        if (calleeOf(event) == &function)
          visit(event);
}

/// Whether the function hands out a closure that stands in it: gives it back, or keeps it
/// somewhere.
static bool handsOutClosures(const FunctionBody &body) {
  return hasEvent(body, [](const Event &event) {
    const bool isKept =
        event.kind == EventKind::Return ||
        (event.kind == EventKind::Bind && event.site->kind != ir::NodeKind::Declaration);
    return isKept &&
           llvm::any_of(event.operands, [](const Operand &each) { return each.isClosure; });
  });
}

bool CallGraph::livesOn(const ir::Symbol &variable) const {
  const FunctionBody *body = variable.owner ? bodyOf(*variable.owner) : nullptr;
  return body &&
         llvm::any_of(closures.lookup(body),
                      [&](const FunctionBody *each) { return each->mentions(variable); }) &&
         handsOutClosures(*body);
}

bool CallGraph::keepsObject(const FunctionBody &body) const {
  const auto namesThis = [](const FunctionBody *closure) {
    bool isNamed = false;
    ir::forEach(closure->body,
                [&](const ir::Node &node) { isNamed |= node.kind == ir::NodeKind::This; });
    return isNamed;
  };
  return llvm::any_of(closures.lookup(&body), namesThis) && handsOutClosures(body);
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

PathId boundTo(const Event &event) {
  if (event.result)
    for (const Block &block : event.function->blocks)
      for (const Event &bind : block.events)
        if (bind.kind == EventKind::Bind && !bind.operands.empty() &&
            bind.operands.front().path == event.result)
          return bind.subject.path;
  return noPath;
}

} // namespace gradtidy
