// What the way in which a call, an assignment or a declaration is written says by itself.
#include "FunctionLowering.h"
#include "analyzer/idioms/Assertions.h"
#include "analyzer/idioms/BestValues.h"
#include "analyzer/idioms/Clocks.h"
#include "analyzer/idioms/ConstantWeights.h"
#include "analyzer/idioms/CustomFunctions.h"
#include "analyzer/idioms/Formulas.h"
#include "analyzer/idioms/HandleLists.h"
#include "analyzer/idioms/InputLists.h"
#include "analyzer/idioms/KeptSamples.h"
#include "analyzer/idioms/LearningRates.h"
#include "analyzer/idioms/ListChanges.h"
#include "analyzer/idioms/LoadedFiles.h"
#include "analyzer/idioms/Loaders.h"
#include "analyzer/idioms/LoopSelections.h"
#include "analyzer/idioms/ModeConditions.h"
#include "analyzer/idioms/NumberUses.h"
#include "analyzer/idioms/OptionEdits.h"
#include "analyzer/idioms/Ranks.h"
#include "analyzer/idioms/Samples.h"
#include "analyzer/idioms/Sequences.h"
#include "analyzer/idioms/SharedState.h"
#include "analyzer/idioms/ShownNumbers.h"
#include "analyzer/idioms/Temporaries.h"
#include "analyzer/idioms/Texts.h"
#include "analyzer/lowering/ast/Memory.h"
#include "analyzer/lowering/ast/Selection.h"
#include "analyzer/lowering/ast/TypingReader.h"
#include "analyzer/modules/FunctionalModes.h"

namespace gradtidy {

using namespace clang;

/// Whether a module with parameters is made in \p code.
static bool makesLayers(const Stmt *code, Vocabulary &vocabulary) {
  if (!code || isa<LambdaExpr>(code))
    return false;
  const auto *made = dyn_cast<CXXConstructExpr>(code);
  return (made && vocabulary.hasParameters(made->getType())) ||
         llvm::any_of(code->children(),
                      [&](const Stmt *child) { return makesLayers(child, vocabulary); });
}

/// Whether \p place is a local variable, a container of modules made of some that have parameters.
static bool isMadeOfLayers(const PathStep &place, Vocabulary &vocabulary) {
  const auto *variable = place.kind == PathStep::Variable
                             ? dyn_cast<VarDecl>(CodeMap::declaration(place.symbol()))
                             : nullptr;
  const auto *made = variable && variable->isLocalVarDecl() && variable->hasInit()
                         ? dyn_cast<CXXConstructExpr>(strip(variable->getInit()))
                         : nullptr;
  return made && llvm::any_of(made->arguments(), [&](const Expr *argument) {
           return makesLayers(argument, vocabulary);
         });
}

/// `data_parallel(model, input, {0})` is a forward pass like any other.
static bool isForOneDevice(const CallExpr &call) {
  return llvm::any_of(call.arguments(), [](const Expr *argument) {
    const Stmt *inner = strip(argument);
    while (const auto *made = dyn_cast<CXXConstructExpr>(inner)) {
      if (made->getNumArgs() == 0 ||
          (made->getNumArgs() > 1 && !isa<CXXDefaultArgExpr>(made->getArg(1))))
        break;
      inner = strip(made->getArg(0));
    }
    if (const auto *list = dyn_cast<CXXStdInitializerListExpr>(inner))
      inner = strip(list->getSubExpr());
    const auto *devices = dyn_cast<InitListExpr>(inner);
    return devices && devices->getNumInits() == 1;
  });
}

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

/// Whether a tensor comes from where it was stored, or from a function of the user's: nobody knows
/// here in which order it lies in memory.
static bool isStored(const Expr *tensor, Values &values) {
  tensor = strip(tensor);
  if (const auto *member = dyn_cast<MemberExpr>(tensor))
    return isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()) ||
           isStored(member->getBase(), values);
  const auto *call = dyn_cast<CallExpr>(tensor);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || isForward(callee))
    return false;
  const Expr *object = objectOf(call);
  return !values.isExternal(callee) || (object && isStored(object, values));
}

/// Whether \p size is one factor of a product: how large several elements are.
static bool isFactor(const UnaryExprOrTypeTraitExpr &size, const FunctionCode &code) {
  const Stmt *outer = code.statementAround(&size);
  while (isa_and_nonnull<ParenExpr, CastExpr>(outer))
    outer = code.statementAround(outer);
  const auto *product = dyn_cast_or_null<BinaryOperator>(outer);
  return product && product->isMultiplicativeOp();
}

void FunctionLowering::lowerMeasure(const UnaryExprOrTypeTraitExpr &size) {
  if (size.getKind() != UETT_SizeOf || size.isArgumentType() || size.isInstantiationDependent())
    return;
  const Expr *measured = strip(size.getArgumentExpr());
  // A variable may be measured to be written to a file.
  const auto *constant = dyn_cast<DeclRefExpr>(measured);
  const ElementType element =
      constant ? vocabulary.elementOf(constant->getDecl()) : ElementType::Unknown;
  // The constant is as large as such an element.
  if (llvm::is_contained({ElementType::Bool, ElementType::UInt8, ElementType::Int8}, element))
    return;
  if (!namesElements(measured->getType(), vocabulary) ||
      !(element != ElementType::Unknown || isa<CallExpr>(measured) || isFactor(size, *code)))
    return;
  Typing typing;
  typing.isMeasured = true;
  result->typings.push_back(std::make_unique<const Typing>(typing));
  Event &event = emit(EventKind::Combine, &size);
  event.isArithmetic = true;
  event.typing = result->typings.back().get();
  event.operands.push_back(values.operand(size.getArgumentExpr()));
}

const Text *FunctionLowering::textOf(const ir::Node &expr) {
  std::optional<Text> text = gradtidy::textOf(expr, *result, paths, [&](const ir::Node &named) {
    return values.pathOf(CodeMap::expr(&named));
  });
  if (!text)
    return nullptr;
  result->texts.push_back(std::make_unique<const Text>(std::move(*text)));
  return result->texts.back().get();
}

void FunctionLowering::markTexts(Event &event) {
  for (Operand &operand : event.operands)
    if (operand.isText && operand.role == TypeRole::None)
      operand.text = textOf(*operand.expr);
}

void FunctionLowering::markCall(Event &event, const CallSite &site) {
  if (!site.callee)
    return;
  const ir::Node &call = *node(site.call);
  auto details = event.details.change();
  const bool isOperator = site.callee->getOverloadedOperator() != OO_None;
  if (!isOperator || site.callee->getOverloadedOperator() == OO_Call)
    markTexts(event);
  if (event.kind == EventKind::Combine)
    event.listChange = changeOfList(call);
  markTyping(event, site);
  const auto *method = dyn_cast<CXXMethodDecl>(function);
  event.ignoresMode = result->isModuleMethod && ignoresMode(call) &&
                      !samplesOnPurpose(*symbol(method)) && !mayAskForMode(call, *result);
  if (event.kind == EventKind::Step && site.object)
    event.trait = vocabulary.traitOfObject(values.typeOf(site.object));
  else if (event.kind == EventKind::Call)
    event.trait = vocabulary.traitOf(site.callee);
  else if (event.kind == EventKind::Construct)
    markConstruction(event, site.call->getType(), site.arguments);
  event.givesParameters = site.role == FunctionRole::Parameters &&
                          event.kind == EventKind::Combine && isModule(event.subject.role) &&
                          (event.isTensor || event.subject.role == TypeRole::ScriptModule);
  event.growsSubject = event.kind == EventKind::Combine && site.isExternal && site.object &&
                       isModule(event.subject.role) && event.subject.escapes &&
                       event.isArithmetic && givesLayer(site.arguments);
  if (vocabulary.traitOf(site.callee) == Trait::UnregistersModule)
    event.registers = Registers::Other;
  event.keepsBest = event.kind == EventKind::Combine && event.subject.escapes && site.isExternal &&
                    event.subject.isTensor && event.subject.role != TypeRole::Tensor &&
                    event.operands.size() == 1 && isOfBest(call, *result);
  if (event.kind == EventKind::Forward && site.object)
    event.hasParameters = vocabulary.hasParameters(values.typeOf(site.object)) ||
                          isMadeOfLayers(paths.last(event.subject.path), vocabulary);
  event.isLostEdit = isLostEdit(call, *result);
  // A copy may be asked for in another order.
  event.keepsStrides =
      site.isExternal && vocabulary.traitOf(site.callee) == Trait::KeepsStrides &&
      !(vocabulary.is(site.callee, {Aspect::CopiesMemory}) && !event.operands.empty());
  if (event.operation == Operation::AccessElements)
    event.hostRead = HostRead::Elements;
  else if (event.operation == Operation::PointToMemory)
    event.hostRead = readBy(*code, *site.call, vocabulary);
  if (site.isExternal && event.subject.role == TypeRole::Tensor &&
      site.call->getType()->isPointerType())
    details->danglingView = located(leftByPointer(call, *result));
  event.leadsIn |= event.kind == EventKind::Combine && leadsIntoObject(call);
  if (event.operation == Operation::WrapMemory)
    details->danglingView = located(leftByWrapping(call, *result));
  if (event.kind == EventKind::Forward && event.subject.role == TypeRole::ScriptModule &&
      !site.arguments.empty())
    details->growth = growthOf(*node(site.arguments.front()), call, *result);
  event.dropsBatch = event.operation == Operation::View && event.operands.empty() &&
                     vocabulary.ruleOf(site.callee) == ResultRule::Squeeze;
  if (event.operation == Operation::Permute && keepsOrder(site.arguments))
    event.operation = Operation::View;
  if (event.operation == Operation::Permute && site.object && isStored(site.object, values))
    event.operation = Operation::Rearrange; // Perhaps it was permuted before.
  if (event.operation == Operation::ReadScalar) {
    details->elementLoop = elementLoopOf(call, *result);
    details->lastOfLoop = lastOfLoop(call, *result);
    details->readBefore = readBefore(call, *result);
    details->parameterLoop = parameterLoopOf(call, *result);
    const SourceManager &sources = context.getSourceManager();
    details->use = {assertionOf(call, *result, sources, context.getLangOpts()),
                    isVain(call, *result, sources, context.getLangOpts()),
                    otherTestOf(call, *result), joinedBy(call, *result)};
  }
  if (event.operation == Operation::ReadScalar ||
      (event.kind == EventKind::Call && site.call->getType()->isArithmeticType()))
    event.shown = shownBy(call, *result);
  if (event.kind == EventKind::Move && event.subject.role == TypeRole::Tensor)
    details->elementLoop = pixelLoopOf(call, *result);
  if ((event.kind == EventKind::Combine && event.subject.role == TypeRole::Tensor) ||
      (event.kind == EventKind::Call && site.object))
    details->batchLoop = batchLoopOf(call, *result);
  if (event.kind == EventKind::Call && event.callee && readsClock(*event.callee)) {
    event.kind = EventKind::Combine;
    event.operation = Operation::ReadClock;
  }
  if (event.operation == Operation::ReadClock)
    markClock(event, *site.call);
  if (event.operation == Operation::MakeLoader) {
    const ir::Type *dataset = call.arguments.front()->type;
    details->loader = optionsOf(call, *result);
    markSamples(details->loader, dataset);
    details->loader.sampleChange = changeOfKeptSamples(dataset);
    if (details->loader.workers > 0)
      markShared(details->loader, dataset);
  }
  if (const Operation formula = event.kind == EventKind::Combine && event.isTensor
                                    ? formulaOf(call, *result)
                                    : Operation::None;
      formula != Operation::None)
    event.operation = formula;
  if (isExchange(*symbol(site.callee)))
    event.operation = Operation::Exchange;
  if (event.operation == Operation::SpreadBatch && isForOneDevice(*site.call))
    event.operation = Operation::None;
  if (event.operation == Operation::Fill && event.kind != EventKind::Create)
    details->equalNeurons = equalNeuronsOf(call, *result);
  else if (event.operation == Operation::Apply)
    details->equalNeurons = equalNeuronsOfApply(call);
  if (event.kind == EventKind::Load || event.operation == Operation::Save)
    details->file = fileOf(call, *result);
  if (event.kind == EventKind::Load) {
    details->filled = fillerOf(call, *result);
    if (mayHaveDevice(call, *result))
      event.operands.push_back({.role = TypeRole::Device});
  }
  if (event.operation == Operation::SetEpoch)
    details->copied = missedLoader(call, *result);
  markOrder(event, site);
  markPlace(event, site);
  const bool isComputed = event.kind == EventKind::Combine || event.kind == EventKind::Overwrite;
  if (isComputed && site.object && event.subject.role == TypeRole::Tensor &&
      event.subject.escapes) {
    event.changesCopy =
        survey.statements.contains(site.call) && copiedFrom(site.object, vocabulary);
    event.usesOwnGradient = llvm::any_of(site.arguments, [&](const Expr *argument) {
      return namesGradient(argument, event.subject.path);
    });
    details->custom.changesInput = changesInput(call, *result);
  }
}

/// Whether \p argument takes options for tensors from elsewhere: a variable, or another tensor.
static bool takesOptions(const Stmt *argument, Vocabulary &vocabulary) {
  const auto *call = dyn_cast<CallExpr>(argument);
  const bool isNamed = isa<DeclRefExpr, MemberExpr>(argument) &&
                       cast<Expr>(argument)->getType()->isRecordType() &&
                       vocabulary.roleOf(cast<Expr>(argument)->getType()) == TypeRole::Device;
  return isNamed || (call && vocabulary.is(call->getDirectCallee(), {Aspect::TellsOptions})) ||
         llvm::any_of(argument->children(),
                      [&](const Stmt *child) { return child && takesOptions(child, vocabulary); });
}

void FunctionLowering::markPlace(Event &event, const CallSite &site) {
  const bool isCopy = event.kind == EventKind::Move || event.kind == EventKind::Overwrite;
  const unsigned parameters = std::min(site.callee->getNumParams(), site.call->getNumArgs());
  for (unsigned i = 0; isCopy && i < parameters; ++i) {
    std::string name = site.callee->getParamDecl(i)->getName().lower();
    llvm::erase(name, '_');
    if (name == "nonblocking")
      event.isAsync = literalBool(site.call->getArg(i)) == true;
  }
  if (event.kind == EventKind::Create)
    event.isPageable = site.role == FunctionRole::Create && !pinsMemory(node(site.call)) &&
                       llvm::none_of(site.arguments, [&](const Expr *argument) {
                         return takesOptions(argument, vocabulary);
                       });
  if (event.kind == EventKind::Create || event.kind == EventKind::Move)
    event.namesGpu = site.role == FunctionRole::MoveToCuda ||
                     llvm::any_of(event.operands, [](const Operand &operand) {
                       return operand.device.kind == Device::Cuda;
                     });
}

DanglingView FunctionLowering::located(const Dangling &left) {
  DanglingView view{.ending = left.ending, .temporary = left.temporary, .keeper = left.keeper};
  if (left.original) {
    view.copy = values.pathOf(CodeMap::expr(left.temporary));
    view.original = values.pathOf(CodeMap::expr(left.original));
  }
  return view;
}

void FunctionLowering::markMember(Event &event, const Expr &value) {
  event.details.change()->danglingView =
      located(leftByView(node(&value), /*leavesFunction=*/false));
}

void FunctionLowering::markReturn(Event &event, const ReturnStmt &returned) {
  auto details = event.details.change();
  details->danglingView =
      located(leftByView(node(returned.getRetValue()), /*leavesFunction=*/true));
  details->custom = gradientsOf(*node(&returned), *result);
}

/// Whether \p call tells a layer that is there already which dimension is which.
static bool changesOrder(const CallExpr &call, const Vocabulary &vocabulary) {
  const auto *setter = dyn_cast<CXXMemberCallExpr>(&call);
  const StringRef name = setter ? simpleName(setter->getMethodDecl()) : StringRef();
  return !name.empty() && vocabulary.traitOfOption(name) == Trait::BatchFirstOption &&
         isa<MemberExpr>(strip(setter->getImplicitObjectArgument()));
}

void FunctionLowering::markOrder(Event &event, const CallSite &site) {
  const ir::Node &call = *node(site.call);
  if (event.operation == Operation::Pad)
    event.order = orderOfPadded(call);
  else if (event.operation == Operation::CountElements && !site.arguments.empty())
    event.order.samples = samplesCountedBy(call, *result);
  else if (event.typing && event.typing->rule == ResultRule::ClassLoss)
    event.order.isPlain = isPlainLoss(call);
  else if (event.kind == EventKind::Combine && event.subject.role == TypeRole::Tensor)
    event.order = orderOf(call, event);
  result->changesOrder |= changesOrder(*site.call, vocabulary);
}

/// What \p pointer is cast to right there, or null.
static const Expr *castOf(const Expr &pointer, const FunctionCode &code) {
  const Stmt *outer = code.statementAround(&pointer);
  while (isa_and_nonnull<ParenExpr, ImplicitCastExpr>(outer))
    outer = code.statementAround(outer);
  return dyn_cast_or_null<ExplicitCastExpr>(outer);
}

void FunctionLowering::markTyping(Event &event, const CallSite &site) {
  const CXXRecordDecl *layer =
      site.kind == EventKind::Forward ? vocabulary.classOf(values.typeOf(site.object)) : nullptr;
  const NamedDecl *computing = layer             ? static_cast<const NamedDecl *>(layer)
                               : site.isExternal ? site.callee
                                                 : nullptr;
  const ResultRule rule = computing ? vocabulary.ruleOf(computing) : ResultRule::None;
  const TypingReader reader(code->body, vocabulary, context);
  if (site.isExternal && vocabulary.traitOf(site.callee) == Trait::SetsDefaultType)
    result->changesElements = result->setsDefaultType = true;
  if (site.kind == EventKind::Move && isModule(event.subject.role))
    for (const Expr *argument : site.arguments) {
      bool isNamed = false;
      const ElementType element = reader.elementIn(argument, isNamed);
      result->changesElements |= isNamed && element != ElementType::Float32;
      if (isNamed)
        event.element = element;
    }
  if (event.operation == Operation::PointToMemory) {
    const Expr *pointer = site.call;
    if (pointer->getType()->isVoidPointerType())
      pointer = castOf(*pointer, *code);
    if (pointer) {
      result->typings.push_back(std::make_unique<const Typing>(reader.readPointer(pointer)));
      event.typing = result->typings.back().get();
    }
    return;
  }
  if (rule == ResultRule::None)
    return;
  result->typings.push_back(
      std::make_unique<const Typing>(reader.read(rule, layer ? Expressions() : site.arguments)));
  event.typing = result->typings.back().get();
}

/// Whether \p options, or what they are made of, limit a step to one iteration.
static bool iteratesOnce(const Stmt &options, Vocabulary &vocabulary) {
  if (const auto *setter = dyn_cast<CXXMemberCallExpr>(&options);
      setter && setter->getNumArgs() == 1 &&
      vocabulary.is(setter->getMethodDecl(), {Aspect::IterationsOption})) {
    const auto *number = dyn_cast<IntegerLiteral>(strip(setter->getArg(0)));
    return number && number->getValue() == 1;
  }
  return llvm::any_of(options.children(),
                      [&](const Stmt *child) { return child && iteratesOnce(*child, vocabulary); });
}

void FunctionLowering::markConstruction(Event &event, QualType type, Expressions arguments) {
  event.trait = vocabulary.traitOfObject(type);
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  llvm::SmallVector<const ir::Node *, 4> nodes;
  for (const Expr *argument : arguments)
    nodes.push_back(node(argument));
  event.ignoresMode = record && isModule(vocabulary.roleOf(type)) &&
                      ignoresMode(*symbol(record), nodes) && !mayAskForMode(*event.site, *result);
  if (event.subject.role != TypeRole::Optimizer || arguments.size() < 2)
    return;
  event.details.change()->rate = rateOf(*nodes[1], *result);
  event.keepsMomentum = setsMomentum(*nodes[1], *result);
  if (event.trait == Trait::NeedsClosure && iteratesOnce(*arguments[1], vocabulary))
    event.trait = Trait::None; // Then a step calls its closure once, too.
}

void FunctionLowering::markClock(Event &event, const CallExpr &now) {
  const Reading reading = readingOf(*node(&now), *result);
  // Of whatever object: two of one kind are rarely used at a time.
  const auto placeOf = [&](const ir::Symbol *entity) {
    if (const VarDecl *variable = CodeMap::variable(entity))
      return pathOf(variable);
    return entity ? paths.member(paths.unknown(), entity) : noPath;
  };
  event.subject.path = placeOf(reading.place);
  event.details.change()->since = placeOf(reading.since);
}

bool FunctionLowering::namesGradient(const Stmt *statement, PathId tensor) {
  if (const auto *call = dyn_cast<CXXMemberCallExpr>(statement);
      call && call->getMethodDecl() &&
      vocabulary.roleOf(call->getMethodDecl()) == FunctionRole::Gradient)
    return paths.parent(values.pathOf(call)) == tensor;
  return llvm::any_of(statement->children(),
                      [&](const Stmt *child) { return child && namesGradient(child, tensor); });
}

/// Whether \p variable is taken from a tensor that has a name: `auto row = x[0]`, `x.data()`.
static bool isPart(const VarDecl &variable, Vocabulary &vocabulary) {
  const auto *call = variable.hasInit() ? dyn_cast<CallExpr>(strip(variable.getInit())) : nullptr;
  const Expr *object = call && call->getDirectCallee() ? objectOf(call) : nullptr;
  const bool isSelection =
      vocabulary.is(call ? call->getDirectCallee() : nullptr,
                    {Aspect::SelectsEntry, Aspect::SelectsRange, Aspect::GivesData}) ||
      (isa_and_nonnull<CXXOperatorCallExpr>(call) &&
       cast<CXXOperatorCallExpr>(call)->getOperator() == OO_Subscript);
  return object && isSelection && isa<DeclRefExpr, MemberExpr>(strip(object));
}

/// Whether \p place is an element of a list that is made for this expression alone: `f()[0]`,
/// `f().at(0)`, `f()["weight"]`.
static bool isOfMadeList(const Expr *place, Vocabulary &vocabulary) {
  bool isElement = false;
  for (place = strip(place); !place->isPRValue(); place = strip(place)) {
    const auto *call = dyn_cast<CallExpr>(place);
    const auto *callee = call ? dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee()) : nullptr;
    const Expr *list = callee ? objectOf(call) : nullptr;
    const StringRef name = list ? simpleName(callee) : StringRef();
    const bool isAccess =
        callee && (callee->getOverloadedOperator() == OO_Subscript || name == "at" ||
                   name == "front" || name == "back" || name == "value" || name == "find");
    if (!isAccess || place->getType()->isPointerType() ||
        !(isStandard(callee) || vocabulary.isFramework(callee)) ||
        vocabulary.roleOf(list->getType()) == TypeRole::Tensor || list->getType()->isPointerType())
      return false;
    isElement = true;
    place = list;
  }
  const auto *made = dyn_cast<CallExpr>(place);
  const CXXRecordDecl *type = place->getType()->getAsCXXRecordDecl();
  const StringRef name = type && type->getIdentifier() ? type->getName() : StringRef();
  const bool isOwner = name == "map" || name == "unordered_map" || name == "deque" ||
                       (type && vocabulary.traitOf(type) == Trait::OwnsElements);
  return isElement && isOwner && made && made->getDirectCallee();
}

bool FunctionLowering::isRebindingInVain(const CallSite &site) {
  // An empty tensor lets go of the memory.
  const auto *made = dyn_cast<CXXConstructExpr>(strip(site.arguments.front()));
  if ((made && made->getNumArgs() == 0) || isa<InitListExpr>(strip(site.arguments.front())))
    return false;
  if (survey.statements.contains(site.call) &&
      vocabulary.roleOf(site.object->getType()) == TypeRole::Tensor &&
      (isOfMadeList(site.object, vocabulary) || isOfDeadList(*node(site.object), *result)))
    return true;
  const auto *reference = dyn_cast<DeclRefExpr>(site.object->IgnoreParenImpCasts());
  const auto *handle = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!handle || !handle->hasLocalStorage() || handle->getDeclContext() != function ||
      !survey.statements.contains(site.call) ||
      vocabulary.roleOf(handle->getType()) != TypeRole::Tensor)
    return false;
  const bool isElement = handle->isCXXForRangeDecl();
  if (!handle->getType()->isRecordType() && !(isElement && isOfTemporary(*handle, site.call)))
    return false;
  if (!isa<ParmVarDecl>(handle) && !isElement && !isPart(*handle, vocabulary))
    return false;
  if (!lastValues)
    lastValues.emplace(*function);
  return lastValues->isLastMention(*site.call, *handle);
}

bool FunctionLowering::isOfTemporary(const VarDecl &element, const Stmt *inside) const {
  return llvm::any_of(code->loopsAround(inside), [&](const Stmt *loop) {
    const auto *over = dyn_cast<CXXForRangeStmt>(loop);
    return over && over->getLoopVariable() == &element && strip(over->getRangeInit())->isPRValue();
  });
}

bool FunctionLowering::givesLayer(Expressions arguments) {
  return !arguments.empty() && !isNull(arguments.back()) &&
         vocabulary.hasParameters(values.typeOf(arguments.back()));
}

void FunctionLowering::lowerRegistration(const CallExpr *call) {
  const auto *registration = dyn_cast<CXXMemberCallExpr>(call);
  const FunctionDecl *callee = registration ? registration->getDirectCallee() : nullptr;
  if (!callee || vocabulary.roleOf(callee) != FunctionRole::Register || call->getNumArgs() < 2)
    return;
  const Trait trait = vocabulary.traitOf(callee);
  Event &event = emit(EventKind::Combine, call);
  event.isArithmetic = true;
  event.subject = values.operand(registration->getImplicitObjectArgument());
  event.operands.push_back(values.operand(call->getArg(1)));
  event.registers = trait == Trait::RegistersModule      ? Registers::Module
                    : trait == Trait::RegistersParameter ? Registers::Parameter
                    : trait == Trait::RegistersBuffer    ? Registers::Buffer
                                                         : Registers::Other;
  event.details.change()->name = textOf(*node(call->getArg(0)));
  if (event.registers == Registers::Parameter) // Whether it is to be trained.
    event.constant = call->getNumArgs() < 3 || isa<CXXDefaultArgExpr>(call->getArg(2))
                         ? true
                         : literalBool(call->getArg(2));
  event.growsSubject = registersModule(trait) && givesLayer(call->getArg(1));
}

void FunctionLowering::markVariable(Event &event, const VarDecl &variable) {
  // Since C++23 what a loop goes over lives as long as the loop.
  if (!variable.isImplicit() || !context.getLangOpts().CPlusPlus23)
    event.details.change()->danglingView = located(leftByVariable(*symbol(&variable), *result));
  event.isLostEdit =
      isLostCopy(*symbol(&variable), *result) ||
      (event.subject.role == TypeRole::Device && variable.hasInit() && isUnusedOptions(variable));
}

bool FunctionLowering::isUnusedOptions(const VarDecl &variable) {
  const CXXRecordDecl *type = variable.getType()->getAsCXXRecordDecl();
  return type && vocabulary.traitOf(type) == Trait::TensorOptions && variable.isLocalVarDecl() &&
         !code->mentions(variable);
}

/// Whether \p value is a tensor of a module, of which two layers then make the same use.
static bool isOfModule(const Expr *value, Vocabulary &vocabulary) {
  const auto *member = dyn_cast<MemberExpr>(strip(value));
  return member && isModule(vocabulary.roleOf(member->getBase()->getType()));
}

/// Whether \p value is the result of a function of the user's that gets what \p place holds, and
/// may give it back.
static bool mayGiveBack(const Expr *value, PathId place, Values &values) {
  const auto *call = dyn_cast<CallExpr>(value);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  return call && !(callee && values.isExternal(callee)) &&
         llvm::any_of(call->arguments(),
                      [&](const Expr *argument) { return values.pathOf(argument) == place; });
}

void FunctionLowering::markAssignment(Event &event, const CallSite &site, const Expr *assigned) {
  auto details = event.details.change();
  details->danglingView = located(leftByView(node(assigned), /*leavesFunction=*/false));
  details->custom.keepsOutput = keepsOutput(*node(site.object), *node(assigned), *result);
  event.keepsBest = isOfBest(*node(site.call), *result);
  const auto *member = dyn_cast<MemberExpr>(strip(site.object));
  const auto *field = member ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
  const auto *owner = field ? dyn_cast<CXXRecordDecl>(field->getParent()) : nullptr;
  const Expr *value = strip(site.arguments.front());
  const auto *call = dyn_cast<CallExpr>(value);
  const auto *made = dyn_cast<CXXConstructExpr>(value);
  const bool isNone = isNull(value) || isa<InitListExpr>(value) || (made && !made->getNumArgs());
  event.isRegistered =
      owner && vocabulary.isFramework(owner) && isModule(vocabulary.roleOf(owner)) &&
      vocabulary.roleOf(field->getType()) == TypeRole::Tensor && !isOfModule(value, vocabulary) &&
      !isNone && !mayGiveBack(value, values.pathOf(site.object), values) &&
      !(call && call->getDirectCallee() &&
        vocabulary.roleOf(call->getDirectCallee()) == FunctionRole::Register);
}

} // namespace gradtidy
