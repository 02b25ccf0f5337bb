#include "Devices.h"

#include "clang/AST/Decl.h"

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

std::string spellingOf(const Visit &visit, Device device) {
  const PathTable &paths = visit.unit.tables().paths;
  switch (device.kind) {
  case Device::Cuda:
    return device.id == 0 ? "torch::kCUDA"
                          : "torch::Device(torch::kCUDA, " + std::to_string(device.id) + ")";
  case Device::Symbol: {
    const PathStep &root = paths.last(paths.rootOf(device.id));
    const FunctionBody &function = *visit.event.function;
    if (root.kind == PathStep::Variable) {
      const auto *variable = static_cast<const clang::VarDecl *>(root.subject);
      bool isVisible =
          variable->hasGlobalStorage() || variable->getDeclContext() == function.function;
      return isVisible ? paths.spelling(device.id) : "";
    }
    return paths.rootOf(device.id) == function.thisObject ? paths.spelling(device.id) : "";
  }
  case Device::Cpu:
    return "torch::kCPU";
  case Device::Unknown:
  case Device::Unset:
    break;
  }
  return "";
}

bool isOfOwnModule(const Visit &visit, const Clash &clash) {
  const PathTable &paths = visit.unit.tables().paths;
  return clash.otherDevice.kind == Device::Symbol &&
         paths.last(clash.otherDevice.id).kind == PathStep::This && clash.hostPlaced &&
         clash.hostPlaced->kind == EventKind::Create;
}

} // namespace gradtidy
