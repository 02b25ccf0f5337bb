#include "Calls.h"

namespace gradtidy {

llvm::StringRef calledName(const ir::Node *site) {
  return site && site->isExpression ? site->spelled().calledName() : llvm::StringRef();
}

const Operand &storedBy(const Event &event) {
  return event.subject.path || event.operands.empty() ? event.subject : event.operands.front();
}

} // namespace gradtidy
