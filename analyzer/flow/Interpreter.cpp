#include "Interpreter.h"

#include "clang/AST/ExprCXX.h"

#include <set>

namespace gradtidy {
namespace {

/// Marks states that enter a `for` loop, which is assumed to run at least once.
constexpr unsigned entersLoop = 1u << 31;
constexpr unsigned maxPartitions = 16;

constexpr unsigned answerBits(unsigned condition) { return 3u << (2 * condition); }
constexpr unsigned answer(unsigned condition, bool value) {
  return (value ? 1u : 2u) << (2 * condition);
}

} // namespace

void Interpreter::run(const FunctionBody &body) {
  visits = 0;
  memory.clear();
  solve(body, State(tables), /*observe=*/true);
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

std::optional<State> Interpreter::solve(const FunctionBody &body, const State &entry,
                                        bool observe) {
  stack.push_back(&body);
  std::vector<std::map<Answers, Incoming>> before(body.blocks.size());
  std::map<std::pair<unsigned, Answers>, State> ends;
  before[0][0].emplace(std::pair(0u, 0u), Way{entry, Junction::LoopEntry});
  std::set<std::pair<unsigned, Answers>> pending = {{0, 0}};

  while (!pending.empty() && ++visits <= maxVisits) {
    auto [number, key] = *pending.begin();
    pending.erase(pending.begin());
    const Block &block = body.blocks[number];
    State state = joined(before[number][key], number);
    Answers answers = key & ~entersLoop;
    if (!runBlock(block, state, answers, /*observe=*/false))
      continue;
    if (block.edges.empty())
      ends.insert_or_assign({number, key}, state);
    for (unsigned index = 0; index < block.edges.size(); ++index) {
      const Block::Edge &edge = block.edges[index];
      if ((key & entersLoop) && static_cast<int>(index) == block.exitEdge)
        continue;
      Answers next = answers;
      if (edge.condition >= 0) {
        unsigned known = answers & answerBits(edge.condition);
        if (known && known != answer(edge.condition, edge.value))
          continue; // This way is not taken twice.
        next |= answer(edge.condition, edge.value);
      }
      if (edge.undefined && state.isGradient(edge.undefined))
        continue; // What has been through a backward has a gradient.
      State along = state;
      const Block &target = body.blocks[edge.target];
      if (target.exitEdge >= 0 && target.latch != number)
        next |= entersLoop;
      auto &partition = before[edge.target];
      if (partition.size() >= maxPartitions && !partition.contains(next))
        next &= entersLoop;
      // The first and the later rounds of a `for` loop meet behind its head.
      Way way{std::move(along), block.exitEdge >= 0 ? Junction::LoopEntry : Junction::Branches};
      Incoming &incoming = partition[next];
      auto known = incoming.find({number, key});
      if (known != incoming.end() && known->second.state == way.state)
        continue;
      incoming.insert_or_assign({number, key}, std::move(way));
      pending.insert({edge.target, next});
    }
  }

  if (observe) {
    visited.insert(&body);
    for (unsigned number = 0; number < body.blocks.size(); ++number)
      for (const auto &[key, incoming] : before[number]) {
        State state = joined(incoming, number);
        Answers answers = key & ~entersLoop;
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
    if (!transfer(event, state, observing))
      return false;
  }
  state.dropTemporaries(block.temporaries);
  return true;
}

void Interpreter::observe(const Event &event, const State &state) {
  seen.push_back({&event, state, {callers.begin(), callers.end()}});
}

bool Interpreter::transfer(const Event &event, State &state, bool observing) {
  SourcesTable &sources = tables.sources;
  const Operand *first = event.operands.empty() ? nullptr : &event.operands.front();
  auto sourcesOfAll = [&] {
    SourcesId set = event.subject.path ? state.sourcesOf(event.subject) : noSources;
    for (const Operand &operand : event.operands)
      set = sources.join(set, state.sourcesOf(operand));
    return set;
  };

  switch (event.kind) {
  case EventKind::Bind:
    state.bind(event.subject.path, event.bind, event.subject.role, first);
    return true;

  case EventKind::Return:
    if (first)
      state.bind(event.subject.path, event.bind, event.subject.role, first);
    return true;

  case EventKind::EndLifetime:
    state.forget(event.subject.path);
    return true;

  case EventKind::Assign:
    return true;

  case EventKind::Construct: {
    SourcesId set = noSources;
    for (const Operand &operand : event.operands)
      set = sources.join(set, state.sourcesOf(operand));
    state.forget(event.result);
    if (event.subject.role == TypeRole::Optimizer)
      state.optimizerAt(event.result) = {first ? state.sourcesOf(*first) : sources.unknown(),
                                         {Gradients::Untouched}};
    else if (event.subject.role == TypeRole::None || event.subject.role == TypeRole::Tensor)
      state.setSources(event.result, set);
    return true;
  }

  case EventKind::Combine: {
    SourcesId set = sourcesOfAll();
    for (const Operand &operand : event.operands)
      if (operand.isClosure && !runClosure(operand, event, state, observing))
        return false;
    if (!event.isArithmetic)
      state.setSources(event.result, set);
    if (event.subject.escapes && !event.operands.empty()) {
      // `losses.push_back(loss)`, `total += loss`, `optimizer.add_param_group(…)`.
      if (event.subject.role == TypeRole::Optimizer) {
        OptimizerFacts &facts = state.optimizerAt(state.resolve(event.subject.path));
        for (const Operand &operand : event.operands)
          facts.owned = sources.join(facts.owned, state.sourcesOf(operand));
      } else if (event.subject.role == TypeRole::None || event.subject.role == TypeRole::Tensor) {
        PathId object = state.resolve(event.subject.path);
        if (object != tables.paths.unknown())
          state.addSources(object, set);
        for (const Operand &operand : event.operands)
          if (operand.role != TypeRole::None && operand.role != TypeRole::Tensor && !operand.fresh)
            state.shareElements(event.subject.path);
      }
    }
    return true;
  }

  case EventKind::Forward: {
    if (observing)
      observe(event, state);
    state.setSources(event.result, sourcesOfAll());
    return true;
  }

  case EventKind::Detach:
    state.setSources(event.result, noSources);
    return true;

  case EventKind::Backward:
    if (observing)
      observe(event, state);
    state.contribute(state.sourcesOf(event.subject), event);
    return true;

  case EventKind::Overwrite:
    if (!state.clearGradient(event.subject.path) && !event.isArithmetic)
      state.setSources(event.result, sourcesOfAll());
    return true;

  case EventKind::ClearGradients: {
    if (observing)
      observe(event, state);
    PathId object = state.resolve(event.subject.path);
    if (event.subject.role == TypeRole::Optimizer && object != tables.paths.unknown())
      state.clearGradients(object, state.optimizerAt(object).owned);
    else
      state.clearGradients(noPath, state.sourcesOf(event.subject));
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
    if (object != tables.paths.unknown())
      state.optimizerAt(object).gradients.use(event);
    return true;
  }

  case EventKind::Call:
    return call(event, state, observing);
  }
  return true;
}

const FunctionBody *Interpreter::closureOf(const Operand &operand, const State &state) const {
  const PathStep &last = tables.paths.last(state.resolve(operand.path));
  if (last.kind != PathStep::Temporary || !last.subject)
    return nullptr;
  const auto *lambda =
      llvm::dyn_cast<clang::LambdaExpr>(static_cast<const clang::Stmt *>(last.subject));
  return lambda ? bodies(lambda->getCallOperator(), false) : nullptr;
}

bool Interpreter::runClosure(const Operand &operand, const Event &event, State &state,
                             bool observing) {
  const FunctionBody *closure = closureOf(operand, state);
  if (!closure || llvm::is_contained(stack, closure) || stack.size() > maxDepth) {
    if (operand.escapes)
      state.escape({tables.paths.unknown(), TypeRole::Optimizer});
    // What it is given may be parameters, of which it may clear the gradients.
    for (const Operand &other : event.operands)
      if (!other.isClosure)
        state.escape({other.path, TypeRole::None, true});
    return true;
  }
  std::optional<State> after = enter(*closure, event, state, observing);
  if (!after)
    return false;
  state = std::move(*after);
  return true;
}

bool Interpreter::call(const Event &event, State &state, bool observing) {
  const FunctionBody *body = event.callee ? bodies(event.callee, event.isVirtual) : nullptr;
  if (!body && event.subject.path)
    body = closureOf(event.subject, state);
  bool recursive = body && llvm::is_contained(stack, body);
  if (!body || recursive || stack.size() > maxDepth || visits > maxVisits) {
    callUnknown(event, state);
    return true;
  }
  if (!observing) {
    auto known = memory.find({&event, body});
    if (known != memory.end() && known->second.before == state) {
      if (!known->second.after)
        return false;
      state = *known->second.after;
      return true;
    }
  }
  State before = state;
  std::optional<State> after = enter(*body, event, state, observing);
  memory.insert_or_assign({&event, body}, Memory{std::move(before), after});
  if (!after)
    return false;
  state = std::move(*after);
  return true;
}

std::optional<State> Interpreter::enter(const FunctionBody &body, const Event &event,
                                        const State &caller, bool observing) {
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
  }
  callers.push_back(&event);
  std::optional<State> after = solve(body, state, observing);
  callers.pop_back();
  if (!after)
    return std::nullopt;
  for (const FunctionBody::Parameter &parameter : body.parameters)
    after->forget(parameter.place.path);
  if (body.thisObject && event.kind == EventKind::Call)
    after->unbind(body.thisObject);
  if (event.result && event.result != event.subject.path) {
    after->forget(event.result);
    after->rename(body.returned, event.result);
  }
  return after;
}

void Interpreter::callUnknown(const Event &event, State &state) {
  SourcesId set = tables.sources.unknown();
  // What is called for its result is a forward of some kind: it leaves gradients alone.
  bool computes = event.result && !event.isArithmetic;
  auto reach = [&](const Operand &operand) {
    set = tables.sources.join(set, state.sourcesOf(operand));
    bool isRead = computes && operand.role != TypeRole::Optimizer && operand.role != TypeRole::None;
    if (operand.escapes && !isRead)
      state.escape(operand);
  };
  if (event.subject.path)
    reach(event.subject);
  for (const Operand &operand : event.operands)
    reach(operand);
  if (event.result && !event.isArithmetic)
    state.setSources(event.result, set);
}

} // namespace gradtidy
