#include "Arguments.h"

#include "State.h"

namespace gradtidy {

/// Whether \p node is `*pointer`, of whatever kind the pointer is.
static bool isDereference(const ir::Node *node) {
  const ir::Node *target = node ? ir::withoutParentheses(&node->spelled()) : nullptr;
  if (!target || target->op != "*")
    return false;
  return target->kind == ir::NodeKind::Unary ||
         (target->kind == ir::NodeKind::OperatorCall && target->arguments.size() == 1);
}

PathId assignedBy(const Event &bind, const State &state) {
  const ir::Node &site = *bind.site;
  const bool isAssignment = site.kind == ir::NodeKind::OperatorCall && site.op == "=";
  if (isAssignment && bind.bind == BindKind::Value && !site.arguments.empty() &&
      isDereference(site.arguments.front()))
    if (const PathId object = state.resolve(bind.subject.path);
        object != state.tables->paths.unknown())
      return object;
  return bind.subject.path;
}

const Operand *argumentOf(const Event &event, unsigned index) {
  if (event.subject.path) {
    const bool isMethod = event.run && event.site->kind == ir::NodeKind::MemberCall;
    const unsigned object = isMethod ? event.run->object() : 0;
    if (index == object)
      return &event.subject;
    if (index > object)
      --index;
  }
  return index < event.operands.size() ? &event.operands[index] : nullptr;
}

void forArguments(const Event &event, llvm::function_ref<void(unsigned, const Operand &)> visit) {
  for (unsigned i = 0; const Operand *argument = argumentOf(event, i); ++i)
    visit(i, *argument);
}

bool fits(const Overload &overload, const Event &event) {
  for (unsigned i = 0; const Operand *argument = argumentOf(event, i); ++i)
    if (i >= overload.arguments.size() ||
        (argument->isTensor && argument->role == TypeRole::Tensor) !=
            llvm::is_contained(overload.tensors, i))
      return false;
  return true;
}

bool isNumber(const Operand &operand) {
  const ir::Type *type = operand.expr ? operand.expr->spelled().type : nullptr;
  return type && type->isArithmetic;
}

} // namespace gradtidy
