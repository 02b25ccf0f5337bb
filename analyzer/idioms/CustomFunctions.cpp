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

static bool usesValues(const Node &body, const Symbol &tensors, unsigned depth);

/// Whether something is done with the values of \p tensors, a tensor or a list of some, where \p
/// name names it, be it by another function of the program.
static bool usesValuesAt(const Node &name, const Node &body, unsigned depth) {
  const Node *inner = &name;
  for (const Node *outer = inner->parent; outer; inner = outer, outer = outer->parent) {
    const Symbol *callee = outer->isCall() ? outer->symbol : nullptr;
    if (outer->kind == NodeKind::Declaration) {
      const Symbol *variable = onlyVariableOf(*outer);
      return !variable || (variable->init && usesValues(body, *variable, depth + 1));
    }
    if (callee &&
        (callee->purpose == FunctionRole::Attribute || callee->purpose == FunctionRole::CreateLike))
      return false;
    const bool isElement = outer->kind == NodeKind::OperatorCall && outer->op == "[]";
    const bool isCopy = asConstruction(outer) && outer->arguments.size() == 1;
    if (callee && !isElement && !isCopy) {
      const auto argument = llvm::find(outer->arguments, inner);
      const size_t index = argument - outer->arguments.begin();
      const Symbol *definition = definitionOf(callee);
      if (argument == outer->arguments.end() || !definition || !definition->body || depth > 4 ||
          index >= definition->parameters.size())
        return true;
      return usesValues(*definition->body, *definition->parameters[index], depth + 1);
    }
    const bool isPart = isElement || isCopy || outer->kind == NodeKind::Parentheses ||
                        outer->kind == NodeKind::Member;
    if (!isPart)
      return true;
  }
  return true;
}

static bool usesValues(const Node &body, const Symbol &tensors, unsigned depth) {
  bool uses = false;
  forEach(&body, [&](const Node &node) {
    uses = uses || (node.kind == NodeKind::Reference && node.symbol == &tensors &&
                    usesValuesAt(node, body, depth));
  });
  return uses;
}

bool ignoresGradients(const FunctionBody &function) {
  const auto parameters = function.function->parameters;
  if (!isOwnBackward(*function.function) || parameters.size() != 2 ||
      usesValues(*function.body, *parameters.back(), 0))
    return false;
  bool computes = false;
  forEach(function.body, [&](const Node &code) {
    const Node *given = code.kind == NodeKind::Return && !code.children.empty()
                            ? convertedFrom(code.children.front())
                            : nullptr;
    if (as(NodeKind::List, given))
      computes |= llvm::any_of(given->children, [](const Node *gradient) {
        const Symbol *variable = variableIn(*gradient);
        const Node *value = variable && variable->init ? variable->init : gradient;
        const Node *call = asCall(originalOf(value));
        return call && call->symbol && !asConstruction(call) && !call->calls(Aspect::GivesZeros);
      });
  });
  return computes;
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
