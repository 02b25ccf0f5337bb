#include "FixedValues.h"

#include "CodeForms.h"
#include "ModeConditions.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

/// Whether nothing but constructors changes the member, as all of its class shows.
static bool isFixedMember(const Symbol &member) {
  return member.type->isConst || (member.owner && member.isPrivate &&
                                  !ir::classOf(*member.owner).hasFriends && isLeftAlone(member));
}

/// Whether the variable is a number that is older than a loop around \p site and never changes.
static bool outlivesLoop(const Symbol &variable, const Node &site, const FunctionBody &function) {
  const Type &type = *variable.type;
  return type.isArithmetic && (variable.isLocal || variable.kind == SymbolKind::Parameter) &&
         (!type.isReference || type.isConst) && !function.mayChange(variable, function.body) &&
         llvm::any_of(function.loopsAround(&site),
                      [&](const Node *loop) { return !declares(*loop, &variable); });
}

/// \param site The value that \p part is a part of.
static bool isFixed(const Node &part, const Node &site, const FunctionBody &function) {
  if (part.isConstant)
    return true;
  if (const Symbol *variable = part.kind == NodeKind::Reference ? variableOf(&part) : nullptr)
    return (variable->isStatic && variable->type->isConst) ||
           outlivesLoop(*variable, site, function);
  if (part.kind == NodeKind::Member)
    return as(NodeKind::This, strip(part.object)) && entityOf(&part) && isFixedMember(*part.symbol);
  if (part.isCall() && // `std::log(2.0)`, not `rand()`.
      (!part.symbol || part.arguments.empty() || !part.symbol->isStandard))
    return false;
  return part.kind != NodeKind::This && part.kind != NodeKind::Lambda &&
         llvm::all_of(part.children,
                      [&](const Node *child) { return isFixed(*child, site, function); });
}

bool isFixedValue(const Node &value, const FunctionBody &function) {
  return isFixed(value, value, function);
}

} // namespace gradtidy
