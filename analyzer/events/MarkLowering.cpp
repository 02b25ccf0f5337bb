// What the way in which a call, an assignment or a declaration is written says by itself.
#include "Clocks.h"
#include "FunctionLowering.h"
#include "FunctionalModes.h"
#include "LastValues.h"
#include "Memory.h"
#include "Selection.h"
#include "Typing.h"

namespace gradtidy {

using namespace clang;

/// `permute({0, 1, 2})` leaves everything as it is.
static bool keepsOrder(llvm::ArrayRef<const Expr *> arguments) {
  const Expr *list = arguments.size() == 1 ? strip(arguments.front()) : nullptr;
  while (const auto *construct = dyn_cast_or_null<CXXConstructExpr>(list))
    list = construct->getNumArgs() ? strip(construct->getArg(0)) : nullptr;
  const auto *order = dyn_cast_or_null<InitListExpr>(list);
  if (!order)
    return false;
  for (unsigned i = 0; i < order->getNumInits(); ++i)
    if (const auto *dimension = dyn_cast<IntegerLiteral>(strip(order->getInit(i)));
        !dimension || dimension->getValue() != i)
      return false;
  return true;
}

void FunctionLowering::markCall(Event &event, const CallSite &site) {
  if (!site.callee)
    return;
  markTyping(event, site);
  const auto *method = dyn_cast<CXXMethodDecl>(function);
  event.alwaysDrops =
      result->isModuleMethod && alwaysDrops(*site.call, vocabulary) && !samplesOnPurpose(*method);
  if (event.kind == EventKind::Step && site.object)
    event.trait = traitOfClass(values.typeOf(site.object));
  else if (event.kind == EventKind::Construct)
    markConstruction(event, site.call->getType(), site.arguments);
  // A copy may be asked for in another order.
  event.keepsStrides = site.isExternal && vocabulary.traitOf(site.callee) == Trait::KeepsStrides &&
                       !(site.name == "clone" && !event.operands.empty());
  if (event.operation == Operation::AccessElements)
    event.hostRead = HostRead::Elements;
  else if (event.operation == Operation::PointToMemory)
    event.hostRead = readBy(*result, *site.call, vocabulary);
  if (event.operation == Operation::Permute && keepsOrder(site.arguments))
    event.operation = Operation::View;
  if (event.operation == Operation::ReadClock)
    markClock(event, *site.call);
  const bool isComputed = event.kind == EventKind::Combine || event.kind == EventKind::Overwrite;
  if (isComputed && site.object && event.subject.role == TypeRole::Tensor &&
      event.subject.escapes) {
    event.changesCopy =
        survey.statements.contains(site.call) && copiedFrom(site.object, vocabulary);
    event.usesOwnGradient = llvm::any_of(site.arguments, [&](const Expr *argument) {
      return namesGradient(argument, event.subject.path);
    });
  }
}

void FunctionLowering::markTyping(Event &event, const CallSite &site) {
  const CXXRecordDecl *layer =
      site.kind == EventKind::Forward ? vocabulary.classOf(values.typeOf(site.object)) : nullptr;
  const NamedDecl *computing = layer             ? static_cast<const NamedDecl *>(layer)
                               : site.isExternal ? site.callee
                                                 : nullptr;
  const ResultRule rule = computing ? vocabulary.ruleOf(computing) : ResultRule::None;
  const TypingReader reader(result->body, vocabulary, context);
  if (site.isExternal && vocabulary.traitOf(site.callee) == Trait::SetsDefaultType)
    result->changesElements = true;
  if (site.kind == EventKind::Move && isModule(event.subject.role))
    for (const Expr *argument : site.arguments) {
      bool isNamed = false;
      const ElementType element = reader.elementIn(argument, isNamed);
      result->changesElements |= isNamed && element != ElementType::Float32;
    }
  if (rule == ResultRule::None)
    return;
  result->typings.push_back(
      std::make_unique<const Typing>(reader.read(rule, layer ? Expressions() : site.arguments)));
  event.typing = result->typings.back().get();
}

/// Whether \p options, or what they are made of, limit a step to one iteration.
static bool iteratesOnce(const Stmt &options) {
  if (const auto *setter = dyn_cast<CXXMemberCallExpr>(&options);
      setter && simpleName(setter->getMethodDecl()) == "max_iter" && setter->getNumArgs() == 1) {
    const auto *number = dyn_cast<IntegerLiteral>(strip(setter->getArg(0)));
    return number && number->getValue() == 1;
  }
  return llvm::any_of(options.children(),
                      [](const Stmt *child) { return child && iteratesOnce(*child); });
}

void FunctionLowering::markConstruction(Event &event, QualType type, Expressions arguments) {
  event.trait = traitOfClass(type);
  if (event.subject.role != TypeRole::Optimizer || arguments.size() < 2)
    return;
  event.rate = rateOf(*arguments[1], *function->getBody(), context);
  if (event.trait == Trait::NeedsClosure && iteratesOnce(*arguments[1]))
    event.trait = Trait::None; // Then a step calls its closure once, too.
}

/// What the model says of the class or the nearest of its bases.
static Trait traitOfBase(const CXXRecordDecl &record, const Vocabulary &vocabulary) {
  Trait trait = vocabulary.traitOf(&record);
  if (trait == Trait::None && record.hasDefinition())
    for (const CXXBaseSpecifier &base : record.bases())
      if (const CXXRecordDecl *parent = base.getType()->getAsCXXRecordDecl();
          parent && trait == Trait::None)
        trait = traitOfBase(*parent, vocabulary);
  return trait;
}

Trait FunctionLowering::traitOfClass(QualType type) {
  if (const QualType object = pointee(type); !object.isNull())
    type = object;
  const CXXRecordDecl *record = vocabulary.classOf(type);
  return record ? traitOfBase(*record, vocabulary) : Trait::None;
}

void FunctionLowering::markClock(Event &event, const CallExpr &now) {
  const Reading reading = readingOf(now, *result);
  if (reading.variable)
    event.subject.path = pathOf(reading.variable);
  if (reading.since)
    event.since = pathOf(reading.since);
}

bool FunctionLowering::namesGradient(const Stmt *statement, PathId tensor) {
  if (const auto *call = dyn_cast<CXXMemberCallExpr>(statement);
      call && call->getMethodDecl() &&
      vocabulary.roleOf(call->getMethodDecl()) == FunctionRole::Gradient)
    return paths.parent(values.pathOf(call)) == tensor;
  return llvm::any_of(statement->children(),
                      [&](const Stmt *child) { return child && namesGradient(child, tensor); });
}

/// Whether \p variable is taken from a tensor that has a name: `auto row = x[0]`.
static bool isPart(const VarDecl &variable) {
  const auto *call = variable.hasInit() ? dyn_cast<CallExpr>(strip(variable.getInit())) : nullptr;
  const Expr *object = call && call->getDirectCallee() ? objectOf(call) : nullptr;
  const StringRef name = object ? simpleName(call->getDirectCallee()) : StringRef();
  const bool isSelection = name == "select" || name == "slice" || name == "narrow" ||
                           (isa_and_nonnull<CXXOperatorCallExpr>(call) &&
                            cast<CXXOperatorCallExpr>(call)->getOperator() == OO_Subscript);
  return object && isSelection && isa<DeclRefExpr, MemberExpr>(strip(object));
}

bool FunctionLowering::isRebindingInVain(const CallSite &site) {
  const auto *reference = dyn_cast<DeclRefExpr>(site.object->IgnoreParenImpCasts());
  const auto *handle = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!handle || !handle->hasLocalStorage() || handle->getDeclContext() != function ||
      !survey.statements.contains(site.call) ||
      vocabulary.roleOf(handle->getType()) != TypeRole::Tensor)
    return false;
  const bool isElement = handle->isCXXForRangeDecl();
  if (!handle->getType()->isRecordType() && !(isElement && isOfTemporary(*handle, site.call)))
    return false;
  // An empty tensor lets go of the memory.
  const auto *made = dyn_cast<CXXConstructExpr>(strip(site.arguments.front()));
  if ((made && made->getNumArgs() == 0) || isa<InitListExpr>(strip(site.arguments.front())))
    return false;
  return (isa<ParmVarDecl>(handle) || isElement || isPart(*handle)) &&
         isLastMention(*site.call, *handle, *function);
}

bool FunctionLowering::isOfTemporary(const VarDecl &element, const Stmt *inside) const {
  return llvm::any_of(result->loopsAround(inside), [&](const Stmt *loop) {
    const auto *over = dyn_cast<CXXForRangeStmt>(loop);
    return over && over->getLoopVariable() == &element && strip(over->getRangeInit())->isPRValue();
  });
}

bool FunctionLowering::isUnusedScheduler(const VarDecl &variable) {
  return traitOfClass(variable.getType()) == Trait::SchedulesRate && variable.hasInit() &&
         countMentions(*function->getBody(), variable) == 0;
}

} // namespace gradtidy
