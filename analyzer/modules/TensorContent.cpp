#include "TensorContent.h"

#include <algorithm>

namespace gradtidy {

using namespace ir;

// ---- Values ------------------------------------------------------------------------------------

Content TensorContents::of(const Node *value, unsigned depth) {
  if (depth > 8)
    return Content::Unknown;
  value = strip(value);
  ++depth;
  if (std::optional<Assignment> assigned = asAssignment(*value))
    return of(assigned->value, depth);
  const Entity root = uses.rootOf(value);
  switch (value->kind) {
  case NodeKind::OperatorCall:
    return root ? ofVariable(root, depth) : ofOperation(*value, depth);
  case NodeKind::MemberCall:
    return ofMethod(*value, depth);
  case NodeKind::Call:
  case NodeKind::KernelCall:
    return root ? ofVariable(root, depth) : ofFunction(*value, depth);
  case NodeKind::Construct:
  case NodeKind::Temporary:
    if (value->arguments.empty())
      return Content::Nothing;
    return value->arguments.size() == 1 ? of(value->arguments.front(), depth) : Content::Unknown;
  case NodeKind::List: {
    Content content = Content::Nothing;
    for (const Node *element : value->children)
      content = std::max(content, of(element, depth));
    return content;
  }
  default:
    return ofVariable(root, depth);
  }
}

/// Of another variable, or null. Whoever hands it in may have put it where it is wanted, and what
/// is a member of something else is also kept there.
Content TensorContents::ofVariable(Entity variable, unsigned depth) {
  if (!variable || variable->kind == SymbolKind::Member || variable->kind == SymbolKind::Parameter)
    return Content::Unknown;
  Content content = Content::Nothing;
  for (const MemberDefinition &definition : uses.of(variable).definitions)
    content = std::max(content, of(definition.value, depth));
  return content;
}

static bool isNumber(const Node *value) { return value && isArithmetic(*value); }

static bool isInteger(const Node *value) {
  value = convertedFrom(value);
  return isNumber(value) && value->type->isInteger;
}

/// Comparisons, and whole numbers computed with whole numbers, are indices.
Content TensorContents::ofOperation(const Node &operation, unsigned depth) {
  bool isWhole = operation.op != "/";
  bool isRandom = false;
  for (const Node *operand : operation.arguments) {
    const bool isTensor = holdsTensors(operand->type);
    isWhole &= isTensor ? of(operand, depth) == Content::Indices : isInteger(operand);
    isRandom |= mentions(operand, Trait::MakesRandom);
  }
  static constexpr llvm::StringLiteral comparisons[] = {"==", "!=", "<", ">", "<=", ">=", "<=>"};
  const bool isFlag = llvm::is_contained(comparisons, operation.op) || operation.op == "!";
  return (isFlag && !isRandom) || isWhole ? Content::Indices : Content::Data;
}

Content TensorContents::ofMethod(const Node &call, unsigned depth) {
  const Symbol *method = call.symbol;
  if (!method || !method->isFramework)
    return Content::Unknown;
  if (method->purpose == FunctionRole::Detach)
    return Content::Data; // Not what it comes from, nor moved with it.
  if (!holdsTensors(call.object->type))
    return Content::Unknown;
  const Content content = of(call.object, depth);
  bool isWhole = false, isFloat = false;
  for (const Node *argument : call.arguments) {
    isWhole |= mentions(argument, Trait::IntegerType);
    isFloat |= mentions(argument, Trait::FloatType);
  }
  if (content == Content::Data && isWhole && !mentions(call.object, Trait::MakesRandom))
    return Content::Indices;
  return content == Content::Indices && isFloat ? Content::Data : content;
}

Content TensorContents::ofFunction(const Node &call, unsigned depth) {
  const Symbol *callee = calleeOf(call);
  if (callee && callee->isFramework)
    return ofCreation(call, *callee);
  Content content = Content::Unknown;
  if (definitionOf(callee))
    for (const Node *returned : uses.returns.lookup(callee->first))
      content = std::max(content, of(returned, depth));
  return content;
}

/// Whether \p shape says that a tensor has no dimensions: `{}`.
static bool isEmptyShape(const Node *shape) {
  const Type *type = shape->type;
  const bool isArray = type && type->record && type->record->trait == Trait::ViewsElements;
  shape = strip(shape);
  while (asConstruction(shape)) {
    if (shape->arguments.empty())
      return true;
    shape = strip(shape->arguments.front());
  }
  if (shape->kind == NodeKind::List && shape->children.size() == 1)
    shape = strip(shape->children.front());
  return (shape->kind == NodeKind::List && shape->children.empty()) ||
         (isArray && shape->kind == NodeKind::Integer && shape->integer == 0);
}

Content TensorContents::ofCreation(const Node &call, const Symbol &callee) const {
  const Node *first = call.arguments.empty() ? nullptr : convertedFrom(call.arguments.front());
  if (callee.trait == Trait::MakesScalar && isNumber(first))
    return Content::Scalar;
  if (callee.rule == ResultRule::Full && !call.arguments.empty() &&
      isEmptyShape(call.arguments.front()))
    return Content::Scalar;
  if (callee.trait == Trait::MakesRandom || mentions(&call, Trait::FloatType))
    return Content::Data;
  const auto isFraction = [](const Node *argument) {
    const Node *number = convertedFrom(argument);
    return isNumber(number) && !number->type->isInteger;
  };
  const bool isWhole =
      mentions(&call, Trait::IntegerType) ||
      (callee.trait == Trait::MakesIndices && llvm::none_of(call.arguments, isFraction));
  return isWhole && !mentions(&call, Trait::MakesRandom) ? Content::Indices : Content::Data;
}

// ---- What is written of them -------------------------------------------------------------------

bool TensorContents::isComputed(const Node *value) {
  if (!isPlaced(value) || mentions(value, Trait::MakesRandom))
    return false;
  value = strip(value);
  while (value->kind == NodeKind::MemberCall)
    value = strip(value->object);
  return value->isCall() && llvm::any_of(value->arguments, [](const Node *argument) {
           return holdsTensors(argument->type);
         });
}

/// Whether a device or options that somebody chose have a part in it.
bool TensorContents::isPlaced(const Node *code) {
  if (!code)
    return false;
  if (Entity entity = entityOf(code); entity && entity->isUser) {
    RecursionGuard guard(active, entity);
    return guard.isFirst &&
           ((entity->type && entity->type->role == TypeRole::Device) ||
            llvm::any_of(uses.of(entity).definitions, [&](const MemberDefinition &definition) {
              return isPlaced(definition.value);
            }));
  }
  return llvm::any_of(code->children, [&](const Node *child) { return isPlaced(child); });
}

bool TensorContents::mentions(const Node *code, Trait trait) const {
  if (!code)
    return false;
  const bool isName = code->kind == NodeKind::Reference || code->kind == NodeKind::Member;
  if (isName && code->symbol && code->symbol->trait == trait)
    return true;
  if (code->isCall() && code->arguments.size() == 1 && traitOfCallee(*code) == trait &&
      !saysTrue(*code) && as(NodeKind::Boolean, strip(code->arguments.front())))
    return false;
  return llvm::any_of(code->children, [&](const Node *child) { return mentions(child, trait); });
}

} // namespace gradtidy
