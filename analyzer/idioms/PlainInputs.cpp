#include "PlainInputs.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

static bool isModuleObject(const Node *object) {
  return object && object->type && isModule(object->type->role);
}

static bool isOfFramework(const Node &call) { return call.symbol && call.symbol->isFramework; }

namespace {

/// A local variable, or a field of one.
struct TensorPlace {
  Entity variable = nullptr;
  const Symbol *field = nullptr; ///< Null if it is the variable itself.
};

/// What a function does with gradients and with one tensor.
class InputUses {
public:
  bool readsGradients = false;           ///< Or computes them itself.
  bool isInput = false;                  ///< A module or a loss gets the tensor.
  bool isElsewhere = false;              ///< Something else does, or may change it.
  llvm::SmallVector<Entity, 2> computed; ///< Other tensors, of it.

  explicit InputUses(TensorPlace tensor) : tensor(tensor) {}

  void collect(const Node *code) {
    if (code->isCall())
      return readCall(*code);
    if (code->kind == NodeKind::Declaration)
      for (const Symbol *variable : code->declared)
        if (variable->isVariable() && canonical(variable) != tensor.variable && variable->init &&
            isTensor(variable->init) && isComputedOf(variable->init))
          computed.push_back(canonical(variable));
    if (code->kind == NodeKind::Member && tensor.field && code->symbol != tensor.field &&
        variableOf(code->object) == tensor.variable)
      return; // The labels, where it is the inputs.
    isElsewhere |= variableOf(code) == tensor.variable && code->kind == NodeKind::Reference;
    llvm::for_each(code->children, [&](const Node *child) { collect(child); });
  }

  bool isInVain() const { return hasBackward && hasStep && !readsGradients && !isElsewhere; }

private:
  bool isPlace(const Node *expr) const {
    expr = originalOf(expr);
    if (!tensor.field)
      return variableOf(expr) == tensor.variable;
    return as(NodeKind::Member, expr) && expr->symbol == tensor.field &&
           variableOf(expr->object) == tensor.variable;
  }

  /// Whether functions of the framework, and no module, compute \p expr of the tensor.
  bool isComputedOf(const Node *expr) const {
    if (isPlace(expr))
      return true;
    const Node *call = asCall(originalOf(expr)), *object = call ? objectOf(*call) : nullptr;
    return call && isOfFramework(*call) && !isModuleObject(object) &&
           ((object && isComputedOf(object)) ||
            llvm::any_of(argumentsOf(*call),
                         [&](const Node *argument) { return isComputedOf(argument); }));
  }

  void readCall(const Node &call) {
    const FunctionRole role = call.symbol ? call.symbol->purpose : FunctionRole::None;
    hasBackward |= role == FunctionRole::Backward;
    hasStep |= role == FunctionRole::Step;
    readsGradients |= role == FunctionRole::Gradient || role == FunctionRole::Differentiate;
    const Node *object = objectOf(call);
    const bool isComputed = isOfFramework(call) && !call.symbol->worksInPlace &&
                            role != FunctionRole::Detach && role != FunctionRole::Overwrite &&
                            role != FunctionRole::Register;
    if (object && isPlace(object))
      isElsewhere |= !isComputed && role != FunctionRole::RequireGrad;
    else
      collect(object ? object : call.children.front());
    for (const Node *argument : argumentsOf(call)) {
      if (!isInputOf(argument)) {
        collect(argument);
        continue;
      }
      isInput |= isModuleObject(object) || isLoss(call);
      isElsewhere |= !isModuleObject(object) && !isComputed;
    }
  }

  /// Whether it is the tensor, be it on another device.
  bool isInputOf(const Node *argument) const {
    const Node *call = as(NodeKind::MemberCall, strip(argument));
    return call && call->calls(FunctionRole::Move) ? isInputOf(call->object) : isPlace(argument);
  }

  static bool isLoss(const Node &call) {
    return llvm::is_contained({Operation::LogitsLoss, Operation::LogProbabilitiesLoss,
                               Operation::ProbabilityLoss, Operation::LogitLoss,
                               Operation::DistanceLoss},
                              call.symbol ? call.symbol->operation : Operation::None);
  }

  const TensorPlace tensor;
  bool hasBackward = false, hasStep = false;
};

} // namespace

/// Whether \p expr is a tensor that nobody outside of the function has: a new one, or a part of a
/// batch, or computed of such.
static bool isOwn(const Node *expr, unsigned depth = 0) {
  expr = originalOf(expr);
  if (!expr || depth > 8)
    return false;
  if (expr->isCall()) {
    if (!isOfFramework(*expr))
      return false;
    if (const Node *object = objectOf(*expr))
      return isOwn(object, depth + 1);
    const auto isOfOthers = [&](const Node *argument) {
      return isTensor(argument) && !isOwn(argument, depth + 1);
    };
    return expr->calls(FunctionRole::Create) || expr->calls(FunctionRole::CreateLike) ||
           (expr->kind == NodeKind::OperatorCall && llvm::none_of(expr->arguments, isOfOthers));
  }
  if (expr->kind == NodeKind::Member)
    return strip(expr->object)->kind != NodeKind::This && expr->object->type &&
           !expr->object->type->isPointer && isOwn(expr->object, depth + 1);
  const Symbol *variable = variableOf(expr);
  if (!variable || !variable->isLocal || variable->isStatic)
    return false;
  return variable->isRangeElement
             ? !variable->type || variable->type->role != TypeRole::Tensor // A batch.
             : isOwn(variable->init, depth + 1);
}

bool asksInVain(const Node &call, const FunctionBody &function) {
  const Node *declared = as(NodeKind::Declaration, function.statementOf(&call));
  const Node *object = objectOf(call);
  const Symbol *kept = nullptr;
  if (declared) { // `auto x = batch.data.requires_grad_();`, `auto x = torch::rand({2}, options);`
    kept = onlyVariableOf(*declared);
    if (!kept || !isTensor(kept->init) || !isOwn(kept->init))
      return false;
  } else if (!isTensor(object) || function.expressionStatementOf(&call) != &call) {
    return false;
  }
  llvm::SmallVector<TensorPlace, 2> tensors;
  if (kept)
    tensors.push_back({canonical(kept)});
  const Node *root = isTensor(object) ? originalOf(object) : nullptr;
  if (root && !isOwn(root))
    return false;
  const Node *part = as(NodeKind::Member, root);
  if (const Symbol *variable = variableOf(part ? part->object : root))
    tensors.push_back({canonical(variable), part ? part->symbol : nullptr});
  bool isInput = false;
  for (size_t i = 0; i < tensors.size(); ++i) {
    InputUses uses(tensors[i]);
    uses.collect(function.body);
    if (!uses.isInVain() || tensors.size() > 8)
      return false;
    isInput |= uses.isInput;
    for (Entity variable : uses.computed) // `auto y = torch::matmul(x, w)`
      if (llvm::none_of(tensors,
                        [&](const TensorPlace &known) { return known.variable == variable; }))
        tensors.push_back({variable});
  }
  return isInput;
}

} // namespace gradtidy
