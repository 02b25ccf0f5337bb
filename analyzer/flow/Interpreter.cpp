#include "Interpreter.h"

#include "analyzer/events/Values.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include <set>

namespace gradtidy {
namespace {

/// Marks states that enter a `for` or `while` loop, which is assumed to run at least once, or
/// another round of it.
constexpr unsigned entersLoop = 1u << 31;
/// Marks states that come from the last round of a loop.
constexpr unsigned leavesLoop = 1u << 30;
constexpr unsigned maxPartitions = 16;

/// Whether a backward through the value may reach anything.
bool mayHaveGraph(const Value &value) { return value.graph & (Graph::Attached | Graph::Unknown); }

constexpr unsigned answerBits(unsigned condition) { return 3u << (2 * condition); }
constexpr unsigned answer(unsigned condition, bool value) {
  return (value ? 1u : 2u) << (2 * condition);
}

} // namespace

bool isModuleCall(const Event &event) {
  return event.kind == EventKind::Forward ||
         (event.kind == EventKind::Call && event.callee && isModule(event.subject.role) &&
          event.isTensor && event.result != event.subject.path);
}

void Interpreter::run(const FunctionBody &body, Answers told) {
  visits = 0;
  memory.clear();
  rootSites.clear();
  solve(body, entryOf(body), /*observe=*/true, told);
}

void Interpreter::runUntold(const FunctionBody &body) {
  const Answers told = alwaysTold.lookup(&body);
  if (llvm::isa<clang::CXXConstructorDecl>(body.function))
    return;
  for (unsigned condition = 0; told >> (2 * condition); ++condition)
    if (told & answerBits(condition))
      run(body, told ^ answerBits(condition));
}

void Interpreter::establish(const clang::CXXMethodDecl &method, PathId thisObject, State &state) {
  const clang::CXXRecordDecl *record = method.getParent();
  // What does not compile may change what the rest of the class shows as fixed.
  if (llvm::any_of(record->decls(), [](const clang::Decl *each) { return each->isInvalidDecl(); }))
    return;
  std::optional<State> made;
  for (const clang::CXXConstructorDecl *constructor : record->ctors()) {
    if (constructor->isCopyOrMoveConstructor() || constructor->isDeleted())
      continue;
    const FunctionBody *body = bodies(constructor, false);
    if (!body || constructor->isDelegatingConstructor())
      return;
    std::optional<State> end = solve(*body, entryOf(*body), /*observe=*/false);
    if (!end)
      continue;
    State members(tables);
    llvm::SmallDenseMap<PathId, PathId> sameDevice; // Parameters, and the members that keep them.
    auto forFixed = [&](auto visit) {
      for (const clang::FieldDecl *field : record->fields())
        if (isFixed(field))
          visit(tables.paths.member(body->thisObject, field->getCanonicalDecl()),
                tables.paths.member(thisObject, field->getCanonicalDecl()));
    };
    forFixed([&](PathId from, PathId to) {
      Device device = end->deviceOf({from, TypeRole::Device});
      if (device.kind == Device::Symbol)
        sameDevice.try_emplace(device.id, to);
      else if (device.isKnown())
        members.setDevice(to, device);
    });
    forFixed([&](PathId from, PathId to) {
      ModuleFacts facts = end->moduleAt(end->resolve(from));
      facts.isNew = false; // Who knows what was called before.
      if (auto known = sameDevice.find(facts.device.id);
          facts.device.kind == Device::Symbol && known != sameDevice.end())
        facts.device.id = known->second;
      if (!(facts == ModuleFacts()))
        members.setModule(to, facts);
      Value value = end->valueOf({from, TypeRole::Tensor});
      if (!value.device.isKnown() || facts.device.isKnown())
        return;
      if (auto known = sameDevice.find(value.device.id);
          value.device.kind == Device::Symbol && known != sameDevice.end())
        value.device.id = known->second;
      Value kept;
      kept.sources = tables.sources.join(tables.sources.of(to), tables.sources.unknown());
      kept.stayOn(value);
      members.setValue(to, kept);
    });
    if (made)
      made->join(members, Junction::Branches);
    else
      made = std::move(members);
  }
  if (made)
    state = std::move(*made);
}

State Interpreter::entryOf(const FunctionBody &body) {
  State state(tables);
  const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(body.function);
  if (method && body.thisObject && !body.isModuleMethod &&
      !llvm::isa<clang::CXXConstructorDecl>(method))
    establish(*method, body.thisObject, state);
  bool isForward = method && body.isModuleMethod &&
                   (method->getOverloadedOperator() == clang::OO_Call ||
                    (method->getIdentifier() && method->getName().contains("forward")));
  if (!isForward) {
    // Who moves batches to the device he was given was also given a model that is there.
    PathId said = tables.paths.rootOf(body.batchDevice.path);
    bool isGiven = body.batchDevice.device.isKnown() || (said && said == body.thisObject);
    for (const FunctionBody::Parameter &parameter : body.parameters)
      isGiven |= said && said == parameter.place.path;
    if (!isGiven)
      return state;
    Device device = state.deviceOf(body.batchDevice);
    if (body.thisObject && !state.hasModules())
      state.moveModule(body.thisObject, device, nullptr);
    for (const FunctionBody::Parameter &parameter : body.parameters)
      if (isModule(parameter.place.role))
        state.moveModule(parameter.place.path, device, nullptr);
    return state;
  }
  // Who calls a module gives it tensors on its device.
  Device device{Device::Symbol, body.thisObject};
  auto place = [&](PathId path) {
    Value value;
    value.sources = tables.sources.join(tables.sources.of(path), tables.sources.unknown());
    value.device = device;
    state.setValue(path, value);
  };
  place(body.thisObject);
  state.moveModule(body.thisObject, device, nullptr);
  for (const FunctionBody::Parameter &parameter : body.parameters)
    if (parameter.place.isTensor)
      place(parameter.place.path);
  return state;
}

State Interpreter::joined(const Incoming &incoming, unsigned number) const {
  // By number: ways from before a loop come first, then those that come round.
  auto way = incoming.begin();
  State state = way->second.state;
  for (++way; way != incoming.end(); ++way)
    state.join(way->second.state,
               way->first.first >= number ? Junction::LoopBack : way->second.junction);
  return state;
}

std::optional<State> Interpreter::solve(const FunctionBody &body, const State &entry, bool observe,
                                        Answers told) {
  stack.push_back(&body);
  std::vector<std::map<Answers, Incoming>> before(body.blocks.size());
  std::map<std::pair<unsigned, Answers>, State> ends;
  before[0][told].emplace(std::pair(0u, told), Way{entry, Junction::LoopEntry});
  std::set<std::pair<unsigned, Answers>> pending = {{0, told}};

  while (!pending.empty() && ++visits <= maxVisits) {
    auto [number, key] = *pending.begin();
    pending.erase(pending.begin());
    const Block &block = body.blocks[number];
    State state = joined(before[number][key], number);
    Answers answers = key & ~(entersLoop | leavesLoop);
    if (!runBlock(block, state, answers, /*observe=*/false) || block.endsProgram)
      continue;
    if (block.edges.empty())
      ends.insert_or_assign({number, key}, state);
    for (unsigned index = 0; index < block.edges.size(); ++index) {
      const Block::Edge &edge = block.edges[index];
      const bool leaves = static_cast<int>(index) == block.exitEdge;
      if (leaves ? key & entersLoop : key & leavesLoop)
        continue;
      Answers next = answers;
      if (edge.condition >= 0) {
        unsigned known = answers & answerBits(edge.condition);
        if (known && known != answer(edge.condition, edge.value))
          continue; // This way is not taken twice.
        if (edge.isKeptApart)
          next |= answer(edge.condition, edge.value);
      }
      bool isExcluded = false;
      for (unsigned condition = 0; edge.excluded >> condition; ++condition)
        if (edge.excluded & (1u << condition)) {
          isExcluded |= (answers & answerBits(condition)) == answer(condition, true);
          next |= answer(condition, false);
        }
      if (isExcluded)
        continue;
      if (edge.undefined && state.isGradient(edge.undefined))
        continue; // What has been through a backward has a gradient.
      State along = state;
      along.lacksGpu |= edge.lacksGpu;
      for (PathId tensor : edge.placed)
        along.doubtDevice(tensor);
      const Block &target = body.blocks[edge.target];
      const unsigned told = edge.lastRound < 0 ? 0 : key & answerBits(edge.lastRound);
      if (target.exitEdge >= 0 && target.latch != number)
        next |= entersLoop;
      else if (target.exitEdge >= 0 && told)
        next |= told == answer(edge.lastRound, edge.answerInLastRound) ? leavesLoop : entersLoop;
      auto &partition = before[edge.target];
      if (partition.size() >= maxPartitions && !partition.contains(next))
        next &= entersLoop | leavesLoop;
      // The first and the later rounds of such a loop meet behind its head.
      Way way{std::move(along), block.exitEdge >= 0 ? Junction::LoopEntry : Junction::Branches};
      Incoming &incoming = partition[next];
      auto known = incoming.find({number, key});
      if (known != incoming.end() && known->second.state == way.state)
        continue;
      incoming.insert_or_assign({number, key}, std::move(way));
      pending.insert({edge.target, next});
    }
  }

  if (!pending.empty())
    bounded.insert(stack.front());
  if (observe) {
    const auto [always, isFirst] = alwaysTold.try_emplace(&body, told);
    if (!isFirst)
      always->second &= told;
    for (unsigned number = 0; number < body.blocks.size(); ++number)
      for (const auto &[key, incoming] : before[number]) {
        State state = joined(incoming, number);
        Answers answers = key & ~(entersLoop | leavesLoop);
        runBlock(body.blocks[number], state, answers, /*observe=*/true);
      }
  }
  stack.pop_back();
  if (ends.empty())
    return std::nullopt;
  auto end = ends.begin();
  State state = end->second;
  for (++end; end != ends.end(); ++end)
    state.join(end->second, Junction::Branches);
  return state;
}

bool Interpreter::runBlock(const Block &block, State &state, Answers &answers, bool observing) {
  for (const Event &event : block.events) {
    if (event.kind == EventKind::Assign) {
      for (unsigned condition = 0; event.forgets >> condition; ++condition)
        if (event.forgets & (1u << condition)) {
          answers &= ~answerBits(condition);
          if (event.constant)
            answers |= answer(condition, *event.constant);
        }
      continue;
    }
    known = answers;
    if (!transfer(event, state, observing))
      return false;
    if (event.kind == EventKind::Combine && event.choice.condition >= 0 &&
        event.resultRole == TypeRole::Device) {
      known = answers;
      const std::optional<bool> isFirst = answerOf(event.choice);
      state.settleDevice(event.result,
                         isFirst ? state.deviceOf(event.operands[*isFirst ? 0 : 1]) : Device());
    }
  }
  state.dropTemporaries(block.temporaries);
  return true;
}

void Interpreter::observe(const Event &event, const State &state) {
  seen.push_back({&event, state, {callers.begin(), callers.end()}, siteOf(event)});
}

SiteId Interpreter::siteOf(const Event &event) {
  for (unsigned i = 0; isModuleCall(event) && i < callers.size(); ++i)
    if (isModuleCall(*callers[i]))
      return tables.sites.of(*callers[i], llvm::ArrayRef(callers).take_front(i));
  return tables.sites.of(event, callers);
}

// --- values
// ---------------------------------------------------------------------------------------

Value Interpreter::combined(const Event &event, const State &state) const {
  Value result;
  bool attached = false, unrecorded = false, unknown = false, onlyHost = true;
  unsigned other = Graph::Detached; // Where nothing is attached or unknown.
  auto add = [&](const Operand &operand) {
    if (!operand.path)
      return;
    if (!operand.isTensor && !isModule(operand.role)) {
      result.sources = tables.sources.join(result.sources, state.sourcesOf(operand));
      return;
    }
    Value value = state.valueOf(operand);
    if (operand.isMovedThere)
      value.device = {};
    if (operand.role == TypeRole::ScriptModule && event.kind == EventKind::Combine)
      value.graph = Graph::Unknown; // An attribute may be a parameter, or anything else.
    result.sources = tables.sources.join(result.sources, value.sources);
    result.history = tables.histories.join(result.history, value.history);
    result.graphs = tables.histories.join(result.graphs, value.graphs);
    attached |= (value.graph & Graph::Attached) != 0;
    unrecorded |= value.graph == Graph::Unrecorded;
    other |= value.graph & Graph::Unrecorded;
    if (value.disabled)
      result.disabled = value.disabled;
    unknown |= (value.graph & Graph::Unknown) != 0;
    if (value.madeOnHost && !event.isAnyDevice)
      result.madeOnHost = value.madeOnHost;
    result.hasDimensions |= value.hasDimensions;
    onlyHost &= value.device.kind == Device::Cpu;
    // What meets in an operation is on one device; scalars of the host go along with any.
    bool decides = value.device.isKnown() &&
                   (value.hasDimensions || value.device.kind != Device::Cpu || onlyHost);
    if (decides && (!result.device.isKnown() || !event.isAnyDevice)) {
      result.device = value.device;
      result.placed = value.placed;
    } else if (result.device.kind == Device::Cpu && !result.hasDimensions && !onlyHost) {
      result.device = {};
    }
  };
  if (event.subject.path && !(event.kind == EventKind::Forward && event.isStateless))
    add(event.subject);
  for (const Operand &operand : event.operands)
    add(operand);

  if (unrecorded)
    other = Graph::Unrecorded;
  const bool leavesGraph = attached || (other & Graph::Unrecorded);
  const unsigned mode = state.gradMode().possible;
  const unsigned rest = unknown ? unsigned(Graph::Unknown) : other;
  result.graph = 0;
  if (mode & GradMode::On)
    result.graph |= attached ? unsigned(Graph::Attached) : rest;
  if (mode & GradMode::Off && leavesGraph)
    result.disabled = state.gradMode().set;
  if (mode & GradMode::Off)
    result.graph |= attached || unrecorded ? unsigned(Graph::Unrecorded) : rest;
  if (mode & GradMode::Depends && leavesGraph)
    result.graph |= Graph::Unknown;
  if (!event.isDifferentiable) {
    result.graph = Graph::Detached;
    result.graphs = noSources;
  }
  result.hasDimensions &= event.keepsDimensions;
  const Operand *base = event.subject.path       ? &event.subject
                        : event.operands.empty() ? nullptr
                                                 : &event.operands.front();
  if (event.isAnyDevice && base && base->role == TypeRole::Tensor) { // Wherever its indices are.
    Value value = state.valueOf(*base);
    result.device = value.device;
    result.placed = value.placed;
    result.madeOnHost = value.madeOnHost;
  }
  if (llvm::isa<clang::AbstractConditionalOperator>(event.site))
    result.stayOn(state.joined(state.valueOf(event.operands[0]), state.valueOf(event.operands[1])));
  const bool isClash = !state.clashes(event).empty();
  if (isClash)
    result.device = {}; // Said once; nothing follows from it.
  if (isClash || result.device.isKnown())
    result.madeOnHost = nullptr;
  return result;
}

Value Interpreter::created(const Event &event, const State &state) const {
  Value result;
  result.graph = Graph::Detached;
  result.hasDimensions = event.keepsDimensions;
  result.isNoise = event.isNoise;
  result.device = {Device::Cpu};
  result.placed = &event;
  if (event.subject.path) { // Like another tensor.
    Value model = state.valueOf(event.subject);
    result.device = model.device;
    result.placed = model.placed;
    result.hasDimensions = model.hasDimensions;
  }
  for (const Operand &operand : event.operands) {
    if (operand.role != TypeRole::Device)
      continue;
    if (Device device = state.deviceOf(operand); device.kind != Device::Unset)
      result.device = device;
    if (operand.path && (state.valueOf(operand).graph & Graph::Attached))
      result.graph = Graph::Attached;
  }
  return result;
}

Device Interpreter::deviceNamed(const Event &event, const State &state) const {
  Device result{Device::Unset};
  if (event.subject.path)
    result = state.deviceOf(event.subject);
  bool isChoice = llvm::isa<clang::AbstractConditionalOperator>(event.site);
  for (const Operand &operand : event.operands) {
    if (operand.role != TypeRole::Device)
      continue;
    Device device = state.deviceOf(operand);
    if (isChoice && result.kind != Device::Unset && !(device == result))
      return {Device::Symbol, event.result};
    if (device.kind != Device::Unset)
      result = device;
  }
  return result;
}

Value Interpreter::moved(const Event &event, const State &state) const {
  Value result = combined(event, state);
  Value before = state.valueOf(event.subject);
  result.sources = before.sources;
  result.history = before.history;
  result.graphs = before.graphs;
  result.isNoise = before.isNoise;
  result.stayOn(before);
  for (const Operand &operand : event.operands) {
    bool tells = operand.role == TypeRole::Device || operand.role == TypeRole::Tensor ||
                 operand.device.isKnown();
    if (Device device = state.deviceOf(operand); tells && device.kind != Device::Unset) {
      result.device = device;
      result.placed = &event;
      result.madeOnHost = nullptr;
      break;
    }
  }
  return result;
}

void Interpreter::escape(const Value &value, const State &state) {
  if (!mayHaveGraph(value))
    return;
  used.differentiate({value.history, value.graphs}, value.sources);
  for (SiteId site : tables.histories.members(value.graphs))
    if (const SiteId *backward = state.retained.find(site))
      used.useRetained(*backward);
}

void Interpreter::store(const Event &event, PathId place, Value &value, bool accumulates) {
  if (value.graph & Graph::Attached && accumulates) {
    SourcesId site = tables.histories.of(siteOf(event));
    value.history = tables.histories.join(value.history, site);
    value.graphs = tables.histories.join(value.graphs, site);
  }
  PathId root = tables.paths.rootOf(place);
  const PathStep &step = tables.paths.last(root);
  bool isParameter =
      step.kind == PathStep::Variable &&
      llvm::isa<clang::ParmVarDecl>(static_cast<const clang::VarDecl *>(step.subject)) &&
      (place != root ||
       static_cast<const clang::VarDecl *>(step.subject)->getType()->isReferenceType());
  if (!mayHaveGraph(value))
    return;
  if (!used.store(place, {value.history, value.graphs}, value.sources) &&
      (place == tables.paths.unknown() || isParameter))
    used.differentiate({value.history, value.graphs}, value.sources);
}

void Interpreter::replacePart(const Event &event, const Operand &part, State &state) {
  const PathId whole = tables.paths.parent(state.place(event.subject.path));
  if (!whole || llvm::isa<clang::CXXConstructorDecl>(event.function->function))
    return;
  const Device device = state.moduleAt(whole).device;
  if (device.isKnown() && !(state.module(part).device == device))
    state.moveModule(whole, {}, &event);
}

void Interpreter::bindPlace(const Event &event, State &state, bool observing) {
  const Operand *value = event.operands.empty() ? nullptr : &event.operands.front();
  if (value && isModule(event.subject.role))
    replacePart(event, *value, state);
  if (event.bind != BindKind::Value || !value || !value->isTensor) {
    state.bind(event.subject.path, event.bind, event.subject.role, value);
    return;
  }
  Value contents = state.valueOf(*value);
  PathId place = state.place(event.subject.path);
  bool isDeclaration = llvm::isa<clang::DeclStmt>(event.site);
  if (observing && !isDeclaration && (contents.graph & Graph::Attached))
    observe(event, state);
  state.bind(event.subject.path, event.bind, event.subject.role, value);
  if (event.isUpdate)
    state.replaceElements(place, contents); // In a loop over all.
  if (const PathId whole = tables.paths.parent(place);
      whole && tables.paths.last(place).kind == PathStep::Member &&
      !llvm::isa<clang::CXXConstructorDecl>(event.function->function))
    state.replaceTensor(whole, contents.device);
  if (isDeclaration)
    return;
  Value stored = contents;
  store(event, place, stored, true);
  if (stored.history != contents.history && place != tables.paths.unknown())
    state.addValue(place, stored);
}

void Interpreter::mutateSubject(const Event &event, State &state, const Value &value,
                                bool observing) {
  // `losses.push_back(loss)`, `total += loss`, `optimizer.add_param_group(…)`.
  if (event.subject.role == TypeRole::Optimizer) {
    OptimizerFacts &facts = state.optimizerAt(state.resolve(event.subject.path));
    for (const Operand &operand : event.operands)
      facts.owned = tables.sources.join(facts.owned, state.sourcesOf(operand));
    return;
  }
  if (!mayHoldTensors(event.subject.role))
    return;
  PathId object = state.resolve(event.subject.path);
  Value contents = value;
  bool addsGraph = llvm::any_of(event.operands, [&](const Operand &operand) {
    return operand.isTensor && (state.valueOf(operand).graph & Graph::Attached) &&
           (state.gradMode().possible & GradMode::On || event.subject.role != TypeRole::Tensor);
  });
  if (observing && addsGraph)
    observe(event, state);
  const bool isUnknown = llvm::any_of(event.operands, [&](const Operand &operand) {
    return operand.isTensor && (state.valueOf(operand).graph & Graph::Unknown);
  });
  if (event.subject.role != TypeRole::Tensor) {
    contents.graph = state.valueOf(event.subject).graph;
    for (const Operand &operand : event.operands) {
      const Value part = operand.isTensor ? state.valueOf(operand) : Value();
      if (part.graph == Graph::Unrecorded) {
        contents.graph = (contents.graph & ~Graph::Detached) | Graph::Unrecorded;
        contents.disabled = part.disabled;
      }
      if (part.device.isKnown())
        contents.stayOn(part);
    }
  }
  if (addsGraph)
    contents.graph |= Graph::Attached;
  contents.graph &= ~Graph::Unknown;
  if (isUnknown && !addsGraph) // What is added may have one.
    contents.graph |= Graph::Unknown;
  if (event.subject.role == TypeRole::Tensor) {
    const Value before = state.valueOf(event.subject);
    contents.stayOn(before);
    // In place and not recorded: a parameter is still one, and what has a graph keeps it.
    if (state.gradMode().possible == GradMode::Off &&
        before.graph & (Graph::Attached | Graph::Unknown))
      contents.graph = before.graph;
  }
  store(event, object, contents, addsGraph);
  if (object != tables.paths.unknown()) {
    for (const Operand &operand : event.operands)
      if (operand.isTensor && operand.role == TypeRole::None)
        state.addParts(object, state.resolve(operand.path));
    state.addValue(object, contents);
  }
  for (const Operand &operand : event.operands)
    if (!mayHoldTensors(operand.role) && !operand.fresh)
      state.shareElements(event.subject.path);
}

bool Interpreter::isOwnLocal(const Event &event, const Operand &value, const State &state) const {
  const PathStep root = tables.paths.last(value.path);
  if (event.bind == BindKind::Reference || root.kind != PathStep::Variable ||
      state.resolve(value.path) != value.path)
    return false;
  const auto *variable = static_cast<const clang::VarDecl *>(root.subject);
  return variable->hasLocalStorage() && !llvm::isa<clang::ParmVarDecl>(variable) &&
         !variable->getType()->isReferenceType();
}

// --- transfer
// -------------------------------------------------------------------------------------

void Interpreter::construct(const Event &event, State &state, Device device) {
  if (event.subject.role != TypeRole::Module && event.subject.role != TypeRole::ModuleHolder)
    return;
  ModuleFacts facts;
  facts.mode = ModuleFacts::Training;
  facts.isNew = true;
  facts.placed = &event;
  if (llvm::any_of(event.operands, [](const Operand &operand) {
        return operand.expr && llvm::isa<clang::CXXNullPtrLiteralExpr>(strip(operand.expr));
      })) {
    facts = {}; // No module yet.
    facts.mode = ModuleFacts::Unknown;
    return state.setModule(event.result, facts);
  }
  // A part that is handed in stays as it is.
  for (const Operand &operand : event.operands)
    if (isModule(operand.role)) {
      const ModuleFacts part = state.module(operand);
      facts.isNew &= part.isNew;
      if (!(part.device == device))
        device = {};
      if (part.mode != ModuleFacts::Training)
        facts.mode = ModuleFacts::Unknown;
      state.addPart(event.result, operand);
    } else if (const Value given = operand.isTensor && operand.role == TypeRole::None
                                       ? state.valueOf(operand)
                                       : Value();
               given.device.isKnown() && given.hasDimensions) {
      facts.isWeighted = true;
      device = given.device;
    }
  bool isTold = llvm::any_of(
      event.operands, [](const Operand &operand) { return operand.role == TypeRole::Device; });
  facts.device = isTold ? Device{} : device;
  state.setModule(event.result, facts);
}

void Interpreter::forward(const Event &event, State &state, bool observing) {
  if (observing)
    observe(event, state);
  Value value = combined(event, state);
  passModule(event, state, value);
  if (event.castsWeights)
    state.castWeights(state.sourcesOf(event.subject));
  // Where inputs are not on the CPU, the module is what should have been moved: said once.
  if (Device device = state.module(event.subject).device;
      device.isKnown() && !event.isStateless &&
      (device.kind != Device::Cpu || state.clashes(event).empty()))
    value.device = device;
  state.setValue(event.result, value);
}

void Interpreter::passModule(const Event &event, State &state, Value &value) {
  SiteId site = siteOf(event);
  rootSites.insert(site);
  bool isCarriedOn = llvm::is_contained(tables.histories.members(value.graphs), site);
  if (!isCarriedOn) // The graph of the last round is gone.
    state.retained.eraseIf([&](const auto &entry) { return entry.first == site; });
  if (event.isStateless)
    return;
  value.history = tables.histories.join(value.history, tables.histories.of(site));
  if (state.module(event.subject).mode & ModuleFacts::LeftTraining)
    value.history =
        tables.histories.join(value.history, tables.histories.of(tables.sites.inEvaluation(site)));
  value.graphs = tables.histories.join(value.graphs, tables.histories.of(site));
}

void Interpreter::backward(const Event &event, State &state, const Operand &loss) {
  Value value = state.valueOf(loss);
  used.backward({value.history, value.graphs}, value.sources);
  state.markTrained(value.sources);
  SiteId site = tables.sites.of(event, callers);
  for (SiteId forward : tables.histories.members(value.graphs)) {
    if (!isModuleCall(tables.sites.event(forward)))
      continue;
    if (const SiteId *retaining = state.retained.find(forward))
      used.useRetained(*retaining);
    if (event.constant)
      state.retained[forward] = site;
  }
  if (event.constant && event.kind == EventKind::Backward)
    state.gradientGraphs = tables.histories.join(state.gradientGraphs, value.graphs);
  if (tables.histories.isUnknown(value.history)) {
    // Whatever ran before may be what it goes through.
    for (SiteId forward : rootSites)
      used.differentiate(forward);
    used.useRetained(site);
  }
  // A method of a module that trains it is no forward pass.
  for (unsigned i = 0; i < callers.size(); ++i)
    if (isModuleCall(*callers[i]))
      used.differentiate(tables.sites.of(*callers[i], llvm::ArrayRef(callers).take_front(i)));
}

void Interpreter::requireGrad(const Event &event, State &state) {
  const std::optional<bool> isOn = constantOf(event);
  if (!event.subject.path || event.subject.role == TypeRole::Device) {
    // Of options: the tensors made with them.
    Value options;
    options.graph = isOn == false ? Graph::Detached : Graph::Attached;
    state.setValue(event.result, options);
    Device device = event.subject.path ? state.deviceOf(event.subject) : Device{Device::Unset};
    state.setDevice(event.result, device);
    return;
  }
  Value value = state.valueOf(event.subject);
  value.graph = isOn == true ? Graph::Attached : isOn == false ? Graph::Detached : Graph::Unknown;
  if (isOn != true)
    state.freeze(value.sources);
  PathId object = state.resolve(event.subject.path);
  if (value.sources == noSources && object != tables.paths.unknown())
    value.sources = tables.sources.of(object);
  if (object != tables.paths.unknown())
    state.setValue(object, value);
  if (event.result)
    state.setValue(event.result, value);
}

/// Whether something is made on a GPU, or moved there.
static bool needsGpu(const Event &event, const State &state) {
  return (event.kind == EventKind::Create || event.kind == EventKind::Move) &&
         llvm::any_of(event.operands, [&](const Operand &operand) {
           return state.deviceOf(operand).kind == Device::Cuda;
         });
}

/// Whether an algorithm puts what its closure makes of the elements in their place.
static bool isInPlace(const Event &event) {
  const auto *call = llvm::dyn_cast<clang::CallExpr>(event.site);
  return call && simpleName(call->getDirectCallee()) == "transform" && event.operands.size() == 4 &&
         event.operands[0].path == event.operands[2].path;
}

bool Interpreter::transfer(const Event &event, State &state, bool observing) {
  SourcesTable &sources = tables.sources;
  const Operand *first = event.operands.empty() ? nullptr : &event.operands.front();
  if (state.lacksGpu && needsGpu(event, state))
    return false; // It throws.
  if (observing && event.isDiscarded)
    observe(event, state);

  switch (event.kind) {
  case EventKind::Bind:
    bindPlace(event, state, observing);
    return true;

  case EventKind::Return:
    if (first) {
      if (stack.size() == 1)
        escape(state.valueOf(*first), state);
      Operand value = *first;
      value.fresh |= isOwnLocal(event, value, state);
      state.bind(event.subject.path, event.bind, event.subject.role, &value);
    }
    return true;

  case EventKind::EndLifetime:
    state.leaveGuard(event.subject.path);
    state.endLifetime(event.subject.path);
    return true;

  case EventKind::Assign:
    return true;

  case EventKind::Construct: {
    for (const Operand &operand : event.operands)
      if (event.startsThread && operand.isClosure && !runClosure(operand, event, state, observing))
        return false;
    Value value = combined(event, state);
    value.sources = noSources;
    for (const Operand &operand : event.operands)
      value.sources = sources.join(value.sources, state.sourcesOf(operand));
    if (event.operands.empty())
      value.device = {Device::Unset}; // An undefined tensor, an empty container.
    Device device{Device::Unset};
    bool hasIndex = event.operands.size() == 2;
    if (event.subject.role == TypeRole::Device && first) {
      device = state.deviceOf(*first);
      if (first->role != TypeRole::Device && !device.isKnown())
        device = {Device::Unset};
      if (hasIndex && device.kind == Device::Cuda)
        device.id = event.operands[1].device.id;
    }
    state.forget(event.result);
    for (const Operand &operand : event.operands)
      if (event.subject.role == TypeRole::None)
        state.addPart(event.result, operand);
    if (event.subject.role == TypeRole::Optimizer)
      state.optimizerAt(event.result) = {first ? state.sourcesOf(*first) : sources.unknown(),
                                         {Gradients::Untouched}};
    else if (event.subject.role == TypeRole::Device)
      state.setDevice(event.result, device);
    else if (mayHoldTensors(event.subject.role))
      state.setValue(event.result, value);
    construct(event, state, {Device::Cpu});
    return true;
  }

  case EventKind::Combine: {
    std::optional<Value> given; // What closures give back.
    for (const Operand &operand : event.operands) {
      if (!operand.isClosure)
        continue;
      const Closures closures = closuresOf(operand, state);
      if (!runClosure(operand, event, state, observing))
        return false;
      if (event.isTensor && !closures.empty() &&
          llvm::all_of(closures, [](const FunctionBody *each) { return each->returnsTensors; }))
        given = state.valueOf({.path = event.result, .role = event.resultRole, .isTensor = true});
    }
    if (observing && !state.clashes(event).empty())
      observe(event, state);
    for (const Operand &operand : event.operands) // `{net, other}`, `layers->push_back(layer)`
      if (isModule(operand.role) || operand.role == TypeRole::Optimizer ||
          operand.role == TypeRole::None)
        state.addPart(event.subject.path ? state.resolve(event.subject.path) : event.result,
                      operand);
    Value value = combined(event, state);
    if (given) {
      value.sources = sources.join(value.sources, given->sources);
      value.history = tables.histories.join(value.history, given->history);
      value.graphs = tables.histories.join(value.graphs, given->graphs);
      value.graph = given->graph;
      value.stayOn(*given);
      if (isInPlace(event))
        state.replaceElements(state.place(first->path), *given);
    }
    if ((!event.isTensor || !event.isDifferentiable) && !event.isAttribute)
      used.read(value.history, value.sources, event);
    if (!event.isDifferentiable)
      value.history = noSources; // No backward goes this way, and none was meant to.
    if (!event.isArithmetic && !event.isAttribute)
      state.setValue(event.result, value);
    if (event.resultRole == TypeRole::Device)
      state.setDevice(event.result, deviceNamed(event, state));
    if (event.subject.escapes) {
      state.handOutGradient(event.subject.path);
      for (const Operand &operand : event.operands)
        state.handOutGradient(operand.path);
      if (!event.operands.empty())
        mutateSubject(event, state, value, observing);
    }
    return true;
  }

  case EventKind::Forward:
    forward(event, state, observing);
    return true;

  case EventKind::Create:
    state.setValue(state.place(event.result), created(event, state));
    return true;

  case EventKind::Move:
    if (isModule(event.subject.role)) {
      Device device = first ? state.deviceOf(*first) : Device{};
      bool tells = first && (first->role == TypeRole::Device || first->device.isKnown());
      if (tells && device.kind != Device::Unset) {
        state.moveParameters(state.sourcesOf(event.subject), device);
        state.moveModule(state.resolve(event.subject.path), device, &event);
      }
    } else if (event.result) {
      state.setValue(event.result, moved(event, state));
    }
    return true;

  case EventKind::Load: {
    const Operand *loaded = isModule(event.subject.role) ? &event.subject : first;
    if (loaded && isModule(loaded->role)) {
      // Its parameters are where they were saved, or where the caller says.
      Device device;
      for (const Operand &operand : event.operands)
        if (operand.role == TypeRole::Device)
          device = state.deviceOf(operand);
      state.moveModule(state.resolve(loaded->path), device, &event);
      state.markChanged(tables.sources.of(state.resolve(loaded->path)));
    } else if (first)
      state.escape(*first);
    return true;
  }

  case EventKind::Detach: {
    Value value = state.valueOf(event.subject);
    value.sources = noSources;
    value.graph = Graph::Detached;
    value.graphs = noSources;
    state.setValue(event.result, value);
    if (event.subject.escapes)
      if (PathId object = state.resolve(event.subject.path); object != tables.paths.unknown())
        state.setValue(object, value);
    return true;
  }

  case EventKind::RequireGrad:
    requireGrad(event, state);
    return true;

  case EventKind::SetMode:
    if (observing)
      observe(event, state);
    state.setMode(state.resolve(event.subject.path), constantOf(event), event);
    return true;

  case EventKind::EnterGradMode:
    state.enterGradMode(event.subject.path, constantOf(event), event);
    return true;

  case EventKind::KeepGradMode:
    state.keepGradMode(event.subject.path);
    return true;

  case EventKind::SetGradMode:
    if (!state.restoreGradMode(event.subject.path))
      state.setGradMode(constantOf(event), event);
    return true;

  case EventKind::EnterAutocast:
    state.enterAutocast(event.subject.path, event);
    return true;

  case EventKind::SetAutocast:
    state.setAutocast(constantOf(event), event);
    return true;

  case EventKind::SetAutocastCache:
    state.setAutocastCache(constantOf(event));
    return true;

  case EventKind::ClearAutocastCache:
    state.clearAutocastCache();
    return true;

  case EventKind::Backward:
    if (observing)
      observe(event, state);
    state.contribute(state.sourcesOf(event.subject), event);
    backward(event, state, event.subject);
    return true;

  case EventKind::Differentiate: {
    Value value = combined(event, state);
    if (observing)
      observe(event, state);
    for (const Operand *operand : {&event.subject, first})
      if (operand && operand->path)
        backward(event, state, *operand);
    value.graph = Graph::Unknown;
    state.setValue(event.result, value);
    return true;
  }

  case EventKind::Overwrite:
    if (!(event.operands.empty() ? state.clearGradient(event.subject.path, &event)
                                 : state.replaceGradient(event.subject.path))) {
      Value value = combined(event, state);
      if (!event.isArithmetic) // set_data() gives nothing back, and brings other memory.
        value.stayOn(state.valueOf(event.subject));
      if (!event.isArithmetic)
        state.setValue(event.result, value);
      PathId object = state.resolve(event.subject.path);
      if (event.subject.role == TypeRole::Tensor) {
        state.markChanged(state.sourcesOf(event.subject));
        if (event.isArithmetic && first)
          state.moveParameters(state.sourcesOf(event.subject), state.valueOf(*first).device);
      }
      if (!event.operands.empty() && event.subject.role == TypeRole::Tensor &&
          object != tables.paths.unknown())
        state.addValue(object, value);
    }
    return true;

  case EventKind::ClearGradients: {
    if (observing)
      observe(event, state);
    PathId object = state.resolve(event.subject.path);
    if (event.subject.role == TypeRole::Optimizer && object != tables.paths.unknown()) {
      state.clearGradients(object, state.optimizerAt(object).owned, &event);
      for (PathId part : state.partsOf(object)) // Those of a list.
        state.clearGradients(part, state.optimizerAt(part).owned, &event);
    } else
      state.clearGradients(noPath, state.sourcesOf(event.subject), &event);
    return true;
  }

  case EventKind::Step: {
    if (first) {
      // step(closure) runs the closure before it updates.
      if (!runClosure(*first, event, state, observing))
        return false;
    }
    if (observing)
      observe(event, state);
    PathId object = state.resolve(event.subject.path);
    if (object != tables.paths.unknown()) {
      OptimizerFacts &facts = state.optimizerAt(object);
      facts.gradients.use(event);
      state.outdateWeights(facts.owned, event);
      state.markChanged(facts.owned);
    } else {
      state.markChanged(tables.sources.unknown());
    }
    return true;
  }

  case EventKind::Call:
    return call(event, state, observing);
  }
  return true;
}

Interpreter::Closures Interpreter::closuresOf(const Operand &operand, const State &state) const {
  const PathStep &last = tables.paths.last(state.resolve(operand.path));
  if (last.kind != PathStep::Temporary || !last.subject)
    return {};
  const auto *lambda =
      llvm::dyn_cast<clang::LambdaExpr>(static_cast<const clang::Stmt *>(last.subject));
  if (!lambda)
    return {};
  Closures found;
  if (const clang::FunctionTemplateDecl *generic = lambda->getDependentCallOperator())
    for (const clang::FunctionDecl *special : generic->specializations())
      found.push_back(bodies(special, false));
  if (found.empty()) // Bodies of the library, which would call it, may be left out.
    found.push_back(bodies(lambda->getCallOperator(), false));
  return llvm::is_contained(found, nullptr) ? Closures() : found;
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

bool Interpreter::runClosure(const Operand &operand, const Event &event, State &state,
                             bool observing) {
  const Closures closures = closuresOf(operand, state);
  GradMode mode = state.gradMode();
  if (event.startsThread) // Guards do not reach other threads.
    state.setGradMode(true, event);
  // What an object connects to events while it is made runs later.
  const bool isKept = event.kind == EventKind::Combine &&
                      llvm::isa<clang::CXXConstructorDecl>(event.function->function);
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
    std::optional<State> end = enter(*closure, event, before, /*told=*/0, observing);
    if (after && end)
      after->join(*end, Junction::Branches);
    else if (end)
      after = std::move(end);
  }
  if (!after)
    return false;
  state = std::move(*after);
  if (event.startsThread)
    state.restoreGradMode(mode);
  return true;
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

bool Interpreter::call(const Event &event, State &state, bool observing) {
  const FunctionBody *body = event.callee ? bodies(event.callee, event.isVirtual) : nullptr;
  if (!body && event.subject.path)
    if (const Closures closures = closuresOf(event.subject, state); closures.size() == 1)
      body = closures.front();
  bool recursive = body && llvm::is_contained(stack, body);
  if (body && !recursive && isIrrelevant(event) && mayReturn(*body)) {
    state.forget(event.result);
    return true;
  }
  if (body && !recursive && stack.size() > maxDepth && !isHarmless(event))
    bounded.insert(stack.front());
  if (!body || recursive || stack.size() > maxDepth || visits > maxVisits) {
    callUnknown(event, state, observing);
    return true;
  }
  const Answers told = answersTo(*body, event);
  if (!observing) {
    auto last = memory.find({&event, body});
    if (last != memory.end() && last->second.told == told && last->second.before == state) {
      if (!last->second.after)
        return false;
      state = *last->second.after;
      return true;
    }
  }
  State before = state;
  if (event.result == event.subject.path)
    construct(event, state, {Device::Cpu});
  std::optional<State> after = enter(*body, event, state, told, observing);
  memory.insert_or_assign({&event, body}, Memory{std::move(before), told, after});
  if (!after)
    return false;
  state = std::move(*after);
  return true;
}

/// What \p argument answers where it is asked as a condition.
static std::optional<bool> truthOf(const clang::Expr *argument) {
  argument = strip(argument);
  if (const auto *literal = llvm::dyn_cast<clang::CXXBoolLiteralExpr>(argument))
    return literal->getValue();
  if (llvm::isa<clang::CXXNullPtrLiteralExpr>(argument))
    return false;
  const auto *address = llvm::dyn_cast<clang::UnaryOperator>(argument);
  return address && address->getOpcode() == clang::UO_AddrOf ? std::optional(true) : std::nullopt;
}

Interpreter::Answers Interpreter::answersTo(const FunctionBody &body, const Event &event) const {
  Answers told = 0;
  for (unsigned i = 0; i < body.parameters.size(); ++i) {
    const FunctionBody::Parameter &parameter = body.parameters[i];
    const bool isGiven = i < event.operands.size();
    const clang::Expr *argument =
        isGiven ? event.operands[i].expr : parameter.declaration->getInit();
    if (const clang::EnumConstantDecl *value = argument ? enumeratorOf(argument) : nullptr)
      for (const Conditions::Choice &choice : parameter.choices)
        told |= answer(choice.number, choice.value == value);
    if (parameter.condition < 0)
      continue;
    std::optional<bool> truth = argument ? truthOf(argument) : std::nullopt;
    if (!truth && isGiven)
      truth = answerOf(event.operands[i].flag);
    if (truth)
      told |= answer(parameter.condition, *truth);
  }
  return told;
}

std::optional<bool> Interpreter::answerOf(const Flag &flag) const {
  const Answers bits = flag.condition < 0 ? 0 : known & answerBits(flag.condition);
  return bits ? std::optional((bits == answer(flag.condition, true)) != flag.isNegated)
              : std::nullopt;
}

std::optional<bool> Interpreter::constantOf(const Event &event) const {
  return event.constant ? event.constant : answerOf(event.choice);
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
  for (const FunctionBody::Parameter &parameter : body.parameters)
    after->endLifetime(parameter.place.path);
  if (body.thisObject && event.kind == EventKind::Call)
    after->unbind(body.thisObject);
  if (event.result && event.result != event.subject.path) {
    after->forget(event.result);
    after->rename(body.returned, event.result);
  }
  return after;
}

/// Whether a header of the system declares the function.
static bool isOfSystem(const clang::FunctionDecl *callee) {
  return callee &&
         callee->getASTContext().getSourceManager().isInSystemHeader(callee->getLocation());
}

void Interpreter::callUnknown(const Event &event, State &state, bool observing) {
  const bool leavesAlone = isHarmless(event);
  if (!leavesAlone && !isOfSystem(event.callee))
    state.autocastMayChange();
  bool isForward = isModuleCall(event);
  if (isForward && observing)
    observe(event, state);
  Value value = combined(event, state);
  value.sources = tables.sources.unknown();
  value.device = {};
  value.hasDimensions = false;
  if (llvm::none_of(event.operands, [](const Operand &operand) { return operand.isTensor; }) &&
      !isForward)
    value.graph |= Graph::Unknown; // Of what it is made, nobody knows.
  // The fields of a struct may be detached, be they made of what is not.
  const auto *result = llvm::dyn_cast<clang::Expr>(event.site);
  const clang::CXXRecordDecl *record = result ? result->getType()->getAsCXXRecordDecl() : nullptr;
  if (record && event.resultRole == TypeRole::None && !isStandard(record))
    value.graph = Graph::Unknown;
  used.read(value.history, noSources, event);
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
    value.sources = tables.sources.join(value.sources, state.sourcesOf(operand));
    bool isRead = computes && operand.role != TypeRole::Optimizer && operand.role != TypeRole::None;
    if (leavesAlone)
      return;
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
    if (operand.isTensor && event.isArithmetic &&
        !llvm::cast<clang::Expr>(event.site)->getType()->isArithmeticType())
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
  if (event.result == event.subject.path && isModule(event.subject.role))
    construct(event, state, {});
  else if (event.result && !event.isArithmetic) {
    if (isForward)
      passModule(event, state, value);
    state.setValue(event.result, value);
  }
}

} // namespace gradtidy
