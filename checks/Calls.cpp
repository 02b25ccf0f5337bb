#include "Calls.h"

namespace gradtidy {

llvm::StringRef calledName(const ir::Node *site) {
  return site && site->isExpression ? site->spelled().calledName() : llvm::StringRef();
}

} // namespace gradtidy
