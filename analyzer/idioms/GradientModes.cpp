#include "GradientModes.h"

#include "analyzer/modules/Forms.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

using namespace ir;

using Seen = llvm::SmallPtrSet<const Symbol *, 4>;

static bool isIn(const Symbol &method, Seen &seen) {
  if (method.isFramework || !seen.insert(method.first).second)
    return false;
  const Symbol *definition = definitionOf(&method);
  bool isFound = !definition;
  forEach(definition ? definition->body : nullptr, [&](const Node &code) {
    const Symbol *callee = code.isCall() ? code.symbol : nullptr;
    isFound |=
        callee &&
        (callee->purpose == FunctionRole::RequireGrad ||
         (callee->isMethod() && callee->purpose == FunctionRole::Train && isIn(*callee, seen)));
  });
  return isFound;
}

bool switchesGradients(const Symbol &record) {
  if (record.isFramework)
    return false;
  Seen seen;
  for (const Method &method : ir::classOf(record).methods)
    if (method.symbol->purpose == FunctionRole::Train)
      return isIn(*method.symbol, seen);
  return llvm::any_of(record.bases, [](const Symbol *base) { return switchesGradients(*base); });
}

} // namespace gradtidy
