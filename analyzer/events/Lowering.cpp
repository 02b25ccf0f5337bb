#include "Lowering.h"

#include "Conditions.h"
#include "Memory.h"
#include "ModuleUses.h"
#include "Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/Analyses/PostOrderCFGView.h"
#include "clang/Analysis/CFG.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"

namespace gradtidy {
namespace {

using namespace clang;

class Lowering {
public:
  Lowering(const FunctionDecl *function, PathTable &paths, Vocabulary &vocabulary,
           ASTContext &context)
      : function(function), paths(paths), vocabulary(vocabulary), context(context),
        values(function, paths, vocabulary) {}

  std::unique_ptr<FunctionBody> run() {
    CFG::BuildOptions options;
    options.AddImplicitDtors = true;
    options.AddTemporaryDtors = true;
    options.AddInitializers = true;
    options.AddLifetime = true;
    options.AddCXXDefaultInitExprInCtors = true;
    options.setAllAlwaysAdd();
    Stmt *body = function->getBody();
    survey(body);
    options.AddEHEdges = !guardsBefore.empty(); // They cost: three times the visits of blocks.
    std::unique_ptr<CFG> cfg = CFG::buildCFG(function, body, &context, options);
    if (!cfg)
      return nullptr;

    result = std::make_unique<FunctionBody>(function, body);
    if (batchDevice)
      result->batchDevice = *batchDevice;
    result->asksForDevices = asksForDevices;
    conditions.collect(*cfg, function, context);
    for (const ParmVarDecl *parameter : function->parameters()) {
      Operand place{pathOf(parameter), vocabulary.roleOf(parameter->getType())};
      place.isTensor = vocabulary.holdsTensors(parameter->getType());
      result->parameters.push_back({parameter, place, values.bindKind(parameter->getType()),
                                    conditions.numberOf(parameter),
                                    conditions.choicesOf(parameter)});
    }
    if (const auto *method = dyn_cast<CXXMethodDecl>(function);
        method && method->isInstance() && !method->getParent()->isLambda()) {
      result->thisObject = values.thisObject();
      result->isModuleMethod = isModule(vocabulary.roleOf(method->getParent()));
    }
    result->returnsTensors = vocabulary.holdsTensors(function->getReturnType());
    result->returned = paths.root(PathStep::Returned, function->getCanonicalDecl());

    PostOrderCFGView order(cfg.get()); // It begins at the entry: reverse post order.
    llvm::DenseMap<const CFGBlock *, unsigned> numbers;
    for (const CFGBlock *block : order)
      numbers.try_emplace(block, numbers.size());
    result->blocks.resize(numbers.size());
    for (const CFGBlock *block : order) {
      current = &result->blocks[numbers[block]];
      if (const auto *handler = dyn_cast_or_null<CXXCatchStmt>(block->getLabel()))
        for (const VarDecl *guard : guardsBefore.lookup(handler))
          emit(EventKind::EndLifetime, handler).subject.path = pathOf(guard);
      for (const CFGElement &element : *block)
        lowerElement(element);
      lowerEdges(*block, numbers);
    }
    current = &result->blocks.front();
    for (const DeclStmt *declaration : guardFunctions) // There are no such elements.
      emit(EventKind::EnterGradMode, declaration).isDiscarded = true;
    for (unsigned number = 0; number < result->blocks.size(); ++number)
      for (const Block::Edge &edge : result->blocks[number].edges)
        if (edge.target <= number)
          result->blocks[edge.target].isLoopHead = true;
    findTemporaries();
    for (const Block &block : result->blocks)
      for (const Event &event : block.events) {
        result->usesGpu |= mentionsGpu(event);
        result->movesModules |= mayMoveModules(event);
      }
    return std::move(result);
  }

private:
  /// Whether the event has to do with another device than the CPU.
  bool mentionsGpu(const Event &event) {
    return llvm::any_of(event.operands, [&](const Operand &operand) {
      return operand.device.kind == Device::Cuda ||
             (operand.role == TypeRole::Device && isChosen(operand));
    });
  }

  /// Whether the event has to do with modules and a device that is not certainly the CPU.
  static bool mayMoveModules(const Event &event) {
    const auto isOfModule = [](const Operand &operand) { return isModule(operand.role); };
    return (isOfModule(event.subject) || llvm::any_of(event.operands, isOfModule)) &&
           llvm::any_of(event.operands, [](const Operand &operand) {
             return operand.device.kind == Device::Cuda ||
                    (operand.role == TypeRole::Device && operand.device.kind != Device::Cpu);
           });
  }

  /// Whether a device is said by a variable or another tensor.
  bool isChosen(const Operand &operand) {
    const Expr *expr = operand.expr ? strip(operand.expr) : nullptr;
    while (const auto *construct = dyn_cast_or_null<CXXConstructExpr>(expr))
      expr = construct->getNumArgs() ? strip(construct->getArg(0)) : nullptr;
    const bool isType = expr && expr->getType()->isEnumeralType() &&
                        vocabulary.roleOf(expr->getType()) != TypeRole::Device;
    if (!expr || isType || operand.device.kind == Device::Cpu)
      return false;
    const auto *call = dyn_cast<CXXMemberCallExpr>(expr);
    return isa<DeclRefExpr, MemberExpr>(expr) ||
           (call && (simpleName(call->getDirectCallee()) == "device" ||
                     simpleName(call->getDirectCallee()) == "options"));
  }

  PathId pathOf(const VarDecl *variable) {
    return paths.root(PathStep::Variable, variable->getCanonicalDecl());
  }

  // --- events -----------------------------------------------------------------------------------

  Event make(EventKind kind, const Stmt *site) const {
    Event event;
    event.kind = kind;
    event.site = site;
    event.function = result.get();
    return event;
  }

  /// The reference is good until the next event.
  Event &emit(EventKind kind, const Stmt *site) {
    current->events.push_back(make(kind, site));
    return current->events.back();
  }

  void lowerElement(const CFGElement &element) {
    if (auto statement = element.getAs<CFGStmt>()) {
      lowerStatement(statement->getStmt());
    } else if (auto initialiser = element.getAs<CFGInitializer>()) {
      const CXXCtorInitializer *member = initialiser->getInitializer();
      if (const FieldDecl *field = member->getMember())
        bind(paths.member(values.thisObject(), field->getCanonicalDecl()), field->getType(),
             member->getInit(), member->getInit());
    } else if (auto end = element.getAs<CFGAutomaticObjDtor>()) {
      const CXXDestructorDecl *destructor = end->getDestructorDecl(context);
      if (!destructor || !destructor->isUserProvided() || values.isExternal(destructor))
        return;
      const VarDecl *variable = end->getVarDecl();
      Event &event = emit(EventKind::Call, end->getTriggerStmt());
      event.subject = {pathOf(variable), vocabulary.roleOf(variable->getType())};
      event.callee = destructor;
      event.isArithmetic = true;
    } else if (auto end = element.getAs<CFGLifetimeEnds>()) {
      endLifetime(end->getVarDecl(), end->getTriggerStmt());
    }
  }

  void lowerStatement(const Stmt *statement) {
    if (const auto *temporary = dyn_cast<Expr>(statement);
        temporary && statements.contains(temporary) &&
        isa<CXXTemporaryObjectExpr, CXXFunctionalCastExpr>(temporary) &&
        isGuard(values.roleOf(temporary))) {
      emit(EventKind::EnterGradMode, statement).isDiscarded = true;
    } else if (const auto *declarations = dyn_cast<DeclStmt>(statement)) {
      for (const Decl *declaration : declarations->decls())
        lowerDeclaration(declaration, statement);
    } else if (const auto *lambda = dyn_cast<LambdaExpr>(statement)) {
      for (const LambdaCapture &capture : lambda->captures())
        if (capture.capturesVariable() && lambda->isInitCapture(&capture))
          lowerDeclaration(capture.getCapturedVar(), statement);
    } else if (const auto *construct = dyn_cast<CXXConstructExpr>(statement)) {
      lowerConstruct(construct);
    } else if (const auto *call = dyn_cast<CallExpr>(statement)) {
      lowerCall(call);
    } else if (const auto *unresolved = dyn_cast<CXXUnresolvedConstructExpr>(statement)) {
      Event &event = emit(EventKind::Construct, unresolved);
      event.subject = {values.temporary(unresolved), values.roleOf(unresolved)};
      event.result = event.subject.path;
      for (const Expr *argument : unresolved->arguments())
        event.operands.push_back(values.operand(argument));
    } else if (const auto *binary = dyn_cast<BinaryOperator>(statement)) {
      if (binary->isAssignmentOp())
        lowerAssignment(binary);
      else if (binary->isTypeDependent())
        combine(binary, {binary->getLHS(), binary->getRHS()});
    } else if (const auto *unary = dyn_cast<UnaryOperator>(statement)) {
      if (unary->isIncrementDecrementOp())
        modify(unary->getSubExpr(), unary);
    } else if (const auto *conditional = dyn_cast<AbstractConditionalOperator>(statement)) {
      lowerChoice(conditional);
    } else if (const auto *list = dyn_cast<InitListExpr>(statement)) {
      lowerList(list);
    } else if (const auto *returned = dyn_cast<ReturnStmt>(statement)) {
      Event &event = emit(EventKind::Return, returned);
      event.subject = {result->returned, vocabulary.roleOf(function->getReturnType())};
      if (returned->getRetValue()) {
        event.operands.push_back(values.operand(returned->getRetValue()));
        event.bind = values.bindKind(function->getReturnType());
      }
    } else if (const auto *error = dyn_cast<RecoveryExpr>(statement)) {
      if (!onlyDamaged(error) && !callees.contains(error))
        lowerError(error);
    }
  }

  /// What errors leave of a call is its callee and its arguments.
  void lowerError(const RecoveryExpr *error) {
    Event &event = emit(EventKind::Call, error);
    event.result = values.temporary(error);
    event.isArithmetic = error->getType()->isVoidType();
    for (const Expr *part : error->subExpressions()) {
      const auto *member = dyn_cast<MemberExpr>(part);
      const auto *method = member ? dyn_cast<CXXMethodDecl>(member->getMemberDecl()) : nullptr;
      if (method && vocabulary.roleOf(method) == FunctionRole::Backward) {
        event.kind = EventKind::Backward;
        event.subject = values.operand(member->getBase());
      }
      const Expr *argument = method ? member->getBase() : part;
      if (isArithmetic(argument))
        continue;
      event.operands.push_back(values.operand(argument));
      event.operands.back().escapes = event.operands.back().role != TypeRole::None ||
                                      vocabulary.reachesTraining(values.typeOf(argument));
    }
  }

  void lowerChoice(const AbstractConditionalOperator *choice) {
    const Flag flag = flagOf(choice->getCond());
    if (Event *event = combine(choice, {choice->getTrueExpr(), choice->getFalseExpr()})) {
      event->choice = flag;
      event->isAnyDevice = true;
    }
  }

  /// The repeated condition that \p expr asks.
  Flag flagOf(const Expr *expr) const {
    Flag flag;
    const Expr *condition = conditions.asked(strip(expr), flag.isNegated);
    if (const auto *variable = dyn_cast<DeclRefExpr>(condition))
      flag.condition = conditions.numberOf(variable->getDecl());
    else
      flag.condition = conditions.numberOf(condition, context);
    return flag;
  }

  void lowerList(const InitListExpr *list) {
    const RecordDecl *record = list->getType()->getAsRecordDecl();
    if (!record || !list->isSemanticForm() || isStandard(record)) {
      combine(list, list->inits());
      return;
    }
    auto fields = record->field_begin();
    for (const Expr *value : list->inits()) {
      if (fields == record->field_end())
        break; // A base class comes first; its fields stay unknown.
      bind(paths.member(values.temporary(list), fields->getCanonicalDecl()), fields->getType(),
           value, list);
      ++fields;
    }
  }

  void bind(PathId place, QualType type, const Expr *value, const Stmt *site) {
    Event &event = emit(EventKind::Bind, site);
    event.subject = {place, vocabulary.roleOf(type)};
    if (event.subject.role == TypeRole::None && value && value->isTypeDependent())
      event.subject.role = values.roleOf(value);
    event.bind = values.bindKind(type);
    if (value && isArithmetic(strip(value)))
      event.isArithmetic = true;
    else if (value)
      event.operands.push_back(values.operand(value));
    if (value && event.bind == BindKind::Value && (isGradient(value) || isIterator(value)))
      event.bind = BindKind::Handle; // A gradient is shared with its tensor.
  }

  /// Whether \p value stands for the elements of a container.
  static bool isIterator(const Expr *value) {
    const auto *call = dyn_cast<CallExpr>(strip(value));
    StringRef name = call ? simpleName(call->getDirectCallee()) : StringRef();
    return name == "begin" || name == "cbegin" || name == "rbegin";
  }

  void endLifetime(const VarDecl *variable, const Stmt *site) {
    // Of the variables behind the names of a decomposed tuple, the CFG tells only the beginning.
    if (const auto *decomposition = dyn_cast<DecompositionDecl>(variable))
      for (const BindingDecl *binding : decomposition->bindings())
        if (const VarDecl *holding = binding->getHoldingVar())
          emit(EventKind::EndLifetime, site).subject.path = pathOf(holding);
    emit(EventKind::EndLifetime, site).subject.path = pathOf(variable);
  }

  void lowerDeclaration(const Decl *declaration, const Stmt *site) {
    const auto *variable = dyn_cast<VarDecl>(declaration);
    if (!variable || variable->isStaticLocal())
      return;
    if (isGuard(vocabulary.roleOf(variable->getType()))) {
      if (variable->getInit())
        enterGuard(pathOf(variable), variable->getInit(), site);
      return;
    }
    bind(pathOf(variable), variable->getType(), variable->getInit(), site);
    if (variable->getInit())
      assign(variable, variable->getInit(), site);
    if (variable->getInit() && asksForGradMode(variable->getInit()))
      emit(EventKind::KeepGradMode, site).subject.path = pathOf(variable);
    if (const FieldDecl *guard = guardOf(variable->getType()))
      enterGuard(pathOf(variable), vocabulary.roleOf(guard->getType()),
                 argumentsOf(guard, variable->getInit()), site);
  }

  /// Whether the expression tells if gradients are recorded.
  bool asksForGradMode(const Expr *expr) const {
    const auto *call = dyn_cast<CallExpr>(strip(expr));
    const auto *method = call ? dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee()) : nullptr;
    return method && simpleName(method) == "is_enabled" && vocabulary.isFramework(method) &&
           method->getParent()->getName() == "GradMode";
  }

  /// The member by which a class of the user is a guard itself, or null.
  const FieldDecl *guardOf(QualType type) const {
    const CXXRecordDecl *record = type->isReferenceType() ? nullptr : type->getAsCXXRecordDecl();
    if (!record || !record->hasDefinition() || isStandard(record))
      return nullptr;
    for (const FieldDecl *field : record->fields())
      if (const CXXRecordDecl *held = field->getType()->getAsCXXRecordDecl();
          held && !isStandard(held) && isGuard(vocabulary.roleOf(field->getType())))
        return field;
    for (const CXXBaseSpecifier &base : record->bases())
      if (const FieldDecl *field = guardOf(base.getType()))
        return field;
    return nullptr;
  }

  /// What the constructor in \p init makes \p member of.
  static llvm::SmallVector<const Expr *, 2> argumentsOf(const FieldDecl *member, const Expr *init) {
    const auto *construct = init ? dyn_cast<CXXConstructExpr>(strip(init)) : nullptr;
    const FunctionDecl *constructor = construct ? construct->getConstructor() : nullptr;
    if (!constructor || !constructor->isDefined(constructor))
      return {};
    llvm::SmallVector<const Expr *, 2> arguments;
    for (const CXXCtorInitializer *each : cast<CXXConstructorDecl>(constructor)->inits())
      if (const auto *made = each->getMember() == member
                                 ? dyn_cast<CXXConstructExpr>(strip(each->getInit()))
                                 : nullptr)
        for (const Expr *argument : made->arguments()) {
          const auto *name = dyn_cast<DeclRefExpr>(strip(argument));
          const auto *parameter = name ? dyn_cast<ParmVarDecl>(name->getDecl()) : nullptr;
          const unsigned index = parameter ? parameter->getFunctionScopeIndex() : 0;
          const bool isHandedOn = parameter && index < construct->getNumArgs();
          arguments.push_back(isHandedOn ? construct->getArg(index) : argument);
        }
    return arguments;
  }

  /// Whether a pointer or optional is made that holds nothing.
  static bool isEmpty(const Expr *made, ArrayRef<const Expr *> arguments) {
    const CXXRecordDecl *record = made->getType()->getAsCXXRecordDecl();
    return record && isStandard(record) && isNone(arguments);
  }

  /// Whether a pointer or optional holds nothing that is given this.
  static bool isNone(ArrayRef<const Expr *> arguments) {
    if (arguments.empty() || isa<CXXDefaultArgExpr>(arguments.front()))
      return true;
    const QualType first = strip(arguments.front())->getType();
    const CXXRecordDecl *record = first->getAsCXXRecordDecl();
    return first->isNullPtrType() || (record && record->getName() == "nullopt_t");
  }

  /// A guard comes to life in the variable \p guard, made by \p value.
  void enterGuard(PathId guard, const Expr *value, const Stmt *site) {
    const Expr *made = strip(value);
    TypeRole role = values.roleOf(made);
    llvm::SmallVector<const Expr *, 2> arguments;
    if (const auto *construct = dyn_cast<CXXConstructExpr>(made))
      arguments.append(construct->arg_begin(), construct->arg_end());
    else if (const auto *call = dyn_cast<CallExpr>(made))
      arguments.append(call->arg_begin(), call->arg_end());
    if (arguments.size() == 1 && isGuard(values.roleOf(arguments.front())))
      return enterGuard(guard, arguments.front(), site);
    if (isa<CXXConstructExpr>(made) && (!isGuard(role) || isEmpty(made, arguments)))
      return;
    enterGuard(guard, role, arguments, site);
  }

  void enterGuard(PathId guard, TypeRole role, ArrayRef<const Expr *> arguments, const Stmt *site) {
    if (role == TypeRole::AutocastGuard) {
      emit(EventKind::EnterAutocast, site).subject.path = guard;
      return;
    }
    Event &event = emit(EventKind::EnterGradMode, site);
    event.subject.path = guard;
    const bool isInference = role == TypeRole::InferenceGuard;
    if (role == TypeRole::NoGradGuard || arguments.empty()) {
      event.constant = role != TypeRole::NoGradGuard && !isInference;
    } else if (std::optional<bool> argument = literalBool(arguments.front())) {
      event.constant = *argument != isInference;
    } else {
      event.choice = flagOf(arguments.front());
      event.choice.isNegated ^= isInference;
    }
  }

  /// What \p expr says literally or as a constant, seen through conversions; an argument left out
  /// says its default.
  std::optional<bool> literalBool(const Expr *expr) const {
    expr = strip(expr);
    while (const auto *construct = dyn_cast<CXXConstructExpr>(expr)) {
      if (construct->getNumArgs() == 0)
        return std::nullopt;
      expr = strip(construct->getArg(0));
    }
    bool value = false;
    const bool isConstant = expr->getType()->isBooleanType() && !expr->isValueDependent() &&
                            expr->EvaluateAsBooleanCondition(value, context);
    return isConstant ? std::optional(value) : std::nullopt;
  }

  /// A variable of a repeated condition changes.
  void assign(const VarDecl *variable, const Expr *value, const Stmt *site) {
    unsigned affected = conditions.affectedBy(variable);
    if (!affected)
      return;
    Event &event = emit(EventKind::Assign, site);
    event.forgets = affected;
    if (const auto *constant = value ? dyn_cast<CXXBoolLiteralExpr>(strip(value)) : nullptr)
      event.constant = constant->getValue(); // A flag is a condition by itself.
  }

  void modify(const Expr *target, const Stmt *site) {
    if (const auto *reference = dyn_cast<DeclRefExpr>(strip(target)))
      if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
        assign(variable, nullptr, site);
    if (const auto *member = dyn_cast<MemberExpr>(strip(target)))
      if (unsigned affected = conditions.affectedBy(member->getMemberDecl()))
        emit(EventKind::Assign, site).forgets = affected;
  }

  void lowerAssignment(const BinaryOperator *assignment) {
    const Expr *target = assignment->getLHS();
    if (assignTie(assignment, target, values.pathOf(assignment->getRHS())))
      return;
    if (const auto *reference = dyn_cast<DeclRefExpr>(strip(target));
        reference && isa<VarDecl>(reference->getDecl()))
      assign(cast<VarDecl>(reference->getDecl()),
             assignment->getOpcode() == BO_Assign ? assignment->getRHS() : nullptr, assignment);
    else
      modify(target, assignment);
    if (assignment->getOpcode() == BO_Assign && !isArithmetic(target))
      bind(values.pathOf(target), target->getType().getNonReferenceType(), assignment->getRHS(),
           assignment);
    if (assignment->isCompoundAssignmentOp() && values.roleOf(target) == TypeRole::Tensor) {
      // In a template, where the operand has no type yet.
      Event &event = *combine(assignment, {assignment->getRHS()});
      event.subject = values.operand(target);
      event.subject.escapes = true;
    }
  }

  /// The event, if the result may be of interest.
  template <typename Range> Event *combine(const Expr *expr, const Range &parts) {
    QualType type = values.typeOf(expr);
    if (!type.isNull() && (type->isArithmeticType() || type->isVoidType()))
      return nullptr;
    Event &event = emit(EventKind::Combine, expr);
    event.result = values.temporary(expr);
    event.isTensor = vocabulary.holdsTensors(type);
    event.resultRole = values.roleOf(expr);
    for (const Expr *part : parts)
      event.operands.push_back(values.operand(part));
    return &event;
  }
  Event *combine(const Expr *expr, std::initializer_list<const Expr *> parts) {
    return combine<std::initializer_list<const Expr *>>(expr, parts);
  }

  /// Whether a pair or tuple is made of its elements, tensors among them. Of modules it is enough
  /// to know that they are in there.
  bool makesTuple(const CXXConstructExpr *construct) {
    const CXXRecordDecl *record = construct->getConstructor()->getParent();
    if (!isStandard(record) || construct->getNumArgs() < 2)
      return false;
    const auto *tag = construct->getArg(0)->getType()->getAsCXXRecordDecl();
    const StringRef name = record->getName(), first = tag ? tag->getName() : StringRef();
    const auto isTensor = [&](const Expr *part) { return values.roleOf(part) == TypeRole::Tensor; };
    const auto isPlain = [&](const Expr *part) { return !isModule(values.roleOf(part)); };
    return (name == "pair" || name == "tuple") && first != "piecewise_construct_t" &&
           first != "allocator_arg_t" && llvm::any_of(construct->arguments(), isTensor) &&
           llvm::all_of(construct->arguments(), isPlain);
  }

  void lowerConstruct(const CXXConstructExpr *construct) {
    if (values.forwarded(construct))
      return;
    const CXXConstructorDecl *constructor = construct->getConstructor();
    if (makesTuple(construct))
      return bindElements(construct, construct->arguments());
    TypeRole role = vocabulary.roleOf(construct->getType());
    // A default constructor that nobody wrote may still have members to initialise.
    bool isTrivial = constructor->isDefaulted() &&
                     !(constructor->isDefaultConstructor() && constructor->hasBody());
    bool external = values.isExternal(constructor) || isTrivial;
    const CXXConstructorDecl *user = external ? nullptr : constructor;
    if (role == TypeRole::ModuleHolder)
      user = constructorOf(construct->getType()->getAsCXXRecordDecl(), construct->arguments());
    Event event = make(user ? EventKind::Call : EventKind::Construct, construct);
    event.subject = {values.temporary(construct), role};
    event.result = event.subject.path;
    event.callee = user;
    event.isTensor = vocabulary.holdsTensors(construct->getType());
    StringRef name =
        isStandard(constructor->getParent()) && constructor->getParent()->getIdentifier()
            ? constructor->getParent()->getName()
            : StringRef();
    event.startsThread = name == "thread" || name == "jthread";
    addArguments(event, constructor, construct->arguments());
    if (role == TypeRole::Device)
      for (Operand &operand : event.operands)
        readDevice(operand);
    current->events.push_back(std::move(event));
  }

  /// The constructor of the user's class that a factory or module holder calls with \p arguments,
  /// if there is only one that takes as many. \p record is the class or its holder.
  template <typename Range>
  const CXXConstructorDecl *constructorOf(const CXXRecordDecl *record, const Range &arguments) {
    if (record && vocabulary.roleOf(record) == TypeRole::ModuleHolder)
      record = vocabulary.heldBy(record);
    record = record ? record->getDefinition() : nullptr;
    if (!record || vocabulary.isFramework(record) || isStandard(record))
      return nullptr;
    auto given = static_cast<unsigned>(llvm::count_if(
        arguments, [](const Expr *argument) { return !isa<CXXDefaultArgExpr>(argument); }));
    if (given == 1 && isa<CXXNullPtrLiteralExpr>(strip(*std::begin(arguments))))
      return nullptr;
    const CXXConstructorDecl *found = nullptr;
    for (const CXXConstructorDecl *constructor : record->ctors()) {
      if (constructor->isImplicit() || constructor->isCopyOrMoveConstructor() ||
          constructor->getMinRequiredArguments() > given || constructor->getNumParams() < given)
        continue;
      if (found)
        return nullptr;
      found = constructor;
    }
    return found;
  }

  /// Devices are also spelled: "cuda:1".
  static void readDevice(Operand &operand) {
    const Expr *expr = operand.expr ? strip(operand.expr) : nullptr;
    while (const auto *construct = dyn_cast_or_null<CXXConstructExpr>(expr))
      expr = construct->getNumArgs() ? strip(construct->getArg(0)) : nullptr;
    if (const auto *integer = dyn_cast_or_null<IntegerLiteral>(expr))
      operand.device = {Device::Unknown,
                        static_cast<std::uint32_t>(integer->getValue().getLimitedValue(255))};
    const auto *literal = dyn_cast_or_null<StringLiteral>(expr);
    if (!literal || !literal->isOrdinary())
      return;
    StringRef text = literal->getString();
    if (text == "cpu")
      operand.device = {Device::Cpu};
    else if (text.consume_front("cuda"))
      operand.device = {Device::Cuda};
    if (unsigned index = 0; text.consume_front(":") && !text.getAsInteger(10, index))
      operand.device.id = index;
  }

  template <typename Range>
  void addArguments(Event &event, const FunctionDecl *callee, const Range &arguments) {
    unsigned index = 0;
    for (const Expr *argument : arguments) {
      if (isa<CXXDefaultArgExpr>(argument))
        break; // Nothing of the caller's.
      QualType parameter = argument->getType();
      if (callee && index < callee->getNumParams())
        parameter = callee->getParamDecl(index)->getType();
      else if (!callee && argument->isLValue())
        parameter = context.getLValueReferenceType(parameter);
      event.operands.push_back(values.operand(argument, parameter));
      if (parameter->isBooleanType() || parameter->isPointerType())
        event.operands.back().flag = flagOf(argument);
      if (event.operands.back().escapes)
        modify(argument, argument);
      ++index;
    }
  }

  /// The object of a member call or of a member operator, or null.
  static const Expr *objectOf(const CallExpr *call) {
    if (const auto *method = dyn_cast<CXXMemberCallExpr>(call))
      return method->getImplicitObjectArgument();
    // With arguments of unknown type it is no CXXMemberCallExpr.
    if (const auto *member = dyn_cast<MemberExpr>(call->getCallee()->IgnoreParenImpCasts());
        member && isa<CXXMethodDecl>(member->getMemberDecl()))
      return member->getBase();
    if (isa<CXXOperatorCallExpr>(call) && isa_and_nonnull<CXXMethodDecl>(call->getDirectCallee()))
      return call->getArg(0);
    return nullptr;
  }

  /// The object of a member call that clang could not resolve because of errors or in a template;
  /// sets \p name.
  const Expr *unresolvedMember(const CallExpr *call, std::string &name) {
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
    name = Lexer::getSourceText(CharSourceRange::getTokenRange(recovery->getEndLoc()),
                                context.getSourceManager(), context.getLangOpts());
    return recovery->subExpressions().front();
  }

  /// The name of an unresolved call in a class template that may be of a method of `this`.
  static std::string ownName(const CallExpr *call) {
    const Expr *callee = call->getCallee()->IgnoreParenImpCasts();
    if (const auto *member = dyn_cast<CXXDependentScopeMemberExpr>(callee))
      return member->isImplicitAccess() ? member->getMember().getAsString() : "";
    const auto *lookup = dyn_cast<OverloadExpr>(callee);
    return lookup ? lookup->getName().getAsString() : "";
  }

  /// What a call with damaged arguments calls, if there is nothing else of the name.
  static const FunctionDecl *onlyCandidate(const CallExpr *call) {
    const auto *lookup = dyn_cast<UnresolvedLookupExpr>(call->getCallee()->IgnoreParenImpCasts());
    if (!lookup || lookup->getNumDecls() != 1)
      return nullptr;
    return (*lookup->decls_begin())->getUnderlyingDecl()->getAsFunction();
  }

  void lowerCall(const CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    if (values.pathOfAccessor(call))
      return lowerBatches(call);
    const Expr *object = objectOf(call);
    llvm::SmallVector<const Expr *, 4> arguments(call->arguments());
    if (object && isa<CXXOperatorCallExpr>(call))
      arguments.erase(arguments.begin());

    FunctionRole role = callee ? vocabulary.roleOf(callee) : FunctionRole::None;
    std::string name = simpleName(callee).str();
    if (!callee && (object = unresolvedMember(call, name)))
      role = vocabulary.roleOfMember(values.roleOf(object), name);
    else if (!callee && result->isModuleMethod && !ownName(call).empty())
      role = vocabulary.roleOfMember(TypeRole::Module, ownName(call));
    bool external = callee ? values.isExternal(callee) : role != FunctionRole::None;
    if (callee && isStandard(callee) && (name == "make_tuple" || name == "make_pair"))
      return bindElements(call, call->arguments());
    if (callee && isStandard(callee) && name == "swap" && arguments.size() == 2 &&
        llvm::all_of(arguments,
                     [&](const Expr *part) { return values.roleOf(part) == TypeRole::Tensor; }))
      return swapTensors(call, arguments[0], arguments[1]);
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
    if (object && name == "clear" && method && isStandard(method)) {
      emit(EventKind::Bind, call).subject = values.operand(object);
      return;
    }
    if (object && isGuard(values.roleOf(object)) && method && isStandard(method)) {
      const PathId guard = values.pathOf(object);
      const bool isAnother = name == "reset" || isAssignment(call);
      if (name == "emplace")
        enterGuard(guard, values.roleOf(object), arguments, call);
      else if (isAnother && !isNone(arguments))
        enterGuard(guard, arguments.front(), call);
      else if (isAnother)
        emit(EventKind::EndLifetime, call).subject.path = guard;
      return;
    }
    // What a factory makes of tensors, such as means, is where they are.
    const bool isComputed =
        role == FunctionRole::Create && llvm::any_of(arguments, [&](const Expr *argument) {
          return values.roleOf(argument) == TypeRole::Tensor;
        });
    EventKind kind = isComputed ? EventKind::Combine : kindOf(role);
    if (role == FunctionRole::CreateLike && object && isModule(values.roleOf(object)))
      kind = EventKind::Call;
    const CXXConstructorDecl *constructor = nullptr;
    if (kind == EventKind::Call) {
      if (isCallOfClosure(call, callee))
        kind = EventKind::Call;
      else if (object && isForward(call, name, object))
        kind = EventKind::Forward;
      else if (external && callee && isFactory(callee)) {
        constructor = constructorOf(pointee(call->getType())->getAsCXXRecordDecl(), arguments);
        kind = constructor ? EventKind::Call : EventKind::Construct;
      } else if (external || isMemberwise(call, callee))
        kind = EventKind::Combine;
    }
    if (kind == EventKind::Overwrite && isAssignment(call) && object && !isGradient(object))
      kind = EventKind::Combine;
    if (kind == EventKind::Combine && isAssignment(call) && object &&
        assignTie(call, object, values.pathOf(call->getArg(1))))
      return;
    if (kind == EventKind::Combine && isAssignment(call) && object) {
      const Expr *value = arguments.front();
      if (const Expr *base = viewed(object); base && values.roleOf(value) == TypeRole::Tensor)
        return writeInto(base, call, values.operand(value));
      const PathId place = values.pathOf(object);
      const auto *made = dyn_cast<CallExpr>(strip(value));
      const Expr *source = made ? objectOf(made) : nullptr;
      const bool isUpdate = source && values.pathOf(source) == place;
      bind(place, object->getType().getNonReferenceType(), value, call);
      current->events.back().isUpdate = isUpdate;
      return;
    }

    Event event = make(kind, call);
    event.result = values.temporary(call);
    if (kind == EventKind::Call)
      event.callee = constructor ? constructor : callee ? callee : onlyCandidate(call);
    else if (kind == EventKind::Forward)
      event.callee = forwardOf(callee, object);
    event.isVirtual = (kind == EventKind::Call || kind == EventKind::Forward) && isVirtual(call);
    QualType type = values.typeOf(call);
    // Where errors or templates hide what comes back, a statement wants nothing.
    event.isArithmetic = type->isArithmeticType() || type->isVoidType() ||
                         (type->isDependentType() && statements.contains(call));
    event.isTensor = vocabulary.holdsTensors(type);
    event.resultRole = vocabulary.roleOf(type);
    if (kind == EventKind::Forward)
      event.operation = operationOf(*object);
    else if (callee && external)
      event.operation = vocabulary.operationOf(callee);
    if (event.operation == Operation::WrapMemory && !llvm::any_of(arguments, isDeleter))
      if (const VarDecl *owner = ownerOf(arguments.front(), vocabulary);
          owner && !handedOn.contains(owner))
        event.memory = pathOf(owner);
    event.isDifferentiable = role != FunctionRole::NonDifferentiable && !isComputed;
    event.keepsDimensions = role == FunctionRole::Create && !isComputed
                                ? !makesScalar(call)
                                : role != FunctionRole::Reduce && role != FunctionRole::AnyDevice;
    event.isNoise = callee && vocabulary.traitOf(callee) == Trait::MakesRandom && !makesOne(call);
    event.isData = callee && holdsData(callee, call);
    // The standard library hands tensors around, it computes nothing of them.
    event.isAnyDevice = role == FunctionRole::AnyDevice || (callee && isStandard(callee));
    event.isAttribute = role == FunctionRole::Attribute || role == FunctionRole::Defined ||
                        (method && isStandard(method) && (name == "size" || name == "empty"));
    event.isDiscarded =
        statements.contains(call) && callee &&
        (kind == EventKind::Forward ? isPureLayer(object, call) : isPure(callee, call));
    event.constant = constantOf(role, call);
    if (!event.constant && call->getNumArgs())
      event.choice = flagOf(call->getArg(call->getNumArgs() - 1));
    event.startsThread = name == "async" && callee && isStandard(callee);
    if (kind == EventKind::SetGradMode && !arguments.empty())
      event.subject.path = values.pathOf(arguments.front());
    if (kind == EventKind::Step && callee)
      event.clear = vocabulary.sibling(callee, FunctionRole::ClearGradients);
    if (object) {
      event.subject = values.operand(object);
      event.isStateless =
          kind == EventKind::Forward && vocabulary.isStateless(strip(object)->getType());
      event.castsWeights =
          kind == EventKind::Forward && vocabulary.castsWeights(strip(object)->getType());
      // Lengths of packed sequences, say.
      event.mayUseHost = kind == EventKind::Forward && callee && !values.isExternal(callee);
      event.subject.escapes =
          !method || !method->isConst() || vocabulary.isHandle(object->getType());
      if (kind == EventKind::Call && event.subject.role == TypeRole::None)
        event.subject.escapes &= vocabulary.reachesTraining(values.typeOf(object));
      if (event.subject.role == TypeRole::Tensor && StringRef(name).ends_with("_"))
        event.subject.escapes = true; // Handles are const; what they share is not.
    } else if (kind == EventKind::Construct || constructor) {
      event.subject = {event.result, vocabulary.roleOf(call->getType())};
    } else if (kind != EventKind::Call && kind != EventKind::Combine && kind != EventKind::Load &&
               role != FunctionRole::Create && !arguments.empty() &&
               !isArithmetic(arguments.front())) {
      event.subject = values.operand(arguments.front());
      arguments.erase(arguments.begin());
    }
    if (role == FunctionRole::MoveToCpu || (role == FunctionRole::MoveToCuda && !asksForDevices))
      event.operands.push_back(
          {.device = {role == FunctionRole::MoveToCpu ? Device::Cpu : Device::Cuda}});
    else if (role == FunctionRole::MoveToCuda)
      event.operands.push_back({.role = TypeRole::Device}); // Where the others are.
    addArguments(event, constructor ? nullptr : callee, arguments);
    const FunctionDecl *body = nullptr;
    const bool isSeen = kind == EventKind::Forward && event.callee && event.callee->hasBody(body);
    event.isGuarded = isSeen && hasGuard(body->getBody());
    if (isSeen)
      for (unsigned i = 0; i < event.operands.size() && i < body->getNumParams(); ++i)
        event.operands[i].isMovedThere =
            movesFirst(body->getBody(), body->getParamDecl(i)).value_or(false);
    if (kind == EventKind::Overwrite && !arguments.empty() && isNothing(arguments.front()))
      event.operands.clear();
    const bool isWrite = (kind == EventKind::Combine || kind == EventKind::Overwrite) && object &&
                         event.subject.escapes && !event.operands.empty();
    const Expr *base = isWrite ? viewed(object) : nullptr;
    const bool givesIndices = callee && event.resultRole == TypeRole::None &&
                              vocabulary.traitOf(callee) == Trait::GivesIndices;
    current->events.push_back(std::move(event));
    if (givesIndices)
      addIndices();
    if (base)
      writeInto(base, call, current->events.back().operands);
  }

  /// Whether \p argument says what to do with the memory that a tensor wraps.
  static bool isDeleter(const Expr *argument) {
    return Vocabulary::isClosure(argument->getType()) ||
           strip(argument)->getType()->isFunctionType();
  }

  /// What a layer computes.
  Operation operationOf(const Expr &layer) {
    const CXXRecordDecl *record = vocabulary.classOf(values.typeOf(&layer));
    return record ? vocabulary.operationOf(record) : Operation::None;
  }

  /// Whether the function disables gradients for itself.
  bool hasGuard(const Stmt *body) const {
    return llvm::any_of(body->children(), [&](const Stmt *statement) {
      const auto *declared = dyn_cast_or_null<DeclStmt>(statement);
      const auto *variable = declared && declared->isSingleDecl()
                                 ? dyn_cast<VarDecl>(declared->getSingleDecl())
                                 : nullptr;
      return variable && vocabulary.roleOf(variable->getType()) == TypeRole::NoGradGuard;
    });
  }

  /// Whether the first thing that is done to the tensor \p variable is to move it to a device.
  std::optional<bool> movesFirst(const Stmt *statement, const VarDecl *variable,
                                 unsigned depth = 0) {
    if (const auto *reference = dyn_cast<DeclRefExpr>(statement))
      return reference->getDecl() == variable ? std::optional(false) : std::nullopt;
    if (const auto *expr = dyn_cast<Expr>(statement))
      if (std::optional<Assigned> assigned = asAssignment(expr)) {
        std::optional<bool> answer = movesFirst(assigned->value, variable, depth);
        return answer ? answer : movesFirst(assigned->target, variable, depth);
      }
    if (const auto *handed = dyn_cast<CallExpr>(statement); handed && depth < 3)
      for (unsigned i = 0; i < handed->getNumArgs(); ++i) {
        const auto *argument =
            dyn_cast<DeclRefExpr>(handed->getArg(i)->IgnoreUnlessSpelledInSource());
        const FunctionDecl *body = handed->getDirectCallee();
        if (argument && argument->getDecl() == variable && body && !values.isExternal(body) &&
            body->hasBody(body) && i < body->getNumParams() && !isa<CXXOperatorCallExpr>(handed))
          return movesFirst(body->getBody(), body->getParamDecl(i), depth + 1);
      }
    const auto *call = dyn_cast<CXXMemberCallExpr>(statement);
    const auto *object =
        call ? dyn_cast<DeclRefExpr>(strip(call->getImplicitObjectArgument())) : nullptr;
    if (object && object->getDecl() == variable && call->getMethodDecl()) {
      const FunctionRole role = vocabulary.roleOf(call->getMethodDecl());
      const auto namesPlace = [&](const Expr *argument) {
        const TypeRole named = vocabulary.roleOf(argument->getType());
        return named == TypeRole::Device || named == TypeRole::Tensor;
      };
      if (role != FunctionRole::Attribute && role != FunctionRole::Defined)
        return role == FunctionRole::MoveToCpu || role == FunctionRole::MoveToCuda ||
               (role == FunctionRole::Move && llvm::any_of(call->arguments(), namesPlace));
      for (const Expr *argument : call->arguments())
        if (std::optional<bool> answer = movesFirst(argument, variable, depth))
          return answer;
      return std::nullopt;
    }
    for (const Stmt *child : statement->children())
      if (std::optional<bool> answer = child ? movesFirst(child, variable, depth) : std::nullopt)
        return answer;
    return std::nullopt;
  }

  /// The second part of what the last event gives has no gradient.
  void addIndices() {
    Event indices = current->events.back();
    indices.result = paths.element(indices.result, 1);
    indices.resultRole = TypeRole::Tensor;
    indices.isDifferentiable = false;
    current->events.push_back(std::move(indices));
  }

  /// The tensor that \p expr is a view of, or null.
  const Expr *viewed(const Expr *expr) {
    const auto *call = dyn_cast<CallExpr>(strip(expr));
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee || vocabulary.operationOf(callee) != Operation::View)
      return nullptr;
    const Expr *object = objectOf(call);
    const Expr *base = object ? viewed(object) : nullptr;
    return base ? base : object;
  }

  /// What is written to a view goes into the tensor \p base, and its graph with it.
  void writeInto(const Expr *base, const CallExpr *call, ArrayRef<Operand> written) {
    llvm::SmallVector<Operand, 2> tensors(
        llvm::make_filter_range(written, [](const Operand &value) { return value.isTensor; }));
    if (tensors.empty() || isGradient(base))
      return;
    Event &event = emit(EventKind::Combine, call);
    event.subject = values.operand(base);
    event.subject.escapes = true;
    event.operands.append(tensors);
    event.result = values.temporary(call);
    event.resultRole = TypeRole::Tensor;
    event.isTensor = true;
    event.isAnyDevice = true; // It is copied there, or said of the view.
  }

  /// `std::make_tuple(a, b)`.
  template <typename Range> void bindElements(const Expr *made, const Range &parts) {
    PathId tuple = values.temporary(made);
    std::int64_t index = 0;
    for (const Expr *part : parts) {
      Event &event = emit(EventKind::Bind, made);
      event.subject = {paths.element(tuple, index++), values.roleOf(part)};
      event.bind = values.bindKind(part->getType().getNonReferenceType());
      event.operands.push_back(values.operand(part));
    }
  }

  void swapTensors(const CallExpr *call, const Expr *left, const Expr *right) {
    const Operand kept{values.temporary(call), TypeRole::Tensor};
    const auto bindTo = [&](PathId place, Operand value) {
      Event &event = emit(EventKind::Bind, call);
      event.subject = {place, TypeRole::Tensor};
      event.bind = BindKind::Value;
      event.operands.push_back(value);
      event.operands.back().isTensor = true;
    };
    bindTo(kept.path, values.operand(left));
    bindTo(values.pathOf(left), values.operand(right));
    bindTo(values.pathOf(right), kept);
  }

  /// `std::tie(a, b) = tuple`, or a tuple of tuples of references.
  bool assignTie(const Expr *assignment, const Expr *object, PathId tuple) {
    const auto *tie = dyn_cast<CallExpr>(strip(object));
    const FunctionDecl *callee = tie ? tie->getDirectCallee() : nullptr;
    if (!callee || !isStandard(callee) ||
        (simpleName(callee) != "tie" && simpleName(callee) != "forward_as_tuple"))
      return false;
    std::int64_t index = 0;
    for (const Expr *target : tie->arguments()) {
      if (assignTie(assignment, target, paths.element(tuple, index))) {
        ++index;
        continue;
      }
      QualType type = target->getType();
      Event &event = emit(EventKind::Bind, assignment);
      event.subject = {values.pathOf(target), vocabulary.roleOf(type)};
      event.bind = values.bindKind(type);
      Operand element{paths.element(tuple, index++), event.subject.role};
      element.isTensor = vocabulary.holdsTensors(type);
      event.operands.push_back(element);
    }
    return true;
  }

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

  /// Event::constant of a call.
  std::optional<bool> constantOf(FunctionRole role, const CallExpr *call) {
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
      for (unsigned i = 0; callee && i < callee->getNumParams() && i < call->getNumArgs(); ++i) {
        std::string name = callee->getParamDecl(i)->getName().lower();
        llvm::erase(name, '_');
        if ((name == "retaingraph" || name == "keepgraph" || name == "creategraph") &&
            literalBool(call->getArg(i)) == true)
          return true;
      }
      return std::nullopt;
    }
    default:
      return std::nullopt;
    }
  }

  /// Whether all that a function of the framework does is to make a new tensor of another one.
  bool isPure(const FunctionDecl *callee, const CallExpr *call) {
    StringRef name = simpleName(callee);
    QualType type = callee->getReturnType();
    if (makesValue(callee->getOverloadedOperator()))
      return values.isExternal(callee) && vocabulary.roleOf(type) == TypeRole::Tensor;
    if (name.empty() || name.ends_with("_") || name.starts_with("_") || type->isReferenceType() ||
        !values.isExternal(callee) || vocabulary.roleOf(type) != TypeRole::Tensor)
      return false;
    FunctionRole role = vocabulary.roleOf(callee);
    if (role == FunctionRole::Overwrite || role == FunctionRole::RequireGrad)
      return false;
    if (const auto *method = dyn_cast<CXXMethodDecl>(callee); method && method->isInstance())
      return method->isConst() && vocabulary.roleOf(method->getParent()) == TypeRole::Tensor;
    if (call->getNumArgs() == 0 || isa<CXXMethodDecl>(callee) ||
        llvm::any_of(call->arguments(), namesInPlace))
      return false;
    if (isForwardPass() && !result->isConditional(call))
      return vocabulary.holdsTensors(call->getArg(0)->getType()) && name != "batch_norm" &&
             name != "instance_norm";
    // Elsewhere a function is called for its effect only by mistake for the one that works in
    // place: a benchmark throws results away.
    const CXXRecordDecl *tensor =
        call->getArg(0)->getType().getNonReferenceType()->getAsCXXRecordDecl();
    if (!tensor || vocabulary.roleOf(tensor) != TypeRole::Tensor)
      return false;
    DeclarationName inPlace(&context.Idents.get((name + "_").str()));
    return !tensor->lookup(inPlace).empty();
  }

  /// Whether this is a module's way to its result, where nothing is tried out or measured.
  bool isForwardPass() const { return result->isModuleMethod && gradtidy::isForward(function); }

  /// Whether the layer that \p object names only makes a tensor of another one, for a forward pass.
  bool isPureLayer(const Expr *object, const CallExpr *call) const {
    object = strip(object);
    if (const auto *arrow = dyn_cast<CXXOperatorCallExpr>(object);
        arrow && arrow->getOperator() == OO_Arrow)
      object = strip(arrow->getArg(0));
    const auto *member = dyn_cast<MemberExpr>(object);
    const auto *field = member ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
    const CXXRecordDecl *layer = field ? vocabulary.classOf(field->getType()) : nullptr;
    if (!layer || !isForwardPass() || !vocabulary.isFramework(layer) || mayHaveEffects(*layer) ||
        result->isConditional(call))
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

  /// Whether a layer keeps statistics, or holds layers of which nobody knows what they do.
  bool mayHaveEffects(const CXXRecordDecl &layer) const {
    const Trait trait = vocabulary.traitOf(&layer);
    return trait == Trait::Container || trait == Trait::Opaque ||
           layer.getName().contains("BatchNorm") || layer.getName().contains("InstanceNorm");
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

  /// `begin()` of a loader gives batches; they come from the host unless the dataset moves them.
  void lowerBatches(const CallExpr *call) {
    const auto *begin = dyn_cast<CXXMemberCallExpr>(call);
    if (!begin || simpleName(begin->getDirectCallee()) != "begin")
      return;
    const Expr *loader = begin->getImplicitObjectArgument();
    if (!loader || values.roleOf(loader) != TypeRole::DataLoader)
      return;
    Event &event = emit(EventKind::Create, call);
    event.result = values.pathOf(call);
    event.isTensor = true;
    if (mayMoveTensors(loader->getType()))
      event.operands.push_back({.role = TypeRole::Device});
  }

  /// Whether the user's classes among the template arguments of \p type know of devices.
  bool mayMoveTensors(QualType type) {
    if (QualType inner = pointee(type); !inner.isNull())
      return mayMoveTensors(inner);
    const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
    record = record ? record->getDefinition() : nullptr;
    if (!record)
      return false;
    if (!vocabulary.isFramework(record) && !isStandard(record)) {
      for (const CXXMethodDecl *method : record->methods())
        if (const FunctionDecl *body = method->getDefinition())
          if (namesDevice(body->getBody(), vocabulary))
            return true;
      return llvm::any_of(record->fields(), [&](const FieldDecl *field) {
        return vocabulary.roleOf(field->getType()) == TypeRole::Device;
      });
    }
    const auto *special = dyn_cast<ClassTemplateSpecializationDecl>(record);
    return special && llvm::any_of(special->getTemplateArgs().asArray(), [&](const auto &argument) {
             return argument.getKind() == TemplateArgument::Type &&
                    mayMoveTensors(argument.getAsType());
           });
  }

  /// Whether \p value is zero, or a tensor of zeros, or undefined.
  static bool isNothing(const Expr *value) {
    value = strip(value);
    if (const auto *construct = dyn_cast<CXXConstructExpr>(value))
      return construct->getNumArgs() == 0 ||
             (construct->getNumArgs() == 1 && isNothing(construct->getArg(0)));
    if (const auto *list = dyn_cast<InitListExpr>(value))
      return list->getNumInits() == 0;
    if (const auto *number = dyn_cast<FloatingLiteral>(value))
      return number->getValue().isZero();
    if (const auto *number = dyn_cast<IntegerLiteral>(value))
      return number->getValue().isZero();
    const auto *call = dyn_cast<CallExpr>(value);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    return callee && simpleName(callee).starts_with("zeros");
  }

  bool isGradient(const Expr *expr) {
    return paths.last(values.pathOf(expr)).kind == PathStep::Gradient;
  }

  /// Whether the type of the object at run time decides what is called.
  bool isVirtual(const CallExpr *call) {
    const auto *member = dyn_cast<MemberExpr>(call->getCallee()->IgnoreParenImpCasts());
    const auto *method = member ? dyn_cast<CXXMethodDecl>(member->getMemberDecl()) : nullptr;
    if (!method || !method->isVirtual() || !member->performsVirtualDispatch(context.getLangOpts()))
      return false;
    const auto *object = dyn_cast<DeclRefExpr>(member->getBase()->IgnoreParenImpCasts());
    return !object || object->getDecl()->getType()->isReferenceType() || member->isArrow();
  }

  static bool isAssignment(const CallExpr *call) {
    const auto *operation = dyn_cast<CXXOperatorCallExpr>(call);
    return operation && operation->getOperator() == OO_Equal;
  }

  /// An assignment that does what the compiler makes of it: each member is assigned. A member that
  /// now and then takes the place of another module is still the module that it was, as far as is
  /// known.
  bool isMemberwise(const CallExpr *call, const FunctionDecl *callee) {
    if (!isAssignment(call) || !callee || !callee->isDefaulted() || callee->isDeleted())
      return false;
    return values.roleOf(call->getArg(0)) != TypeRole::ModuleHolder ||
           isa<DeclRefExpr>(strip(call->getArg(0))) || values.operand(call->getArg(1)).fresh;
  }

  /// A call of std::function, whose body is that of the closure it holds.
  static bool isCallOfClosure(const CallExpr *call, const FunctionDecl *callee) {
    const auto *operation = dyn_cast<CXXOperatorCallExpr>(call);
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
    return operation && method && operation->getOperator() == OO_Call && isStandard(method) &&
           method->getParent()->getIdentifier() && method->getParent()->getName() == "function";
  }

  /// `module(x)`, `module->forward(x)`: a method of a module that makes tensors of what it is
  /// given.
  bool isForward(const CallExpr *call, StringRef name, const Expr *object) {
    if (!isModule(values.roleOf(object)))
      return false;
    if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(call))
      return operation->getOperator() == OO_Call;
    if (name == "forward" || name == "operator()")
      return true;
    // Other ways through a module are followed where they can be seen.
    const FunctionDecl *callee = call->getDirectCallee();
    return name.contains("forward") && callee && !values.isExternal(callee) &&
           !callee->isDefined() && vocabulary.holdsTensors(call->getType());
  }

  /// The method that a forward pass runs: operator() of a module holder calls that of the module.
  const FunctionDecl *forwardOf(const FunctionDecl *callee, const Expr *object) {
    const CXXRecordDecl *record = vocabulary.classOf(object->getType());
    if ((callee && !values.isExternal(callee)) || !record || !record->hasDefinition())
      return callee;
    const auto found = record->lookup(DeclarationName(&context.Idents.get("forward")));
    const FunctionDecl *own = found.isSingleResult() ? found.front()->getAsFunction() : nullptr;
    return own ? own : callee;
  }

  /// Whether the first size of the tensor that is made is 1.
  static bool makesOne(const Expr *call) {
    const auto *direct = dyn_cast<CallExpr>(call);
    const Expr *first = direct && direct->getNumArgs() ? strip(direct->getArg(0)) : nullptr;
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

  static bool readsVariables(const Stmt *statement) {
    if (const auto *reference = dyn_cast<DeclRefExpr>(statement))
      if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
        return !variable->isConstexpr();
    return isa<MemberExpr, CXXThisExpr>(statement) ||
           llvm::any_of(statement->children(),
                        [](const Stmt *child) { return child && readsVariables(child); });
  }

  /// Whether a factory gets the values of the tensor, or where they are, from variables.
  bool holdsData(const FunctionDecl *factory, const CallExpr *call) {
    return call->getNumArgs() > 0 &&
           (vocabulary.traitOf(factory) == Trait::MakesScalar ||
            call->getArg(0)->getType()->isPointerType()) &&
           readsVariables(call->getArg(0));
  }

  /// Finds what must be known of the whole function before its blocks are lowered.
  void survey(Stmt *statement) {
    // What is called but has errors: the call tells more than the callee by itself.
    if (const auto *call = dyn_cast<CallExpr>(statement))
      callees.insert(call->getCallee()->IgnoreParenImpCasts());
    if (const auto *call = dyn_cast<CallExpr>(statement); call && call->isTypeDependent())
      guessRole(call);
    if (const auto *call = dyn_cast<CXXMemberCallExpr>(statement))
      noteMove(call);
    if (const auto *call = dyn_cast<CallExpr>(statement))
      noteHandedOn(call);
    if (auto *loop = dyn_cast<CXXForRangeStmt>(statement))
      complete(*loop);
    if (const auto *branch = dyn_cast<IfStmt>(statement))
      asksForDevices |= asksForDevice(branch->getCond());
    if (const auto *choice = dyn_cast<ConditionalOperator>(statement))
      asksForDevices |= asksForDevice(choice->getCond());
    if (const auto *declarations = dyn_cast<DeclStmt>(statement);
        declarations && declarations->isSingleDecl())
      if (const auto *declared = dyn_cast<FunctionDecl>(declarations->getSingleDecl());
          declared && isGuard(vocabulary.roleOf(declared->getReturnType())))
        guardFunctions.push_back(declarations);
    if (const auto *handled = dyn_cast<CXXTryStmt>(statement))
      for (unsigned i = 0; i < handled->getNumHandlers(); ++i)
        findGuards(handled->getTryBlock(), guardsBefore[handled->getHandler(i)]);
    bool isExpr = isa<Expr>(statement);
    for (Stmt *child : statement->children()) {
      if (!child)
        continue;
      // An expression right below a statement is one by itself, a condition or a value.
      if (const auto *expr = dyn_cast<Expr>(child); expr && !isExpr && isBodyOf(statement, child))
        statements.insert(expr->IgnoreImplicit()->IgnoreParens()->IgnoreImplicit());
      survey(child);
    }
  }

  /// `std::move(values)`, `values.swap(others)`: what the variable holds may live on elsewhere.
  void noteHandedOn(const CallExpr *call) {
    const StringRef name = simpleName(call->getDirectCallee());
    if (name != "move" && name != "swap")
      return;
    for (const Stmt *part : call->children()) {
      if (const auto *member = dyn_cast<MemberExpr>(part))
        part = member->getBase();
      if (const auto *reference = dyn_cast<DeclRefExpr>(strip(cast<Expr>(part))))
        handedOn.insert(reference->getDecl());
    }
  }

  /// Where the type of the range is not known (in a template, for want of a header), the parts of
  /// the loop that depend on it are not there; without them clang makes no CFG.
  static void complete(CXXForRangeStmt &loop) {
    if (loop.getBeginStmt())
      return;
    loop.setBeginStmt(loop.getRangeStmt());
    loop.setEndStmt(loop.getRangeStmt());
    loop.setCond(loop.getRangeInit());
    loop.setInc(loop.getRangeInit());
  }

  /// The roles of things whose types depend on template parameters, by what is called of them.
  void guessRole(const CallExpr *call) {
    const auto *member = dyn_cast<CXXDependentScopeMemberExpr>(call->getCallee());
    const auto *object = member && !member->isImplicitAccess()
                             ? dyn_cast<DeclRefExpr>(strip(member->getBase()))
                             : nullptr;
    if (!object || !object->isTypeDependent())
      return;
    TypeRole role = llvm::StringSwitch<TypeRole>(member->getMember().getAsString())
                        .Cases({"forward", "parameters", "train", "eval"}, TypeRole::Module)
                        .Cases({"backward", "detach", "grad", "requires_grad_"}, TypeRole::Tensor)
                        .Case("step", TypeRole::Optimizer)
                        .Default(TypeRole::None);
    if (role != TypeRole::None)
      values.setRole(object->getDecl(), role);
  }

  /// Whether a condition asks where a tensor is.
  bool asksForDevice(const Stmt *condition) {
    const auto *call = dyn_cast<CXXMemberCallExpr>(condition);
    StringRef name = call ? simpleName(call->getDirectCallee()) : StringRef();
    const auto *expr = dyn_cast<Expr>(condition);
    return ((name == "is_cuda" || name == "is_cpu" || name == "device") &&
            isTensorOrDevice(call)) ||
           (expr && asksForGpu(expr)) ||
           llvm::any_of(condition->children(),
                        [&](const Stmt *child) { return child && asksForDevice(child); });
  }

  bool isTensorOrDevice(const CXXMemberCallExpr *call) {
    TypeRole role = values.roleOf(call->getImplicitObjectArgument());
    return role == TypeRole::Tensor || role == TypeRole::Device;
  }

  /// Who moves one part of a batch says that the batch is on the host.
  void noteMove(const CXXMemberCallExpr *call) {
    if (asksForDevices)
      return; // It may be moved only where it is not there yet.
    const FunctionDecl *callee = call->getDirectCallee();
    FunctionRole role = callee ? vocabulary.roleOf(callee) : FunctionRole::None;
    if (role != FunctionRole::Move && role != FunctionRole::MoveToCuda)
      return;
    Operand device{.device = {role == FunctionRole::MoveToCuda ? Device::Cuda : Device::Unknown}};
    for (const Expr *argument : call->arguments()) {
      Operand operand = values.operand(argument);
      if (operand.role == TypeRole::Device &&
          (operand.device.kind == Device::Cuda || isChosen(operand)))
        device = operand;
    }
    bool isTold = device.path || device.device.isKnown();
    const Expr *object = call->getImplicitObjectArgument();
    if (!isTold || !object || values.roleOf(object) != TypeRole::Tensor)
      return;
    PathId path = values.pathOf(object);
    const PathStep &last = paths.last(path);
    bool isPart =
        (last.kind == PathStep::Element && last.index >= 0) ||
        (last.kind == PathStep::Member && paths.last(paths.rootOf(path)).kind != PathStep::This);
    if (!isPart)
      return;
    values.addHostBatch(paths.parent(path));
    if (!batchDevice)
      batchDevice = device;
    else if (batchDevice->path != device.path || !(batchDevice->device == device.device))
      batchDevice = Operand{}; // Several.
  }

  static bool isBodyOf(const Stmt *statement, const Stmt *child) {
    if (isa<CompoundStmt, SwitchCase, LabelStmt>(statement))
      return true;
    if (const auto *branch = dyn_cast<IfStmt>(statement))
      return child == branch->getThen() || child == branch->getElse();
    if (const auto *loop = dyn_cast<ForStmt>(statement))
      return child == loop->getBody();
    if (const auto *loop = dyn_cast<CXXForRangeStmt>(statement))
      return child == loop->getBody();
    if (const auto *loop = dyn_cast<WhileStmt>(statement))
      return child == loop->getBody();
    const auto *loop = dyn_cast<DoStmt>(statement);
    return loop && child == loop->getBody();
  }

  /// The guards an exception may leave; no destructor stands on its way in the CFG.
  void findGuards(const Stmt *statement, llvm::SmallVectorImpl<const VarDecl *> &guards) {
    if (const auto *declarations = dyn_cast<DeclStmt>(statement))
      for (const Decl *declaration : declarations->decls())
        if (const auto *variable = dyn_cast<VarDecl>(declaration);
            variable &&
            (isGuard(vocabulary.roleOf(variable->getType())) || guardOf(variable->getType())))
          guards.push_back(variable);
    for (const Stmt *child : statement->children())
      if (child && !isa<LambdaExpr>(child))
        findGuards(child, guards);
  }

  /// Finds the temporaries of each block that no other block mentions.
  void findTemporaries() {
    constexpr unsigned several = ~0u;
    llvm::DenseMap<PathId, unsigned> blockOf;
    auto mention = [&](PathId path, unsigned block) {
      if (!path || paths.last(paths.rootOf(path)).kind != PathStep::Temporary)
        return;
      auto [entry, isNew] = blockOf.try_emplace(paths.rootOf(path), block);
      if (!isNew && entry->second != block)
        entry->second = several;
    };
    for (unsigned number = 0; number < result->blocks.size(); ++number)
      for (const Event &event : result->blocks[number].events) {
        mention(event.subject.path, number);
        mention(event.result, number);
        for (const Operand &operand : event.operands)
          mention(operand.path, number);
      }
    for (auto [root, block] : blockOf)
      if (block != several)
        result->blocks[block].temporaries.push_back(root);
    for (Block &block : result->blocks)
      llvm::sort(block.temporaries);
  }

  // --- edges ------------------------------------------------------------------------------------

  void lowerEdges(const CFGBlock &block,
                  const llvm::DenseMap<const CFGBlock *, unsigned> &numbers) {
    const Stmt *terminator = block.getTerminatorStmt();
    bool isBranch = terminator && block.succ_size() == 2 && !isa<SwitchStmt>(terminator);
    const Expr *condition = isBranch ? dyn_cast_or_null<Expr>(block.getLastCondition()) : nullptr;
    bool negated = false;
    if (condition)
      condition = conditions.asked(condition, negated);
    int number = condition ? conditions.numberOf(condition, context) : -1;
    PathId asked = condition ? askedForDefined(condition) : noPath;
    const bool isAboutGpu = condition && asksForGpu(condition);
    llvm::SmallVector<PathId, 2> placed;
    if (condition)
      findPlaced(condition, placed);
    current->endsProgram = block.hasNoReturnElement();
    unsigned index = 0;
    for (const CFGBlock::AdjacentBlock &successor : block.succs()) {
      bool taken = index++ == 0;
      const CFGBlock *target = successor.getReachableBlock();
      // What an exception does to the function's end does not reach the statement behind its call.
      const bool isThrow = target == &block.getParent()->getExit() &&
                           (terminator ? isa<CXXTryStmt>(terminator) : !taken);
      if (!target || isThrow || !numbers.contains(target))
        continue;
      Block::Edge edge{numbers.lookup(target)};
      if (number >= 0) {
        edge.condition = number;
        edge.value = taken != negated;
        edge.isKeptApart = conditions.isKeptApart(number);
        edge.excluded = edge.value ? conditions.excludedBy(number) : 0;
      }
      if (isa_and_nonnull<SwitchStmt>(terminator))
        chooseCase(edge, block, *target);
      if (asked && taken == negated)
        edge.undefined = asked;
      edge.lacksGpu = isAboutGpu && taken == negated;
      edge.placed = placed;
      if (const auto *loop = dyn_cast_or_null<ForStmt>(block.getLoopTarget()))
        if (std::optional<Conditions::LastRound> last = conditions.lastRoundOf(loop)) {
          edge.lastRound = static_cast<int>(last->number);
          edge.answerInLastRound = last->answer;
        }
      if (!taken && isBranch && isa<ForStmt, CXXForRangeStmt, WhileStmt>(terminator))
        if (std::optional<unsigned> latch = latchOf(block, numbers)) {
          current->exitEdge = static_cast<int>(current->edges.size());
          current->latch = *latch;
        }
      current->edges.push_back(edge);
    }
  }

  /// What holds along \p edge, which leads from a `switch` to the block \p target.
  void chooseCase(Block::Edge &edge, const CFGBlock &block, const CFGBlock &target) {
    const auto *asked = dyn_cast_or_null<Expr>(block.getLastCondition());
    const auto *choice = dyn_cast_or_null<CaseStmt>(target.getLabel());
    if (!asked)
      return;
    if (choice) {
      edge.condition = conditions.numberOf(asked, *choice, context);
      edge.value = true;
      edge.excluded = conditions.excludedBy(edge.condition);
      return;
    }
    for (const SwitchCase *each = cast<SwitchStmt>(block.getTerminatorStmt())->getSwitchCaseList();
         each; each = each->getNextSwitchCase())
      if (const auto *other = dyn_cast<CaseStmt>(each))
        if (int number = conditions.numberOf(asked, *other, context); number >= 0)
          edge.excluded |= 1u << number;
  }

  /// The block that leads back to the loop head \p head, if it is one.
  static std::optional<unsigned>
  latchOf(const CFGBlock &head, const llvm::DenseMap<const CFGBlock *, unsigned> &numbers) {
    for (const CFGBlock::AdjacentBlock &predecessor : head.preds())
      if (const CFGBlock *block = predecessor.getReachableBlock();
          block && block->getLoopTarget() && numbers.contains(block))
        return numbers.lookup(block);
    return std::nullopt;
  }

  /// What a condition `x.defined()` asks for.
  PathId askedForDefined(const Expr *condition) {
    const auto *call = dyn_cast<CXXMemberCallExpr>(strip(condition));
    bool asks = call && call->getMethodDecl() &&
                vocabulary.roleOf(call->getMethodDecl()) == FunctionRole::Defined;
    return asks ? values.pathOf(call->getImplicitObjectArgument()) : noPath;
  }

  /// Finds the tensors that \p condition asks for their devices.
  void findPlaced(const Stmt *condition, llvm::SmallVectorImpl<PathId> &found) {
    if (const auto *call = dyn_cast<CXXMemberCallExpr>(condition)) {
      const StringRef name = simpleName(call->getDirectCallee());
      if ((name == "is_cuda" || name == "is_cpu" || name == "device") &&
          values.roleOf(call->getImplicitObjectArgument()) == TypeRole::Tensor)
        found.push_back(values.pathOf(call->getImplicitObjectArgument()));
    }
    for (const Stmt *child : condition->children())
      if (child)
        findPlaced(child, found);
  }

  /// Whether the expression tells if there is a GPU, be it a variable that never says anything
  /// else.
  bool asksForGpu(const Expr *expr) {
    expr = strip(expr);
    if (const auto *call = dyn_cast<CallExpr>(expr))
      return call->getDirectCallee() &&
             vocabulary.traitOf(call->getDirectCallee()) == Trait::AsksForGpu;
    const auto *reference = dyn_cast<DeclRefExpr>(expr);
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    return variable && variable->isLocalVarDecl() && variable->hasInit() &&
           asksForGpu(variable->getInit()) && isOnlyRead(function->getBody(), variable);
  }

  const FunctionDecl *function;
  PathTable &paths;
  Vocabulary &vocabulary;
  ASTContext &context;
  Values values;
  Conditions conditions;
  bool asksForDevices = false;        ///< A condition asks where tensors are.
  std::optional<Operand> batchDevice; ///< Empty until a batch is moved.
  llvm::SmallPtrSet<const Expr *, 32> callees;
  llvm::SmallPtrSet<const Expr *, 32> statements;        ///< Expressions that are statements.
  llvm::SmallVector<const DeclStmt *, 1> guardFunctions; ///< `NoGradGuard guard();`
  llvm::SmallPtrSet<const Decl *, 4> handedOn; ///< Variables whose contents may live on elsewhere.
  llvm::SmallDenseMap<const CXXCatchStmt *, llvm::SmallVector<const VarDecl *, 1>> guardsBefore;
  std::unique_ptr<FunctionBody> result;
  Block *current = nullptr;
};

} // namespace

std::unique_ptr<FunctionBody> lower(const clang::FunctionDecl *function, PathTable &paths,
                                    Vocabulary &vocabulary, clang::ASTContext &context) {
  return Lowering(function, paths, vocabulary, context).run();
}

} // namespace gradtidy
