#include "LoweredUnit.h"

#include "analyzer/model/Model.h"

namespace gradtidy {

LoweredUnit::LoweredUnit(const Model &model, std::unique_ptr<PathTable> paths, Contents contents)
    : words(model), table(std::move(paths)), all(std::move(contents)) {
  for (const auto &body : all.functions) {
    bodies[body->function] = body.get();
    if (body->isInner)
      continue;
    standing.push_back(body.get());
    addOverrider(*body->function, *body->function->first);
  }
}

LoweredUnit::~LoweredUnit() = default;

void LoweredUnit::addOverrider(const ir::Symbol &overridden, const ir::Symbol &method) {
  for (const ir::Symbol *base : overridden.overridden) {
    overriders[base].insert(&method);
    addOverrider(*base, method);
  }
}

llvm::ArrayRef<const ir::Symbol *> LoweredUnit::overridersOf(const ir::Symbol &first) const {
  const auto known = overriders.find(&first);
  return known == overriders.end() ? llvm::ArrayRef<const ir::Symbol *>()
                                   : known->second.getArrayRef();
}

const ModuleClass *LoweredUnit::viewOf(const ir::Symbol &record) const {
  for (const ModuleClass &view : classes())
    if (view.record == &record)
      return &view;
  return nullptr;
}

llvm::StringRef LoweredUnit::phrase(Phrase phrase) const {
  return words.phrase(phrase, all.namespaces);
}

llvm::StringRef LoweredUnit::constant(ElementType element) const {
  return words.constant(element, all.namespaces);
}

llvm::StringRef LoweredUnit::constant(DeviceRole device) const {
  return words.constant(device, all.namespaces);
}

} // namespace gradtidy
