#include "DeviceOrigins.h"

#include "llvm/ADT/SetVector.h"

namespace gradtidy {

DeviceOrigins::DeviceOrigins(const LoweredUnit &unit, const PathTable &paths)
    : unit(unit), paths(paths) {
  for (const FunctionBody *body : unit.functions())
    for (const Block &block : body->blocks)
      for (const Event &event : block.events) {
        if (!block.isSwitchedOff)
          add(event);
        addInitializer(event.subject.path);
        for (const Operand &operand : event.operands)
          addInitializer(operand.path);
      }
}

void DeviceOrigins::addInitializer(PathId path) {
  const PathStep &last = paths.last(path);
  const ir::Node *value = last.kind == PathStep::Variable || last.kind == PathStep::Member
                              ? ir::outerInitializerOf(*last.symbol())
                              : nullptr;
  if (!value || !initialized.insert(last.identity).second)
    return;
  std::vector<Operand> &parts = origins[last.identity];
  if (last.symbol()->namesDevice)
    parts.push_back({});
}

const void *DeviceOrigins::keyOf(PathId path) const {
  const PathStep &last = paths.last(path);
  const bool isKnown = last.kind == PathStep::Variable || last.kind == PathStep::Member ||
                       last.kind == PathStep::Temporary;
  return path && isKnown ? last.identity : nullptr;
}

void DeviceOrigins::add(const Event &event) {
  if (event.kind == EventKind::Bind && event.subject.role == TypeRole::Device) {
    if (!event.operands.empty())
      origins[keyOf(event.subject.path)].push_back(event.operands.front());
  } else if (event.kind == EventKind::Construct && event.subject.role == TypeRole::Device) {
    std::vector<Operand> &parts = origins[keyOf(event.result)]; // None: options that say nothing.
    parts.insert(parts.end(), event.operands.begin(), event.operands.end());
  } else if (event.kind == EventKind::Combine && event.resultRole == TypeRole::Device) {
    if (event.subject.path)
      origins[keyOf(event.result)].push_back(event.subject);
    for (const Operand &operand : event.operands)
      if (operand.role == TypeRole::Device)
        origins[keyOf(event.result)].push_back(operand);
  } else if (const FunctionBody *body = event.kind == EventKind::Call && event.callee
                                            ? unit.bodyOf(*event.callee)
                                            : nullptr) {
    for (size_t i = 0; i < body->parameters.size(); ++i)
      if (const Operand &parameter = body->parameters[i].place; parameter.role == TypeRole::Device)
        origins[keyOf(parameter.path)].push_back(i < event.operands.size() ? event.operands[i]
                                                                           : Operand{});
  }
}

bool DeviceOrigins::mayBe(Device::Kind kind, PathId path) const {
  const Device::Kind other = kind == Device::Cuda ? Device::Cpu : Device::Cuda;
  llvm::SmallSetVector<const void *, 4> reached;
  reached.insert(keyOf(path));
  for (size_t i = 0; i < reached.size(); ++i) {
    const auto found = reached[i] ? origins.find(reached[i]) : origins.end();
    if (found == origins.end())
      return true;
    for (const Operand &origin : found->second) {
      const bool isIndex = origin.expr && origin.expr->type && origin.expr->type->isArithmetic;
      if (isIndex || origin.device.kind == other)
        continue;
      if (origin.role != TypeRole::Device || origin.device.kind == kind)
        return true;
      reached.insert(keyOf(origin.path));
    }
  }
  return false;
}

} // namespace gradtidy
