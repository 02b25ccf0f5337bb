#include "MemberLists.h"

#include "analyzer/model/Operators.h"

namespace gradtidy {

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
