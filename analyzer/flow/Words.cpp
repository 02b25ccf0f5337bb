#include "Words.h"

#include "llvm/ADT/StringExtras.h"

namespace gradtidy {

using llvm::StringRef;

void Words::add(StringRef name, const Event *event) {
  if (event)
    add(name + " " + labels.of(event->site));
}

void Words::add(StringRef name, PathId path) {
  if (path)
    add(name + " " + labels.of(path));
}

void Words::add(StringRef name, const Device &device) {
  switch (device.kind) {
  case Device::Unknown:
  case Device::Unset:
    return;
  case Device::Cpu:
    return add(name + " cpu");
  case Device::Cuda:
    return add(name + " cuda:" + llvm::Twine(device.id));
  case Device::Symbol:
    return add(name + " the device of " + labels.of(device.id));
  }
}

void Words::add(StringRef name, std::uint8_t possible, llvm::ArrayRef<StringRef> names) {
  llvm::SmallVector<StringRef, 4> held;
  for (size_t bit = 0; bit < names.size(); ++bit)
    if (possible & (1u << bit))
      held.push_back(names[bit]);
  if (!held.empty())
    add(name + " " + llvm::join(held, " or "));
}

void Words::addPaths(StringRef name, SourcesId set) {
  llvm::SmallVector<std::string, 4> members;
  for (const PathId path : tables.sources.members(set))
    members.push_back(labels.of(path));
  addMembers(name, std::move(members), tables.sources.isUnknown(set));
}

void Words::addSites(StringRef name, SourcesId set) {
  llvm::SmallVector<std::string, 4> members;
  for (const PathId site : tables.histories.members(set))
    members.push_back(labels.of(tables.sites.event(static_cast<SiteId>(site)).site));
  addMembers(name, std::move(members), tables.histories.isUnknown(set));
}

void Words::addMembers(StringRef name, llvm::SmallVector<std::string, 4> members, bool mayBeMore) {
  if (mayBeMore)
    members.push_back("others");
  if (!members.empty())
    add(name + " {" + llvm::join(members, " ") + "}");
}

void Words::addType(TypeId type) {
  if (type == noType)
    return add("no tensor");
  const TensorType &known = tables.types[type];
  if (type != unknownType)
    add(elementName(known.element) + " " + spell(known.shape));
}

std::string Words::take() { return llvm::join(std::exchange(words, {}), ", "); }

} // namespace gradtidy
