// What a call calls, and which event that is.
#include "FunctionLowering.h"
#include "analyzer/ir/UserWords.h"

#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"

namespace gradtidy {

using namespace clang;

/// The name of an unresolved call in a class template that may be of a method of `this`.
static std::string ownName(const CallExpr *call) {
  const Expr *callee = call->getCallee()->IgnoreParenImpCasts();
  if (const auto *member = dyn_cast<CXXDependentScopeMemberExpr>(callee))
    return member->isImplicitAccess() ? member->getMember().getAsString() : "";
  const auto *lookup = dyn_cast<OverloadExpr>(callee);
  return lookup ? lookup->getName().getAsString() : "";
}

static bool isAssignment(const CallExpr *call) {
  const auto *operation = dyn_cast<CXXOperatorCallExpr>(call);
  return operation && operation->getOperator() == OO_Equal;
}

CallSite FunctionLowering::resolve(const CallExpr *call) {
  CallSite site;
  site.call = call;
  site.callee = values.calleeOf(call);
  site.method = dyn_cast_or_null<CXXMethodDecl>(site.callee);
  site.isAssignment = isAssignment(call);
  site.object = objectOf(call);
  const bool isOpen = site.callee && !call->getDirectCallee();
  if (isOpen && !site.object && site.method)
    site.object =
        isa<CXXOperatorCallExpr>(call) ? call->getArg(0) : unresolvedMember(call, site.name);
  site.arguments.append(call->arg_begin(), call->arg_end());
  if (site.object && isa<CXXOperatorCallExpr>(call))
    site.arguments.erase(site.arguments.begin());
  site.role = site.callee ? vocabulary.roleOf(site.callee) : FunctionRole::None;
  site.name = simpleName(site.callee).str();
  if (!site.callee) {
    site.object = unresolvedMember(call, site.name);
    if (site.object)
      site.role = vocabulary.roleOfMember(values.roleOf(site.object), site.name);
    else if (result->isModuleMethod && !ownName(call).empty())
      site.role = vocabulary.roleOfMember(TypeRole::Module, ownName(call));
  }
  site.isExternal = site.callee ? values.isExternal(site.callee) : site.role != FunctionRole::None;
  return site;
}

const Expr *FunctionLowering::unresolvedMember(const CallExpr *call, std::string &name) {
  const Expr *callee = call->getCallee()->IgnoreParenImpCasts();
  if (const auto *member = dyn_cast<CXXDependentScopeMemberExpr>(callee);
      member && !member->isImplicitAccess()) {
    name = member->getMember().getAsString();
    return member->getBase();
  }
  if (const auto *member = dyn_cast<UnresolvedMemberExpr>(callee);
      member && !member->isImplicitAccess()) {
    name = member->getMemberName().getAsString();
    return member->getBase();
  }
  if (isModule(values.roleOf(callee))) {
    name = "operator()";
    return callee;
  }
  const auto *recovery = dyn_cast<RecoveryExpr>(callee);
  if (!recovery || recovery->subExpressions().size() != 1)
    return nullptr;
  name = lastToken(*recovery);
  return recovery->subExpressions().front();
}

StringRef FunctionLowering::lastToken(const Expr &expr) const {
  return Lexer::getSourceText(CharSourceRange::getTokenRange(expr.getEndLoc()),
                              context.getSourceManager(), context.getLangOpts());
}

bool FunctionLowering::namesField(const RecoveryExpr &error) {
  const CXXRecordDecl *record =
      error.subExpressions().size() == 1
          ? vocabulary.classOf(values.typeOf(error.subExpressions().front()))
          : nullptr;
  return record && record->hasDefinition() &&
         llvm::any_of(record->getDefinition()->fields(), [&](const FieldDecl *field) {
           return field->isInvalidDecl() && field->getName() == lastToken(error);
         });
}

// --- which event --------------------------------------------------------------------------------

static EventKind kindOf(FunctionRole role) {
  switch (role) {
  case FunctionRole::Backward:
    return EventKind::Backward;
  case FunctionRole::Step:
    return EventKind::Step;
  case FunctionRole::ClearGradients:
    return EventKind::ClearGradients;
  case FunctionRole::Detach:
  case FunctionRole::DetachInPlace:
    return EventKind::Detach;
  case FunctionRole::Overwrite:
    return EventKind::Overwrite;
  case FunctionRole::Differentiate:
    return EventKind::Differentiate;
  case FunctionRole::Create:
  case FunctionRole::CreateLike:
    return EventKind::Create;
  case FunctionRole::Move:
  case FunctionRole::MoveToCpu:
  case FunctionRole::MoveToCuda:
    return EventKind::Move;
  case FunctionRole::Train:
  case FunctionRole::Eval:
    return EventKind::SetMode;
  case FunctionRole::SetGradMode:
    return EventKind::SetGradMode;
  case FunctionRole::SetAutocast:
    return EventKind::SetAutocast;
  case FunctionRole::SetAutocastCache:
    return EventKind::SetAutocastCache;
  case FunctionRole::ClearAutocastCache:
    return EventKind::ClearAutocastCache;
  case FunctionRole::RequireGrad:
    return EventKind::RequireGrad;
  case FunctionRole::Load:
    return EventKind::Load;
  case FunctionRole::None:
  case FunctionRole::Parameters:
  case FunctionRole::Gradient:
  case FunctionRole::Defined:
  case FunctionRole::NonDifferentiable:
  case FunctionRole::Reduce:
  case FunctionRole::AnyDevice:
  case FunctionRole::Register:
  case FunctionRole::Attribute:
    return EventKind::Call;
  }
  return EventKind::Call;
}

/// A call of std::function, whose body is that of the closure it holds.
static bool isCallOfClosure(const CallSite &site) {
  const auto *operation = dyn_cast<CXXOperatorCallExpr>(site.call);
  const CXXMethodDecl *method = site.method;
  return operation && method && operation->getOperator() == OO_Call && isStandard(method) &&
         method->getParent()->getIdentifier() && method->getParent()->getName() == "function";
}

void FunctionLowering::classify(CallSite &site) {
  site.isComputed =
      site.role == FunctionRole::Create && llvm::any_of(site.arguments, [&](const Expr *argument) {
        return values.roleOf(argument) == TypeRole::Tensor;
      });
  site.kind = site.isComputed ? EventKind::Combine : kindOf(site.role);
  if (site.role == FunctionRole::CreateLike && site.object && isModule(values.roleOf(site.object)))
    site.kind = EventKind::Call;
  if (site.kind == EventKind::Call)
    site.kind = kindByCallee(site);
  if (site.kind == EventKind::Overwrite && site.isAssignment && site.object &&
      !isGradient(site.object))
    site.kind = EventKind::Combine;
}

/// Whether the call launches a CUDA kernel, or says with which grid: it gives work to the GPU, and
/// runs nothing on the host.
static bool isLaunch(const CallSite &site, ASTContext &context) {
  return isa<CUDAKernelCallExpr>(site.call) ||
         (site.callee && site.callee == context.getcudaConfigureCallDecl());
}

EventKind FunctionLowering::kindByCallee(CallSite &site) {
  if (isLaunch(site, context))
    return EventKind::Combine;
  if (isCallOfClosure(site))
    return EventKind::Call;
  if (site.object && isForwardCall(site))
    return EventKind::Forward;
  if (site.isExternal && isFactory(site.callee)) {
    const QualType made = pointee(site.call->getType());
    site.constructor = constructorOf(made->getAsCXXRecordDecl(), site.arguments);
    return site.constructor ? EventKind::Call : EventKind::Construct;
  }
  return site.isExternal || isMemberwise(site) ? EventKind::Combine : EventKind::Call;
}

bool FunctionLowering::isForwardCall(const CallSite &site) {
  if (!isModule(values.roleOf(site.object)))
    return false;
  if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(site.call))
    return operation->getOperator() == OO_Call;
  if (words::isForward(site.name) || site.name == "operator()")
    return true;
  // Other ways through a module are followed where they can be seen.
  return words::speaksOfForward(site.name) && site.callee && !site.isExternal &&
         !site.callee->isDefined() && vocabulary.holdsTensors(site.call->getType());
}

bool FunctionLowering::isMemberwise(const CallSite &site) {
  if (!site.isAssignment || !site.callee || !site.callee->isDefaulted() || site.callee->isDeleted())
    return false;
  const Expr *target = site.call->getArg(0);
  return values.roleOf(target) != TypeRole::ModuleHolder || isa<DeclRefExpr>(strip(target)) ||
         values.operand(site.call->getArg(1)).fresh;
}

// --- which body ---------------------------------------------------------------------------------

/// What a call with damaged arguments calls, if there is nothing else of the name.
static const FunctionDecl *onlyCandidate(const CallExpr *call) {
  const auto *lookup = dyn_cast<UnresolvedLookupExpr>(call->getCallee()->IgnoreParenImpCasts());
  if (!lookup || lookup->getNumDecls() != 1)
    return nullptr;
  return (*lookup->decls_begin())->getUnderlyingDecl()->getAsFunction();
}

const FunctionDecl *FunctionLowering::bodyOf(const CallSite &site) {
  if (site.kind == EventKind::Forward)
    return forwardOf(site.callee, site.object);
  if (site.kind != EventKind::Call)
    return nullptr;
  if (site.constructor)
    return site.constructor;
  return site.callee ? site.callee : onlyCandidate(site.call);
}

const FunctionDecl *FunctionLowering::forwardOf(const FunctionDecl *callee, const Expr *object) {
  const CXXRecordDecl *record = vocabulary.classOf(object->getType());
  if ((callee && !values.isExternal(callee)) || !record || !record->hasDefinition())
    return callee;
  const auto found = record->lookup(DeclarationName(&context.Idents.get(words::forward)));
  const FunctionDecl *own = found.isSingleResult() ? found.front()->getAsFunction() : nullptr;
  return own ? own : callee;
}

bool FunctionLowering::isVirtual(const CallExpr *call) const {
  const auto *member = dyn_cast<MemberExpr>(call->getCallee()->IgnoreParenImpCasts());
  const auto *method = member ? dyn_cast<CXXMethodDecl>(member->getMemberDecl()) : nullptr;
  if (!method || !method->isVirtual() || !member->performsVirtualDispatch(context.getLangOpts()))
    return false;
  const auto *object = dyn_cast<DeclRefExpr>(member->getBase()->IgnoreParenImpCasts());
  return !object || object->getDecl()->getType()->isReferenceType() || member->isArrow();
}

} // namespace gradtidy
