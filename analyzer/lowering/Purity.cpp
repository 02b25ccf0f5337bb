// Calls that have no effect but their result, so that nothing is left of them where that is
// dropped.
#include "FunctionLowering.h"

#include "clang/AST/ASTContext.h"

namespace gradtidy {

using namespace clang;

/// Whether an operator has no effect but its result, as that of `a * b`.
static bool makesValue(OverloadedOperatorKind operation) {
  switch (operation) {
  case OO_Plus:
  case OO_Minus:
  case OO_Star:
  case OO_Slash:
  case OO_Percent:
  case OO_Caret:
  case OO_Amp:
  case OO_Pipe:
  case OO_Tilde:
  case OO_Exclaim:
  case OO_Less:
  case OO_Greater:
  case OO_LessEqual:
  case OO_GreaterEqual:
  case OO_EqualEqual:
  case OO_ExclaimEqual:
    return true;
  default:
    return false;
  }
}

/// Whether \p statement speaks of an option to work in place, or may hide one.
static bool namesInPlace(const Stmt *statement) {
  constexpr StringRef name = "inplace";
  if (const auto *member = dyn_cast_or_null<MemberExpr>(statement);
      member && member->getMemberNameInfo().getAsString() == "out")
    return true;
  if (!statement || isa<CXXDefaultArgExpr>(statement))
    return false;
  if (isa<DeclRefExpr, MemberExpr>(statement))
    if (const CXXRecordDecl *record = cast<Expr>(statement)->getType()->getAsCXXRecordDecl();
        record && record->getIdentifier() && record->getName().ends_with("Options"))
      return true; // A variable.
  if (const auto *member = dyn_cast<MemberExpr>(statement);
      member && member->getMemberNameInfo().getAsString() == name)
    return true;
  if (const auto *construct = dyn_cast<CXXConstructExpr>(statement))
    for (unsigned i = 0; i < construct->getNumArgs(); ++i)
      if (i < construct->getConstructor()->getNumParams() &&
          construct->getConstructor()->getParamDecl(i)->getName() == name &&
          !isa<CXXDefaultArgExpr>(construct->getArg(i)))
        return true;
  return llvm::any_of(statement->children(), namesInPlace);
}

/// Whether a layer keeps statistics, or holds layers of which nobody knows what they do.
static bool mayHaveEffects(const CXXRecordDecl &layer, Vocabulary &vocabulary) {
  const Trait trait = vocabulary.traitOf(&layer);
  return trait == Trait::Container || trait == Trait::Opaque ||
         vocabulary.aspectsOf(&layer).has(Aspect::KeepsStatistics);
}

bool FunctionLowering::isForwardPass() const {
  return result->isModuleMethod && isForward(function);
}

/// Whether \p callee makes a new dataset of one.
static bool mapsDataset(const FunctionDecl &callee, Vocabulary &vocabulary) {
  return vocabulary.is(&callee, {Aspect::MapsDataset});
}

/// Whether \p method gives options of tensors like its object's, but for one of them.
bool FunctionLowering::setsOption(const CXXMethodDecl &method) const {
  const CXXRecordDecl *given = method.getReturnType()->getAsCXXRecordDecl();
  return given && method.isConst() && vocabulary.traitOf(given) == Trait::TensorOptions &&
         given->getCanonicalDecl() == method.getParent()->getCanonicalDecl();
}

bool FunctionLowering::isPure(const FunctionDecl *callee, const CallExpr *call) {
  if (mapsDataset(*callee, vocabulary))
    return true;
  StringRef name = simpleName(callee);
  QualType type = callee->getReturnType();
  if (makesValue(callee->getOverloadedOperator()))
    return values.isExternal(callee) && vocabulary.roleOf(type) == TypeRole::Tensor;
  if (const auto *method = dyn_cast<CXXMethodDecl>(callee); method && setsOption(*method))
    return true;
  if (name.empty() || vocabulary.worksInPlace(callee) || name.starts_with("_") ||
      type->isReferenceType() || !values.isExternal(callee) ||
      vocabulary.roleOf(type) != TypeRole::Tensor)
    return false;
  FunctionRole role = vocabulary.roleOf(callee);
  if (role == FunctionRole::Overwrite || role == FunctionRole::RequireGrad)
    return false;
  if (const auto *method = dyn_cast<CXXMethodDecl>(callee); method && method->isInstance())
    return method->isConst() && vocabulary.roleOf(method->getParent()) == TypeRole::Tensor;
  if (call->getNumArgs() == 0 || isa<CXXMethodDecl>(callee) ||
      llvm::any_of(call->arguments(), namesInPlace))
    return false;
  if (isForwardPass() && !code->isConditional(call))
    return vocabulary.holdsTensors(call->getArg(0)->getType()) &&
           !vocabulary.is(callee, {Aspect::KeepsStatistics});
  // Elsewhere a function is called for its effect only by mistake for the one that works in
  // place: a benchmark throws results away.
  const CXXRecordDecl *tensor =
      call->getArg(0)->getType().getNonReferenceType()->getAsCXXRecordDecl();
  if (!tensor || vocabulary.roleOf(tensor) != TypeRole::Tensor)
    return false;
  return vocabulary.worksInPlace((name + "_").str());
}

bool FunctionLowering::isPureLayer(const Expr *object, const CallExpr *call) const {
  object = strip(object);
  if (const auto *arrow = dyn_cast<CXXOperatorCallExpr>(object);
      arrow && arrow->getOperator() == OO_Arrow)
    object = strip(arrow->getArg(0));
  const auto *member = dyn_cast<MemberExpr>(object);
  const auto *field = member ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
  const CXXRecordDecl *layer = field ? vocabulary.classOf(field->getType()) : nullptr;
  if (!layer || !isForwardPass() || !vocabulary.isFramework(layer) ||
      mayHaveEffects(*layer, vocabulary) || code->isConditional(call))
    return false;
  const auto *owner = cast<CXXRecordDecl>(field->getParent());
  return !namesInPlace(field->getInClassInitializer()) &&
         llvm::all_of(owner->ctors(), [](const CXXConstructorDecl *constructor) {
           const FunctionDecl *body = nullptr;
           if (!constructor->isDefined(body))
             return constructor->isImplicit();
           return !namesInPlace(body->getBody()) &&
                  llvm::none_of(cast<CXXConstructorDecl>(body)->inits(),
                                [](const CXXCtorInitializer *initialiser) {
                                  return namesInPlace(initialiser->getInit());
                                });
         });
}

} // namespace gradtidy
