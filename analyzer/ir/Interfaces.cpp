#include "Interfaces.h"

#include "llvm/ADT/DenseMap.h"

namespace gradtidy {
namespace {

/// Whether modules alone implement each method, by its first declaration.
using Implementers = llvm::DenseMap<const ir::Symbol *, bool>;

void add(const ir::Symbol &method, bool isOfModule, Implementers &known) {
  const auto [entry, isNew] = known.try_emplace(method.first, isOfModule);
  entry->second &= isOfModule;
  for (const ir::Symbol *base : method.overridden)
    add(*base, isOfModule, known);
}

} // namespace

void tellModules(llvm::ArrayRef<std::unique_ptr<FunctionBody>> functions) {
  Implementers known;
  for (const std::unique_ptr<FunctionBody> &body : functions)
    add(*body->function, body->isModuleMethod, known);
  for (const std::unique_ptr<FunctionBody> &body : functions)
    for (Block &block : body->blocks)
      for (Event &event : block.events) {
        const ir::Node *object = event.subject.expr;
        if (event.kind != EventKind::Call || !event.isVirtual || !event.callee || !object ||
            !object->type || object->type->role != TypeRole::None)
          continue;
        const auto implementers = known.find(event.callee->first);
        const bool isModule = implementers != known.end() && implementers->second;
        event.subject.role = isModule ? TypeRole::Module : TypeRole::None;
      }
}

static void tell(Event &pass, const FunctionBody &body) {
  pass.isGuarded = body.hasGuard;
  pass.followsInput = body.followsInput;
  bool meetAll = true; // All but the first.
  for (unsigned i = 0; i < pass.operands.size() && i < body.parameters.size(); ++i) {
    Operand &operand = pass.operands[i];
    operand.isMovedThere = body.parameters[i].isMovedFirst;
    meetAll &=
        i == 0 || !operand.isTensor || operand.isMovedThere || body.parameters[i].meetsTensors;
  }
  pass.mayUseHost &= !meetAll;
}

void tellPasses(llvm::ArrayRef<std::unique_ptr<FunctionBody>> functions) {
  llvm::DenseMap<const ir::Symbol *, const FunctionBody *> bodies;
  for (const std::unique_ptr<FunctionBody> &body : functions)
    bodies[body->function] = body.get();
  for (const std::unique_ptr<FunctionBody> &body : functions)
    for (Block &block : body->blocks)
      for (Event &event : block.events)
        if (event.kind == EventKind::Forward && event.callee)
          if (const FunctionBody *pass = bodies.lookup(event.callee->definition))
            tell(event, *pass);
}

} // namespace gradtidy
