#include "Lists.h"

#include "Interpreter.h"

#include "analyzer/model/Operators.h"

namespace gradtidy {

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

void State::joinLists(const State &other) {
  for (PathId path : lists.differences(other.lists)) {
    const ListFacts *here = lists.find(path), *there = other.lists.find(path);
    if (here && (!there || there->isEmpty != here->isEmpty || there->sized != here->sized)) {
      lists.erase(path);
    } else if (here && there->isGrown && !here->isGrown) {
      ListFacts &facts = *lists.edit(path);
      facts.isGrown = true;
      facts.grown = there->grown;
    }
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
  const auto isEmpty = [](const ListFacts *facts) {
    return facts && facts->sized && facts->isGrown;
  };
  const auto isOneOfAll = [&](const Operand &operand) {
    return loopVariable(operand.path, paths) &&
           (operand.role == TypeRole::Tensor || isModule(operand.role)) &&
           isEmpty(state.listAround(operand.path));
  };
  const auto isFirst = [&](const Operand &operand) {
    const PathStep &last = paths.last(operand.path);
    return operand.path && last.kind == PathStep::Element && last.index == 0 && !last.identity &&
           isEmpty(state.list(paths.parent(operand.path)));
  };
  if (isOneOfAll(event.subject) || isFirst(event.subject))
    return isFirst(event.subject) ? state.list(paths.parent(event.subject.path))
                                  : state.listAround(event.subject.path);
  for (const Operand &operand : event.operands) {
    if (isOneOfAll(operand))
      return state.listAround(operand.path);
    if (operand.isTensor && operand.role == TypeRole::None && isEmpty(state.list(operand.path)))
      return state.list(operand.path);
  }
  return nullptr;
}

/// The list that the event changes: `list.push_back(x)`, `std::back_inserter(list)`.
static PathId listOf(const Event &event) {
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
      break;
    case ListChange::Clear:
      return state.setList(list, {.isEmpty = true});
    case ListChange::Size:
      if (facts.isGrown || !(facts.isEmpty || facts.sized))
        return state.setList(list, {}); // It may take elements away.
      return state.setList(list, {.sized = &event});
    case ListChange::Append:
      if (!facts.sized)
        return state.setList(list, {});
      if (!facts.isGrown)
        facts.grown = &event;
      facts.isGrown = true;
      return state.setList(list, facts);
    case ListChange::Other:
      return state.setList(list, {});
    }
    // Algorithms may fill what they go through; what asks whether an element holds something knows
    // that some may not.
    for (const Operand &operand : event.operands)
      if (operand.isLent ||
          (event.isAnyDevice && operand.path && paths.containerOf(operand.path) != operand.path))
        state.fillList(operand.path);
    if (event.isAttribute && !(event.run && event.run->name == "size") && // That throws.
        event.subject.role != TypeRole::None)
      state.fillList(state.resolve(event.subject.path));
    break;
  }
  default:
    break;
  }
}

// --- members

static bool isConstructor(const FunctionBody &function) {
  return function.function->kind == ir::SymbolKind::Constructor;
}

MemberLists::MemberLists(const CallGraph &graph, const PathTable &paths) {
  for (const FunctionBody *function : graph.functions())
    if (isConstructor(*function))
      addConstructor(*function, paths);
  if (members.empty())
    return;
  for (const FunctionBody *function : graph.functions())
    addUses(*function, paths);
}

void MemberLists::addConstructor(const FunctionBody &constructor, const PathTable &paths) {
  llvm::SmallDenseMap<PathId, const Event *, 4> made;
  llvm::SmallDenseMap<const ir::Symbol *, const Event *, 4> sized;
  const auto memberAt = [&](PathId path) {
    const bool isOwn = path && paths.parent(path) == constructor.thisObject &&
                       paths.last(path).kind == PathStep::Member;
    return isOwn ? paths.last(path).symbol() : nullptr;
  };
  for (const Block &block : constructor.blocks)
    for (const Event &event : block.events) {
      const bool isSure = !constructor.isInBranch(event.site);
      if (event.kind == EventKind::Construct && event.listChange == ListChange::Size)
        made[event.result] = &event;
      const ir::Symbol *member = memberAt(event.subject.path);
      if (!member || !isSure)
        continue;
      if (event.kind == EventKind::Bind && !event.operands.empty()) {
        if (const Event *list = made.lookup(event.operands.front().path))
          sized[member] = list;
      } else if (event.listChange == ListChange::Size) {
        sized.try_emplace(member, &event);
      }
    }
  for (const auto &[member, event] : sized) {
    Member &known = members[member];
    known.sized = known.sized ? known.sized : event;
    ++known.constructors;
  }
}

void MemberLists::addUses(const FunctionBody &function, const PathTable &paths) {
  const auto memberAt = [&](PathId path) -> Member * {
    const PathStep &last = paths.last(path);
    const auto known =
        path && last.kind == PathStep::Member ? members.find(last.symbol()) : members.end();
    return known == members.end() ? nullptr : &known->second;
  };
  const auto fill = [&](PathId path) {
    for (; path; path = paths.parent(path))
      if (Member *member = memberAt(path))
        member->isFilled = true;
  };
  for (const Block &block : function.blocks)
    for (const Event &event : block.events) {
      const PathId subject = listOf(event);
      if (Member *member = subject ? memberAt(subject) : nullptr) {
        const bool isOther = event.listChange == ListChange::Clear ||
                             event.listChange == ListChange::Other ||
                             event.kind == EventKind::Bind || event.listChange == ListChange::Size;
        if (event.listChange == ListChange::Append && !isConstructor(function)) {
          if (!member->grown)
            member->grown = &event;
        } else if (isOther && !isConstructor(function)) {
          member->isFilled = true;
        } else if (event.listChange == ListChange::Append ||
                   event.listChange == ListChange::Other || event.listChange == ListChange::Clear) {
          member->isFilled = true; // By a constructor itself.
        }
      } else if (subject && event.kind == EventKind::Bind) {
        fill(paths.containerOf(subject)); // An element of it.
      } else if (event.isAttribute && event.subject.role != TypeRole::None && subject) {
        fill(paths.containerOf(subject));
      }
      for (const Operand &operand : event.operands) {
        if (!operand.path)
          continue;
        const bool isReference = event.bind == BindKind::Reference &&
                                 (event.kind == EventKind::Bind || event.kind == EventKind::Return);
        const bool isElement = paths.containerOf(operand.path) != operand.path;
        const bool isIterator = event.kind == EventKind::Combine && event.isAnyDevice;
        const bool isHandle = event.kind == EventKind::Bind && event.bind == BindKind::Handle;
        const bool isRange = isReference && !isElement && event.kind == EventKind::Bind;
        if (event.listChange == ListChange::Append && operand.path == subject)
          continue;
        if (operand.isLent || operand.isGivenAway || (isReference && !isRange) ||
            (isElement && isIterator && event.listChange == ListChange::None) ||
            (isHandle && isElement && !operand.isTensor))
          fill(paths.containerOf(operand.path));
      }
    }
}

ListFacts MemberLists::of(const ir::Symbol &member, const ir::Class &owner) const {
  const auto known = members.find(&member);
  if (known == members.end())
    return {};
  const Member &list = known->second;
  if (list.isFilled || !list.grown || owner.constructors.size() != list.constructors)
    return {};
  return {.sized = list.sized, .isGrown = true, .grown = list.grown};
}

} // namespace gradtidy
