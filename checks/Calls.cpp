#include "Calls.h"

namespace gradtidy {

llvm::StringRef calledName(const ir::Node *site) {
  return site && site->isExpression ? site->spelled().calledName() : llvm::StringRef();
}

Aspects calledAspects(const ir::Node *site) {
  return site && site->isExpression ? site->spelled().calledAspects() : Aspects();
}

Frames framesOf(llvm::ArrayRef<const Event *> callers, const Event &event) {
  Frames frames(callers);
  frames.push_back(&event);
  return frames;
}

const FunctionBody &rootOf(const Visit &visit) {
  return *(visit.callers.empty() ? visit.event : *visit.callers.front()).function;
}

} // namespace gradtidy
