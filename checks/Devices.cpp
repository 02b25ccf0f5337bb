#include "Devices.h"

#include "clang/AST/DeclCXX.h"

namespace gradtidy {

/// Whether the variable or member holds a device and nothing else, as options do.
static bool isDevice(const PathStep &name) {
  if (name.kind != PathStep::Variable && name.kind != PathStep::Member)
    return false;
  const auto *declaration = static_cast<const clang::ValueDecl *>(name.subject);
  if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(declaration);
      variable && variable->isFileVarDecl() && variable->getType().isConstQualified())
    return false; // It is what the device is called.
  const clang::CXXRecordDecl *record =
      declaration->getType().getNonReferenceType()->getAsCXXRecordDecl();
  return !record || !record->getIdentifier() || !record->getName().ends_with("Options");
}

/// By the name that it has where the event stands, if there is one: a device that was chosen may be
/// another next time.
static Device byName(const Visit &visit, Device device) {
  const PathTable &paths = visit.unit.tables().paths;
  if (device.kind != Device::Cuda)
    return device;
  for (const Block &block : visit.event.function->blocks)
    for (const Event &event : block.events)
      for (const Operand &operand : event.operands)
        if (const Device symbol{Device::Symbol, operand.path};
            operand.role == TypeRole::Device && isDevice(paths.last(operand.path)) &&
            visit.before.deviceOf(operand) == device && !spellingOf(visit, symbol).empty())
          return symbol;
  return device;
}

std::string nameOf(const Visit &visit, Device device) {
  device = byName(visit, device);
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
static bool isWritable(const PathTable &paths, PathId path) {
  for (PathId whole; (whole = paths.parent(path)) != noPath; path = whole) {
    const PathStep &part = paths.last(path), &last = paths.last(whole);
    if (last.kind == PathStep::This)
      return true;
    const bool isNamed = last.kind == PathStep::Variable || last.kind == PathStep::Member;
    if (part.kind != PathStep::Member || !isNamed)
      return false;
    const auto *field = static_cast<const clang::FieldDecl *>(part.subject);
    const clang::QualType type =
        last.kind == PathStep::Variable
            ? static_cast<const clang::VarDecl *>(last.subject)->getType()
            : static_cast<const clang::FieldDecl *>(last.subject)->getType();
    const clang::CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
    const auto *owner = llvm::dyn_cast<clang::CXXRecordDecl>(field->getParent());
    if (field->getAccess() != clang::AS_public || !record || !owner ||
        !(declaresSameEntity(record, owner) || record->isDerivedFrom(owner)))
      return false;
  }
  return true;
}

std::string spellingOf(const Visit &visit, Device device) {
  const PathTable &paths = visit.unit.tables().paths;
  device = byName(visit, device);
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
      return isVisible && isWritable(paths, device.id) ? paths.spelling(device.id) : "";
    }
    const bool isOwn = paths.rootOf(device.id) == function.thisObject;
    return isOwn && isWritable(paths, device.id) ? paths.spelling(device.id) : "";
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
