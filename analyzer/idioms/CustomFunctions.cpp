#include "CustomFunctions.h"

#include "CodeForms.h"
#include "analyzer/model/Operators.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

/// Whether it is that static function of a class that computes its own gradients.
static bool isOwn(const Symbol &function, Aspect aspect) {
  const Symbol *record = gradtidy::classOf(&function);
  return record && function.isStaticMethod && function.aspects.has(aspect) &&
         llvm::any_of(record->bases,
                      [](const Symbol *base) { return base->trait == Trait::OwnGradients; });
}

/// That method, if there is one and no more.
static const Symbol *soleMethod(const Symbol &record, Aspect aspect) {
  const Symbol *found = nullptr;
  unsigned count = 0;
  const auto look = [&](const Symbol *method) {
    count += method->aspects.has(aspect);
    found = method->aspects.has(aspect) ? method : found;
  };
  for (const Method &method : ir::classOf(record).methods)
    look(method.symbol);
  llvm::for_each(ir::classOf(record).generic, look);
  return count == 1 ? found : nullptr;
}

/// The inputs of \p forward, one gradient each; none where lists or defaults make their number
/// open.
static std::optional<llvm::ArrayRef<const Symbol *>> inputsOf(const Symbol &forward) {
  if (forward.parameters.empty())
    return std::nullopt;
  const auto inputs = forward.parameters.drop_front(); // The context.
  const auto isOpen = [](const Symbol *input) {
    const Trait trait = input->type->record ? input->type->record->trait : Trait::None;
    return input->hasDefault || input->type->isDependent || trait == Trait::OwnsElements ||
           trait == Trait::ViewsElements;
  };
  return llvm::any_of(inputs, isOpen) ? std::nullopt : std::optional(inputs);
}

/// Whether a tensor is computed there.
static bool isComputed(const Node *gradient) {
  const Node *call = asCall(originalOf(gradient));
  return call && call->symbol && makesValue(*call) &&
         (call->kind == NodeKind::OperatorCall ||
          (objectOf(*call) && !call->symbol->name.empty())); // No conversion.
}

static const Symbol *variableIn(const Node &expr) { return variableOf(originalOf(&expr)); }

/// Whether the function gives \p variable back, by itself or in a list.
static bool returnsIt(const Node &code, const Symbol &variable) {
  if (code.kind == NodeKind::Lambda)
    return false;
  if (code.kind != NodeKind::Return)
    return llvm::any_of(code.children,
                        [&](const Node *child) { return returnsIt(*child, variable); });
  const Node *given = code.children.empty() ? nullptr : convertedFrom(code.children.front());
  const auto isIt = [&](const Node *each) { return variableIn(*each) == &variable; };
  return given &&
         (given->kind == NodeKind::List ? llvm::any_of(given->children, isIt) : isIt(given));
}

/// Whether the variable gets another tensor, or is marked in the context.
static bool isRebound(const FunctionBody &function, const Symbol &variable) {
  bool isFound = false;
  forEach(function.body, [&](const Node &code) {
    const std::optional<Assignment> assigned = asAssignment(code);
    isFound |= (assigned && variableOf(assigned->target) == &variable) ||
               (code.calls(Aspect::MarksChanged) &&
                llvm::is_contained(function.namedIn(&code), &variable));
  });
  return isFound;
}

bool isOwnBackward(const Symbol &function) { return isOwn(function, Aspect::OwnBackward); }

CustomFunctionFacts gradientsOf(const Node &returned, const FunctionBody &function) {
  const Symbol *forward = isOwnBackward(*function.function)
                              ? soleMethod(*function.function->owner, Aspect::OwnForward)
                              : nullptr;
  const auto inputs = forward ? inputsOf(*forward) : std::nullopt;
  const Node *list = returned.children.empty() ? nullptr : convertedFrom(returned.children.front());
  if (!inputs || !as(NodeKind::List, list))
    return {};
  CustomFunctionFacts facts;
  const size_t given = list->children.size(), expected = inputs->size();
  const size_t common = std::min(given, expected);
  if (given < expected || llvm::any_of(list->children.drop_front(common), isComputed)) {
    facts.inputs = static_cast<int>(expected);
    facts.gradients = static_cast<int>(given);
  }
  for (size_t i = 0; i < common && facts.misplaced < 0; ++i)
    if ((*inputs)[i]->type->isArithmetic && isComputed(list->children[i]))
      facts.misplaced = static_cast<int>(i);
  return facts;
}

bool changesInput(const Node &call, const FunctionBody &function) {
  const Operator *run = call.symbol ? call.symbol->run : nullptr;
  const Node *object = objectOf(call);
  if (!run || !run->changesElements() || !object || !isOwn(*function.function, Aspect::OwnForward))
    return false;
  const Symbol *input = variableIn(*object);
  return input && input->kind == SymbolKind::Parameter && returnsIt(*function.body, *input) &&
         !isRebound(function, *input);
}

bool keepsOutput(const Node &place, const Node &value, const FunctionBody &function) {
  if (!isOwn(*function.function, Aspect::OwnForward) || function.function->parameters.empty())
    return false;
  const Node *element = as(NodeKind::OperatorCall, strip(&place));
  const Node *table = element && element->op == "[]"
                          ? as(NodeKind::Member, strip(element->arguments.front()))
                          : nullptr;
  if (!table || variableOf(table->object) != function.function->parameters.front())
    return false;
  const Symbol *output = variableIn(value);
  return output && output->type->role == TypeRole::Tensor &&
         output->kind != SymbolKind::Parameter && returnsIt(*function.body, *output);
}

} // namespace gradtidy
