// What errors and template parameters leave open: the types of expressions, and what calls call.
#include "Values.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

namespace gradtidy {

using namespace clang;

QualType Values::typeOf(const Expr *expr) {
  expr = strip(expr);
  QualType type = expr->getType();
  if (!expr->isTypeDependent() && !expr->containsErrors())
    return type;
  if (const auto *reference = dyn_cast<DeclRefExpr>(expr)) {
    const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    return variable && variable->getInit() && variable->getType()->getContainedAutoType()
               ? typeOf(variable->getInit())
               : type;
  }
  if (const auto *construct = dyn_cast<CXXUnresolvedConstructExpr>(expr))
    return construct->getTypeAsWritten();
  if (const FieldDecl *field = openField(expr))
    return field->getType();
  if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(expr))
    return typeOfElement(*subscript);
  if (const auto *operation = dyn_cast<BinaryOperator>(expr))
    return typeOfOperation(operation->getLHS(), operation->getRHS());
  const auto *call = dyn_cast<CallExpr>(expr);
  if (call && isa<CXXOperatorCallExpr>(call) && call->getNumArgs() == 2 && !call->getDirectCallee())
    return typeOfOperation(call->getArg(0), call->getArg(1));
  return call ? typeOfCall(call) : type;
}

const CXXRecordDecl *Values::recordOf(const Expr *expr) {
  const QualType type = typeOf(expr);
  const CXXRecordDecl *record =
      type.isNull() ? nullptr : type.getNonReferenceType()->getAsCXXRecordDecl();
  return record ? record->getDefinition() : nullptr;
}

/// The members of that name, of the class or else of a class it is derived from.
static DeclContext::lookup_result membersOf(const CXXRecordDecl *record, DeclarationName name) {
  DeclContext::lookup_result found = record->lookup(name);
  for (const CXXBaseSpecifier &base : record->bases()) {
    const CXXRecordDecl *inherited = base.getType()->getAsCXXRecordDecl();
    if (found.empty() && inherited && inherited->hasDefinition())
      found = membersOf(inherited->getDefinition(), name);
  }
  return found;
}

bool Values::isNumber(const Expr *expr) {
  const QualType type = typeOf(expr);
  return !type.isNull() && type->isArithmeticType();
}

const FieldDecl *Values::openField(const Expr *expr) {
  const auto *member = dyn_cast<CXXDependentScopeMemberExpr>(expr);
  if (!member || member->isImplicitAccess() || member->isArrow())
    return nullptr;
  const CXXRecordDecl *record = recordOf(member->getBase());
  const auto found = record ? membersOf(record, member->getMember()) : DeclContext::lookup_result();
  return found.isSingleResult() ? dyn_cast<FieldDecl>(found.front()) : nullptr;
}

void Values::forEachCandidate(const CallExpr *call,
                              llvm::function_ref<void(const FunctionDecl *)> visit) {
  const auto consider = [&](const NamedDecl *candidate) {
    visit(candidate->getUnderlyingDecl()->getAsFunction());
  };
  const Expr *callee = call->getCallee()->IgnoreParenImpCasts();
  const auto *operation = dyn_cast<CXXOperatorCallExpr>(call);
  const auto *member = dyn_cast<CXXDependentScopeMemberExpr>(callee);
  if (operation && operation->getNumArgs() > 0) {
    const DeclarationName name =
        context.DeclarationNames.getCXXOperatorName(operation->getOperator());
    if (const CXXRecordDecl *record = recordOf(operation->getArg(0)))
      llvm::for_each(membersOf(record, name), consider);
  } else if (const auto *overloads = dyn_cast<OverloadExpr>(callee)) {
    llvm::for_each(overloads->decls(), consider);
  } else if (member && !member->isImplicitAccess() && !member->isArrow()) {
    if (const CXXRecordDecl *record = recordOf(member->getBase()))
      llvm::for_each(membersOf(record, member->getMember()), consider);
  }
}

const FunctionDecl *Values::calleeOf(const CallExpr *call) {
  if (const FunctionDecl *callee = call->getDirectCallee())
    return callee;
  const FunctionDecl *likely = nullptr;
  bool isOpen = false;
  forEachCandidate(call, [&](const FunctionDecl *function) {
    const bool hasObject =
        isa<CXXOperatorCallExpr>(call) && isa_and_nonnull<CXXMethodDecl>(function);
    const unsigned given = call->getNumArgs() - (hasObject ? 1 : 0);
    if (!function || given < function->getMinRequiredArguments() ||
        (given > function->getNumParams() && !function->isVariadic()))
      return;
    isOpen |= !isExternal(function) || !vocabulary.isFramework(function) ||
              (likely && (vocabulary.roleOf(likely) != vocabulary.roleOf(function) ||
                          vocabulary.operationOf(likely) != vocabulary.operationOf(function)));
    likely = function;
  });
  return isOpen ? nullptr : likely;
}

/// A part of a tensor is one; what is read through an accessor is taken for a number at once.
QualType Values::typeOfElement(const ArraySubscriptExpr &subscript) {
  const Expr *whole = strip(subscript.getBase());
  const QualType type = typeOf(whole);
  if (vocabulary.roleOf(type) == TypeRole::Tensor)
    return type;
  if (type->isPointerType())
    return type->getPointeeType();
  const auto *named = dyn_cast<DeclRefExpr>(whole);
  const auto *variable = named ? dyn_cast<VarDecl>(named->getDecl()) : nullptr;
  const Expr *made = variable && variable->hasInit() ? strip(variable->getInit()) : whole;
  const auto *call = dyn_cast<CallExpr>(made);
  const auto *accessor = call ? dyn_cast<CXXDependentScopeMemberExpr>(call->getCallee()) : nullptr;
  const FunctionDecl *callee = accessor ? calleeOf(call) : nullptr;
  const bool isNumber =
      callee && accessor->getNumTemplateArgs() > 0 &&
      vocabulary.operationOf(callee) == Operation::AccessElements &&
      accessor->getTemplateArgs()[0].getArgument().getKind() == TemplateArgument::Type;
  if (isNumber)
    return accessor->getTemplateArgs()[0].getArgument().getAsType();
  return type->isArithmeticType() ? type : subscript.getType();
}

/// What is made of a tensor and something unknown is a tensor.
QualType Values::typeOfOperation(const Expr *left, const Expr *right) {
  QualType type = typeOf(left);
  return vocabulary.roleOf(type) == TypeRole::Tensor ? type : typeOf(right);
}

/// What a template gives that is told the first of its types: `item<float>()`, `data_ptr<float>()`.
static QualType typeAskedFor(QualType returned, const TemplateArgument &first,
                             const ASTContext &context) {
  const auto isIt = [](QualType type) {
    const auto *parameter = type->getAs<TemplateTypeParmType>();
    return parameter && parameter->getIndex() == 0;
  };
  if (first.getKind() != TemplateArgument::Type)
    return returned;
  if (isIt(returned))
    return first.getAsType();
  return returned->isPointerType() && isIt(returned->getPointeeType())
             ? context.getPointerType(first.getAsType())
             : returned;
}

QualType Values::typeOfCall(const CallExpr *call) {
  const auto *open =
      dyn_cast<CXXDependentScopeMemberExpr>(call->getCallee()->IgnoreParenImpCasts());
  const bool isAsked = open && open->getNumTemplateArgs() > 0;
  QualType result;
  const auto consider = [&](const FunctionDecl *function) {
    if (isAsked && function && !function->getDescribedFunctionTemplate())
      return;
    QualType type = function ? function->getReturnType().getNonReferenceType().getUnqualifiedType()
                             : QualType();
    if (isAsked && function)
      type = typeAskedFor(type, open->getTemplateArgs()[0].getArgument(), context);
    const bool agrees =
        result.isNull() || (!type.isNull() && result.getCanonicalType() == type.getCanonicalType());
    result = agrees && !type.isNull() ? type : call->getType();
  };
  if (const FunctionDecl *function = call->getDirectCallee())
    consider(function);
  else
    forEachCandidate(call, consider);
  return result.isNull() ? call->getType() : result;
}

} // namespace gradtidy
