#include "ListChanges.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace gradtidy {

using namespace ir;

/// Whether elements of the list hold nothing until something is assigned to them.
static bool holdsNothing(const Type *list) {
  if (!list || !list->record || !list->record->isStandard || list->arguments.empty() ||
      !llvm::is_contained({"vector", "deque", "list"}, list->name))
    return false;
  const Type &element = *list->arguments.front();
  return (element.role == TypeRole::Tensor && !element.pointee) ||
         (isModule(element.role) && element.pointee);
}

/// Whether \p value is an undefined tensor or an empty pointer.
static bool isNothing(const Node *value) {
  const Node *made = strip(value);
  if (as(NodeKind::List, made))
    return made->children.empty();
  return isNull(value) || (asConstruction(made) &&
                           (made->arguments.empty() ||
                            (made->symbol->isCopying && isNothing(made->arguments.front()))));
}

/// How many elements that hold nothing \p arguments ask for: none, some or perhaps some that hold
/// something.
static ListChange sizedBy(llvm::ArrayRef<const Node *> arguments) {
  const Node *count = arguments.empty() ? nullptr : strip(arguments.front());
  if (!count || arguments.size() > 2 || !count->type->isInteger ||
      (arguments.size() == 2 && !isNothing(arguments[1])))
    return ListChange::Other;
  return count->kind == NodeKind::Integer && count->integer == 0 ? ListChange::Clear
                                                                 : ListChange::Size;
}

static llvm::ArrayRef<const Node *> writtenOf(const Node &call) {
  return call.arguments.take_front(call.writtenArguments());
}

ListChange changeOfList(const Node &call) {
  const Symbol *callee = call.symbol;
  if (!callee || !callee->isStandard)
    return ListChange::None;
  const llvm::StringRef name = callee->name;
  if (call.arguments.size() == 1 && (name == "back_inserter" || name == "front_inserter"))
    return holdsNothing(call.arguments.front()->type) ? ListChange::Append : ListChange::None;
  const Node *list = callee->isMethod() ? objectOf(call) : nullptr;
  if (!list || callee->isConstMethod || !holdsNothing(list->type))
    return ListChange::None;
  if (name == "assign") {
    const ListChange change = sizedBy(writtenOf(call));
    return change == ListChange::Size && call.arguments.size() == 1 ? ListChange::Other : change;
  }
  if (name == "resize") // To fewer than there are: that takes elements away.
    return sizedBy(writtenOf(call));
  return llvm::StringSwitch<ListChange>(name)
      .Cases({"push_back", "emplace_back", "push_front", "emplace_front"}, ListChange::Append)
      .Cases({"insert", "emplace"}, ListChange::Append)
      .Case("clear", ListChange::Clear)
      .Cases({"reserve", "begin", "end", "rbegin", "rend", "back", "shrink_to_fit"},
             ListChange::None)
      .Cases({"at", "front"}, ListChange::None) // See what is done to the element.
      .Default(call.op == "[]" ? ListChange::None : ListChange::Other);
}

ListChange madeList(const Node &made) {
  if (!holdsNothing(made.type))
    return ListChange::None;
  const auto arguments = writtenOf(made);
  return arguments.empty() ? ListChange::Clear : sizedBy(arguments);
}

} // namespace gradtidy
