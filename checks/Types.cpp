#include "Types.h"

#include "Fixes.h"
#include "Loops.h"

namespace gradtidy {

llvm::SmallVector<const Operand *, 4> inputsOf(const Event &event) {
  llvm::SmallVector<const Operand *, 4> inputs;
  if (event.kind != EventKind::Forward && event.subject.path &&
      event.subject.role == TypeRole::Tensor)
    inputs.push_back(&event.subject);
  for (const Operand &operand : event.operands)
    if (operand.path && operand.role == TypeRole::Tensor)
      inputs.push_back(&operand);
  return inputs;
}

std::string nameOf(const Visit &visit, const Operand &tensor, llvm::StringRef otherwise) {
  const llvm::StringRef text = tensor.expr ? textOf(visit, tensor.expr) : llvm::StringRef();
  const bool isShort = !text.empty() && text.size() <= 40 && !text.contains('\n');
  return isShort ? "'" + text.str() + "'" : otherwise.str();
}

void noteOrigin(const Visit &visit, const Operand &tensor, llvm::StringRef what, Finding &finding) {
  const Event *made = visit.before.valueOf(tensor).origin.made;
  if (made &&
      (made->function != visit.event.function || !contains(visit, visit.event.site, made->site)))
    finding.notes.push_back({*made, what.str()});
}

} // namespace gradtidy
