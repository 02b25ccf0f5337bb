#include "LastLayer.h"

#include "Values.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gradtidy {
namespace {

class LastLayer {
public:
  LastLayer(ModuleUses &uses, const Vocabulary &vocabulary) : uses(uses), vocabulary(vocabulary) {}

  Operation operationOf(const Expr *module, unsigned depth = 0) {
    module = strip(module);
    if (depth > 8 || module->getType().isNull() || module->isTypeDependent())
      return Operation::None;
    const Held &held = uses.heldBy(module->getType());
    if (held.modules.size() != 1 || uses.isUser(held.modules.front()))
      return Operation::None;
    if (vocabulary.traitOf(held.modules.front()) != Trait::Container)
      return vocabulary.operationOf(held.modules.front());
    if (const auto *access = dyn_cast<CXXOperatorCallExpr>(module);
        access && access->getNumArgs() == 1)
      return operationOf(access->getArg(0), depth + 1); // `net->`, `*net`
    if (const auto *call = dyn_cast<CallExpr>(module);
        call && (uses.traitOfCallee(call) == Trait::RegistersModule ||
                 (call->getDirectCallee() && isFactory(call->getDirectCallee()))))
      return ofLast(call->arguments(), depth);
    if (const auto *construct = dyn_cast<CXXConstructExpr>(module))
      return ofLast(construct->arguments(), depth);
    const Entity entity = uses.rootOf(module);
    return entity ? operationOf(entity, depth) : Operation::None;
  }

private:
  /// Layers that only rearrange leave it to those before them.
  template <typename Range> Operation ofLast(const Range &arguments, unsigned depth) {
    for (const Expr *argument : llvm::reverse(arguments)) {
      if (isa<CXXDefaultArgExpr>(argument))
        continue;
      const Operation operation = operationOf(argument, depth + 1);
      if (operation != Operation::Rearrange)
        return operation;
    }
    return Operation::None;
  }

  Operation operationOf(Entity entity, unsigned depth) {
    const EntityFacts &facts = uses.of(entity);
    if (facts.escapes || facts.same.size() > 1)
      return Operation::None;
    std::vector<const Expr *> values = facts.arguments;
    for (const EntityDefinition &definition : facts.definitions) {
      if (definition.kind == EntityDefinition::Insertion)
        return Operation::None;
      if (!isNull(definition.value) && !isRegistration(definition.value, entity))
        values.push_back(definition.value);
    }
    Operation common = Operation::None;
    for (const Expr *value : values) {
      const Operation operation = operationOf(value, depth + 1);
      if (operation == Operation::None || (common != Operation::None && common != operation))
        return Operation::None;
      common = operation;
    }
    return common;
  }

  /// `layers = register_module("layers", layers)`
  bool isRegistration(const Expr *value, Entity entity) {
    const auto *call = dyn_cast<CallExpr>(originalOf(value));
    return call && uses.traitOfCallee(call) == Trait::RegistersModule &&
           llvm::any_of(call->arguments(), [&](const Expr *argument) {
             return uses.rootOf(originalOf(argument)) == entity;
           });
  }

  ModuleUses &uses;
  const Vocabulary &vocabulary;
};

} // namespace

Operation lastOperation(const Expr *module, ModuleUses &uses, const Vocabulary &vocabulary) {
  return LastLayer(uses, vocabulary).operationOf(module);
}

} // namespace gradtidy
