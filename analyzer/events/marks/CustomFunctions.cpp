#include "CustomFunctions.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace gradtidy {
namespace {

/// The class of a static function of that \p name that computes its own gradients, or null.
const CXXRecordDecl *classWith(StringRef name, const FunctionDecl &function,
                               const Vocabulary &vocabulary) {
  const auto *method = dyn_cast<CXXMethodDecl>(&function);
  if (!method || !method->isStatic() || simpleName(method) != name ||
      !method->getParent()->hasDefinition())
    return nullptr;
  const auto isBase = [&](const CXXBaseSpecifier &base) {
    const CXXRecordDecl *record = base.getType()->getAsCXXRecordDecl();
    return record && vocabulary.traitOf(record) == Trait::OwnGradients;
  };
  return llvm::any_of(method->getParent()->bases(), isBase) ? method->getParent() : nullptr;
}

/// The function, if there is one of that name.
const CXXMethodDecl *soleMethod(const CXXRecordDecl &record, StringRef name) {
  const CXXMethodDecl *found = nullptr;
  for (const Decl *member : record.decls()) {
    const auto *declared = dyn_cast<NamedDecl>(member);
    if (!declared || !declared->getIdentifier() || declared->getName() != name)
      continue;
    const auto *method = dyn_cast<CXXMethodDecl>(declared);
    if (found || !method)
      return nullptr;
    found = method;
  }
  return found;
}

/// The inputs of \p forward, one gradient each; none where lists or defaults make their number
/// open.
std::optional<ArrayRef<ParmVarDecl *>> inputsOf(const CXXMethodDecl &forward,
                                                const Vocabulary &vocabulary) {
  if (forward.getNumParams() == 0 || forward.isVariadic())
    return std::nullopt;
  const ArrayRef<ParmVarDecl *> inputs = forward.parameters().drop_front(); // The context.
  for (const ParmVarDecl *input : inputs) {
    const CXXRecordDecl *record = input->getType().getNonReferenceType()->getAsCXXRecordDecl();
    const Trait trait = record ? vocabulary.traitOf(record) : Trait::None;
    if (input->hasDefaultArg() || input->getType()->isDependentType() ||
        trait == Trait::OwnsElements || trait == Trait::ViewsElements)
      return std::nullopt;
  }
  return inputs;
}

/// `Tensor()`, `{}`.
bool isUndefined(const Expr *gradient) {
  gradient = strip(gradient);
  if (const auto *list = dyn_cast<InitListExpr>(gradient))
    return list->getNumInits() == 0;
  const auto *construct = dyn_cast<CXXConstructExpr>(gradient);
  return construct && (construct->getNumArgs() == 0 ||
                       (construct->getNumArgs() == 1 && isUndefined(construct->getArg(0))));
}

/// Whether a tensor is computed there.
bool isComputed(const Expr *gradient) {
  const auto *call = dyn_cast<CallExpr>(originalOf(gradient));
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  return callee && (callee->getOverloadedOperator() != OO_None || objectOf(call)) &&
         call->isPRValue() && !isa<CXXConversionDecl>(callee);
}

bool mentions(const Stmt &part, const ValueDecl &variable) {
  const auto *reference = dyn_cast<DeclRefExpr>(&part);
  return (reference && reference->getDecl() == &variable) ||
         llvm::any_of(part.children(),
                      [&](const Stmt *child) { return child && mentions(*child, variable); });
}

/// Whether a function that ends at \p part gives \p variable back, by itself or in a list.
bool returnsIt(const Stmt &part, const ValueDecl &variable) {
  if (const auto *returned = dyn_cast<ReturnStmt>(&part)) {
    const Expr *value = returned->getRetValue();
    if (!value)
      return false;
    const Expr *given = convertedFrom(value);
    if (!given)
      return false;
    const auto isIt = [&](const Expr *each) {
      const auto *reference = dyn_cast<DeclRefExpr>(originalOf(each));
      return reference && reference->getDecl() == &variable;
    };
    const auto *list = dyn_cast<InitListExpr>(given);
    return list ? llvm::any_of(list->inits(), isIt) : isIt(given);
  }
  return llvm::any_of(part.children(), [&](const Stmt *child) {
    return child && !isa<LambdaExpr>(child) && returnsIt(*child, variable);
  });
}

/// Whether the variable gets another tensor, or is marked in the context.
bool isRebound(const Stmt &part, const ValueDecl &variable) {
  if (const auto *expr = dyn_cast<Expr>(&part)) {
    if (const std::optional<Assigned> assigned = asAssignment(expr)) {
      const auto *target = dyn_cast<DeclRefExpr>(strip(assigned->target));
      if (target && target->getDecl() == &variable)
        return true;
    }
    const auto *call = dyn_cast<CallExpr>(expr);
    if (call && simpleName(call->getDirectCallee()) == "mark_dirty" && mentions(*call, variable))
      return true;
  }
  return llvm::any_of(part.children(),
                      [&](const Stmt *child) { return child && isRebound(*child, variable); });
}

const VarDecl *variableOf(const Expr &expr) {
  const auto *reference = dyn_cast<DeclRefExpr>(originalOf(&expr));
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

} // namespace

CustomFunctionFacts gradientsOf(const FunctionDecl &function, const ReturnStmt &returned,
                                const Vocabulary &vocabulary) {
  const CXXRecordDecl *record = classWith("backward", function, vocabulary);
  const CXXMethodDecl *forward = record ? soleMethod(*record, "forward") : nullptr;
  const Expr *value = returned.getRetValue();
  if (!forward || !value)
    return {};
  const auto inputs = inputsOf(*forward, vocabulary);
  const auto *list = dyn_cast_or_null<InitListExpr>(convertedFrom(value));
  if (!inputs || !list)
    return {};
  CustomFunctionFacts facts;
  const unsigned given = list->getNumInits(), expected = inputs->size();
  const bool hasMore = llvm::any_of(list->inits().drop_front(std::min(given, expected)),
                                    [](const Expr *gradient) { return isComputed(gradient); });
  if (given < expected || hasMore) {
    facts.inputs = static_cast<int>(expected);
    facts.gradients = static_cast<int>(given);
  }
  for (unsigned i = 0; i < std::min(given, expected) && facts.misplaced < 0; ++i)
    if ((*inputs)[i]->getType().getNonReferenceType()->isArithmeticType() &&
        isComputed(list->getInit(i)) && !isUndefined(list->getInit(i)))
      facts.misplaced = static_cast<int>(i);
  return facts;
}

bool changesInput(const FunctionDecl &function, const CallExpr &call,
                  const Vocabulary &vocabulary) {
  const Operator *run = vocabulary.operatorOf(call.getDirectCallee());
  if (!classWith("forward", function, vocabulary) || !run || !run->changesElements())
    return false;
  const auto *input = dyn_cast_or_null<ParmVarDecl>(variableOf(*objectOf(&call)));
  return input && returnsIt(*function.getBody(), *input) && !isRebound(*function.getBody(), *input);
}

bool keepsOutput(const FunctionDecl &function, const Expr &place, const Expr &value,
                 Vocabulary &vocabulary) {
  if (!classWith("forward", function, vocabulary) || function.getNumParams() == 0)
    return false;
  const auto *element = dyn_cast<CXXOperatorCallExpr>(strip(&place));
  const auto *table = element && element->getOperator() == OO_Subscript
                          ? dyn_cast<MemberExpr>(strip(element->getArg(0)))
                          : nullptr;
  const auto *context = table ? dyn_cast<DeclRefExpr>(strip(table->getBase())) : nullptr;
  if (!context || context->getDecl() != function.getParamDecl(0))
    return false;
  const VarDecl *output = variableOf(value);
  return output && vocabulary.roleOf(output->getType()) == TypeRole::Tensor &&
         !isa<ParmVarDecl>(output) && returnsIt(*function.getBody(), *output);
}

bool isOwnBackward(const FunctionDecl &function, const Vocabulary &vocabulary) {
  return classWith("backward", function, vocabulary) != nullptr;
}

} // namespace gradtidy
