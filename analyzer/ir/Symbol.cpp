#include "Symbol.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy::ir {

const Class &classOf(const Symbol &record) {
  static const Class none;
  return record.record ? *record.record : none;
}

bool isOrDerives(const Symbol &record, const Symbol &base) {
  return &record == &base ||
         llvm::any_of(record.bases, [&](const Symbol *each) { return isOrDerives(*each, base); });
}

const Node *outerInitializerOf(const Symbol &entity) {
  const bool isOuter = entity.kind == SymbolKind::Member ? entity.isOfMainFile : entity.isStatic;
  return isOuter ? entity.init : nullptr;
}

} // namespace gradtidy::ir
