#include "InputLists.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

namespace {

/// What \p mention, in \p function, does to the list.
enum class Use : unsigned char { Reads, Adds, Other };

Use useOf(const Node &mention, const FunctionBody &function) {
  if (mention.isOnlyRead)
    return Use::Reads;
  for (const Node *outer : function.around(&mention)) {
    if (asConstruction(outer))
      return outer->symbol && outer->symbol->isCopying ? Use::Reads : Use::Other; // Of a copy.
    if (outer->kind == NodeKind::Member) {
      const Symbol *method = outer->symbol && outer->symbol->isMethod() ? outer->symbol : nullptr;
      if (method && (method->name == "push_back" || method->name == "emplace_back"))
        return Use::Adds;
      return method && (method->isConstMethod || method->name == "reserve") ? Use::Reads
                                                                            : Use::Other;
    }
    if (outer->kind != NodeKind::Parentheses)
      break;
  }
  return Use::Other;
}

/// What a part of the program does to the list.
struct ListUses {
  const Node *added = nullptr; ///< The first that is added whatever happens.
  unsigned count = 0;          ///< Of what is added.
  bool isOther = false;        ///< It may lose elements, or be filled under a condition.
};

ListUses usesIn(const Node &part, Entity list, const FunctionBody &function, const Node *within) {
  ListUses uses;
  forEach(&part, [&](const Node &node) {
    if (entityOf(&node) == list) {
      const Use use = useOf(node, function);
      const bool isSure = use == Use::Adds && !function.isConditional(&node, within);
      uses.count += use == Use::Adds;
      if (isSure && !uses.added)
        uses.added = &node;
      uses.isOther |= use == Use::Other || (use == Use::Adds && !isSure);
    }
    // A closure that captures it by reference.
    uses.isOther |= node.kind == NodeKind::Lambda && llvm::any_of(node.children, [&](auto *child) {
                      return entityOf(child) == list;
                    });
  });
  return uses;
}

/// Whether each run of the function calls \p method of its own object.
bool callsAlways(const FunctionBody &function, const Symbol &method) {
  bool isFound = false;
  forEach(function.body, [&](const Node &part) {
    isFound |= part.kind == NodeKind::MemberCall && part.symbol &&
               part.symbol->first == method.first && as(NodeKind::This, strip(part.object)) &&
               !function.isConditional(&part);
  });
  return isFound;
}

/// What the method \p function, the others that it calls and the constructors do to the member.
/// Something else, too, if not all of the class can be seen.
ListUses usesOfMember(Entity member, const FunctionBody &function) {
  ListUses uses = usesIn(*function.body, member, function, nullptr);
  for (const Method &each : ir::classOf(*function.function->owner).methods) {
    const Symbol &other = *each.symbol;
    if (other.first == function.function->first || each.isGenerated ||
        other.kind == SymbolKind::Destructor)
      continue;
    const Symbol *definition = definitionOf(&other);
    if (!definition || !definition->body) {
      uses.isOther = true;
      continue;
    }
    if (!mentions(definition->body, member))
      continue;
    const FunctionBody body(definition, definition->body);
    const ListUses inner = usesIn(*definition->body, member, body, nullptr);
    uses.isOther |= inner.isOther;
    if (other.kind == SymbolKind::Constructor || inner.count == 0)
      continue; // It fills the list once, or reads it.
    uses.count += inner.count;
    if (!uses.added && callsAlways(function, other))
      uses.added = inner.added;
  }
  return uses;
}

} // namespace

Growth growthOf(const Node &argument, const Node &call, const FunctionBody &function) {
  const Node *named = originalOf(&argument);
  const Entity list = entityOf(named);
  const Symbol *record = list && list->type ? list->type->record : nullptr;
  if (!record || !record->isStandard)
    return {};
  const ListUses all = usesIn(*function.body, list, function, nullptr);
  const auto growth = [&](const ListUses &uses) {
    return uses.isOther ? Growth{} : Growth{uses.added, uses.count == all.count};
  };
  if (list->isVariable()) {
    for (const Node *loop : function.loopsAround(&call)) {
      if (declares(*loop, list))
        return {};
      if (const Growth found = growth(usesIn(*loop, list, function, loop)); found.list)
        return found;
    }
    return list->isLocal && list->isStatic ? growth(all) : Growth{};
  }
  const Node *member = as(NodeKind::Member, named);
  const bool isOwn = member && as(NodeKind::This, strip(member->object)) &&
                     function.function->kind == SymbolKind::Method;
  return isOwn ? growth(usesOfMember(list, function)) : Growth{};
}

} // namespace gradtidy
