// What the program makes of tensors: other tensors, which may get lost themselves, or more.
#include "Interpreter.h"

#include "analyzer/ir/CalledModule.h"

namespace gradtidy {

/// Whether the event gives the tensor to a variable of the function alone.
static bool isNaming(const Event &event, const State &state) {
  if (event.bind == BindKind::Reference || event.subject.path != state.place(event.subject.path))
    return false;
  const PathStep &last = state.tables->paths.last(event.subject.path);
  if (last.kind != PathStep::Variable)
    return last.kind == PathStep::Temporary;
  const ir::Symbol &variable = *last.symbol();
  return (variable.isLocal || variable.kind == ir::SymbolKind::Parameter) && !variable.isStatic &&
         !variable.type->isReference && !variable.type->isPointer;
}

void Interpreter::consumeOperands(const Event &event, const State &state) {
  for (const Operand &operand : event.operands)
    if (operand.path && !isModule(operand.role))
      used.consume(state.valueOf(operand).autograd.history);
}

void Interpreter::consumeAll(const Event &event, const State &state) {
  consumeOperands(event, state);
  if (event.subject.path && !isModule(event.subject.role))
    used.consume(state.valueOf(event.subject).autograd.history);
}

void Interpreter::noteConsumption(const Event &event, const State &state) {
  switch (event.kind) {
  case EventKind::EndLifetime:
  case EventKind::Call: // See there.
    return;
  case EventKind::Bind: // What the place has held gets lost.
    if (!isNaming(event, state))
      consumeOperands(event, state);
    return;
  case EventKind::Forward:
    if (!event.module().isLayer)
      consumeOperands(event, state);
    return;
  case EventKind::Combine:
    if (event.run && event.resultRole == TypeRole::Tensor) {
      if (event.changesElements) // Of the subject, which others may hold.
        consumeOperands(event, state);
      return;
    }
    break;
  default:
    break;
  }
  consumeAll(event, state);
}

} // namespace gradtidy
