// Lists of tensors, or of pointers to modules, of which the first elements may hold nothing.
#include "Lists.h"

#include "analyzer/flow/Interpreter.h"
#include "analyzer/flow/Words.h"

#include "analyzer/model/Operators.h"

namespace gradtidy {

void describe(Words &words, const ListFacts &list) {
  words.addIf(list.isEmpty, "empty");
  words.add("elements that hold nothing since", list.sized);
  words.addIf(list.isGrown, "grown");
  if (list.whole != noSources)
    words.addPaths("has all parameters of", list.whole);
}

// --- what is known at one point

const ListFacts *State::listAround(PathId path) const {
  const PathId element = resolve(path);
  if (const ListFacts *known = lists.find(element)) // Of the variable of a loop.
    return known;
  const PathStep &last = tables->paths.last(element);
  return last.kind == PathStep::Element && last.index < 0
             ? lists.find(tables->paths.containerOf(element))
             : nullptr;
}

void State::setList(PathId path, const ListFacts &facts) {
  const PathId object = resolve(path);
  if (object == tables->paths.unknown())
    return;
  if (facts == ListFacts())
    lists.erase(object);
  else
    lists[object] = facts;
}

void State::fillList(PathId path) {
  if (!path || lists.empty())
    return;
  const PathId object = resolve(path);
  for (PathId around = object; around; around = tables->paths.parent(around))
    lists.erase(around);
  lists.eraseIf(tables->paths.sameRoot(object),
                [&](const auto &entry) { return tables->paths.isWithin(entry.first, object); });
}

void State::forgetLists(llvm::function_ref<bool(PathId)> isMeant) {
  SourcesTable &sources = tables->sources;
  lists.changeIf(
      [&](const auto &entry) { return llvm::any_of(sources.members(entry.second.whole), isMeant); },
      [&](PathId, ListFacts &facts) {
        facts.whole = sources.filter(facts.whole, [&](PathId module) { return !isMeant(module); });
      });
}

void State::joinLists(const State &other) {
  for (PathId path : lists.differences(other.lists)) {
    const ListFacts *here = lists.find(path), *there = other.lists.find(path);
    if (!here)
      continue;
    ListFacts facts;
    if (there && there->isEmpty == here->isEmpty && there->sized == here->sized) {
      facts = *here;
      if (there->isGrown && !here->isGrown) {
        facts.isGrown = true;
        facts.grown = there->grown;
      }
    }
    facts.whole = there ? tables->sources.common(here->whole, there->whole) : noSources;
    facts.doubled = there ? onBoth(here->doubled, there->doubled) : nullptr;
    if (facts == ListFacts())
      lists.erase(path);
    else
      lists[path] = facts;
  }
  for (FileId file : saved.differences(other.saved)) {
    const SavedFile *here = saved.find(file), *there = other.saved.find(file);
    if (here && !(there && *there == *here))
      saved.erase(file);
  }
}

// --- what events do

/// The variable that goes over the elements of a list, if \p path names one; or null.
static const ir::Symbol *loopVariable(PathId path, const PathTable &paths) {
  const PathStep &step = paths.last(path);
  const ir::Symbol *variable = path && step.kind == PathStep::Variable ? step.symbol() : nullptr;
  return variable && variable->isRangeElement ? variable : nullptr;
}

const ListFacts *readsEmptyElements(const Event &event, const State &state) {
  const bool isOwner =
      event.kind == EventKind::Construct && event.subject.role == TypeRole::Optimizer;
  const bool isOfFramework =
      isOwner || event.kind == EventKind::Combine || event.kind == EventKind::Forward;
  const bool isStored = event.listChange != ListChange::None || event.isAttribute ||
                        event.isAnyDevice || event.operation == Operation::Save;
  const bool isRead = isOwner || event.kind == EventKind::Forward ||
                      event.resultRole == TypeRole::Tensor ||
                      event.operation == Operation::ReadScalar;
  if (!isOfFramework || isStored || !isRead)
    return nullptr;
  const PathTable &paths = state.tables->paths;
  const auto ifEmpty = [](const ListFacts *facts) {
    return facts && facts->sized && facts->isGrown ? facts : nullptr;
  };
  /// Of one of its elements, the first or each in turn.
  const auto listOfElement = [&](const Operand &operand) -> const ListFacts * {
    const PathStep &last = paths.last(operand.path);
    const bool isElement = operand.role == TypeRole::Tensor || isModule(operand.role);
    if (isElement && loopVariable(operand.path, paths))
      return ifEmpty(state.listAround(operand.path));
    const bool isFirst =
        operand.path && last.kind == PathStep::Element && last.index == 0 && !last.identity;
    return isFirst ? ifEmpty(state.list(paths.parent(operand.path))) : nullptr;
  };
  if (const ListFacts *list = listOfElement(event.subject))
    return list;
  for (const Operand &operand : event.operands) {
    const bool isList = operand.isTensor && operand.role == TypeRole::None;
    if (const ListFacts *list = isList ? ifEmpty(state.list(operand.path)) : listOfElement(operand))
      return list;
  }
  return nullptr;
}

bool haveInCommon(SourcesId some, SourcesId others, const State &state) {
  const SourcesTable &sources = state.tables->sources;
  const Registry &registry = state.registry();
  return llvm::any_of(sources.members(some), [&](PathId one) {
    return llvm::any_of(sources.members(others), [&](PathId other) {
      return registry.isPart(one, other) || registry.isPart(other, one);
    });
  });
}

SourcesId wholeOf(const Operand &list, const State &state) {
  const ListFacts *known = list.path ? state.list(list.path) : nullptr;
  return known ? known->whole : noSources;
}

/// The list of which \p first and \p last are the beginning and the end, or none.
static PathId rangeOf(const Operand &first, const Operand &last, const PathTable &paths) {
  const auto isCallOf = [](const Operand &operand, llvm::StringRef name) {
    const ir::Node *call = ir::asCall(operand.expr ? &operand.expr->spelled() : nullptr);
    return call && call->symbol && call->symbol->name == name;
  };
  const bool isRange = first.path && first.path == last.path &&
                       paths.last(first.path).kind == PathStep::Element &&
                       isCallOf(first, "begin") && isCallOf(last, "end");
  return isRange ? paths.parent(first.path) : noPath;
}

/// What the event, which adds to a list, adds of whole modules.
static llvm::SmallVector<SourcesId, 2> addedBy(const Event &event, const State &state) {
  llvm::SmallVector<SourcesId, 2> added;
  for (const Operand &operand : event.operands)
    if (const SourcesId whole = wholeOf(operand, state); whole != noSources)
      added.push_back(whole);
  if (const size_t count = event.operands.size(); added.empty() && count >= 2)
    if (const PathId list =
            rangeOf(event.operands[count - 2], event.operands[count - 1], state.tables->paths))
      added.push_back(wholeOf({.path = list}, state));
  return added;
}

/// The list gets the parameters that the event adds.
static void addWhole(const Event &event, const State &state, ListFacts &facts) {
  for (const Operand &operand : event.operands)
    if (const ListFacts *known = operand.path ? state.list(operand.path) : nullptr)
      facts.doubled = onEither(facts.doubled, known->doubled);
  for (const SourcesId added : addedBy(event, state)) {
    if (haveInCommon(facts.whole, added, state))
      facts.doubled = &event;
    facts.whole = state.tables->sources.join(facts.whole, added);
  }
}

/// Storage::elements behind an event that appends to \p list.
static SourcesId appended(const Event &event, PathId list, bool isFirst, const State &state) {
  const SourcesId before = state.valueOf({.path = list}).storage.elements;
  const SourcesId added = elementsOf(event.operands, state);
  return (isFirst || before != noSources) && added != noSources
             ? state.tables->sources.join(before, added)
             : noSources;
}

PathId listOf(const Event &event) {
  const bool isFunction = !event.subject.path && !event.operands.empty();
  return isFunction && event.listChange != ListChange::None ? event.operands.front().path
                                                            : event.subject.path;
}

void Interpreter::changeList(const Event &event, State &state) const {
  const PathTable &paths = tables.paths;
  switch (event.kind) {
  case EventKind::Construct: {
    ListFacts facts;
    facts.isEmpty = event.listChange == ListChange::Clear;
    facts.sized = event.listChange == ListChange::Size ? &event : nullptr;
    // Another class that looks over the list.
    if (event.listChange == ListChange::None && event.operands.size() == 1 && event.isTensor)
      if (const ListFacts *known = state.list(event.operands.front().path))
        facts = *known;
    if (facts == ListFacts() && event.listChange == ListChange::None &&
        event.subject.role == TypeRole::None)
      addWhole(event, state, facts); // A group of an optimizer, or a list of some.
    if (!(facts == ListFacts()))
      state.setList(event.result, facts);
    break;
  }
  case EventKind::Bind: {
    const PathId place = event.subject.path;
    const Operand *value = event.operands.empty() ? nullptr : &event.operands.front();
    if (!value && event.subject.isTensor) // `list.clear()`
      return state.setList(place, {.isEmpty = true});
    if (event.bind == BindKind::Reference)
      break; // Another name for it.
    const ListFacts *around =
        value && loopVariable(place, paths) ? state.listAround(value->path) : nullptr;
    if (around && event.bind == BindKind::Value)
      return state.setList(place, ListFacts(*around));
    const PathId object = state.place(place);
    if (object && paths.containerOf(object) != object)
      state.fillList(paths.containerOf(object));
    break;
  }
  case EventKind::Combine: {
    const PathId list = listOf(event);
    const ListFacts *known = list ? state.list(list) : nullptr;
    ListFacts facts = known ? *known : ListFacts();
    switch (event.listChange) {
    case ListChange::None:
      if (event.givesParameters && event.site->writtenArguments() == 0)
        if (const PathId module = state.certainModule(event.subject))
          return state.setList(event.result, {.whole = state.tables->sources.of(module)});
      if (event.site->kind == ir::NodeKind::List) {
        ListFacts made;
        addWhole(event, state, made);
        if (made.whole != noSources)
          return state.setList(event.result, made);
      }
      // A list of groups: `groups.push_back(group)`.
      if (event.subject.path && event.subject.role == TypeRole::None && event.subject.escapes) {
        ListFacts changed = facts;
        if (addedBy(event, state).empty())
          changed.whole = noSources;
        addWhole(event, state, changed);
        if (!(changed == facts))
          return state.setList(list, changed);
      }
      break;
    case ListChange::Clear:
      state.setElements(list, noSources);
      return state.setList(list, {.isEmpty = true});
    case ListChange::Size:
      state.setElements(list, noSources);
      if (facts.isGrown || !(facts.isEmpty || facts.sized))
        return state.setList(list, {}); // It may take elements away.
      return state.setList(list, {.sized = &event});
    case ListChange::Append:
      state.setElements(list, appended(event, list, facts.isEmpty, state));
      addWhole(event, state, facts);
      if (!facts.sized)
        return state.setList(list, {.whole = facts.whole, .doubled = facts.doubled});
      if (!facts.isGrown)
        facts.grown = &event;
      facts.isGrown = true;
      return state.setList(list, facts);
    case ListChange::Other:
      state.setElements(list, noSources);
      return state.setList(list, {});
    }
    // Algorithms may fill what they go through; what asks whether an element holds something knows
    // that some may not.
    for (const Operand &operand : event.operands)
      if (operand.isLent && operand.role == TypeRole::Tensor &&
          event.site->kind == ir::NodeKind::List)
        state.forget(state.resolve(operand.path)); // `for (Tensor *each : {&x, &y})`
      else if (operand.isLent || (event.isAnyDevice && operand.path &&
                                  paths.containerOf(operand.path) != operand.path))
        state.fillList(operand.path);
    if (event.isAttribute && // The size of one dimension throws.
        !(event.operation == Operation::CountElements && !event.site->arguments.empty()) &&
        event.subject.role != TypeRole::None)
      state.fillList(state.resolve(event.subject.path));
    break;
  }
  default:
    break;
  }
}

} // namespace gradtidy
