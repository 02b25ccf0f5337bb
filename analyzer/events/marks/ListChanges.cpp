#include "ListChanges.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace gradtidy {

/// Whether elements of the list hold nothing until something is assigned to them.
static bool holdsNothing(QualType list, Vocabulary &vocabulary) {
  const auto *record = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      list.getNonReferenceType()->getAsCXXRecordDecl());
  const StringRef name = record && record->getIdentifier() ? record->getName() : StringRef();
  if (!record || !isStandard(record) || record->getTemplateArgs().size() == 0 ||
      (name != "vector" && name != "deque" && name != "list") ||
      record->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return false;
  const QualType element = record->getTemplateArgs()[0].getAsType();
  const TypeRole role = vocabulary.roleOf(element);
  return (role == TypeRole::Tensor && !element->isPointerType() && pointee(element).isNull()) ||
         (isModule(role) && !pointee(element).isNull());
}

/// Whether \p value is an undefined tensor or an empty pointer.
static bool isNothing(const Expr *value) {
  if (isNull(value))
    return true;
  value = strip(value);
  if (const auto *list = dyn_cast<InitListExpr>(value))
    return list->getNumInits() == 0;
  const auto *made = dyn_cast<CXXConstructExpr>(value);
  return made && (made->getNumArgs() == 0 ||
                  (made->isElidable() && made->getNumArgs() == 1 && isNothing(made->getArg(0))));
}

/// How many elements that hold nothing \p arguments ask for: none, some or perhaps some that hold
/// something.
static ListChange sizedBy(llvm::ArrayRef<const Expr *> arguments) {
  while (!arguments.empty() && isa<CXXDefaultArgExpr>(arguments.back()))
    arguments = arguments.drop_back();
  if (arguments.empty() || arguments.size() > 2 ||
      !strip(arguments[0])->getType()->isIntegerType() ||
      (arguments.size() == 2 && !isNothing(arguments[1])))
    return ListChange::Other;
  const auto *count = dyn_cast<IntegerLiteral>(strip(arguments[0]));
  return count && count->getValue() == 0 ? ListChange::Clear : ListChange::Size;
}

ListChange changeOfList(const CallExpr &call, Vocabulary &vocabulary) {
  const FunctionDecl *callee = call.getDirectCallee();
  if (callee && isStandard(callee) && call.getNumArgs() == 1 &&
      (simpleName(callee) == "back_inserter" || simpleName(callee) == "front_inserter"))
    return holdsNothing(call.getArg(0)->getType(), vocabulary) ? ListChange::Append
                                                               : ListChange::None;
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
  const Expr *list = objectOf(&call);
  if (!method || !list || method->isConst() || !isStandard(method) ||
      !holdsNothing(list->getType(), vocabulary))
    return ListChange::None;
  const auto arguments = llvm::ArrayRef(call.getArgs(), call.getNumArgs());
  const StringRef name = simpleName(method);
  if (name == "assign") {
    const ListChange change = sizedBy(arguments);
    return change == ListChange::Size && arguments.size() == 1 ? ListChange::Other : change;
  }
  if (name == "resize") {
    // To fewer than there are: that takes elements away.
    return sizedBy(arguments);
  }
  return llvm::StringSwitch<ListChange>(name)
      .Cases({"push_back", "emplace_back", "push_front", "emplace_front"}, ListChange::Append)
      .Cases({"insert", "emplace"}, ListChange::Append)
      .Case("clear", ListChange::Clear)
      .Cases({"reserve", "begin", "end", "rbegin", "rend", "back", "shrink_to_fit"},
             ListChange::None)
      .Cases({"operator[]", "at", "front"}, ListChange::None) // See what is done to the element.
      .Default(method->getOverloadedOperator() == OO_Subscript ? ListChange::None
                                                               : ListChange::Other);
}

ListChange madeList(const CXXConstructExpr &made, Vocabulary &vocabulary) {
  if (!holdsNothing(made.getType(), vocabulary))
    return ListChange::None;
  unsigned given = 0;
  llvm::SmallVector<const Expr *, 3> arguments;
  for (const Expr *argument : made.arguments())
    if (!isa<CXXDefaultArgExpr>(argument)) {
      ++given;
      arguments.push_back(argument);
    }
  return given == 0 ? ListChange::Clear : sizedBy(arguments);
}

} // namespace gradtidy
