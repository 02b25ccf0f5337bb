// Which tensors made on the CPU the program needs there: it reads or sets their elements, prints
// them, hands them to code that cannot be seen. All others could be made on another device.
#include "Interpreter.h"

namespace gradtidy {

/// The factories that have made, on the CPU, the tensors that the event is given.
static llvm::SmallVector<const Event *, 2> creationsIn(const Event &event, const State &state) {
  llvm::SmallVector<const Event *, 2> creations;
  const auto add = [&](const Operand &operand) {
    if (!operand.path || !operand.isTensor)
      return;
    if (const Event *creation = state.valueOf(operand).placement.freshOnHost;
        creation && !llvm::is_contained(creations, creation))
      creations.push_back(creation);
  };
  add(event.subject);
  for (const Operand &operand : event.operands)
    add(operand);
  return creations;
}

void Interpreter::needOnHost(const Event &event, const State &state) {
  for (const Event *creation : creationsIn(event, state))
    used.needOnHost(*creation);
}

/// Whether the event only gives a tensor another name, which ends with the function: no part of an
/// object, which others may be given.
static bool isNaming(const Event &event, const State &state) {
  const PathStep &last = state.tables->paths.last(state.place(event.subject.path));
  if (last.kind != PathStep::Variable)
    return last.kind == PathStep::Temporary;
  const ir::Symbol &variable = *last.symbol();
  return !variable.isStatic && !variable.type->isReference;
}

/// Whether the event makes a tensor of others, all made on the CPU, in a way that is as good
/// anywhere else.
static bool isComputation(const Event &event, const State &state) {
  const auto isFresh = [&](const Operand &operand) {
    return !operand.isTensor || state.valueOf(operand).placement.freshOnHost;
  };
  if (!event.isTensor || event.isArithmetic || !isFresh(event.subject) ||
      !llvm::all_of(event.operands, isFresh))
    return false;
  if (!event.subject.escapes)
    return true;
  if (event.coverage != Coverage::All && event.operands.empty())
    return false; // `table[i] = 1`
  // In place: of a whole tensor, not of a part of one.
  const PathTable &paths = state.tables->paths;
  const Value value = state.valueOf(event.subject);
  return event.subject.role == TypeRole::Tensor &&
         (paths.last(event.subject.path).kind == PathStep::Variable ||
          (value.origin.made && value.origin.made->result == event.subject.path));
}

/// Whether the event stands in a loop in which \p creation does not.
static bool isInInnerLoop(const Event &event, const Event &creation) {
  return event.function == creation.function &&
         event.function->loopsAround(event.site).size() >
             creation.function->loopsAround(creation.site).size();
}

void Interpreter::noteHostNeeds(const Event &event, const State &state) {
  // `table[i] = x` gives a value to what has no name.
  if (event.kind == EventKind::Bind && state.tables->paths.isTemporary(event.subject.path))
    if (const Event *creation = state.valueOf(event.subject).placement.freshOnHost)
      used.needOnHost(*creation);
  const llvm::SmallVector<const Event *, 2> creations = creationsIn(event, state);
  if (creations.empty() || event.isAttribute)
    return;
  bool isFree = false;
  switch (event.kind) {
  case EventKind::Bind:
    isFree = isNaming(event, state);
    break;
  case EventKind::Return:
    isFree = stack.size() > 1;
    break;
  case EventKind::Construct:
  case EventKind::Combine:
    isFree = isComputation(event, state);
    break;
  case EventKind::Create: // Like it.
  case EventKind::Move:
  case EventKind::Detach:
  case EventKind::EndLifetime:
  case EventKind::Assign:
  case EventKind::Access:
  case EventKind::Call: // See there.
    isFree = true;
    break;
  default:
    break;
  }
  for (const Event *creation : creations) {
    const bool isMove = event.kind == EventKind::Move;
    if (!isFree ||
        (!isMove && event.kind != EventKind::EndLifetime && isInInnerLoop(event, *creation)))
      used.needOnHost(*creation);
    used.mixOnHost(*creations.front(), *creation);
  }
}

} // namespace gradtidy
