#include "PlainInputs.h"

#include "analyzer/lowering/ast/Syntax.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace gradtidy {

namespace {

/// A local variable, or a field of one.
struct Place {
  const VarDecl *variable = nullptr;
  const ValueDecl *field = nullptr; ///< Null if it is the variable itself.
};

/// What a function does with gradients and with one tensor.
class InputUses {
public:
  bool readsGradients = false;                    ///< Or computes them itself.
  bool isInput = false;                           ///< A module or a loss gets the tensor.
  bool isElsewhere = false;                       ///< Something else does, or may change it.
  llvm::SmallVector<const VarDecl *, 2> computed; ///< Other tensors, of it.

  InputUses(Place tensor, Values &values, Vocabulary &vocabulary)
      : tensor(tensor), values(values), vocabulary(vocabulary) {}

  void collect(const Stmt *statement) {
    if (!statement)
      return;
    if (const auto *call = dyn_cast<CallExpr>(statement))
      return readCall(*call);
    if (const auto *declared = dyn_cast<DeclStmt>(statement))
      for (const Decl *declaration : declared->decls())
        if (const auto *variable = dyn_cast<VarDecl>(declaration);
            variable && variable != tensor.variable && variable->hasInit() &&
            vocabulary.roleOf(variable->getType()) == TypeRole::Tensor &&
            isComputedOf(variable->getInit()))
          computed.push_back(variable);
    const auto *member = dyn_cast<MemberExpr>(statement);
    if (member && tensor.field && member->getMemberDecl() != tensor.field &&
        isVariable(member->getBase()))
      return; // The labels, where it is the inputs.
    const auto *reference = dyn_cast<DeclRefExpr>(statement);
    isElsewhere |= reference && reference->getDecl() == tensor.variable;
    for (const Stmt *child : statement->children())
      collect(child);
  }

  bool isInVain() const { return hasBackward && hasStep && !readsGradients && !isElsewhere; }

private:
  bool isVariable(const Expr *expr) const {
    const auto *reference = dyn_cast<DeclRefExpr>(strip(expr));
    return reference && reference->getDecl() == tensor.variable;
  }

  bool isTensor(const Expr *expr) const {
    expr = originalOf(expr);
    const auto *member = dyn_cast<MemberExpr>(expr);
    return tensor.field
               ? member && member->getMemberDecl() == tensor.field && isVariable(member->getBase())
               : isVariable(expr);
  }

  /// Whether functions of the framework, and no module, compute \p expr of the tensor.
  bool isComputedOf(const Expr *expr) const {
    expr = originalOf(expr);
    if (isTensor(expr))
      return true;
    const auto *call = dyn_cast<CallExpr>(expr);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    const Expr *object = call ? objectOf(call) : nullptr;
    if (!callee || !vocabulary.isFramework(callee) || (object && isModule(values.roleOf(object))))
      return false;
    return (object && isComputedOf(object)) ||
           llvm::any_of(call->arguments(),
                        [&](const Expr *argument) { return isComputedOf(argument); });
  }

  void readCall(const CallExpr &call) {
    const FunctionDecl *callee = call.getDirectCallee();
    const FunctionRole role = callee ? vocabulary.roleOf(callee) : FunctionRole::None;
    hasBackward |= role == FunctionRole::Backward;
    hasStep |= role == FunctionRole::Step;
    readsGradients |= role == FunctionRole::Gradient || role == FunctionRole::Differentiate;
    const Expr *object = objectOf(&call);
    const bool isModuleCall = object && isModule(values.roleOf(object));
    const bool isComputed = callee && vocabulary.isFramework(callee) &&
                            !vocabulary.worksInPlace(callee) && role != FunctionRole::Detach &&
                            role != FunctionRole::Overwrite && role != FunctionRole::Register;
    const bool asks = role == FunctionRole::RequireGrad;
    const unsigned first = object && isa<CXXOperatorCallExpr>(&call) ? 1 : 0;
    if (object && isTensor(object))
      isElsewhere |= !isComputed && !asks;
    else if (object)
      collect(object);
    else
      collect(call.getCallee());
    for (unsigned i = first; i < call.getNumArgs(); ++i) {
      const Expr *argument = call.getArg(i);
      if (!isInputOf(argument)) {
        collect(argument);
        continue;
      }
      isInput |= isModuleCall || isLoss(callee);
      isElsewhere |= !isModuleCall && !isComputed;
    }
  }

  /// Whether it is the tensor, be it on another device.
  bool isInputOf(const Expr *argument) {
    const auto *call = dyn_cast<CXXMemberCallExpr>(strip(argument));
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (callee && vocabulary.roleOf(callee) == FunctionRole::Move)
      return isInputOf(call->getImplicitObjectArgument());
    return isTensor(argument);
  }

  bool isLoss(const FunctionDecl *callee) const {
    switch (callee ? vocabulary.operationOf(callee) : Operation::None) {
    case Operation::LogitsLoss:
    case Operation::LogProbabilitiesLoss:
    case Operation::ProbabilityLoss:
    case Operation::LogitLoss:
    case Operation::DistanceLoss:
      return true;
    default:
      return false;
    }
  }

  const Place tensor;
  Values &values;
  Vocabulary &vocabulary;
  bool hasBackward = false, hasStep = false;
};

} // namespace

/// Whether \p expr is a tensor that nobody outside of the function has: a new one, or a part of a
/// batch, or computed of such.
static bool isOwn(const Expr *expr, Vocabulary &vocabulary, unsigned depth = 0) {
  expr = originalOf(expr);
  if (depth > 8)
    return false;
  if (const auto *call = dyn_cast<CallExpr>(expr)) {
    const FunctionDecl *callee = call->getDirectCallee();
    const Expr *object = objectOf(call);
    if (!callee || !vocabulary.isFramework(callee))
      return false;
    const FunctionRole role = vocabulary.roleOf(callee);
    if (object)
      return isOwn(object, vocabulary, depth + 1);
    const auto isOfOthers = [&](const Expr *argument) {
      return vocabulary.roleOf(argument->getType()) == TypeRole::Tensor &&
             !isOwn(argument, vocabulary, depth + 1);
    };
    return role == FunctionRole::Create || role == FunctionRole::CreateLike ||
           (isa<CXXOperatorCallExpr>(call) && llvm::none_of(call->arguments(), isOfOthers));
  }
  if (const auto *member = dyn_cast<MemberExpr>(expr))
    return !isa<CXXThisExpr>(strip(member->getBase())) && !member->isArrow() &&
           isOwn(member->getBase(), vocabulary, depth + 1);
  const auto *reference = dyn_cast<DeclRefExpr>(expr);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!variable || !variable->isLocalVarDecl() || variable->isStaticLocal())
    return false;
  if (variable->isCXXForRangeDecl())
    return vocabulary.roleOf(variable->getType()) != TypeRole::Tensor; // A batch.
  return variable->hasInit() && isOwn(variable->getInit(), vocabulary, depth + 1);
}

bool asksInVain(const CallExpr &call, const FunctionCode &function, Values &values,
                Vocabulary &vocabulary) {
  const Stmt *statement = function.statementOf(&call);
  const auto *declared = dyn_cast_or_null<DeclStmt>(statement);
  const Expr *object = objectOf(&call);
  const bool isOfTensor = object && values.roleOf(object) == TypeRole::Tensor;
  const VarDecl *kept = nullptr;
  if (declared) { // `auto x = batch.data.requires_grad_();`, `auto x = torch::rand({2}, options);`
    kept = declared->isSingleDecl() ? dyn_cast<VarDecl>(declared->getSingleDecl()) : nullptr;
    if (!kept || !kept->hasInit() || vocabulary.roleOf(kept->getType()) != TypeRole::Tensor ||
        !isOwn(kept->getInit(), vocabulary))
      return false;
  } else if (!isOfTensor || function.expressionStatementOf(&call) != &call) {
    return false;
  }
  llvm::SmallVector<Place, 2> tensors;
  if (kept)
    tensors.push_back({kept});
  const Expr *root = isOfTensor ? originalOf(object) : nullptr;
  if (root && !isOwn(root, vocabulary))
    return false;
  const auto *part = dyn_cast_or_null<MemberExpr>(root);
  const auto *reference = dyn_cast_or_null<DeclRefExpr>(part ? strip(part->getBase()) : root);
  if (const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr)
    tensors.push_back({variable, part ? part->getMemberDecl() : nullptr});
  bool isInput = false;
  for (size_t i = 0; i < tensors.size(); ++i) {
    InputUses uses(tensors[i], values, vocabulary);
    uses.collect(function.body);
    if (!uses.isInVain() || tensors.size() > 8)
      return false;
    isInput |= uses.isInput;
    for (const VarDecl *variable : uses.computed) // `auto y = torch::matmul(x, w)`
      if (llvm::none_of(tensors, [&](const Place &known) { return known.variable == variable; }))
        tensors.push_back({variable});
  }
  return isInput;
}

} // namespace gradtidy
