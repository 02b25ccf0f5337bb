// The gradients of optimizers, and which of them a backward, a clear or unseen code concerns.
#include "analyzer/flow/State.h"
#include "analyzer/flow/Words.h"

namespace gradtidy {

void describe(Words &words, const OptimizerFacts &optimizer) {
  static constexpr llvm::StringRef lives[] = {"untouched", "clean",   "fresh", "used",
                                              "stale",     "unknown", "lost"};
  words.addPaths("owns", optimizer.owned);
  if (optimizer.whole != noSources)
    words.addPaths("has all parameters of", optimizer.whole);
  words.add("gradients", optimizer.gradients.possible, lives);
  words.add("used by", optimizer.gradients.step.event());
  words.add("added by", optimizer.gradients.backward.event());
  words.add("cleared by", optimizer.gradients.cleared.event());
  words.addIf(optimizer.needsClosure, "needs a closure");
  words.add("outdated by", optimizer.outdated);
}

void Gradients::clear(const Event *event) {
  if (possible == Lost)
    return;
  if ((possible & (Fresh | Stale)) && !(possible & (Untouched | Clean | Used)))
    *this = {Lost, nullptr, backward, event};
  else
    *this = {Clean};
}

void Gradients::mayBeCleared() { *this = {Unknown}; }

void Gradients::mayBeRewritten() {
  if (!(possible & (Fresh | Stale)))
    mayBeCleared();
}

void Gradients::contribute(const Event &event) {
  std::uint8_t next = possible & (Unknown | Stale);
  if (possible & (Untouched | Clean | Fresh | Lost))
    next |= Fresh;
  if (possible & Used)
    next |= Stale;
  if (!(possible & Stale))
    backward = &event;
  possible = next;
}

void Gradients::use(const Event &event) { *this = {Used, &event}; }

void Gradients::join(const Gradients &other, Junction junction) {
  // Cleared on one way only: whether that is the one taken before the next backward depends on
  // values (`if (i > 0) zero_grad()`, `while (more) zero_grad()`), which cannot be known here.
  auto leftOver = [](const Gradients &g) { return (g.possible & (Used | Stale)) != 0; };
  auto onlyClears = [&](const Gradients &g) {
    return (g.possible & (Clean | Lost | Unknown)) && !leftOver(g);
  };
  bool depends = junction != Junction::LoopEntry && leftOver(*this) && onlyClears(other);
  depends |= junction == Junction::Branches && onlyClears(*this) && leftOver(other);
  possible |= other.possible;
  if (depends)
    possible = (possible & ~(Used | Stale)) | Unknown;
  if (!step)
    step = other.step;
  if (!backward || (!(possible & Stale) && (other.possible & Stale)))
    backward = other.backward;
  if (!cleared)
    cleared = other.cleared;
}

SourcesId State::sourcesOf(const Operand &operand) const {
  PathTable &paths = tables->paths;
  PathId path = resolve(operand.path);
  if (path == paths.unknown())
    return tables->sources.unknown();
  if (paths.last(path).kind == PathStep::Gradient)
    path = paths.parent(path);
  if (const ModuleFacts *facts = isModule(operand.role) ? modules.find(path) : nullptr;
      facts && facts->isMade)
    return tables->sources.of(path);
  const bool isOwner = isModule(operand.role) || operand.role == TypeRole::Optimizer;
  if (const Value *known = findValue(path)) {
    // The parts of an object that is made of nothing are their own; what a function returns a
    // handle to may have other names.
    bool isPart = known->autograd.sources == noSources && !values.find(path);
    if (!isOwner || (!isPart && !tables->sources.isUnknown(known->autograd.sources)))
      return known->autograd.sources;
    return isPart ? tables->sources.of(path)
                  : tables->sources.join(tables->sources.of(path), known->autograd.sources);
  }
  bool isNamed = paths.last(paths.rootOf(path)).kind != PathStep::Temporary;
  switch (operand.role) {
  case TypeRole::Module:
  case TypeRole::ScriptModule:
  case TypeRole::ModuleHolder:
  case TypeRole::Optimizer:
    return isNamed || operand.fresh
               ? tables->sources.of(path)
               : tables->sources.join(tables->sources.of(path), tables->sources.unknown());
  case TypeRole::Tensor:
  case TypeRole::None:
    // Nobody said what it is made of: a parameter of its own, or the outcome of code not seen.
    return tables->sources.join(tables->sources.of(path), tables->sources.unknown());
  default:
    return noSources;
  }
}

const OptimizerFacts *State::optimizer(const Operand &operand) const {
  return optimizers.find(resolve(operand.path));
}

llvm::SmallVector<const OptimizerFacts *, 2> State::optimizersOf(SourcesId owners) const {
  llvm::SmallVector<const OptimizerFacts *, 2> found;
  for (const auto &[path, facts] : optimizers)
    if (tables->sources.mayOverlap(facts.owned, owners))
      found.push_back(&facts);
  return found;
}

/// Whether both are the same, witnesses included.
static bool areIdentical(const Gradients &a, const Gradients &b) {
  return a == b && a.step.event() == b.step.event() && a.backward.event() == b.backward.event() &&
         a.cleared.event() == b.cleared.event();
}

void State::changeOptimizersOf(SourcesId owners, llvm::function_ref<void(Gradients &)> change) {
  // States share what does not change: of n optimizers, n events may each concern all.
  const auto isChanged = [&](Gradients gradients) {
    const Gradients before = gradients;
    change(gradients);
    return !areIdentical(before, gradients);
  };
  optimizers.changeIf(
      [&](const auto &entry) {
        return tables->sources.mayOverlap(entry.second.owned, owners) &&
               isChanged(entry.second.gradients);
      },
      [&](PathId, OptimizerFacts &facts) { change(facts.gradients); });
}

OptimizerFacts &State::optimizerAt(PathId object) {
  if (OptimizerFacts *known = optimizers.edit(object))
    return *known;
  OptimizerFacts &facts = optimizers[object];
  facts.owned = tables->sources.unknown();
  return facts;
}

bool State::mayBeStepped(const Operand &module) const {
  SourcesId parameters = tables->sources.of(resolve(module.path));
  return optimizers.empty() || llvm::any_of(optimizers, [&](const auto &entry) {
           return tables->sources.mayOverlap(entry.second.owned, parameters);
         });
}

void State::escape(const Operand &operand, bool computes) {
  PathTable &paths = tables->paths;
  PathId object = resolve(operand.path);
  SourcesId set = sourcesOf(operand);
  bool isObject = operand.role != TypeRole::Tensor;
  bool hasSources =
      operand.role == TypeRole::Tensor ||
      (operand.role == TypeRole::None && operand.isTensor && !computes && findValue(object));
  const auto concernsParameters = [&](const OptimizerFacts &facts) {
    return tables->sources.mayOverlap(facts.owned, set);
  };
  const auto isReached = [&](PathId path, const OptimizerFacts &facts) {
    return isModule(operand.role)
               ? concernsParameters(facts)
               : isObject && (object == paths.unknown() || paths.overlap(path, object));
  };
  optimizers.changeIf(
      [&](const auto &entry) {
        return isReached(entry.first, entry.second) ||
               (hasSources && concernsParameters(entry.second));
      },
      [&](PathId path, OptimizerFacts &facts) {
        if (isReached(path, facts)) {
          facts.gradients.mayBeCleared();
          facts.outdated = nullptr;
        } else {
          facts.gradients.mayBeRewritten();
        }
      });
  if (mayHoldTensors(operand.role) && object != paths.unknown() && findValue(object)) {
    Value unknown;
    unknown.autograd.sources = tables->sources.unknown();
    addValue(object, unknown);
  }
}

bool State::mayBeSame(SourcesId some, SourcesId others) const {
  const PathTable &paths = tables->paths;
  const auto isHandedIn = [&](PathId path) {
    const PathStep &root = paths.last(paths.rootOf(path));
    return root.kind == PathStep::This ||
           (root.kind == PathStep::Variable && root.symbol()->kind == ir::SymbolKind::Parameter);
  };
  return llvm::any_of(tables->sources.members(some), [&](PathId part) {
    return paths.parent(part) && isHandedIn(part) &&
           llvm::any_of(tables->sources.members(others), [&](PathId other) {
             return isHandedIn(other) && paths.rootOf(other) != paths.rootOf(part);
           });
  });
}

void State::clearGradients(PathId target, SourcesId cleared, const Event *event) {
  bool byOptimizer = optimizers.find(target) != nullptr;
  const auto isCleared = [&](PathId path, const OptimizerFacts &facts) {
    return path == target || tables->sources.covers(cleared, facts.owned);
  };
  const auto mayBeCleared = [&](PathId path, const OptimizerFacts &facts) {
    // Two optimizers of which nothing is known do not share their parameters.
    bool known = !tables->sources.isUnknown(cleared) && !tables->sources.isUnknown(facts.owned);
    bool reachesOptimizer = tables->sources.mayOverlap(cleared, tables->sources.of(path));
    return byOptimizer ? known && tables->sources.mayOverlap(cleared, facts.owned)
                       : reachesOptimizer || tables->sources.mayOverlap(cleared, facts.owned) ||
                             mayBeSame(cleared, facts.owned);
  };
  optimizers.changeIf(
      [&](const auto &entry) {
        return isCleared(entry.first, entry.second) || mayBeCleared(entry.first, entry.second);
      },
      [&](PathId path, OptimizerFacts &facts) {
        if (isCleared(path, facts))
          facts.gradients.clear(event);
        else
          facts.gradients.mayBeCleared();
      });
}

bool State::isGradient(PathId path) const {
  return tables->paths.last(resolve(path)).kind == PathStep::Gradient;
}

bool State::clearGradient(PathId path, const Event *event) {
  if (!isGradient(path))
    return false;
  clearGradients(noPath, sourcesOf({path, TypeRole::Tensor}), event);
  return true;
}

bool State::replaceGradient(PathId path) {
  if (!isGradient(path))
    return false;
  const SourcesId replaced = sourcesOf({path, TypeRole::Tensor});
  changeOptimizersOf(replaced, [](Gradients &gradients) { gradients.mayBeCleared(); });
  return true;
}

void State::handOutGradient(PathId path) {
  if (!isGradient(path))
    return;
  const SourcesId owners = sourcesOf({path, TypeRole::Tensor});
  changeOptimizersOf(owners, [](Gradients &gradients) { gradients.mayBeRewritten(); });
}

void State::contribute(SourcesId reached, const Event &backward) {
  changeOptimizersOf(reached, [&](Gradients &gradients) { gradients.contribute(backward); });
}

} // namespace gradtidy
