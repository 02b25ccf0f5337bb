// Calls, step by step: each describes one aspect of the event.
#include "FunctionLowering.h"
#include "Placement.h"
#include "analyzer/idioms/Coverages.h"
#include "analyzer/idioms/FixedValues.h"
#include "analyzer/idioms/GradientModes.h"
#include "analyzer/idioms/Loaders.h"
#include "analyzer/idioms/Temporaries.h"
#include "analyzer/ir/Typing.h"
#include "analyzer/lowering/ast/Guards.h"
#include "analyzer/lowering/ast/Memory.h"
#include "analyzer/lowering/ast/Selection.h"
#include "analyzer/model/Operators.h"

#include "clang/AST/ASTContext.h"

namespace gradtidy {

using namespace clang;

void FunctionLowering::lowerCall(const CallExpr *call) {
  if (values.pathOfAccessor(call)) {
    lowerRegistration(call);
    if (const Expr *object = objectOf(call); object && leadsElsewhere(node(object)->type))
      lowerAccess(object, call);
    return lowerBatches(call);
  }
  CallSite site = resolve(call);
  bool isCertain = false;
  if (const VarDecl *holder = releasedBy(site, isCertain))
    release(holder, call, isCertain);
  if (lowerStandard(site) || lowerGuardCall(site))
    return;
  classify(site);
  if (site.kind == EventKind::Combine && site.isAssignment && site.object)
    return lowerAssignment(site);
  Event event = make(site.kind, call);
  event.result = values.temporary(call);
  describeCallee(event, site);
  describeResult(event, site);
  describeTensor(event, site);
  describeSwitch(event, site);
  describeSubject(event, site);
  describeOperands(event, site);
  describePass(event, site);
  if (const CXXRecordDecl *element = emplacedBy(site))
    emplace(event, site, *element);
  markCall(event, site);
  finishCall(std::move(event), site);
}

void FunctionLowering::lowerBatches(const CallExpr *call) {
  const auto *begin = dyn_cast<CXXMemberCallExpr>(call);
  if (!begin || simpleName(begin->getDirectCallee()) != "begin")
    return;
  const Expr *loader = begin->getImplicitObjectArgument();
  if (!loader || values.roleOf(loader) != TypeRole::DataLoader)
    return;
  Event &event = emit(EventKind::Create, call);
  event.result = values.pathOf(call);
  event.isTensor = true;
  event.operands.push_back(values.operand(loader));
  event.isPageable = !mayPinMemory(node(loader)->type);
  event.details.change()->earlyEnd = earlyEndOf(*node(call), *result);
  if (stacksSamples(node(loader)->type)) // as it was made
    event.order.samples = 0;
  if (mayMoveTensors(loader->getType(), vocabulary))
    event.operands.push_back({.role = TypeRole::Device});
}

/// Whether an optional is given a value of what it holds.
bool FunctionLowering::isEmplaced(const CallSite &site) {
  if (!site.object || !site.method || site.name != "emplace" || site.arguments.size() != 1 ||
      site.method->getParent()->getName() != "optional")
    return false;
  const TypeRole role = values.roleOf(site.object);
  const Expr *value = site.arguments.front();
  return values.roleOf(value) == role &&
         (role == TypeRole::Tensor ||
          (isModule(role) && vocabulary.classOf(values.typeOf(value)) ==
                                 vocabulary.classOf(values.typeOf(site.object))));
}

const CXXRecordDecl *FunctionLowering::emplacedBy(const CallSite &site) {
  if (site.kind != EventKind::Combine || !site.object || !site.method || !isStandard(site.method) ||
      site.name != "emplace_back")
    return nullptr;
  const auto *list = dyn_cast<ClassTemplateSpecializationDecl>(site.method->getParent());
  const CXXRecordDecl *element = nullptr;
  if (list && list->getTemplateArgs().size() &&
      list->getTemplateArgs()[0].getKind() == TemplateArgument::Type)
    element = list->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
  const bool isCopy = site.arguments.size() == 1 &&
                      values.typeOf(site.arguments.front())->getAsCXXRecordDecl() == element;
  return element && !isCopy && vocabulary.roleOf(element) == TypeRole::None ? element : nullptr;
}

void FunctionLowering::emplace(Event &event, const CallSite &site, const CXXRecordDecl &element) {
  const CXXConstructorDecl *constructor = constructorOf(&element, site.arguments);
  const bool isTuple = isOfParts(element, site.arguments);
  if (!constructor && !isTuple)
    return;
  Operand made{values.temporary(site.call), TypeRole::None};
  made.fresh = true;
  made.isTensor = vocabulary.holdsTensors(context.getCanonicalTagType(&element));
  if (isTuple) {
    bindElements(site.call, site.arguments);
  } else {
    Event construct = make(EventKind::Call, site.call);
    construct.subject = {made.path, TypeRole::None};
    construct.result = made.path;
    construct.callee = symbol(constructor);
    construct.isTensor = made.isTensor;
    construct.operands = event.operands;
    current->events.push_back(std::move(construct));
  }
  event.operands = {made};
  event.result = values.temporary(site.call->getCallee()); // The call itself is the element.
  event.isArithmetic = true;
  event.isTensor = false;
}

bool FunctionLowering::lowerStandard(const CallSite &site) {
  if (!site.callee || !isStandard(site.callee))
    return false;
  const StringRef name = site.name;
  if (name == "make_tuple" || name == "make_pair") {
    bindElements(site.call, {site.call->getArgs(), site.call->getNumArgs()});
    return true;
  }
  if (name == "swap" && site.arguments.size() == 2 &&
      llvm::all_of(site.arguments,
                   [&](const Expr *part) { return values.roleOf(part) == TypeRole::Tensor; })) {
    swapTensors(site.call, site.arguments[0], site.arguments[1]);
    return true;
  }
  if (isEmplaced(site)) {
    bind(values.pathOf(site.object), site.object->getType().getNonReferenceType(),
         site.arguments.front(), site.call);
    return true;
  }
  if (site.object && site.method && name == "clear") {
    emit(EventKind::Bind, site.call).subject = values.operand(site.object);
    return true;
  }
  return false;
}

const VarDecl *FunctionLowering::releasedBy(const CallSite &site, bool &isCertain) const {
  if (survey.holders.empty() || !site.callee)
    return nullptr;
  const bool isFree = !site.method && site.arguments.size() == 1 && site.name == "free" &&
                      (site.callee->isExternC() || isStandard(site.callee));
  const bool isGrown = site.method && isStandard(site.method) &&
                       llvm::is_contained({"push_back", "emplace_back", "insert", "emplace",
                                           "resize", "reserve", "assign", "shrink_to_fit"},
                                          site.name);
  const bool isReset = site.method && isStandard(site.method) && site.name == "reset";
  if (!isFree && !isGrown && !isReset)
    return nullptr;
  isCertain = !isGrown;
  const auto *reference =
      dyn_cast<DeclRefExpr>(strip(isFree ? site.arguments.front() : site.object));
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return variable && survey.holders.contains(variable) ? variable : nullptr;
}

void FunctionLowering::release(const VarDecl *holder, const Stmt *site, bool isCertain) {
  if (!survey.holders.contains(holder))
    return;
  Event &event = emit(EventKind::Release, site);
  event.subject.path = pathOf(holder);
  event.constant = isCertain;
}

// --- what is called, and what comes back --------------------------------------------------------

void FunctionLowering::describeCallee(Event &event, const CallSite &site) {
  event.callee = symbol(bodyOf(site));
  event.isVirtual =
      (site.kind == EventKind::Call || site.kind == EventKind::Forward) && isVirtual(site.call);
  if (site.kind == EventKind::Forward)
    event.operation = operationOf(*site.object);
  else if (site.callee && site.isExternal)
    event.operation = vocabulary.operationOf(site.callee);
  if (site.callee && site.isExternal) {
    event.run = vocabulary.operatorOf(site.callee);
    if (event.operation == Operation::Index && takesRanges(*site.call, vocabulary)) {
      event.operation = Operation::View;
      event.run = nullptr;
    }
    event.changesElements =
        event.run ? event.run->changesElements() : site.role == FunctionRole::Overwrite;
  }
  const bool isStandardCall = site.callee && isStandard(site.callee);
  event.startsThread =
      isStandardCall && (site.name == "async" || (site.name == "emplace_back" && site.object &&
                                                  isThread(site.object->getType())));
  if (site.kind == EventKind::Step && site.callee)
    event.clear = vocabulary.sibling(site.callee, FunctionRole::ClearGradients);
}

Operation FunctionLowering::operationOf(const Expr &layer) {
  const CXXRecordDecl *record = vocabulary.classOf(values.typeOf(&layer));
  return record ? vocabulary.operationOf(record) : Operation::None;
}

void FunctionLowering::describeResult(Event &event, const CallSite &site) {
  const bool isStatement = survey.statements.contains(site.call);
  QualType type = values.typeOf(site.call);
  // Where errors or templates hide what comes back, a statement wants nothing.
  event.isArithmetic =
      type->isArithmeticType() || type->isVoidType() || (type->isDependentType() && isStatement);
  event.isTensor = vocabulary.holdsTensors(type) && event.operation != Operation::AccessElements;
  event.resultRole = vocabulary.roleOf(type);
  event.isAttribute =
      site.role == FunctionRole::Attribute || site.role == FunctionRole::Defined ||
      (site.method && isStandard(site.method) && (site.name == "size" || site.name == "empty"));
  event.isDiscarded = isStatement && site.callee &&
                      (site.kind == EventKind::Forward ? isPureLayer(site.object, site.call)
                                                       : isPure(site.callee, site.call));
}

/// Whether \p argument says what to do with the memory that a tensor wraps.
static bool isDeleter(const Expr *argument) {
  return Vocabulary::isClosure(argument->getType()) || strip(argument)->getType()->isFunctionType();
}

/// Whether the first size of the tensor that is made is 1.
static bool makesOne(const CallExpr *call) {
  const Expr *first = call->getNumArgs() ? strip(call->getArg(0)) : nullptr;
  while (first) {
    if (const auto *list = dyn_cast<InitListExpr>(first))
      first = list->getNumInits() ? strip(list->getInit(0)) : nullptr;
    else if (const auto *list = dyn_cast<CXXStdInitializerListExpr>(first))
      first = strip(list->getSubExpr());
    else if (const auto *made = dyn_cast<CXXConstructExpr>(first))
      first = made->getNumArgs() ? strip(made->getArg(0)) : nullptr;
    else if (const auto *array = dyn_cast<MaterializeTemporaryExpr>(first))
      first = strip(array->getSubExpr());
    else
      break;
  }
  const auto *number = dyn_cast_or_null<IntegerLiteral>(first);
  return number && number->getValue() == 1;
}

void FunctionLowering::describeTensor(Event &event, const CallSite &site) {
  if (event.operation == Operation::WrapMemory && !llvm::any_of(site.arguments, isDeleter)) {
    event.leadsIn = true;
    if (const MemoryOwner owner = ownerOf(site.arguments.front(), vocabulary, context);
        owner.variable && !survey.handedOn.contains(owner.variable)) {
      event.memory = pathOf(owner.variable);
      if (owner.isComputed)
        event.memory = paths.element(event.memory);
    }
    if (const VarDecl *holder = holderOf(site.arguments.front(), vocabulary, context))
      event.details.change()->holder = pathOf(holder);
  }
  event.isDifferentiable = site.role != FunctionRole::NonDifferentiable && !site.isComputed;
  event.keepsDimensions =
      site.role == FunctionRole::Create && !site.isComputed
          ? !makesScalar(site.call, vocabulary)
          : site.role != FunctionRole::Reduce && site.role != FunctionRole::AnyDevice;
  event.isNoise =
      site.callee && vocabulary.traitOf(site.callee) == Trait::MakesRandom && !makesOne(site.call);
  event.isData = site.callee && holdsData(site.callee, site.call);
  // The standard library hands tensors around, it computes nothing of them.
  event.isAnyDevice =
      site.role == FunctionRole::AnyDevice || (site.callee && isStandard(site.callee));
}

/// Whether \p argument says which random numbers are drawn.
static bool choosesDraws(const Expr *argument, Vocabulary &vocabulary) {
  if (isa<CXXDefaultArgExpr>(argument))
    return false;
  QualType type = argument->getType();
  if (const CXXRecordDecl *record = type->getAsCXXRecordDecl();
      record && vocabulary.traitOf(record) != Trait::ChoosesDraws)
    if (const auto *optional = dyn_cast<ClassTemplateSpecializationDecl>(record);
        optional && optional->getTemplateArgs().size() == 1 &&
        optional->getTemplateArgs()[0].getKind() == TemplateArgument::Type)
      type = optional->getTemplateArgs()[0].getAsType();
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && vocabulary.traitOf(record) == Trait::ChoosesDraws;
}

bool FunctionLowering::holdsData(const FunctionDecl *factory, const CallExpr *call) const {
  const auto arguments = llvm::make_range(call->arg_begin(), call->arg_end());
  if (llvm::any_of(arguments, [&](const Expr *each) { return choosesDraws(each, vocabulary); }))
    return true;
  return call->getNumArgs() > 0 &&
         (vocabulary.traitOf(factory) == Trait::MakesScalar ||
          call->getArg(0)->getType()->isPointerType()) &&
         !isFixedValue(*vocabulary.code().node(call->getArg(0)), *result);
}

// --- what it takes ------------------------------------------------------------------------------

/// The name of a parameter, however it is written.
static std::string plainName(const ParmVarDecl &parameter) {
  std::string name = parameter.getName().lower();
  llvm::erase(name, '_');
  return name;
}

bool FunctionLowering::endsGraph(const CallExpr &call) const {
  const FunctionDecl *callee = call.getDirectCallee();
  for (unsigned i = 0; callee && i < std::min(callee->getNumParams(), call.getNumArgs()); ++i)
    if (plainName(*callee->getParamDecl(i)) == "creategraph")
      return isa<CXXDefaultArgExpr>(call.getArg(i)) || literalBool(call.getArg(i)) == false;
  return false;
}

void FunctionLowering::describeSwitch(Event &event, const CallSite &site) {
  const CallExpr *call = site.call;
  event.endsGraph = site.role == FunctionRole::Differentiate && endsGraph(*call);
  event.constant = event.operation == Operation::DetectAnomaly && call->getNumArgs()
                       ? literalBool(call->getArg(0))
                       : constantOf(site.role, call);
  if (!event.constant && call->getNumArgs())
    event.choice = flagOf(call->getArg(call->getNumArgs() - 1));
  const QualType object = site.object ? values.typeOf(site.object) : QualType();
  const CXXRecordDecl *module = !object.isNull() && isModule(vocabulary.roleOf(object))
                                    ? vocabulary.classOf(object)
                                    : nullptr;
  if (event.kind == EventKind::SetMode && !event.constant && call->getNumArgs() == 1)
    event.operands.push_back({values.pathOf(strip(call->getArg(0)))}); // What may have kept one.
  event.switchesGradients = module && switchesGradients(*symbol(module));
}

std::optional<bool> FunctionLowering::constantOf(FunctionRole role, const CallExpr *call) const {
  switch (role) {
  case FunctionRole::Eval:
    return false;
  case FunctionRole::Train:
  case FunctionRole::SetGradMode:
  case FunctionRole::SetAutocast:
  case FunctionRole::SetAutocastCache:
  case FunctionRole::RequireGrad:
    return call->getNumArgs() ? literalBool(call->getArg(call->getNumArgs() - 1)) : true;
  case FunctionRole::Backward:
  case FunctionRole::Differentiate: {
    const FunctionDecl *callee = call->getDirectCallee();
    bool isKnown = callee;
    for (unsigned i = 0; callee && i < callee->getNumParams() && i < call->getNumArgs(); ++i) {
      const std::string name = plainName(*callee->getParamDecl(i));
      const bool decides = name == "retaingraph" || name == "keepgraph" || name == "creategraph";
      const std::optional<bool> isKept = literalBool(call->getArg(i));
      if (decides && isKept == true)
        return true;
      // Inputs limit the part of the graph that it goes through.
      isKnown &=
          isa<CXXDefaultArgExpr>(call->getArg(i)) || isKept || !(decides || name == "inputs");
    }
    return isKnown ? std::optional(false) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

/// Whether the subject of a call without an object is its first argument.
static bool isAboutFirst(const CallSite &site) {
  return site.kind != EventKind::Call && site.kind != EventKind::Combine &&
         site.kind != EventKind::Load && site.role != FunctionRole::Create &&
         !site.arguments.empty() && !isArithmetic(site.arguments.front());
}

void FunctionLowering::describeSubject(Event &event, CallSite &site) {
  if (site.kind == EventKind::SetGradMode && !site.arguments.empty())
    event.subject.path = values.pathOf(site.arguments.front());
  if (const Expr *object = site.object) {
    event.subject = values.operand(object);
    event.subject.escapes =
        !site.method || !site.method->isConst() || vocabulary.isHandle(object->getType());
    if (site.kind == EventKind::Call && event.subject.role == TypeRole::None)
      event.subject.escapes &= vocabulary.reachesTraining(values.typeOf(object));
    if (event.subject.role == TypeRole::Tensor && vocabulary.worksInPlace(site.method))
      event.subject.escapes = true; // Handles are const; what they share is not.
  } else if (site.kind == EventKind::Construct || site.constructor) {
    event.subject = {event.result, vocabulary.roleOf(site.call->getType())};
  } else if (isAboutFirst(site)) {
    event.subject = values.operand(site.arguments.front());
    site.arguments.erase(site.arguments.begin());
  }
}

/// Whether \p value is zero, or a tensor of zeros, or undefined.
static bool isNothing(const Expr *value, Vocabulary &vocabulary) {
  value = strip(value);
  if (const auto *construct = dyn_cast<CXXConstructExpr>(value))
    return construct->getNumArgs() == 0 ||
           (construct->getNumArgs() == 1 && isNothing(construct->getArg(0), vocabulary));
  if (const auto *list = dyn_cast<InitListExpr>(value))
    return list->getNumInits() == 0;
  if (const auto *number = dyn_cast<FloatingLiteral>(value))
    return number->getValue().isZero();
  if (const auto *number = dyn_cast<IntegerLiteral>(value))
    return number->getValue().isZero();
  const auto *call = dyn_cast<CallExpr>(value);
  return call && vocabulary.is(call->getDirectCallee(), {Aspect::GivesZeros});
}

void FunctionLowering::describeOperands(Event &event, const CallSite &site) {
  if (site.role == FunctionRole::MoveToCpu ||
      (site.role == FunctionRole::MoveToCuda && !survey.asksForDevices))
    event.operands.push_back(
        {.device = {site.role == FunctionRole::MoveToCpu ? Device::Cpu : Device::Cuda}});
  else if (site.role == FunctionRole::MoveToCuda)
    event.operands.push_back({.role = TypeRole::Device}); // Where the others are.
  addArguments(event, site.constructor ? nullptr : site.callee, site.arguments);
  if (site.kind == EventKind::Overwrite && !site.arguments.empty() &&
      isNothing(site.arguments.front(), vocabulary))
    event.operands.clear();
}

void FunctionLowering::addArguments(Event &event, const FunctionDecl *callee,
                                    Expressions arguments) {
  unsigned index = 0;
  for (const Expr *argument : arguments) {
    if (isa<CXXDefaultArgExpr>(argument))
      break; // Nothing of the caller's.
    QualType parameter = argument->getType();
    if (callee && index < callee->getNumParams())
      parameter = callee->getParamDecl(index)->getType();
    else if (argument->isTypeDependent() && values.isNumber(argument))
      parameter = values.typeOf(argument);
    else if (!callee && argument->isLValue())
      parameter = context.getLValueReferenceType(parameter);
    event.operands.push_back(values.operand(argument, parameter));
    event.operands.back().isForHost =
        event.operands.back().role == TypeRole::Tensor && callee &&
        index < callee->getNumParams() &&
        symbol(callee->getParamDecl(index))->aspects.has(Aspect::TakesOnHost);
    if (parameter->isBooleanType() || parameter->isPointerType())
      event.operands.back().flag = flagOf(argument);
    if (event.operands.back().escapes)
      modify(argument, argument);
    ++index;
  }
}

// --- what it does besides -----------------------------------------------------------------------

void FunctionLowering::describePass(Event &event, const CallSite &site) {
  if (site.kind != EventKind::Forward)
    return;
  const QualType type = strip(site.object)->getType();
  const CXXRecordDecl *module = vocabulary.classOf(type);
  event.isStateless = module && vocabulary.isStateless(*module);
  event.isWeightless = event.isStateless || vocabulary.isWeightless(type);
  event.castsWeights = vocabulary.castsWeights(type);
  // Lengths of packed sequences, say. A holder calls what its module runs.
  const FunctionDecl *pass = event.callee ? CodeMap::function(event.callee) : site.callee;
  event.mayUseHost = pass && !values.isExternal(pass);
}

void FunctionLowering::finishCall(Event event, const CallSite &site) {
  const bool isWrite = (site.kind == EventKind::Combine || site.kind == EventKind::Overwrite) &&
                       site.object && event.subject.escapes && !event.operands.empty();
  const Expr *base = isWrite ? viewed(site.object) : nullptr;
  const bool givesIndices = site.callee && event.resultRole == TypeRole::None &&
                            vocabulary.traitOf(site.callee) == Trait::GivesIndices;
  const bool startsThread = event.startsThread;
  if (base)
    event.coverage = coverageOf(*node(site.call), *result);
  current->events.push_back(std::move(event));
  if (startsThread)
    startMethod(site.call, site.arguments);
  if (givesIndices)
    addIndices();
  if (base)
    writeInto(base, site.call, current->events.back().operands);
}

void FunctionLowering::addIndices() {
  Event indices = current->events.back();
  indices.result = paths.element(indices.result, 1);
  indices.resultRole = TypeRole::Tensor;
  indices.isDifferentiable = false;
  if (indices.typing) {
    Typing typing = *indices.typing;
    typing.givesIndices = true;
    result->typings.push_back(std::make_unique<const Typing>(std::move(typing)));
    indices.typing = result->typings.back().get();
  }
  indices.run = nullptr;
  current->events.push_back(std::move(indices));
}

} // namespace gradtidy
