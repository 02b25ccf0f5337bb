#include "Lowering.h"

#include "Conditions.h"
#include "Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/Analyses/PostOrderCFGView.h"
#include "clang/Analysis/CFG.h"
#include "clang/Lex/Lexer.h"

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
    const Stmt *body = function->getBody();
    std::unique_ptr<CFG> cfg = CFG::buildCFG(function, const_cast<Stmt *>(body), &context, options);
    if (!cfg)
      return nullptr;

    result = std::make_unique<FunctionBody>(function, body);
    findDamagedCallees(body);
    conditions.collect(*cfg, context);
    for (const ParmVarDecl *parameter : function->parameters())
      result->parameters.push_back({{paths.root(PathStep::Variable, parameter->getCanonicalDecl()),
                                     vocabulary.roleOf(parameter->getType())},
                                    values.bindKind(parameter->getType())});
    if (const auto *method = dyn_cast<CXXMethodDecl>(function);
        method && method->isInstance() && !method->getParent()->isLambda())
      result->thisObject = values.thisObject();
    result->returned = paths.root(PathStep::Returned, function->getCanonicalDecl());

    PostOrderCFGView order(cfg.get()); // It begins at the entry: reverse post order.
    llvm::DenseMap<const CFGBlock *, unsigned> numbers;
    for (const CFGBlock *block : order)
      numbers.try_emplace(block, numbers.size());
    result->blocks.resize(numbers.size());
    for (const CFGBlock *block : order) {
      current = &result->blocks[numbers[block]];
      for (const CFGElement &element : *block)
        lowerElement(element);
      lowerEdges(*block, numbers);
    }
    for (unsigned number = 0; number < result->blocks.size(); ++number)
      for (const Block::Edge &edge : result->blocks[number].edges)
        if (edge.target <= number)
          result->blocks[edge.target].isLoopHead = true;
    findTemporaries();
    return std::move(result);
  }

private:
  // --- events -----------------------------------------------------------------------------------

  Event &emit(EventKind kind, const Stmt *site) {
    Event event;
    event.kind = kind;
    event.site = site;
    event.function = result.get();
    current->events.push_back(std::move(event));
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
    } else if (auto end = element.getAs<CFGLifetimeEnds>()) {
      const VarDecl *variable = end->getVarDecl();
      emit(EventKind::EndLifetime, end->getTriggerStmt()).subject.path =
          paths.root(PathStep::Variable, variable->getCanonicalDecl());
    }
  }

  void lowerStatement(const Stmt *statement) {
    if (const auto *declarations = dyn_cast<DeclStmt>(statement)) {
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
      combine(conditional, {conditional->getTrueExpr(), conditional->getFalseExpr()});
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
      if (onlyDamaged(error) || callees.contains(error))
        return;
      Event &event = emit(EventKind::Call, error);
      event.result = values.temporary(error);
      for (const Expr *part : error->subExpressions()) {
        event.operands.push_back(values.operand(part));
        event.operands.back().escapes = true;
      }
    }
  }

  void lowerList(const InitListExpr *list) {
    const RecordDecl *record = list->getType()->getAsRecordDecl();
    if (!record || !list->isSemanticForm())
      return combine(list, list->inits());
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
    if (value && event.bind == BindKind::Value && isGradient(value))
      event.bind = BindKind::Handle; // A gradient is shared with its tensor.
  }

  void lowerDeclaration(const Decl *declaration, const Stmt *site) {
    const auto *variable = dyn_cast<VarDecl>(declaration);
    if (!variable || variable->isStaticLocal())
      return;
    bind(paths.root(PathStep::Variable, variable->getCanonicalDecl()), variable->getType(),
         variable->getInit(), site);
    if (variable->getInit())
      assign(variable, variable->getInit(), site);
    if (const auto *decomposition = dyn_cast<DecompositionDecl>(variable))
      for (const BindingDecl *binding : decomposition->bindings())
        if (const VarDecl *holding = binding->getHoldingVar(); holding && holding->getInit())
          bind(paths.root(PathStep::Variable, holding->getCanonicalDecl()), holding->getType(),
               holding->getInit(), site);
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
    if (const auto *reference = dyn_cast<DeclRefExpr>(strip(target));
        reference && isa<VarDecl>(reference->getDecl()))
      assign(cast<VarDecl>(reference->getDecl()),
             assignment->getOpcode() == BO_Assign ? assignment->getRHS() : nullptr, assignment);
    else
      modify(target, assignment);
    if (assignment->getOpcode() == BO_Assign && !isArithmetic(target))
      bind(values.pathOf(target), target->getType().getNonReferenceType(), assignment->getRHS(),
           assignment);
  }

  template <typename Range> void combine(const Expr *expr, const Range &parts) {
    if (isArithmetic(expr) || (!expr->getType().isNull() && expr->getType()->isVoidType()))
      return;
    Event &event = emit(EventKind::Combine, expr);
    event.result = values.temporary(expr);
    for (const Expr *part : parts)
      event.operands.push_back(values.operand(part));
  }
  void combine(const Expr *expr, std::initializer_list<const Expr *> parts) {
    combine<std::initializer_list<const Expr *>>(expr, parts);
  }

  void lowerConstruct(const CXXConstructExpr *construct) {
    if (values.forwarded(construct))
      return;
    const CXXConstructorDecl *constructor = construct->getConstructor();
    TypeRole role = vocabulary.roleOf(construct->getType());
    bool external =
        values.isExternal(constructor) || constructor->isImplicit() || constructor->isDefaulted();
    Event &event = emit(external ? EventKind::Construct : EventKind::Call, construct);
    event.subject = {values.temporary(construct), role};
    event.result = event.subject.path;
    event.callee = external ? nullptr : constructor;
    addArguments(event, constructor, construct->arguments());
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
      if (event.operands.back().escapes)
        modify(argument, argument);
      ++index;
    }
  }

  /// The object of a member call or of a member operator, or null.
  static const Expr *objectOf(const CallExpr *call) {
    if (const auto *method = dyn_cast<CXXMemberCallExpr>(call))
      return method->getImplicitObjectArgument();
    if (isa<CXXOperatorCallExpr>(call) && isa_and_nonnull<CXXMethodDecl>(call->getDirectCallee()))
      return call->getArg(0);
    return nullptr;
  }

  /// The object of a member call that clang could not resolve because of errors; sets \p name.
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
    const auto *recovery = dyn_cast<RecoveryExpr>(callee);
    if (!recovery || recovery->subExpressions().size() != 1)
      return nullptr;
    name = Lexer::getSourceText(CharSourceRange::getTokenRange(recovery->getEndLoc()),
                                context.getSourceManager(), context.getLangOpts());
    return recovery->subExpressions().front();
  }

  void lowerCall(const CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    if (values.pathOfAccessor(call))
      return;
    const Expr *object = objectOf(call);
    llvm::SmallVector<const Expr *, 4> arguments(call->arguments());
    if (object && isa<CXXOperatorCallExpr>(call))
      arguments.erase(arguments.begin());

    FunctionRole role = callee ? vocabulary.roleOf(callee) : FunctionRole::None;
    std::string name = simpleName(callee).str();
    if (!callee && (object = unresolvedMember(call, name)))
      role = vocabulary.roleOfMember(values.roleOf(object), name);
    bool external = callee ? values.isExternal(callee) : role != FunctionRole::None;
    EventKind kind = EventKind::Call;
    switch (role) {
    case FunctionRole::Backward:
      kind = EventKind::Backward;
      break;
    case FunctionRole::Step:
      kind = EventKind::Step;
      break;
    case FunctionRole::ClearGradients:
      kind = EventKind::ClearGradients;
      break;
    case FunctionRole::Detach:
      kind = EventKind::Detach;
      break;
    case FunctionRole::Overwrite:
      kind = EventKind::Overwrite;
      break;
    case FunctionRole::None:
    case FunctionRole::Parameters:
    case FunctionRole::Gradient:
    case FunctionRole::Defined:
      if (isCallOfClosure(call, callee))
        kind = EventKind::Call;
      else if (object && isForward(call, name, object))
        kind = EventKind::Forward;
      else if (external)
        kind = callee && isFactory(callee) ? EventKind::Construct : EventKind::Combine;
      break;
    }
    if (kind == EventKind::Overwrite && isAssignment(call) && object && !isGradient(object))
      kind = EventKind::Combine;
    if (kind == EventKind::Combine && isAssignment(call) && object)
      return bind(values.pathOf(object), object->getType().getNonReferenceType(), arguments.front(),
                  call);

    Event event;
    event.kind = kind;
    event.site = call;
    event.function = result.get();
    event.result = values.temporary(call);
    event.callee = kind == EventKind::Call ? callee : nullptr;
    event.isVirtual = kind == EventKind::Call && isVirtual(call);
    event.isArithmetic = call->getType()->isArithmeticType() || call->getType()->isVoidType();
    if (kind == EventKind::Step && callee)
      event.clear = vocabulary.sibling(callee, FunctionRole::ClearGradients);
    if (object) {
      event.subject = values.operand(object);
      const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
      event.subject.escapes =
          !method || !method->isConst() || vocabulary.isHandle(object->getType());
      if (kind == EventKind::Call && event.subject.role == TypeRole::None)
        event.subject.escapes &= vocabulary.reachesTraining(object->getType());
    } else if (kind == EventKind::Construct) {
      event.subject = {event.result, vocabulary.roleOf(call->getType())};
    } else if (kind != EventKind::Call && kind != EventKind::Combine && !arguments.empty()) {
      event.subject = values.operand(arguments.front());
      arguments.erase(arguments.begin());
    }
    addArguments(event, callee, arguments);
    current->events.push_back(std::move(event));
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
    TypeRole role = values.roleOf(object);
    if (role != TypeRole::Module && role != TypeRole::ModuleHolder)
      return false;
    if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(call))
      return operation->getOperator() == OO_Call;
    return name == "forward";
  }

  /// Finds what is called but has errors: the call tells more than the callee by itself.
  void findDamagedCallees(const Stmt *statement) {
    if (const auto *call = dyn_cast<CallExpr>(statement))
      callees.insert(call->getCallee()->IgnoreParenImpCasts());
    for (const Stmt *child : statement->children())
      if (child)
        findDamagedCallees(child);
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
      condition = withoutNegations(condition, negated);
    int number = condition ? conditions.numberOf(condition, context) : -1;
    PathId asked = condition ? askedForDefined(condition) : noPath;
    unsigned index = 0;
    for (const CFGBlock::AdjacentBlock &successor : block.succs()) {
      bool taken = index++ == 0;
      const CFGBlock *target = successor.getReachableBlock();
      if (!target || !numbers.contains(target))
        continue;
      Block::Edge edge{numbers.lookup(target)};
      if (number >= 0) {
        edge.condition = number;
        edge.value = taken != negated;
      }
      if (asked && taken == negated)
        edge.undefined = asked;
      if (!taken && isBranch && isa<ForStmt, CXXForRangeStmt>(terminator))
        if (std::optional<unsigned> latch = latchOf(block, numbers)) {
          current->exitEdge = static_cast<int>(current->edges.size());
          current->latch = *latch;
        }
      current->edges.push_back(edge);
    }
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

  const FunctionDecl *function;
  PathTable &paths;
  Vocabulary &vocabulary;
  ASTContext &context;
  Values values;
  Conditions conditions;
  llvm::SmallPtrSet<const Expr *, 32> callees;
  std::unique_ptr<FunctionBody> result;
  Block *current = nullptr;
};

} // namespace

std::unique_ptr<FunctionBody> lower(const clang::FunctionDecl *function, PathTable &paths,
                                    Vocabulary &vocabulary, clang::ASTContext &context) {
  return Lowering(function, paths, vocabulary, context).run();
}

} // namespace gradtidy
