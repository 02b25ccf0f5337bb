#include "Interpreter.h"

#include "analyzer/ir/LoweredUnit.h"
#include "analyzer/ir/UserWords.h"

namespace gradtidy {
namespace {

constexpr unsigned maxPartitions = 16;
/// What it costs to take a state into a block, or out of it, as a part of Interpreter::maxWork.
constexpr std::uint64_t workOfWay = 4;

} // namespace

void Interpreter::run(const FunctionBody &body, Answers told) {
  memory.clear();
  rootSites.clear();
  visits = work = 0;
  State entry = entryOf(body);
  const ir::Symbol &function = *body.function;
  if (function.isMethod() && body.thisObject && function.kind != ir::SymbolKind::Constructor)
    for (const ir::Symbol *member : ir::classOf(*function.owner).members)
      entry.setList(tables.paths.member(body.thisObject, member),
                    memberLists.of(*member, ir::classOf(*member->owner)));
  visits = work = 0; // What constructors take is not the function's.
  solve(body, entry, /*observe=*/true, told);
}

void Interpreter::runUntold(const FunctionBody &body) {
  const Answers told = alwaysTold.lookup(&body);
  if (body.function->kind == ir::SymbolKind::Constructor)
    return;
  for (unsigned condition = 0; condition < told.end(); ++condition)
    if (told.isKnown(condition))
      run(body, told.withOther(condition));
}

void Interpreter::keepOwned(const ir::Class &record, const State &end, PathId object,
                            PathId thisObject, OwnedParameters &kept) const {
  const bool isFirst = kept.empty();
  for (const ir::Symbol *member : record.members) {
    const OptimizerFacts *facts =
        end.optimizer({tables.paths.member(object, member), TypeRole::Optimizer});
    SourcesId owned = facts && !effects.isReplaced(*member) ? facts->owned : noSources;
    const auto isOwn = [&](PathId path) {
      return tables.paths.parent(path) == object &&
             tables.paths.last(path).kind == PathStep::Member &&
             !effects.isReplaced(*tables.paths.last(path).symbol());
    };
    if (tables.sources.isUnknown(owned) || !llvm::all_of(tables.sources.members(owned), isOwn))
      owned = noSources;
    owned = tables.sources.map(owned, [&](PathId path) {
      return tables.paths.member(thisObject, tables.paths.last(path).symbol());
    });
    const PathId optimizer = tables.paths.member(thisObject, member);
    if (isFirst)
      kept[optimizer] = owned;
    else if (kept[optimizer] != owned)
      kept[optimizer] = noSources;
  }
}

const std::optional<State> &Interpreter::endOf(const FunctionBody &constructor) {
  const auto [known, isFirst] = constructed.try_emplace(&constructor);
  if (isFirst)
    known->second = solve(constructor, entryOf(constructor), /*observe=*/false);
  return known->second;
}

void Interpreter::establishTypes(const ir::Symbol &method, PathId thisObject, State &state) {
  const ir::Class &record = ir::classOf(*method.owner);
  if (record.isDamaged)
    return;
  for (const ir::Symbol *member : record.members) {
    if (!member->type || !member->type->record || !member->type->record->isFramework ||
        effects.isReplaced(*member))
      continue;
    TypeId type = noType;
    for (const ir::Symbol *constructor : record.constructors) {
      const FunctionBody *body = graph.bodyOf(*constructor);
      if (!body)
        return;
      if (const std::optional<State> &end = endOf(*body); end && !constructor->isDelegating)
        type = tables.types.join(
            type, end->valueOf({tables.paths.member(body->thisObject, member), TypeRole::Tensor})
                      .layout.type);
    }
    if (type == noType || type == unknownType)
      continue;
    const PathId place = tables.paths.member(thisObject, member);
    Value value = state.valueOf({place, TypeRole::Tensor});
    value.layout.type = type;
    state.setValue(place, value);
  }
}

void Interpreter::establish(const ir::Symbol &method, PathId thisObject, State &state) {
  const ir::Class &record = ir::classOf(*method.owner);
  // What does not compile may change what the rest of the class shows as fixed.
  if (record.isDamaged)
    return;
  std::optional<State> made;
  OwnedParameters kept;
  for (const ir::Symbol *constructor : record.constructors) {
    const FunctionBody *body = graph.bodyOf(*constructor);
    if (!body || constructor->isDelegating)
      return;
    const std::optional<State> &end = endOf(*body);
    if (!end)
      continue;
    keepOwned(record, *end, body->thisObject, thisObject, kept);
    State members(tables);
    llvm::SmallDenseMap<PathId, PathId> sameDevice; // Parameters, and the members that keep them.
    auto forMembers = [&](MemberChanges changes, auto visit) {
      for (const ir::Symbol *member : record.members)
        if (effects.changesOf(*member) == changes)
          visit(tables.paths.member(body->thisObject, member),
                tables.paths.member(thisObject, member));
    };
    forMembers(MemberChanges::None, [&](PathId from, PathId to) {
      Device device = end->deviceOf({from, TypeRole::Device});
      if (device.kind == Device::Symbol)
        sameDevice.try_emplace(device.id, to);
      else if (device.isKnown())
        members.setDevice(to, device);
    });
    auto nameAsMember = [&](Device &device) {
      const auto known = sameDevice.find(device.id);
      if (device.kind == Device::Symbol && known != sameDevice.end())
        device.id = known->second;
    };
    forMembers(MemberChanges::Loads, [&](PathId from, PathId to) {
      const ModuleFacts known = end->moduleAt(end->resolve(from));
      ModuleFacts facts;
      facts.reloaded = known.reloaded;
      facts.left = known.reloaded ? known.left : known.device;
      nameAsMember(facts.left);
      if (facts.left.kind == Device::Symbol)
        members.setModule(to, facts);
    });
    forMembers(MemberChanges::Mode, [&](PathId from, PathId to) {
      const ModuleFacts known = end->moduleAt(end->resolve(from));
      ModuleFacts facts;
      facts.device = known.device;
      facts.placed = known.placed;
      nameAsMember(facts.device);
      if (facts.device.isKnown())
        members.setModule(to, facts);
    });
    forMembers(MemberChanges::None, [&](PathId from, PathId to) {
      ModuleFacts facts = end->moduleAt(end->resolve(from));
      facts.isNew = false; // Who knows what was called before.
      nameAsMember(facts.device);
      if (!(facts == ModuleFacts()))
        members.setModule(to, facts);
      Value value = end->valueOf({from, TypeRole::Tensor});
      if (!value.placement.device.isKnown() || facts.device.isKnown())
        return;
      nameAsMember(value.placement.device);
      Value kept;
      kept.autograd.sources = tables.sources.join(tables.sources.of(to), tables.sources.unknown());
      kept.stayOn(value);
      members.setValue(to, kept);
    });
    if (made)
      made->join(members, Junction::Branches);
    else
      made = std::move(members);
  }
  if (!made)
    return;
  const GradMode mode = state.gradMode();
  state = std::move(*made);
  state.restoreGradMode(mode);
  for (const auto &[optimizer, owned] : kept)
    if (owned != noSources)
      state.optimizerAt(optimizer).owned = owned;
}

State Interpreter::entryOf(const FunctionBody &body) {
  State state(tables);
  if (program.isGuarded())
    state.restoreGradMode({.possible = GradMode::On | GradMode::Off | GradMode::Depends});
  const ir::Symbol &function = *body.function;
  const bool isCalled = function.isMethod() && body.thisObject && function.owner &&
                        function.kind != ir::SymbolKind::Constructor;
  if (isCalled && !body.isModuleMethod)
    establish(function, body.thisObject, state);
  if (body.isOwnBackward || program.isForOthers(body))
    for (const FunctionBody::Parameter &parameter : body.parameters)
      if (parameter.place.isTensor) {
        Value given;
        given.autograd.sources =
            tables.sources.join(tables.sources.of(parameter.place.path), tables.sources.unknown());
        // What an object of the program's own holds it has made itself.
        const ir::Type *type = parameter.declaration->type;
        given.storage.anyStrides = !(type && type->record && type->record->isUser);
        state.setValue(parameter.place.path, given);
      }
  bool isForward = function.isMethod() && body.isModuleMethod &&
                   (function.spelling == "operator()" || words::speaksOfForward(function.name));
  if (!isForward) {
    // Who moves batches to the device he was given was also given a model that is there.
    PathId said = tables.paths.rootOf(body.batchDevice.path);
    bool isGiven = body.batchDevice.device.isKnown() || (said && said == body.thisObject);
    for (const FunctionBody::Parameter &parameter : body.parameters)
      isGiven |= said && said == parameter.place.path;
    if (isCalled)
      establishTypes(function, body.thisObject, state);
    if (!isGiven && isCalled && body.isModuleMethod) // Its parts are where it is.
      state.moveModule(body.thisObject, {Device::Symbol, body.thisObject}, nullptr);
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
    value.autograd.sources = tables.sources.join(tables.sources.of(path), tables.sources.unknown());
    value.placement.device = device;
    state.setValue(path, value);
  };
  place(body.thisObject);
  state.moveModule(body.thisObject, device, nullptr);
  for (const FunctionBody::Parameter &parameter : body.parameters)
    if (parameter.place.isTensor)
      place(parameter.place.path);
  nameOrders(body, state);
  if (isCalled)
    establishTypes(function, body.thisObject, state);
  return state;
}

State Interpreter::joined(const Incoming &incoming, unsigned number, bool isSettled) const {
  // By number: ways from before a loop come first, then those that come round.
  auto way = incoming.begin();
  State state = way->second.state;
  for (++way; way != incoming.end(); ++way)
    state.join(way->second.state,
               way->first.first >= number ? Junction::LoopBack : way->second.junction);
  // The later rounds come from behind, or, of a loop that runs at least once, by way of its head.
  const bool comesBack =
      llvm::any_of(incoming, [&](const auto &each) { return each.first.first >= number; });
  llvm::SmallVector<const State *, 4> rounds;
  for (const auto &[from, way] : incoming)
    if (comesBack ? from.first >= number
                  : way.junction == Junction::LoopEntry && from.second.round != Round::Next)
      rounds.push_back(&way.state);
    else if (!comesBack && way.junction != Junction::LoopEntry)
      isSettled = false;
  if (!rounds.empty() && isSettled)
    state.takeGraphsOf(rounds);
  return state;
}

/// What is known behind \p edge to whom knows \p answers before it. Empty if nobody who knows these
/// takes it.
static std::optional<Answers> behind(const Block::Edge &edge, Answers answers) {
  if (edge.condition >= 0) {
    if (answers.to(edge.condition).value_or(edge.value) != edge.value)
      return std::nullopt; // This way is not taken twice.
    if (edge.isKeptApart)
      answers.learn(edge.condition, edge.value);
  }
  for (unsigned condition = 0; edge.excluded >> condition; ++condition)
    if (edge.excluded & (1u << condition)) {
      if (answers.to(condition) == true)
        return std::nullopt;
      answers.learn(condition, false);
    }
  return answers;
}

/// Whether the shape of the tensor certainly is none of which \p test is true.
static bool contradicts(const ShapeTest &test, const State &state) {
  Operand tensor;
  tensor.path = test.tensor;
  tensor.role = TypeRole::Tensor;
  tensor.isTensor = true;
  const Shape shape = state.typeOf(tensor).shape;
  if (shape.isOpen)
    return false;
  const auto rank = static_cast<std::int64_t>(shape.sizes.size());
  std::int64_t number = rank;
  if (test.axis) {
    const std::int64_t axis = *test.axis < 0 ? *test.axis + rank : *test.axis;
    if (axis < 0 || axis >= rank || shape.sizes[axis] < 0)
      return false;
    number = shape.sizes[axis];
  }
  return (test.least <= number && number <= test.most) != test.holds;
}

/// Where in a loop that \p edge leads to, from block \p number, its states are.
static Round roundBehind(const Block::Edge &edge, const Block &target, unsigned number,
                         Answers answers) {
  if (target.exitEdge < 0)
    return Round::Any;
  if (target.latch != number)
    return Round::Next;
  const std::optional<bool> told = edge.lastRound < 0 ? std::nullopt : answers.to(edge.lastRound);
  if (!told)
    return Round::Any;
  return *told == edge.answerInLastRound ? Round::Last : Round::Next;
}

void Interpreter::follow(const Block::Edge &edge, const FunctionBody &body, unsigned number,
                         Partition from, Answers answers, const State &state, Solution &solution) {
  const Block &block = body.blocks[number], &target = body.blocks[edge.target];
  const std::optional<Answers> known = behind(edge, answers);
  if (!known || (edge.undefined && state.isGradient(edge.undefined)))
    return; // What has been through a backward has a gradient.
  if (edge.shape && contradicts(*edge.shape, state))
    return;
  State along = state;
  along.lacksGpu |= edge.lacksGpu;
  for (PathId tensor : edge.placed)
    along.doubtDevice(tensor);
  if (edge.exhausted)
    along.endBatches(edge.exhausted);
  Partition to{roundBehind(edge, target, number, from.answers), *known};
  auto &partitions = solution.before[edge.target];
  if (partitions.size() >= maxPartitions && !partitions.contains(to))
    to.answers = {};
  // The first and the later rounds of such a loop meet behind its head.
  Way way{std::move(along), block.exitEdge >= 0 ? Junction::LoopEntry : Junction::Branches};
  Incoming &incoming = partitions[to];
  auto before = incoming.find({number, from});
  if (before != incoming.end() && before->second.state == way.state)
    return;
  incoming.insert_or_assign({number, from}, std::move(way));
  solution.pending.insert({edge.target, to});
}

std::optional<State> Interpreter::solve(const FunctionBody &body, const State &entry, bool observe,
                                        Answers told) {
  stack.push_back(&body);
  Solution solution;
  solution.before.resize(body.blocks.size());
  const Partition first{Round::Any, told};
  solution.before[0][first].emplace(std::pair(0u, first), Way{entry, Junction::LoopEntry});
  solution.pending.insert({0, first});
  std::map<std::pair<unsigned, Partition>, State> ends;

  while (!solution.pending.empty() && (++visits, !isSpent())) {
    auto [number, from] = *solution.pending.begin();
    solution.pending.erase(solution.pending.begin());
    const Block &block = body.blocks[number];
    ++solution.runs[{number, from}];
    const Incoming &incoming = solution.before[number][from];
    work += workOfWay * (incoming.size() + block.edges.size());
    State state = joined(incoming, number, solution.isSettled(number, from));
    Answers answers = from.answers;
    if (!runBlock(block, state, answers, /*observe=*/false) || block.neverReturns)
      continue;
    if (block.edges.empty())
      ends.insert_or_assign({number, from}, state);
    for (unsigned index = 0; index < block.edges.size(); ++index) {
      const bool leaves = static_cast<int>(index) == block.exitEdge;
      if (from.round != (leaves ? Round::Next : Round::Last))
        follow(block.edges[index], body, number, from, answers, state, solution);
    }
  }

  // What is not followed to the end would be shown as it is on some ways only.
  if (!solution.pending.empty())
    bounded.insert(stack.front());
  else if (observe)
    observeAll(body, told, solution);
  stack.pop_back();
  if (ends.empty())
    return std::nullopt;
  auto end = ends.begin();
  State state = end->second;
  for (++end; end != ends.end(); ++end)
    state.join(end->second, Junction::Branches);
  return state;
}

void Interpreter::observeAll(const FunctionBody &body, Answers told, const Solution &solution) {
  const auto [always, isFirst] = alwaysTold.try_emplace(&body, told);
  if (!isFirst)
    always->second.meet(told);
  for (unsigned number = 0; number < body.blocks.size(); ++number)
    for (const auto &[from, incoming] : solution.before[number]) {
      State state = joined(incoming, number, solution.isSettled(number, from));
      Answers answers = from.answers;
      runBlock(body.blocks[number], state, answers, /*observe=*/true);
    }
}

bool Interpreter::isInLoop(const FunctionBody &body, const Block &block) {
  const auto [entry, isNew] = loops.try_emplace(&body);
  llvm::BitVector &inLoop = entry->second;
  if (isNew) {
    inLoop.resize(body.blocks.size());
    for (unsigned number = 0; number < body.blocks.size(); ++number)
      for (const Block::Edge &edge : body.blocks[number].edges)
        if (edge.target <= number)
          inLoop.set(edge.target, number + 1);
  }
  return inLoop[&block - body.blocks.data()];
}

bool Interpreter::runBlock(const Block &block, State &state, Answers &answers, bool observing) {
  work += block.events.size() * state.size();
  const bool isFirst = stack.size() == 1 && !isInLoop(*stack.back(), block);
  for (const Event &event : block.events) {
    if (event.kind == EventKind::Assign) {
      for (unsigned condition = 0; event.forgets >> condition; ++condition)
        if (event.forgets & (1u << condition)) {
          answers.forget(condition);
          if (event.constant)
            answers.learn(condition, *event.constant);
        }
      if (event.subject.path)
        state.changeText(state.resolve(event.subject.path));
      continue;
    }
    known = answers;
    isFirstRun = isFirst;
    const bool goesOn = transfer(event, state, observing);
    if (snapshots && observing)
      (*snapshots)[&event].push_back({state, {callers.begin(), callers.end()}, goesOn});
    if (!goesOn)
      return false;
    if (event.kind == EventKind::Combine && event.choice.condition >= 0 &&
        event.operands.size() == 2 && event.resultRole == TypeRole::Device) {
      known = answers;
      const std::optional<bool> isFirst = answerOf(event.choice);
      state.settleDevice(event.result,
                         isFirst ? state.deviceOf(event.operands[*isFirst ? 0 : 1]) : Device());
    }
  }
  state.dropTemporaries(block.temporaries);
  return true;
}

void Interpreter::observe(Moment moment) {
  moment.isOfInputs = inputGiver;
  if (!interest || !interest(moment))
    return;
  llvm::SmallVector<const Event *, 2> calls(callers.begin(), callers.end());
  if (inputGiver)
    calls.insert(calls.begin(), inputGiver);
  if (seen.size() == seen.capacity()) // Twice the room would be much of a function's memory.
    seen.reserve(seen.size() + seen.size() / 4 + 64);
  seen.push_back({&moment.event, moment.before, std::move(calls), siteOf(moment.event),
                  moment.isUnseen, moment.isBehind, moment.isOfInputs});
}

SiteId Interpreter::siteOf(const Event &event) {
  for (unsigned i = 0; isModuleCall(event) && i < callers.size(); ++i)
    if (isModuleCall(*callers[i]))
      return tables.sites.of(*callers[i], llvm::ArrayRef(callers).take_front(i));
  return tables.sites.of(event, callers);
}

} // namespace gradtidy
