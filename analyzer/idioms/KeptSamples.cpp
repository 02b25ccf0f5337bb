#include "KeptSamples.h"

#include "CodeForms.h"
#include "Samples.h"
#include "analyzer/model/Operators.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

using namespace ir;

/// What \p call computes in place, where to do so twice gives something else than once.
static const Node *changedBy(const Node &call) {
  const Node *object = call.isCall() && call.symbol ? objectOf(call) : nullptr;
  const Operator *run = isTensor(object) ? call.symbol->run : nullptr;
  return run && run->changesElements() && run->dependsOnFirst() && !run->isIdempotent ? object
                                                                                      : nullptr;
}

namespace {

/// One function that gives samples.
class GivingFunction {
public:
  explicit GivingFunction(const Symbol &definition) : function(&definition, definition.body) {
    visit(*definition.body);
  }

  /// What changes a member that the function returns, or elements of it.
  SampleChange changeOfMember() const {
    for (const auto &[change, owner] : changes)
      if (owner->kind == SymbolKind::Member && returned.contains(owner))
        return change;
    return {};
  }
  /// What changes the first argument.
  SampleChange changeOfArgument() const {
    for (const auto &[change, owner] : changes)
      if (owner->kind == SymbolKind::Parameter && owner->index == 0)
        return change;
    return {};
  }
  /// Whether it returns a view of a member.
  bool givesMember() const { return !returned.empty(); }

private:
  void visit(const Node &code) {
    if (code.kind == NodeKind::Lambda)
      return;
    for (const Node *child : code.children)
      visit(*child);
    const Node *changed = changedBy(code);
    const Entity owner = changed && !function.isConditional(&code) ? ownerOf(*changed) : nullptr;
    if (owner) {
      const Node *statement = function.expressionStatementOf(&code);
      changes.push_back({{&code, statement && !asAssignment(*strip(statement))}, owner});
    }
    if (code.kind == NodeKind::Return && !code.children.empty())
      noteReturned(*code.children.front());
    if (const auto assigned = asAssignment(code))
      if (const Entity entity = entityOf(strip(assigned->target)))
        replaced.insert(entity);
  }

  /// The views of members in what is returned, be it a sample of several.
  void noteReturned(const Node &value) {
    const Node *expr = strip(&value);
    if (const Entity owner = ownerOf(*expr); owner && owner->kind == SymbolKind::Member)
      returned.insert(owner);
    else if (const Node *changed = changedBy(*expr)) // It returns its object.
      noteReturned(*changed);
    else
      for (const Node *part : as(NodeKind::List, expr) ? expr->children
                              : asConstruction(expr)   ? expr->arguments
                                                       : llvm::ArrayRef<const Node *>())
        noteReturned(*part);
  }

  /// The member or parameter in whose memory the elements of \p tensor lie, or null.
  Entity ownerOf(const Node &tensor, unsigned depth = 0) const {
    const Node *expr = strip(&tensor);
    const Entity entity = entityOf(expr);
    if (depth == 16 || replaced.contains(entity))
      return nullptr;
    if (entity && entity->kind == SymbolKind::Member)
      return as(NodeKind::This, strip(expr->object)) ? entity : ownerOf(*expr->object, depth + 1);
    if (entity && entity->kind == SymbolKind::Parameter)
      return entity;
    if (entity)
      return entity->isLocal && entity->init ? ownerOf(*entity->init, depth + 1) : nullptr;
    if (asConstruction(expr))
      return expr->symbol && expr->symbol->isCopying ? ownerOf(*expr->arguments[0], depth + 1)
                                                     : nullptr;
    if (isMove(*expr))
      return ownerOf(*expr->arguments.front(), depth + 1);
    const Node *object = expr->isCall() && expr->symbol ? objectOf(*expr) : nullptr;
    if (!object)
      return nullptr;
    const bool isElement = expr->kind == NodeKind::OperatorCall && expr->op == "[]" &&
                           (!isTensor(object) || expr->arguments[1]->type->isInteger);
    const bool isView = isTensor(object) && expr->symbol->operation == Operation::View;
    const bool isOfList =
        !isTensor(object) && expr->symbol->isStandard && expr->symbol->name == "at";
    return isElement || isView || isOfList || changedBy(*expr) ? ownerOf(*object, depth + 1)
                                                               : nullptr;
  }

  const FunctionBody function;
  llvm::SmallVector<std::pair<SampleChange, Entity>, 4> changes; ///< And of what.
  llvm::SmallPtrSet<Entity, 4> returned; ///< Members of which views are returned.
  llvm::SmallPtrSet<Entity, 4> replaced; ///< What has had another tensor so far.
};

} // namespace

/// What a transform changes of the samples that it is given.
static SampleChange changeBy(const Symbol &transform) {
  for (const Method &method : ir::classOf(transform).methods)
    if (const Symbol &symbol = *method.symbol;
        codeOf(symbol) &&
        (symbol.aspects.has(Aspect::TransformsSample) || symbol.spelling == "operator()"))
      if (const SampleChange change = GivingFunction(*symbol.definition).changeOfArgument())
        return change;
  return {};
}

SampleChange changeOfKeptSamples(const Type *dataset) {
  const Type *given = behindPointers(dataset), *transform = nullptr;
  while (given && given->record && given->record->trait == Trait::MapsSamples) {
    if (given->arguments.size() < 2)
      return {};
    transform = behindPointers(given->arguments[1]);
    given = behindPointers(given->arguments[0]);
  }
  const Symbol *record = given ? given->record : nullptr;
  if (!record)
    return {};
  bool isKept = traitOfClass(record) == Trait::KeepsSamples;
  for (const Method &method : ir::classOf(*record).methods)
    if (givesSamples(*method.symbol) && codeOf(*method.symbol)) {
      const GivingFunction giving(*method.symbol->definition);
      if (const SampleChange change = giving.changeOfMember())
        return change;
      isKept |= giving.givesMember();
    }
  return isKept && transform && transform->record ? changeBy(*transform->record) : SampleChange();
}

} // namespace gradtidy
