#include "Devices.h"

#include "Fixes.h"

namespace gradtidy {

std::string nameOf(const Visit &visit, Device device) {
  switch (device.kind) {
  case Device::Cpu:
    return "the CPU";
  case Device::Cuda:
    return "GPU " + std::to_string(device.id);
  case Device::Symbol: {
    std::string name = visit.unit.tables().paths.spelling(device.id);
    return name.empty() ? "the device of the program's choice" : "'" + name + "'";
  }
  case Device::Unknown:
  case Device::Unset:
    break;
  }
  return "another device";
}

/// Whether the path can be written as it is spelled: paths do not tell pointers from objects, nor
/// what is private.
static bool isWritable(const Visit &visit, PathId path) {
  const PathTable &paths = visit.unit.tables().paths;
  for (PathId whole; (whole = paths.parent(path)) != noPath; path = whole) {
    const PathStep &part = paths.last(path), &last = paths.last(whole);
    if (last.kind == PathStep::This)
      return true;
    const bool isNamed = last.kind == PathStep::Variable || last.kind == PathStep::Member;
    if (part.kind != PathStep::Member || !isNamed)
      return false;
    const ir::Symbol *field = part.symbol();
    const ir::Type *type = last.symbol()->type;
    if (!field->isPublic || !type || !type->record || !field->owner ||
        !ir::isOrDerives(*type->record, *field->owner))
      return false;
  }
  return true;
}

std::string spellingOf(const Visit &visit, Device device) {
  const PathTable &paths = visit.unit.tables().paths;
  switch (device.kind) {
  case Device::Cuda:
    return device.id == 0 ? visit.unit.code().constant(DeviceRole::Cuda).str()
                          : phrase(visit.unit.code(), Phrase::NumberedDevice,
                                   {{"number", std::to_string(device.id)}});
  case Device::Symbol: {
    const PathStep &root = paths.last(paths.rootOf(device.id));
    const FunctionBody &function = *visit.event.function;
    if (root.kind == PathStep::Variable) {
      const auto *variable = root.symbol();
      bool isVisible = variable->isStatic || variable->owner == function.function;
      return isVisible && isWritable(visit, device.id) ? paths.spelling(device.id) : "";
    }
    const bool isOwn = paths.rootOf(device.id) == function.thisObject;
    return isOwn && isWritable(visit, device.id) ? paths.spelling(device.id) : "";
  }
  case Device::Cpu:
    return visit.unit.code().constant(DeviceRole::Cpu).str();
  case Device::Unknown:
  case Device::Unset:
    break;
  }
  return "";
}

const Operand *targetOf(const Event &move) {
  for (const Operand &operand : move.operands)
    if (operand.role == TypeRole::Device || operand.device.isKnown())
      return &operand;
  return nullptr;
}

bool mayBeGpu(const Visit &visit, const Operand &target) {
  // Of cuda(), which has no operand, nothing else is known.
  return !target.expr ? target.device.kind != Device::Cpu
                      : visit.unit.program().mayBeGpu(visit.before.deviceOf(target));
}

bool mayGoToGpu(const Visit &visit, const Operand &target) {
  return mayBeGpu(visit, target) ||
         (target.expr && visit.before.deviceOf(target).kind == Device::Unknown &&
          visit.unit.program().movesModules());
}

static bool isGpu(const Operand &operand) { return operand.device.kind == Device::Cuda; }

/// Whether the event has one of two devices, of which one is a GPU and one is none.
static bool isOneOfTwo(const Event &event) {
  return (event.choice.condition >= 0 || event.site->kind == ir::NodeKind::Conditional) &&
         llvm::any_of(event.operands, isGpu) && !llvm::all_of(event.operands, isGpu);
}

/// Whether \p function, which asks for devices, runs such an event, or under a condition one with a
/// GPU that \p takesGpu.
static bool decides(const FunctionBody &function, bool (*takesGpu)(const Event &)) {
  return function.asksForDevices && llvm::any_of(function.blocks, [&](const Block &block) {
           return llvm::any_of(block.events, [&](const Event &event) {
             return isOneOfTwo(event) || (takesGpu(event) && llvm::any_of(event.operands, isGpu) &&
                                          function.isConditional(event.site));
           });
         });
}

bool choosesDevice(const FunctionBody &function) {
  return decides(function, [](const Event &event) {
    return event.kind == EventKind::Bind || event.kind == EventKind::Move;
  });
}

bool keepsChosenDevice(const FunctionBody &function) {
  return decides(function, [](const Event &event) {
    return event.kind == EventKind::Bind && event.subject.role == TypeRole::Device;
  });
}

bool isChosenByCaller(const Visit &visit) {
  return llvm::any_of(visit.callers,
                      [](const Event *caller) { return choosesDevice(*caller->function); });
}

bool asksLikeChoice(const Visit &visit, Device device) {
  const ir::Symbol *name =
      device.kind == Device::Symbol ? visit.unit.tables().paths.last(device.id).symbol() : nullptr;
  const ir::Node *condition = nullptr;
  ir::forEach(name ? name->init : nullptr, [&](const ir::Node &node) {
    if (node.kind == ir::NodeKind::Conditional && !node.children.empty())
      condition = ir::stripped(node.children.front());
  });
  bool asks = false;
  if (condition)
    ir::forEach(visit.event.function->body, [&](const ir::Node &branch) {
      if (branch.kind == ir::NodeKind::If)
        ir::forEach(branch.condition,
                    [&](const ir::Node &node) { asks |= ir::areAlike(node, *condition); });
    });
  return asks;
}

bool isOwnDevice(const Visit &visit, Device device) {
  return device.kind == Device::Symbol &&
         visit.unit.tables().paths.last(device.id).kind == PathStep::This;
}

bool isOfOwnModule(const Visit &visit, const Clash &clash) {
  return isOwnDevice(visit, clash.otherDevice) && clash.hostPlaced &&
         clash.hostPlaced->kind == EventKind::Create;
}

} // namespace gradtidy
