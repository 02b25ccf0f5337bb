// Calls: of functions whose bodies are known, of closures, and of all others.
#include "Interpreter.h"

namespace gradtidy {

Interpreter::Closures Interpreter::closuresOf(const Operand &operand, const State &state) const {
  const PathStep &last = tables.paths.last(state.resolve(operand.path));
  if (!last.made() || last.made()->kind != ir::NodeKind::Lambda)
    return {};
  Closures found;
  for (const ir::Symbol *callOperator : last.made()->declared)
    found.push_back(graph.bodyOf(*callOperator));
  return llvm::is_contained(found, nullptr) ? Closures() : found;
}

bool Interpreter::reachesClosure(const Event &call, const State &state) const {
  const auto isKnown = [&](const Operand &operand) {
    return operand.isClosure && !closuresOf(operand, state).empty();
  };
  return isKnown(call.subject) || llvm::any_of(call.operands, isKnown) ||
         state.anyPartIs([&](PathId object) { return !closuresOf({object}, state).empty(); });
}

/// What the function of the library that gets the closure calls it with.
void Interpreter::bindArguments(const FunctionBody &closure, const Event &event,
                                State &state) const {
  for (const FunctionBody::Parameter &parameter : closure.parameters) // `net->apply(…)`
    if (isModule(parameter.place.role) && isModule(event.subject.role))
      state.bind(parameter.place.path, BindKind::Reference, parameter.place.role, &event.subject);
  const auto given =
      llvm::find_if(event.operands, [](const Operand &operand) { return !operand.isClosure; });
  if (event.kind != EventKind::Combine || closure.parameters.size() != 1 ||
      given == event.operands.end() || !given->path)
    return;
  // An element of what an algorithm goes through, an alternative of what is visited.
  Operand element = closure.parameters.front().place;
  const bool isElement = tables.paths.last(given->path).kind == PathStep::Element;
  const PathId argument = isElement ? given->path : tables.paths.element(given->path);
  const PathId parameter = std::exchange(element.path, argument);
  state.bind(parameter, BindKind::Reference, element.role, &element);
}

/// Joins \p end to what holds behind others; either is empty if control does not come there.
static void meet(std::optional<State> &after, std::optional<State> end) {
  if (after && end)
    after->join(*end, Junction::Branches);
  else if (end)
    after = std::move(end);
}

bool Interpreter::runClosure(const Operand &operand, const Event &event, State &state,
                             bool observing) {
  const Closures closures = closuresOf(operand, state);
  // What an object connects to events while it is made runs later.
  const bool isKept = event.kind == EventKind::Combine &&
                      event.function->function->kind == ir::SymbolKind::Constructor;
  const bool isRunning = llvm::any_of(
      closures, [&](const FunctionBody *each) { return llvm::is_contained(stack, each); });
  if (closures.empty() || isKept || isRunning || stack.size() > maxDepth) {
    if (operand.escapes)
      state.escape({tables.paths.unknown(), TypeRole::Optimizer});
    // What it is given may be parameters, of which it may clear the gradients.
    for (const Operand &other : event.operands)
      if (!other.isClosure)
        state.escape({other.path, TypeRole::None, true});
    return true;
  }
  std::optional<State> after; // Of a generic closure, all that it is called as.
  for (const FunctionBody *closure : closures) {
    State before = state;
    bindArguments(*closure, event, before);
    meet(after, enter(*closure, event, before, /*told=*/{}, observing));
  }
  if (!after)
    return false;
  state = std::move(*after);
  return true;
}

void Interpreter::runThread(const Event &event, State &state,
                            llvm::function_ref<bool(State &)> body) {
  State there = state;
  const GradMode mode = state.gradMode(); // Guards do not reach other threads.
  there.guardElsewhere = mode.possible == GradMode::Off ? mode.set : nullptr;
  there.setGradMode(true, event);
  there.doubtSharedModes(*event.function);
  if (!body(there))
    return; // It never ends, which keeps nobody else.
  there.guardElsewhere = nullptr;
  there.restoreGradMode(mode);
  state = std::move(there);
}

bool Interpreter::mayReturn(const FunctionBody &body) {
  const auto [known, added] = returning.try_emplace(&body, true);
  if (added) {
    const bool returns = solve(body, State(tables), /*observe=*/false).has_value();
    returning[&body] = returns;
    return returns;
  }
  return known->second;
}

bool Interpreter::computes(const FunctionBody &body) {
  const auto [known, added] = computing.try_emplace(&body, true); // As far as it calls itself.
  if (!added)
    return known->second;
  const bool result = hasEvent(body, [&](const Event &event) {
    if (event.kind == EventKind::Combine)
      return event.resultRole == TypeRole::Tensor && event.isDifferentiable && !event.isAttribute &&
             !sharesMemory(event.operation);
    if (event.kind != EventKind::Forward && event.kind != EventKind::Call)
      return false;
    const auto callees = graph.candidates(event);
    if (callees.empty())
      return event.kind == EventKind::Forward || event.isTensor;
    return llvm::any_of(callees, [&](const FunctionBody *each) { return computes(*each); });
  });
  return computing[&body] = result;
}

/// Whether the caller is told by a result how the call went.
static bool tellsOutcome(const FunctionBody &body) {
  return !body.returnsTensors && !(body.function->type && body.function->type->isVoid);
}

/// The class of the object, where that is certainly its own: the path leads to the object itself,
/// or to what has just made it.
static const ir::Symbol *classOf(PathId object, const PathTable &paths) {
  const PathStep &last = paths.last(object);
  const ir::Node *made = last.made();
  const ir::Type *type = last.name() ? last.name()->type : made ? made->type : nullptr;
  if (!type || type->isReference)
    return nullptr;
  const bool isMaker = made && made->isCall() && made->symbol && made->symbol->isStandard &&
                       made->calledName().starts_with("make_");
  if (type->pointee)
    return isMaker ? type->pointee->record : nullptr;
  return last.name() || ir::asConstruction(made) ? type->record : nullptr;
}

/// Whether a constructor runs that of a base, or another one, for the object itself.
static bool isForThis(const Event &event, const PathTable &paths) {
  return event.result && event.result == event.subject.path &&
         paths.last(paths.rootOf(event.result)).kind == PathStep::This;
}

bool Interpreter::call(const Event &event, State &state, bool observing) {
  const ir::Symbol *record = event.isVirtual && event.subject.path
                                 ? classOf(state.resolve(event.subject.path), tables.paths)
                                 : nullptr;
  auto bodies = record ? graph.candidates(event, *record) : graph.candidates(event);
  if (bodies.empty() && event.subject.path)
    if (const Closures closures = closuresOf(event.subject, state); closures.size() == 1)
      bodies.push_back(closures.front());
  const auto isRunning = [&](const FunctionBody *each) { return llvm::is_contained(stack, each); };
  const auto returns = [&](const FunctionBody *each) { return mayReturn(*each); };
  const bool isKnown =
      !bodies.empty() && bodies.size() <= maxOverriders && llvm::none_of(bodies, isRunning);
  const bool isIrrelevant = isKnown && effects.isIrrelevant(event) && llvm::any_of(bodies, returns);
  const bool isOfOthers =
      isKnown && !isIrrelevant && !reachesClosure(event, state) &&
      llvm::all_of(bodies, [&](const FunctionBody *each) { return effects.isForeign(*each); });
  const bool isUnseen =
      !isIrrelevant && (!isKnown || isOfOthers || stack.size() > maxDepth || isSpent());
  if (observing)
    observe({event, state, callers, isUnseen});
  if (isIrrelevant) {
    if (observing) {
      needOnHost(event, state);
      consumeAll(event, state);
    }
    doubtElements(event, state);
    if (!isForThis(event, tables.paths))
      state.forget(event.result);
    callMayTouchFiles(event, state, llvm::none_of(bodies, [&](const FunctionBody *each) {
                        return touchesFiles(*each);
                      }));
    return true;
  }
  if (isOfOthers && llvm::none_of(bodies, returns))
    return false;
  if (isKnown && !isOfOthers && stack.size() > maxDepth && !effects.isHarmless(event))
    bounded.insert(stack.front());
  if (isUnseen) {
    callUnknown(event, state, observing);
    return true;
  }
  std::optional<State> after; // Of all that override it.
  for (const FunctionBody *body : bodies)
    meet(after, callOne(*body, event, state, observing));
  if (isSpent()) { // Perhaps not all of it was followed.
    callUnknown(event, state, observing);
    return true;
  }
  if (!after)
    return false;
  state = std::move(*after);
  return true;
}

std::optional<State> Interpreter::callOne(const FunctionBody &body, const Event &event,
                                          const State &caller, bool observing) {
  const Answers told = answersTo(body, event);
  if (!observing) {
    const auto last = memory.find({&event, &body});
    if (last != memory.end() && last->second.told == told && last->second.before == caller)
      return last->second.after;
  }
  State state = caller;
  if (event.result == event.subject.path && !isForThis(event, tables.paths))
    makeModule(event, state, {Device::Cpu});
  std::optional<State> after = enter(body, event, state, told, observing);
  if (after && tellsOutcome(body))
    after->doubtModes(state);
  if (!isSpent())
    memory.insert_or_assign({&event, &body}, Memory{caller, told, after});
  return after;
}

/// What \p argument answers where it is asked as a condition.
static std::optional<bool> truthOf(const ir::Node &written) {
  const ir::Node &argument = *ir::stripped(&written);
  if (argument.kind == ir::NodeKind::Boolean)
    return argument.integer != 0;
  return argument.kind == ir::NodeKind::NullPointer ? std::optional(false) : std::nullopt;
}

Answers Interpreter::answersTo(const FunctionBody &body, const Event &event) const {
  Answers told;
  for (unsigned i = 0; i < body.parameters.size(); ++i) {
    const FunctionBody::Parameter &parameter = body.parameters[i];
    const bool isGiven = i < event.operands.size();
    const ir::Node *argument = isGiven ? event.operands[i].expr : parameter.declaration->init;
    const ir::Node *named = ir::withoutParentheses(argument);
    if (const ir::Symbol *value = named ? named->symbol : nullptr;
        value && value->kind == ir::SymbolKind::Enumerator)
      for (const ParameterChoice &choice : parameter.choices)
        told.learn(choice.condition, choice.value == value);
    if (parameter.condition < 0)
      continue;
    std::optional<bool> truth = argument ? truthOf(*argument) : std::nullopt;
    if (!truth && isGiven)
      truth = answerOf(event.operands[i].flag);
    if (truth)
      told.learn(parameter.condition, *truth);
  }
  return told;
}

std::optional<bool> Interpreter::answerOf(const Flag &flag) const {
  const std::optional<bool> answer = flag.condition < 0 ? std::nullopt : known.to(flag.condition);
  return answer ? std::optional(*answer != flag.isNegated) : std::nullopt;
}

std::optional<bool> Interpreter::constantOf(const Event &event) const {
  return event.constant ? event.constant : answerOf(event.choice);
}

/// Behind a method of an object: closures that it handed out are still about that one, but where an
/// earlier call has handed out others, about either.
void Interpreter::leaveObject(const FunctionBody &body, const State &caller, State &state) const {
  if (!graph.keepsObject(body))
    return state.unbind(body.thisObject);
  const PathId last = caller.resolve(body.thisObject);
  if (last != body.thisObject && last != state.resolve(body.thisObject)) {
    const Operand either{.path = tables.paths.unknown()};
    state.bind(body.thisObject, BindKind::Reference, TypeRole::None, &either);
  }
}

std::optional<State> Interpreter::enter(const FunctionBody &body, const Event &event,
                                        const State &caller, Answers told, bool observing) {
  State state = caller;
  if (event.kind == EventKind::Call) {
    if (body.thisObject && event.subject.path) {
      Operand object = event.subject;
      object.fresh = false;
      state.bind(body.thisObject, BindKind::Reference, object.role, &object);
    }
    for (unsigned i = 0; i < body.parameters.size() && i < event.operands.size(); ++i) {
      const FunctionBody::Parameter &parameter = body.parameters[i];
      Operand argument = event.operands[i];
      if (parameter.bind == BindKind::Reference)
        argument.fresh = false;
      // Of closures that an earlier call has handed out, each has its own.
      if (const PathId place = parameter.place.path, before = state.resolve(place);
          before != place && before != state.resolve(argument.path) &&
          graph.livesOn(*parameter.declaration))
        argument.path = tables.paths.unknown();
      state.bind(parameter.place.path, parameter.bind, parameter.place.role, &argument);
    }
    // Which device a default argument names is not followed.
    for (size_t i = event.operands.size(); i < body.parameters.size(); ++i)
      if (body.parameters[i].place.role == TypeRole::Device)
        state.setDevice(body.parameters[i].place.path, {});
  }
  callers.push_back(&event);
  std::optional<State> after = solve(body, state, observing, told);
  callers.pop_back();
  if (!after)
    return std::nullopt;
  for (const FunctionBody::Parameter &parameter : body.parameters) {
    if (graph.livesOn(*parameter.declaration))
      continue;
    const auto left = after->lookedAtWithin(parameter.place.path);
    after->endLifetime(parameter.place.path);
    lose(event, left, *after, observing);
  }
  if (body.thisObject && event.kind == EventKind::Call)
    leaveObject(body, caller, *after);
  if (event.result && event.result != event.subject.path) {
    after->forget(event.result);
    after->rename(body.returned, event.result);
  }
  return after;
}

/// Whether the function that the event calls takes its argument \p index by a constant reference.
static bool isReadOnly(const Event &call, size_t index) {
  const ir::Symbol *callee = call.callee;
  const ir::Type *type =
      callee && index < callee->parameters.size() ? callee->parameters[index]->type : nullptr;
  return type && type->isReference && type->isConst;
}

void Interpreter::callUnknown(const Event &event, State &state, bool observing) {
  if (observing) {
    needOnHost(event, state);
    consumeAll(event, state);
  }
  doubtElements(event, state);
  if (event.subject.path)
    state.shareHolders(event.subject);
  for (const Operand &operand : event.operands)
    if (operand.isTensor)
      state.shareHolders(operand);
  callMayTouchFiles(event, state, event.callee && event.callee->isOfSystem);
  for (const Operand &operand : event.operands)
    if (operand.isLent)
      state.fillList(operand.path);
  if (event.subject.escapes)
    state.fillList(event.subject.path);
  // What gives nothing back may give what it computes another size: `resample(image, result)`.
  const ir::Type *given = event.site->type;
  const bool givesNothing = given && (given->isVoid || given->isDependent);
  if (givesNothing && !(event.callee && event.callee->isOfSystem)) {
    Value any;
    any.placement.hasDimensions = true;
    for (size_t i = 0; i < event.operands.size(); ++i)
      if (event.operands[i].role == TypeRole::Tensor && !isReadOnly(event, i))
        state.changeType(event.operands[i], any);
  }
  const bool leavesAlone = effects.isHarmless(event);
  if (!event.callee || !event.callee->isOfSystem) {
    state.synchronize(); // Perhaps.
    if (!leavesAlone) {
      state.autocastMayChange();
      state.forgetParameters(); // It may freeze them.
    }
  }
  const bool isForward = isModuleCall(event);
  Value value = combined(event, state);
  value.autograd.sources = tables.sources.unknown();
  value.autograd.latest = {};
  value.storage = {};
  value.autograd.cut = value.autograd.idleTerm = nullptr;
  value.placement.device = {};
  value.placement.hasDimensions = false;
  const bool getsTensors =
      llvm::any_of(event.operands, [](const Operand &operand) { return operand.isTensor; });
  // A method that nobody knows may be that of a module.
  const bool isAnyMethod = !event.callee && event.subject.path && !event.subject.isClosure;
  if ((!getsTensors && !isForward) || isAnyMethod)
    value.autograd.graph |= Graph::Unknown; // Of what it is made, nobody knows.
  // The fields of a struct may be detached, be they made of what is not.
  const ir::Type *type = event.site->type;
  if (type && type->record && event.resultRole == TypeRole::None && !type->record->isStandard)
    value.autograd.graph = Graph::Unknown;
  used.read(value.autograd.history, noSources, event);
  // Modules are moved where somebody says.
  llvm::SmallVector<Device, 2> devices;
  for (const Operand &operand : event.operands)
    if (operand.role == TypeRole::Device)
      devices.push_back(state.deviceOf(operand));
  if (devices.empty() && !isModule(event.subject.role))
    devices.push_back({});
  // What is called for its result is a forward of some kind: it leaves gradients alone.
  bool computes = event.result && !event.isArithmetic;
  auto reach = [&](const Operand &operand) {
    value.autograd.sources = tables.sources.join(value.autograd.sources, state.sourcesOf(operand));
    bool isRead = computes && operand.role != TypeRole::Optimizer && operand.role != TypeRole::None;
    if (leavesAlone)
      return;
    if (isModule(operand.role) && !isForward)
      state.shareModule(state.resolve(operand.path)); // It may ask for the parameters.
    // It may load the parameters of modules that an object knows of.
    if (operand.escapes && operand.role == TypeRole::None && !isForward) {
      state.markChanged(tables.sources.unknown());
      // What an object does to modules of its own, others find.
      const PathId object = state.resolve(operand.path);
      if (tables.paths.last(tables.paths.rootOf(object)).kind == PathStep::Variable)
        state.moduleMayChange(object, devices);
    }
    if (operand.escapes && isModule(operand.role) && !isForward)
      state.moduleMayChange(state.resolve(operand.path), devices);
    if (operand.escapes && !isRead)
      state.escape(operand, /*computes=*/computes && event.isTensor);
    // Code that gives nothing back may be what runs the backward.
    if (operand.isTensor && event.isArithmetic && !(type && type->isArithmetic))
      escape(state.valueOf(operand), state);
  };
  if (event.subject.path)
    reach(event.subject);
  for (const Operand &operand : event.operands)
    reach(operand);
  if (event.resultRole == TypeRole::ScriptModule && event.result) {
    ModuleFacts compiled; // Perhaps without parameters, in the mode that was wanted.
    compiled.mode = ModuleFacts::Unknown;
    compiled.isFrozen = true;
    state.setModule(event.result, compiled);
  }
  if (event.result == event.subject.path && isModule(event.subject.role)) {
    if (!isForThis(event, tables.paths))
      makeModule(event, state, {});
  } else if (event.result && !event.isArithmetic) {
    if (isForward)
      passModule(event, state, value, /*isCertain=*/false);
    state.setValue(event.result, value);
  }
}

} // namespace gradtidy
