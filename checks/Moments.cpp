#include "Moments.h"

namespace gradtidy {

bool isPass(const Moment &moment) {
  const EventKind kind = moment.event.kind;
  return kind == EventKind::Forward ||
         (kind == EventKind::Call && moment.isUnseen && isModuleCall(moment.event));
}

bool makesOptimizer(const Event &event) {
  return event.kind == EventKind::Construct && event.subject.role == TypeRole::Optimizer;
}

/// Whether an operand that is \p such is stored.
static bool stores(const Moment &moment, llvm::function_ref<bool(const Operand &)> such) {
  const Event &event = moment.event;
  switch (event.kind) {
  case EventKind::Bind:
    return event.bind == BindKind::Value && !event.operands.empty() &&
           event.site->kind != ir::NodeKind::Declaration && such(event.operands.front());
  case EventKind::Combine:
    return event.result && event.subject.escapes && event.subject.role != TypeRole::Optimizer &&
           mayHoldTensors(event.subject.role) && llvm::any_of(event.operands, such);
  case EventKind::Overwrite:
    return !event.isArithmetic && event.subject.role == TypeRole::Tensor &&
           llvm::any_of(event.operands, such);
  default:
    return false;
  }
}

bool storesGraph(const Moment &moment) {
  const bool isTensor = moment.event.subject.role == TypeRole::Tensor;
  const bool isRecorded = moment.before.gradMode().possible & GradMode::On;
  return (moment.event.kind == EventKind::Bind || isRecorded || !isTensor) &&
         stores(moment, [&](const Operand &operand) {
           return operand.isTensor &&
                  moment.before.valueOf(operand).autograd.graph & Graph::Attached;
         });
}

bool storesParameters(const Moment &moment) {
  return stores(moment, [&](const Operand &operand) {
    return (moment.event.kind == EventKind::Bind ? operand.isTensor
                                                 : operand.role == TypeRole::Tensor) &&
           moment.before.valueOf(operand).lending.taken;
  });
}

bool changesWeights(const Moment &moment) {
  const Event &event = moment.event;
  return (event.kind == EventKind::Overwrite || event.changesElements) &&
         event.subject.role == TypeRole::Tensor && !event.operands.empty() &&
         moment.before.memoryOf(event.subject) != noSources;
}

bool touchesGradients(const Moment &moment) {
  const Event &event = moment.event;
  const auto isGradient = [&](const Operand &operand) {
    return operand.isTensor && operand.path && moment.before.isGradient(operand.path);
  };
  return (event.kind == EventKind::Bind || event.kind == EventKind::Combine ||
          event.kind == EventKind::Overwrite) &&
         !event.isAttribute &&
         (isGradient(event.subject) || llvm::any_of(event.operands, isGradient));
}

bool movesTensor(const Event &event) {
  return event.kind == EventKind::Move && !isModule(event.subject.role);
}

bool isWrittenAs(const Operand &operand, const Event *made, EventKind kind) {
  return made && made->kind == kind && operand.expr && ir::stripped(operand.expr) == made->site;
}

bool mayMoveInVain(const Moment &moment) {
  const Operand &tensor = moment.event.subject;
  if (!movesTensor(moment.event))
    return false;
  const Value value = moment.before.valueOf(tensor);
  const bool isNamed = !moment.before.tables->paths.isTemporary(tensor.path);
  return isWrittenAs(tensor, value.origin.made, EventKind::Create) ||
         isWrittenAs(tensor, value.placement.placed, EventKind::Move) ||
         (isNamed && value.placement.placed && value.placement.placed->kind == EventKind::Move) ||
         (isNamed ? value.placement.device.kind == Device::Cpu
                  : value.placement.freshOnHost != nullptr);
}

bool meetsOtherDevice(const Moment &moment) { return !moment.before.clashes(moment.event).empty(); }

} // namespace gradtidy
