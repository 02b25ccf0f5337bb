#include "Values.h"
#include "analyzer/ir/UserWords.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

namespace gradtidy {

using namespace clang;

namespace {

/// What a call reaches for in its object.
enum class Reach : unsigned char { Nothing, Object, Element, AnyElement };

} // namespace

const Expr *onlyDamaged(const Expr *expr) {
  const auto *recovery = dyn_cast<RecoveryExpr>(expr);
  if (!recovery || recovery->subExpressions().size() != 1)
    return nullptr;
  const Expr *part = recovery->subExpressions().front();
  return part->getSourceRange() == recovery->getSourceRange() ? part : nullptr;
}

const Expr *strip(const Expr *expr) {
  while (true) {
    const Expr *inner = expr->IgnoreParens();
    if (const auto *cast = dyn_cast<CastExpr>(inner))
      inner = cast->getSubExpr();
    else if (const auto *full = dyn_cast<FullExpr>(inner))
      inner = full->getSubExpr();
    else if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(inner))
      inner = temporary->getSubExpr();
    else if (const auto *bound = dyn_cast<CXXBindTemporaryExpr>(inner))
      inner = bound->getSubExpr();
    else if (const auto *defaulted = dyn_cast<CXXDefaultArgExpr>(inner))
      inner = defaulted->getExpr();
    else if (const auto *initialiser = dyn_cast<CXXDefaultInitExpr>(inner))
      inner = initialiser->getExpr();
    else if (const auto *substituted = dyn_cast<SubstNonTypeTemplateParmExpr>(inner))
      inner = substituted->getReplacement();
    else if (const auto *address = dyn_cast<UnaryOperator>(inner);
             address && (address->getOpcode() == UO_AddrOf || address->getOpcode() == UO_Deref))
      inner = address->getSubExpr();
    else if (const Expr *damaged = onlyDamaged(inner))
      inner = damaged;
    else if (const auto *wrapped = dyn_cast<CXXStdInitializerListExpr>(inner))
      inner = wrapped->getSubExpr();
    else if (const auto *list = dyn_cast<InitListExpr>(inner);
             list && list->getNumInits() == 1 && !list->isSemanticForm())
      inner = list->getInit(0);
    else if (const auto *allocation = dyn_cast<CXXNewExpr>(inner);
             allocation && allocation->getConstructExpr())
      inner = allocation->getConstructExpr();
    if (inner == expr)
      return expr;
    expr = inner;
  }
}

static bool isTextClass(const CXXRecordDecl &record) {
  const StringRef name = record.getIdentifier() ? record.getName() : StringRef();
  return isStandard(&record) &&
         (name == "basic_string" || name == "basic_string_view" || name == "path");
}

bool isText(QualType type) {
  if (type.isNull())
    return false;
  type = type.getNonReferenceType();
  if (const CXXRecordDecl *record = type->getAsCXXRecordDecl())
    return isTextClass(*record);
  const QualType element = type->isPointerType() ? type->getPointeeType()
                           : type->isArrayType()
                               ? QualType(type->getArrayElementTypeNoTypeQual(), 0)
                               : QualType();
  return !element.isNull() && element->isCharType();
}

bool isNull(const Expr *value) {
  value = strip(value);
  if (isa<CXXNullPtrLiteralExpr, GNUNullExpr>(value))
    return true;
  if (const auto *list = dyn_cast<InitListExpr>(value))
    return list->getNumInits() == 1 && isNull(list->getInit(0));
  const auto *construct = dyn_cast<CXXConstructExpr>(value);
  return construct && construct->getNumArgs() == 1 && isNull(construct->getArg(0));
}

bool isArithmetic(const Expr *expr) {
  return !expr->getType().isNull() && expr->getType()->isArithmeticType();
}

StringRef simpleName(const FunctionDecl *function) {
  return function && function->getIdentifier() ? function->getName() : StringRef();
}

/// Whether a number is on its way to a class of the framework.
static bool isScalarConversion(const Expr *expr) {
  const auto *construct = dyn_cast<CXXConstructExpr>(strip(expr));
  return construct && construct->getNumArgs() == 1 && isArithmetic(strip(construct->getArg(0)));
}

bool makesScalar(const CallExpr *call, const Vocabulary &vocabulary) {
  if (call->getNumArgs() == 0)
    return true;
  const Expr *shape = strip(call->getArg(0));
  if (const FunctionDecl *callee = call->getDirectCallee();
      callee && vocabulary.traitOf(callee) == Trait::MakesScalar)
    return isArithmetic(shape) || shape->getType()->isDependentType() ||
           isScalarConversion(call->getArg(0));
  while (true) {
    if (const auto *construct = dyn_cast<CXXConstructExpr>(shape)) {
      if (construct->getNumArgs() == 0)
        return true;
      shape = strip(construct->getArg(0));
    } else {
      const auto *braces = dyn_cast<InitListExpr>(shape);
      if (braces && braces->getNumInits() == 1)
        shape = strip(braces->getInit(0));
      // Without elements it is a mark for "none".
      const auto *size = dyn_cast<IntegerLiteral>(shape);
      const CXXRecordDecl *type = call->getArg(0)->getType()->getAsCXXRecordDecl();
      bool isList = vocabulary.viewsElements(type);
      return (braces && braces->getNumInits() == 0) || (isList && size && size->getValue() == 0);
    }
  }
}

bool isForward(const FunctionDecl *function) {
  const auto *method = dyn_cast<CXXMethodDecl>(function);
  return method &&
         (method->getOverloadedOperator() == OO_Call || words::speaksOfForward(simpleName(method)));
}

bool isFactory(const FunctionDecl *callee) {
  return callee && isStandard(callee) &&
         (simpleName(callee) == "make_unique" || simpleName(callee) == "make_shared");
}

bool namesDevice(const Stmt *statement, Vocabulary &vocabulary) {
  if (!statement || isa<CXXDefaultArgExpr>(statement))
    return false;
  const auto *construct = dyn_cast<CXXConstructExpr>(statement);
  bool isSpelled = construct && llvm::any_of(construct->arguments(), [](const Expr *argument) {
                     return isa<StringLiteral>(strip(argument));
                   });
  const auto *call = dyn_cast<CallExpr>(statement);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (callee && vocabulary.roleOf(callee) == FunctionRole::MoveToCuda)
    return true;
  const auto *reference = dyn_cast<DeclRefExpr>(statement);
  if (reference && vocabulary.deviceOf(reference->getDecl()) == DeviceRole::Cpu)
    return false;
  bool isNamed = reference || isa<MemberExpr>(statement) || isSpelled ||
                 (callee && !isStandard(callee) && !vocabulary.isFramework(callee));
  if (isNamed && vocabulary.roleOf(cast<Expr>(statement)->getType()) == TypeRole::Device)
    return true;
  return llvm::any_of(statement->children(),
                      [&](const Stmt *child) { return namesDevice(child, vocabulary); });
}

Values::Values(const FunctionDecl *function, PathTable &paths, Vocabulary &vocabulary)
    : context(function->getASTContext()), paths(paths), vocabulary(vocabulary) {
  // A lambda's `this` is that of the method around it.
  const DeclContext *outer = function;
  while (outer) {
    const auto *method = dyn_cast<CXXMethodDecl>(outer);
    if (!method || !method->getParent()->isLambda())
      break;
    outer = method->getParent()->getDeclContext();
  }
  while (outer && !isa<FunctionDecl>(outer))
    outer = outer->getParent();
  thisOwner = outer ? cast<FunctionDecl>(outer)->getCanonicalDecl() : nullptr;
}

/// Whether \p expr is, or points to, an array of objects.
static bool isArrayOfObjects(const Expr *expr) {
  const QualType type = expr->IgnoreParenImpCasts()->getType();
  return !type.isNull() && type->isArrayType() &&
         type->getArrayElementTypeNoTypeQual()->isRecordType();
}

PathId Values::pathOf(const Expr *expr) {
  if (const auto *pointer = dyn_cast<ImplicitCastExpr>(expr->IgnoreParens());
      pointer && pointer->getCastKind() == CK_ArrayToPointerDecay && isArrayOfObjects(pointer))
    return paths.element(pathOf(pointer->getSubExpr())); // As begin() of a container.
  expr = strip(expr);
  if (const auto *reference = dyn_cast<DeclRefExpr>(expr))
    return pathOfVariable(reference->getDecl(), expr);
  if (isa<CXXThisExpr>(expr))
    return thisObject();
  if (const auto *member = dyn_cast<MemberExpr>(expr)) {
    const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
    if (field && isStandard(field)) // Of a pair: what std::get and bindings give, too.
      return partOf(member->getBase(), field->getFieldIndex());
    if (field)
      return paths.member(pathOf(member->getBase()),
                          vocabulary.code().symbol(field->getCanonicalDecl()));
    return pathOfVariable(member->getMemberDecl(), expr);
  }
  if (const FieldDecl *field = openField(expr)) {
    const Expr *object = cast<CXXDependentScopeMemberExpr>(expr)->getBase();
    return isStandard(field)
               ? partOf(object, field->getFieldIndex())
               : paths.member(pathOf(object), vocabulary.code().symbol(field->getCanonicalDecl()));
  }
  if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(expr);
      subscript &&
      (roleOf(subscript->getBase()) != TypeRole::Tensor || isArrayOfObjects(subscript->getBase())))
    return elementOf(subscript->getBase()->IgnoreParenImpCasts(), subscript->getIdx());
  if (const auto *sum = dyn_cast<BinaryOperator>(expr);
      sum && sum->isAdditiveOp() && sum->getType()->isPointerType() &&
      sum->getType()->getPointeeType()->isArithmeticType())
    return pathOf(sum->getLHS()->getType()->isPointerType() ? sum->getLHS() : sum->getRHS());
  if (const auto *construct = dyn_cast<CXXConstructExpr>(expr)) {
    if (const Expr *source = forwarded(construct))
      return pathOf(source);
  } else if (const auto *call = dyn_cast<CallExpr>(expr)) {
    if (PathId path = pathOfAccessor(call))
      return path;
  }
  return temporary(expr);
}

PathId Values::pathOfVariable(const ValueDecl *declaration, const Expr *expr) {
  if (const auto *binding = dyn_cast<BindingDecl>(declaration)) {
    if (const VarDecl *holding = binding->getHoldingVar())
      return paths.root(PathStep::Variable, vocabulary.code().symbol(holding->getCanonicalDecl()));
    if (binding->getBinding())
      return pathOf(binding->getBinding());
    // Errors hide what is decomposed.
    if (const auto *whole = dyn_cast_or_null<VarDecl>(binding->getDecomposedDecl())) {
      const auto &parts = cast<DecompositionDecl>(whole)->bindings();
      return paths.element(
          paths.root(PathStep::Variable, vocabulary.code().symbol(whole->getCanonicalDecl())),
          llvm::find(parts, binding) - parts.begin());
    }
  }
  if (const auto *variable = dyn_cast<VarDecl>(declaration))
    return paths.root(PathStep::Variable, vocabulary.code().symbol(variable->getCanonicalDecl()));
  return temporary(expr);
}

const Expr *Values::forwarded(const CXXConstructExpr *construct) {
  const CXXConstructorDecl *constructor = construct->getConstructor();
  unsigned given = 0;
  for (const Expr *argument : construct->arguments())
    given += !isa<CXXDefaultArgExpr>(argument);
  if (given != 1)
    return nullptr;
  const Expr *source = construct->getArg(0);
  if (constructor->isCopyOrMoveConstructor())
    return source;
  QualType type = construct->getType();
  TypeRole role = vocabulary.roleOf(type);
  if (role == TypeRole::Device && vocabulary.roleOf(source->getType()) == TypeRole::Device)
    return source; // A device made of its type, options made of a device.
  if (QualType inner = pointee(type);
      !inner.isNull() && !type->isPointerType() &&
      inner.getCanonicalType().getUnqualifiedType() ==
          source->getType().getNonReferenceType().getCanonicalType().getUnqualifiedType())
    return source; // An optional of a value.
  bool wraps =
      vocabulary.isHandle(type) && (isStandard(constructor) || role == TypeRole::ModuleHolder);
  if (!wraps)
    return nullptr;
  QualType from = source->getType();
  bool fromHandle = vocabulary.isHandle(from) || vocabulary.roleOf(from) != TypeRole::None;
  return fromHandle ? source : nullptr;
}

PathId Values::pathOfAccessor(const CallExpr *call) {
  if (!call->getDirectCallee()) {
    const auto *member = dyn_cast<CXXDependentScopeMemberExpr>(call->getCallee());
    const bool isGradient =
        member && !member->isImplicitAccess() &&
        vocabulary.roleOfMember(roleOf(member->getBase()), member->getMember().getAsString()) ==
            FunctionRole::Gradient;
    return isGradient ? paths.step(pathOf(member->getBase()), {PathStep::Gradient}) : noPath;
  }
  if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(call))
    return pathOfOperator(operation);
  if (const auto *method = dyn_cast<CXXMemberCallExpr>(call))
    return pathOfMember(method);
  return pathOfStandardFunction(call);
}

bool Values::isTensor(const Expr *expr) {
  return vocabulary.roleOf(expr->getType()) == TypeRole::Tensor &&
         !vocabulary.isHandle(expr->getType());
}

PathId Values::partOf(const Expr *tuple, std::int64_t index) {
  const PathId whole = pathOf(tuple);
  const auto *pair =
      dyn_cast_or_null<ClassTemplateSpecializationDecl>(tuple->getType()->getAsCXXRecordDecl());
  const bool isItem = pair && isStandard(pair) && pair->getName() == "pair" &&
                      pair->getTemplateArgs().get(0).getKind() == TemplateArgument::Type &&
                      pair->getTemplateArgs().get(0).getAsType().isConstQualified();
  return isItem && index == 1 ? whole : paths.element(whole, index);
}

PathId Values::elementOf(const Expr *container, const Expr *index) {
  const PathId parent = pathOf(container);
  index = index->IgnoreImplicit();
  while (const auto *key = dyn_cast<CXXConstructExpr>(index)) { // A string's.
    if (key->getNumArgs() == 0)
      break;
    index = key->getArg(0)->IgnoreImplicit();
  }
  if (const auto *integer = dyn_cast<IntegerLiteral>(index))
    return paths.element(parent,
                         static_cast<std::int64_t>(integer->getValue().getLimitedValue(INT64_MAX)));
  const auto *text = dyn_cast<StringLiteral>(index);
  return text && text->isOrdinary() ? paths.element(parent, text->getString())
                                    : paths.element(parent);
}

PathId Values::pathOfOperator(const CXXOperatorCallExpr *call) {
  const Expr *object = call->getArg(0);
  bool external = isExternal(call->getDirectCallee());
  switch (call->getOperator()) {
  case OO_Arrow:
  case OO_Star:
    return call->getNumArgs() == 1 && !isTensor(object) ? pathOf(object) : noPath;
  case OO_Subscript:
    return external && !isTensor(object) ? elementOf(object, call->getArg(1)) : noPath;
  case OO_PlusPlus: // Of iterators: any element is as good as the next.
  case OO_MinusMinus:
    return external ? pathOf(object) : noPath;
  default:
    return noPath;
  }
}

PathId Values::pathOfMember(const CXXMemberCallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  const Expr *object = call->getImplicitObjectArgument();
  if (!object || !isExternal(callee))
    return noPath;
  if (vocabulary.roleOf(callee) == FunctionRole::Register && call->getNumArgs() > 1)
    return pathOf(call->getArg(1));
  if (vocabulary.roleOf(callee) == FunctionRole::Gradient)
    return paths.step(pathOf(object), {PathStep::Gradient});
  if (isTensor(object))
    return noPath;
  if (isa<CXXConversionDecl>(callee))
    return pathOf(object);
  switch (llvm::StringSwitch<Reach>(simpleName(callee))
              .Cases({"get", "ptr", "value", "lock", "as"}, Reach::Object)
              .Cases({"begin", "end", "cbegin", "cend", "rbegin", "rend"}, Reach::AnyElement)
              .Cases({"front", "back", "top"}, Reach::AnyElement)
              .Case("at", Reach::Element)
              .Default(Reach::Nothing)) {
  case Reach::Object:
    return pathOf(object);
  case Reach::AnyElement:
    return paths.element(pathOf(object));
  case Reach::Element:
    return call->getNumArgs() ? elementOf(object, call->getArg(0)) : paths.element(pathOf(object));
  case Reach::Nothing:
    return noPath;
  }
  return noPath;
}

bool Values::copiesModule(const CallExpr *call) {
  if (!isFactory(call->getDirectCallee()) || call->getNumArgs() != 1 ||
      !isModule(vocabulary.roleOf(call->getType())))
    return false;
  const CXXRecordDecl *made = vocabulary.classOf(call->getType());
  const CXXRecordDecl *given = call->getArg(0)->getType()->getAsCXXRecordDecl();
  return made && given && declaresSameEntity(made, given);
}

PathId Values::pathOfStandardFunction(const CallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  if (!isStandard(callee) || call->getNumArgs() == 0)
    return noPath;
  const Expr *object = call->getArg(0);
  if (copiesModule(call))
    return pathOf(object);
  switch (llvm::StringSwitch<Reach>(simpleName(callee))
              .Cases({"move", "forward", "as_const", "ref", "cref", "addressof"}, Reach::Object)
              .Cases({"static_pointer_cast", "dynamic_pointer_cast"}, Reach::Object)
              .Case("const_pointer_cast", Reach::Object)
              .Cases({"begin", "end", "cbegin", "cend"}, Reach::AnyElement)
              .Case("get", Reach::Element)
              .Default(Reach::Nothing)) {
  case Reach::Object:
    return pathOf(object);
  case Reach::AnyElement:
    return paths.element(pathOf(object));
  case Reach::Element: { // std::get<1>(tuple)
    const TemplateArgumentList *arguments = callee->getTemplateSpecializationArgs();
    bool byIndex = arguments && arguments->size() > 0 &&
                   arguments->get(0).getKind() == TemplateArgument::Integral;
    return byIndex ? partOf(object, arguments->get(0).getAsIntegral().getExtValue())
                   : paths.element(pathOf(object));
  }
  case Reach::Nothing:
    return noPath;
  }
  return noPath;
}

TypeRole Values::roleOf(const Expr *expr) {
  const Expr *object = strip(expr);
  TypeRole role = vocabulary.roleOf(typeOf(object));
  if (role == TypeRole::None)
    role = vocabulary.roleOf(expr->getType());
  const auto *reference = dyn_cast<DeclRefExpr>(object);
  return role == TypeRole::None && reference ? roles.lookup(reference->getDecl()) : role;
}

Operand Values::operand(const Expr *expr, QualType parameter) {
  Operand value{pathOf(expr), roleOf(expr)};
  if (!parameter.isNull())
    value.escapes = vocabulary.isTensorList(parameter) ||
                    (canChange(parameter) &&
                     (value.role == TypeRole::Tensor || vocabulary.reachesTraining(parameter)));
  value.isLent = !parameter.isNull() &&
                 (parameter->isReferenceType() || parameter->isPointerType()) &&
                 !parameter->getPointeeType().isConstQualified();
  value.isGivenAway = expr->isXValue();
  value.isText = isText(expr->getType());
  const PathStep &last = paths.last(value.path);
  value.fresh = last.kind == PathStep::Temporary && makesObject(strip(expr));
  value.isClosure = Vocabulary::isClosure(strip(expr)->getType());
  value.isTensor = value.role == TypeRole::Tensor || vocabulary.holdsTensors(typeOf(expr));
  value.device = value.role == TypeRole::Tensor && hostBatches.contains(paths.parent(value.path))
                     ? Device{Device::Cpu}
                     : literalDevice(strip(expr));
  value.expr = vocabulary.code().node(expr);
  return value;
}

Device Values::literalDevice(const Expr *expr) {
  if (const auto *construct = dyn_cast<CXXConstructExpr>(expr))
    if (const Expr *source = forwarded(construct))
      return literalDevice(strip(source));
  const auto *reference = dyn_cast<DeclRefExpr>(expr);
  if (!reference || vocabulary.roleOf(reference->getType()) != TypeRole::Device)
    return {};
  switch (vocabulary.deviceOf(reference->getDecl())) {
  case DeviceRole::Cpu:
    return {Device::Cpu};
  case DeviceRole::Cuda:
    return {Device::Cuda};
  case DeviceRole::None:
    break;
  }
  return {};
}

bool Values::makesObject(const Expr *expr) {
  if (const auto *call = dyn_cast<CallExpr>(expr)) {
    const FunctionDecl *callee = call->getDirectCallee();
    const TypeRole role = vocabulary.roleOf(call->getType());
    // What a function of the user's returns by value is an object of its caller's.
    const bool isObject =
        call->isPRValue() && call->getType()->isRecordType() &&
        !vocabulary.isHandle(call->getType()) &&
        (role == TypeRole::Module || (role == TypeRole::None && callee && !isExternal(callee)));
    return callee && ((isFactory(callee) && !copiesModule(call)) || isObject);
  }
  return isa<CXXConstructExpr, InitListExpr, CXXUnresolvedConstructExpr>(expr);
}

bool Values::canChange(QualType parameter) {
  QualType object = parameter.getNonReferenceType();
  if (QualType inner = pointee(object); !inner.isNull())
    return !inner.isConstQualified();
  if (vocabulary.roleOf(object) == TypeRole::ModuleHolder)
    return true;
  return vocabulary.isHandle(object) || parameter->isReferenceType() ? !object.isConstQualified()
                                                                     : false;
}

bool Values::isExternal(const FunctionDecl *callee) {
  // Functions of C, such as clock(), have no namespace.
  return isStandard(callee) || vocabulary.isFramework(callee) ||
         (callee && callee->isExternC() && vocabulary.operationOf(callee) != Operation::None);
}

BindKind Values::bindKind(QualType type) {
  if (!type.isNull() && type->isReferenceType())
    return BindKind::Reference;
  return vocabulary.isHandle(type) ? BindKind::Handle : BindKind::Value;
}

} // namespace gradtidy
