#include "State.h"

#include "llvm/ADT/DenseSet.h"

namespace gradtidy {

// --- Gradients
// ------------------------------------------------------------------------------------

void Gradients::clear() { *this = {Clean}; }

void Gradients::mayBeCleared() { *this = {Unknown}; }

void Gradients::mayBeRewritten() {
  if (!(possible & (Fresh | Stale)))
    mayBeCleared();
}

void Gradients::contribute(const Event &event) {
  std::uint8_t next = possible & (Unknown | Stale);
  if (possible & (Untouched | Clean | Fresh))
    next |= Fresh;
  if (possible & Used) {
    next |= Stale;
    if (!backward)
      backward = &event;
  }
  possible = next;
}

void Gradients::use(const Event &event) { *this = {Used, &event}; }

void Gradients::join(const Gradients &other, Junction junction) {
  // Cleared on one way only: whether that is the one taken before the next backward depends on
  // values (`if (i > 0) zero_grad()`, `while (more) zero_grad()`), which cannot be known here.
  auto leftOver = [](const Gradients &g) { return (g.possible & (Used | Stale)) != 0; };
  auto onlyClears = [&](const Gradients &g) {
    return (g.possible & (Clean | Unknown)) && !leftOver(g);
  };
  bool depends = junction != Junction::LoopEntry && leftOver(*this) && onlyClears(other);
  depends |= junction == Junction::Branches && onlyClears(*this) && leftOver(other);
  possible |= other.possible;
  if (depends)
    possible = (possible & ~(Used | Stale)) | Unknown;
  if (!step)
    step = other.step;
  if (!backward)
    backward = other.backward;
}

// --- names
// ----------------------------------------------------------------------------------------

const Alias *State::aliasOf(PathId path) const {
  if (const Alias *alias = aliases.find(path))
    return alias;
  const PathStep &last = tables->paths.last(path);
  if (last.kind == PathStep::Element && last.index >= 0)
    return aliases.find(tables->paths.element(tables->paths.parent(path)));
  return nullptr;
}

PathId State::resolve(PathId path) const {
  path = place(path);
  // Names that denote each other do not occur; the bound is for code that is no program.
  for (int hops = 0; hops < 16; ++hops) {
    const Alias *alias = aliasOf(path);
    if (!alias || alias->target == path)
      return path;
    path = place(alias->target);
  }
  return tables->paths.unknown();
}

PathId State::place(PathId path) const {
  PathTable &paths = tables->paths;
  for (int hops = 0; hops < 16; ++hops) {
    if (PathId parent = paths.parent(path)) {
      PathId object = resolve(parent);
      if (object == paths.unknown())
        return object;
      if (object != parent)
        path = paths.step(object, paths.last(path));
    }
    const Alias *alias = aliasOf(path);
    if (!alias || !alias->isReference || alias->target == path)
      return path;
    path = alias->target;
  }
  return paths.unknown();
}

void State::forget(PathId path) {
  const PathTable &paths = tables->paths;
  auto isBelow = [&](const auto &entry) { return paths.isWithin(entry.first, path); };
  aliases.eraseIf(isBelow);
  sources.eraseIf(isBelow);
  optimizers.eraseIf(isBelow);
  for (auto &[name, alias] : aliases)
    if (paths.isWithin(alias.target, path))
      alias.target = tables->paths.unknown();
}

PathId State::rebase(PathId path, PathId from, PathId to) const {
  PathTable &paths = tables->paths;
  if (path == from)
    return to;
  PathStep last = paths.last(path);
  return paths.step(rebase(paths.parent(path), from, to), last);
}

void State::unbind(PathId name) {
  aliases.eraseIf([&](const auto &entry) { return entry.first == name; });
}

void State::copy(PathId from, PathId to) {
  auto copyBelow = [&](auto &map) {
    auto entries = map;
    for (const auto &[path, fact] : entries)
      if (tables->paths.isWithin(path, from))
        map[rebase(path, from, to)] = fact;
  };
  copyBelow(aliases);
  copyBelow(sources);
  copyBelow(optimizers);
}

void State::rename(PathId from, PathId to) {
  const PathTable &paths = tables->paths;
  if (from == to)
    return;
  copy(from, to);
  auto isBelow = [&](const auto &entry) { return paths.isWithin(entry.first, from); };
  aliases.eraseIf(isBelow);
  sources.eraseIf(isBelow);
  optimizers.eraseIf(isBelow);
  auto renamed = [&](PathId path) {
    return paths.isWithin(path, from) ? rebase(path, from, to) : path;
  };
  for (auto &[name, alias] : aliases)
    alias.target = renamed(alias.target);
  for (auto &[path, set] : sources)
    set = tables->sources.map(set, renamed);
  for (auto &[path, facts] : optimizers)
    facts.owned = tables->sources.map(facts.owned, renamed);
}

void State::bind(PathId name, BindKind kind, TypeRole role, const Operand *value) {
  PathTable &paths = tables->paths;
  PathId target = value ? resolve(value->path) : noPath;
  SourcesId set = value ? sourcesOf(*value) : noSources;
  PathId to = place(name);
  if (to == paths.unknown() || target == to)
    return;
  const PathStep &last = paths.last(to);
  bool isOneOfMany = last.kind == PathStep::Element && last.index < 0;
  if (isOneOfMany) {
    if (kind == BindKind::Value)
      addSources(to, set);
    else if (value && !value->fresh)
      aliases[to] = {paths.unknown(), false};
    return;
  }
  if (value && value->fresh)
    target = value->path;
  if (kind == BindKind::Value && value && paths.isWithin(target, to)) {
    // `node = node.next`: what the old object was is gone.
    forget(to);
    setSources(to, set);
    return;
  }
  forget(to);
  if (!value)
    return;
  if (kind == BindKind::Reference) {
    aliases[to] = {target, true};
  } else if (value->fresh) {
    rename(target, to);
  } else if (kind == BindKind::Handle) {
    aliases[to] = {target, false};
  } else if (target != paths.unknown()) {
    copy(target, to);
  }
  if (kind == BindKind::Value && role != TypeRole::Optimizer && role != TypeRole::Module) {
    // A tensor made of nothing that has gradients may be a parameter itself.
    if (set == noSources && role == TypeRole::Tensor)
      set = tables->sources.of(to);
    setSources(to, set);
  }
}

void State::dropTemporaries(llvm::ArrayRef<PathId> roots) {
  const PathTable &paths = tables->paths;
  llvm::SmallDenseSet<PathId, 16> dead(roots.begin(), roots.end());
  for (const auto &[name, alias] : aliases)
    if (PathId root = paths.rootOf(alias.target); !dead.contains(paths.rootOf(name)))
      dead.erase(root);
  auto isDead = [&](const auto &entry) { return dead.contains(paths.rootOf(entry.first)); };
  aliases.eraseIf(isDead);
  sources.eraseIf(isDead);
  optimizers.eraseIf(isDead);
}

void State::shareElements(PathId container) {
  aliases[tables->paths.element(resolve(container))] = {tables->paths.unknown(), false};
}

// --- association
// ----------------------------------------------------------------------------------

const SourcesId *State::findSources(PathId path) const {
  for (; path; path = tables->paths.parent(path))
    if (const SourcesId *set = sources.find(path))
      return set;
  return nullptr;
}

SourcesId State::sourcesOf(const Operand &operand) const {
  PathTable &paths = tables->paths;
  PathId path = resolve(operand.path);
  if (path == paths.unknown())
    return tables->sources.unknown();
  if (paths.last(path).kind == PathStep::Gradient)
    path = paths.parent(path);
  if (const SourcesId *set = findSources(path))
    return *set;
  bool isNamed = paths.last(paths.rootOf(path)).kind != PathStep::Temporary;
  switch (operand.role) {
  case TypeRole::Module:
  case TypeRole::ModuleHolder:
  case TypeRole::Optimizer:
    return isNamed || operand.fresh ? tables->sources.of(path) : tables->sources.unknown();
  case TypeRole::Tensor:
  case TypeRole::None:
    // Nobody said what it is made of: a parameter of its own, or the outcome of code not seen.
    return tables->sources.join(tables->sources.of(path), tables->sources.unknown());
  }
  return tables->sources.unknown();
}

void State::addSources(PathId path, SourcesId set) {
  const SourcesId *known = findSources(path);
  sources[path] = known ? tables->sources.join(*known, set) : set;
}

const OptimizerFacts *State::optimizer(const Operand &operand) const {
  return optimizers.find(resolve(operand.path));
}

OptimizerFacts &State::optimizerAt(PathId object) {
  if (OptimizerFacts *known = optimizers.find(object))
    return *known;
  OptimizerFacts &facts = optimizers[object];
  facts.owned = tables->sources.unknown();
  return facts;
}

void State::escape(const Operand &operand) {
  PathTable &paths = tables->paths;
  PathId object = resolve(operand.path);
  SourcesId set = sourcesOf(operand);
  bool isObject = operand.role != TypeRole::Tensor;
  bool isModule = operand.role == TypeRole::Module || operand.role == TypeRole::ModuleHolder;
  bool hasSources =
      operand.role == TypeRole::Tensor || (operand.role == TypeRole::None && findSources(object));
  for (auto &[path, facts] : optimizers) {
    bool concernsParameters = tables->sources.mayOverlap(facts.owned, set);
    if (isModule ? concernsParameters
                 : isObject && (object == paths.unknown() || paths.overlap(path, object)))
      facts.gradients.mayBeCleared();
    else if (hasSources && concernsParameters)
      facts.gradients.mayBeRewritten();
  }
  if (operand.role == TypeRole::Tensor || operand.role == TypeRole::None)
    if (object != paths.unknown() && findSources(object))
      addSources(object, tables->sources.unknown());
}

void State::clearGradients(PathId target, SourcesId cleared) {
  bool byOptimizer = optimizers.find(target) != nullptr;
  for (auto &[path, facts] : optimizers) {
    if (path == target || tables->sources.covers(cleared, facts.owned)) {
      facts.gradients.clear();
      continue;
    }
    // Two optimizers of which nothing is known do not share their parameters.
    bool known = !tables->sources.isUnknown(cleared) && !tables->sources.isUnknown(facts.owned);
    bool reachesOptimizer = tables->sources.mayOverlap(cleared, tables->sources.of(path));
    if (byOptimizer ? known && tables->sources.mayOverlap(cleared, facts.owned)
                    : reachesOptimizer || tables->sources.mayOverlap(cleared, facts.owned))
      facts.gradients.mayBeCleared();
  }
}

bool State::isGradient(PathId path) const {
  return tables->paths.last(resolve(path)).kind == PathStep::Gradient;
}

bool State::clearGradient(PathId path) {
  if (!isGradient(path))
    return false;
  clearGradients(noPath, sourcesOf({path, TypeRole::Tensor}));
  return true;
}

void State::contribute(SourcesId reached, const Event &backward) {
  for (auto &[path, facts] : optimizers)
    if (tables->sources.mayOverlap(reached, facts.owned))
      facts.gradients.contribute(backward);
}

// --- join
// -----------------------------------------------------------------------------------------

void State::join(const State &other, Junction junction) {
  const PathTable &paths = tables->paths;
  PathId unknown = tables->paths.unknown();
  auto isTemporary = [&](PathId path) {
    return paths.last(paths.rootOf(path)).kind == PathStep::Temporary;
  };

  for (auto &[name, alias] : aliases) {
    const Alias *there = other.aliases.find(name);
    if (there ? there->target != alias.target : !isTemporary(name))
      alias.target = unknown;
  }
  for (const auto &[name, alias] : other.aliases)
    if (!aliases.find(name))
      aliases[name] = isTemporary(name) ? alias : Alias{unknown, alias.isReference};

  SourcesId notKnown = tables->sources.unknown();
  for (auto &[path, set] : sources) {
    if (const SourcesId *there = other.findSources(path))
      set = tables->sources.join(set, *there);
    else if (!isTemporary(path))
      set = tables->sources.join(set, notKnown);
  }
  for (const auto &[path, set] : other.sources)
    if (!sources.find(path)) {
      const SourcesId *here = findSources(path);
      sources[path] = here                ? tables->sources.join(*here, set)
                      : isTemporary(path) ? set
                                          : tables->sources.join(set, notKnown);
    }

  for (auto &[path, facts] : optimizers) {
    const OptimizerFacts *there = other.optimizers.find(path);
    if (there)
      facts.owned = tables->sources.join(facts.owned, there->owned);
    facts.gradients.join(there ? there->gradients : Gradients{}, junction);
  }
  for (const auto &[path, facts] : other.optimizers)
    if (!optimizers.find(path)) {
      OptimizerFacts joined = facts;
      joined.gradients.join(Gradients{}, junction);
      optimizers[path] = joined;
    }
}

} // namespace gradtidy
