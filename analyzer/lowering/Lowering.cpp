#include "Lowering.h"

#include "FunctionLowering.h"
#include "Placement.h"
#include "analyzer/frontend/Bodies.h"
#include "analyzer/idioms/CustomFunctions.h"
#include "analyzer/idioms/Loaders.h"
#include "analyzer/idioms/Ranks.h"
#include "analyzer/lowering/ast/Guards.h"
#include "analyzer/lowering/ast/Memory.h"

#include "clang/AST/ASTContext.h"
#include "clang/Analysis/Analyses/PostOrderCFGView.h"
#include "clang/Analysis/CFG.h"

namespace gradtidy {

using namespace clang;

std::unique_ptr<FunctionBody> lower(const FunctionDecl *function, PathTable &paths,
                                    Vocabulary &vocabulary, ASTContext &context) {
  return FunctionLowering(function, paths, vocabulary, context).run();
}

std::unique_ptr<FunctionBody> FunctionLowering::run() {
  Stmt *body = function->getBody();
  const ir::Node *tree = node(body);
  survey = surveyBody(body, function, paths, vocabulary, values);
  std::unique_ptr<CFG> cfg = buildCFG(body);
  if (!cfg) { // Clang makes none of some extensions, such as @try.
    logUnfollowed({placeOf(*function, context.getSourceManager())});
    return nullptr;
  }

  result = std::make_unique<FunctionBody>(symbol(function), tree);
  code.emplace(*result, vocabulary.code());
  conditions.collect(*cfg, function, context);
  describeFunction();
  lowerBlocks(*cfg);
  findTemporaries();
  markLoopHeads();
  markSwitchedOff();
  for (const Block &block : result->blocks)
    for (const Event &event : block.events)
      result->usesGpu |= !block.isSwitchedOff && mentionsGpu(event, vocabulary);
  return std::move(result);
}

namespace {

/// Counts how often lifetimes of variables end, at all ways out of their scopes: n returns behind n
/// variables make n * n.
class LifetimeEnds {
public:
  uint64_t count = 0;

  void visit(const Stmt *statement) {
    if (!statement || isa<LambdaExpr>(statement))
      return;
    if (isa<ReturnStmt, CoreturnStmt, GotoStmt, CXXThrowExpr>(statement))
      count += alive;
    else if (isa<BreakStmt, ContinueStmt>(statement))
      count += alive - aliveAround;
    else if (const auto *declarations = dyn_cast<DeclStmt>(statement))
      alive += llvm::count_if(declarations->decls(), [](const Decl *each) {
        const auto *variable = dyn_cast<VarDecl>(each);
        return variable && variable->hasLocalStorage();
      });
    const uint64_t before = alive, around = aliveAround;
    if (isa<ForStmt, CXXForRangeStmt, WhileStmt, DoStmt, SwitchStmt>(statement))
      aliveAround = alive;
    for (const Stmt *child : statement->children())
      visit(child);
    aliveAround = around;
    if (!isa<DeclStmt>(statement))
      alive = before;
  }

private:
  uint64_t alive = 0;       ///< Variables in scope.
  uint64_t aliveAround = 0; ///< The same at the head of the loop or switch around.
};

} // namespace

std::unique_ptr<CFG> FunctionLowering::buildCFG(Stmt *body) const {
  constexpr uint64_t maxEnds = 50000;
  LifetimeEnds ends;
  ends.visit(body);
  const bool hasEnds = ends.count <= maxEnds;
  if (!hasEnds && function)
    logUnfollowed({placeOf(*function, context.getSourceManager())});
  CFG::BuildOptions options;
  options.AddImplicitDtors = hasEnds;
  options.AddTemporaryDtors = hasEnds;
  options.AddInitializers = true;
  options.AddLifetime = hasEnds;
  options.AddCXXDefaultInitExprInCtors = true;
  options.setAllAlwaysAdd();
  // They cost: three times the visits of blocks.
  options.AddEHEdges = !survey.guardsBefore.empty();
  return CFG::buildCFG(function, body, &context, options);
}

static bool overridesFramework(const CXXMethodDecl &method, Vocabulary &vocabulary) {
  return llvm::any_of(method.overridden_methods(), [&](const CXXMethodDecl *overridden) {
    return vocabulary.isFramework(overridden) || overridesFramework(*overridden, vocabulary);
  });
}

/// What callers of a forward pass need to know of it, whatever source they are in: tellPasses().
void FunctionLowering::describePass() {
  const Stmt *body = function->getBody();
  result->hasGuard = hasGuard(body, vocabulary);
  result->followsInput = movesItself(body, vocabulary);
  for (unsigned i = 0; i < result->parameters.size(); ++i) {
    const ParmVarDecl *parameter = function->getParamDecl(i);
    result->parameters[i].isMovedFirst =
        movesFirst(body, parameter, vocabulary, values).value_or(false);
    result->parameters[i].meetsTensors = meetsTensors(body, parameter, vocabulary);
  }
}

void FunctionLowering::describeFunction() {
  if (survey.batchDevice)
    result->batchDevice = *survey.batchDevice;
  result->group = rankGroupOf(*result);
  result->asksForDevices = survey.asksForDevices;
  result->asksForPlaces = survey.asksForPlaces;
  for (const ParmVarDecl *parameter : function->parameters()) {
    Operand place{pathOf(parameter), vocabulary.roleOf(parameter->getType())};
    place.isTensor = vocabulary.holdsTensors(parameter->getType());
    llvm::SmallVector<ParameterChoice, 2> choices;
    for (const Conditions::Choice &choice : conditions.choicesOf(parameter))
      choices.push_back({choice.number, symbol(choice.value)});
    result->parameters.push_back({symbol(parameter), place, values.bindKind(parameter->getType()),
                                  conditions.numberOf(parameter), std::move(choices)});
  }
  if (const auto *method = dyn_cast<CXXMethodDecl>(function);
      method && method->isInstance() && !method->getParent()->isLambda()) {
    result->thisObject = values.thisObject();
    result->isModuleMethod = isModule(vocabulary.roleOf(method->getParent()));
    if (result->isModuleMethod)
      describePass();
    const Trait trait = vocabulary.traitOfClass(*method->getParent());
    result->isOfDataset = trait == Trait::GivesSamples || trait == Trait::KeepsSamples ||
                          trait == Trait::GivesBatches;
    result->isStep = vocabulary.roleOf(method) == FunctionRole::Step &&
                     vocabulary.roleOf(method->getParent()) == TypeRole::Optimizer;
    result->isCallback = overridesFramework(*method, vocabulary);
  }
  result->isOwnBackward = isOwnBackward(*result->function);
  result->returnsTensors = vocabulary.holdsTensors(function->getReturnType());
  result->returned = paths.root(PathStep::Returned, symbol(function->getCanonicalDecl()));
}

// --- blocks -------------------------------------------------------------------------------------

void FunctionLowering::lowerBlocks(const CFG &cfg) {
  PostOrderCFGView order(&cfg); // It begins at the entry: reverse post order.
  BlockNumbers numbers;
  for (const CFGBlock *block : order)
    numbers.try_emplace(block, numbers.size());
  result->blocks.resize(numbers.size());
  for (const CFGBlock *block : order) {
    current = &result->blocks[numbers[block]];
    lowerBlock(*block, numbers);
  }
  current = &result->blocks.front();
  for (const DeclStmt *declaration : survey.guardFunctions) // There are no such elements.
    emit(EventKind::EnterGradMode, declaration).isDiscarded = true;
  const std::vector<unsigned> first = divideLongBlocks();
  if (const auto exit = numbers.find(&cfg.getExit()); exit != numbers.end())
    endParameters(result->blocks[first[exit->second]]);
}

/// How many events a block has: what is known is copied for each event that checks may see, and
/// temporaries are forgotten at the ends of blocks.
static constexpr size_t mostEvents = 128;

static std::vector<Event> takeFirst(std::vector<Event> &events, size_t count) {
  const auto end = events.begin() + count;
  std::vector<Event> taken(std::move_iterator(events.begin()), std::move_iterator(end));
  events.erase(events.begin(), end);
  return taken;
}

void FunctionLowering::setAside() {
  if (current->events.size() >= 2 * mostEvents) // Who adds events looks at the last ones.
    aside[current].push_back(takeFirst(current->events, mostEvents));
}

std::vector<unsigned> FunctionLowering::divideLongBlocks() {
  std::vector<unsigned> first;
  unsigned count = 0;
  for (Block &block : result->blocks) {
    std::vector<std::vector<Event>> &parts = aside[&block];
    while (block.events.size() > mostEvents)
      parts.push_back(takeFirst(block.events, mostEvents));
    if (!parts.empty())
      block.events.shrink_to_fit(); // It had room for more.
    // The head of a loop that runs at least once stays whole: its edges and its number go together.
    if (block.exitEdge >= 0) {
      for (std::vector<Event> &part : llvm::reverse(parts))
        block.events.insert(block.events.begin(), std::move_iterator(part.begin()),
                            std::move_iterator(part.end()));
      parts.clear();
    }
    first.push_back(count);
    count += parts.size() + 1;
  }
  if (count == first.size())
    return first;
  std::vector<Block> all;
  all.reserve(count);
  for (Block &block : result->blocks) {
    for (std::vector<Event> &part : aside[&block]) {
      all.emplace_back().events = std::move(part);
      all.back().edges.push_back({static_cast<unsigned>(all.size())});
    }
    for (Block::Edge &edge : block.edges)
      edge.target = first[edge.target];
    if (block.exitEdge >= 0) { // The last part of the latch leads back.
      const unsigned latch = block.latch;
      block.latch = (latch + 1 < first.size() ? first[latch + 1] : count) - 1;
    }
    all.push_back(std::move(block));
  }
  result->blocks = std::move(all);
  aside.clear();
  return first;
}

void FunctionLowering::endParameters(Block &exit) {
  llvm::SmallSetVector<PathId, 2> owners;
  for (const Block &block : result->blocks)
    for (const Event &event : block.events)
      if (const PathId owner = event.memory ? paths.rootOf(event.memory) : noPath;
          owner && paths.last(owner).symbol()->kind == ir::SymbolKind::Parameter)
        owners.insert(owner);
  current = &exit;
  for (PathId owner : owners)
    emit(EventKind::EndLifetime, code->body).subject.path = owner;
}

void FunctionLowering::lowerBlock(const CFGBlock &block, const BlockNumbers &numbers) {
  if (const auto *handler = dyn_cast_or_null<CXXCatchStmt>(block.getLabel()))
    for (const VarDecl *guard : survey.guardsBefore.lookup(handler))
      emit(EventKind::EndLifetime, handler).subject.path = pathOf(guard);
  for (const CFGElement &element : block) {
    lowerElement(element);
    setAside();
  }
  lowerEdges(block, numbers);
}

void FunctionLowering::markLoopHeads() {
  for (unsigned number = 0; number < result->blocks.size(); ++number)
    for (const Block::Edge &edge : result->blocks[number].edges)
      if (edge.target <= number)
        result->blocks[edge.target].isLoopHead = true;
}

void FunctionLowering::markSwitchedOff() {
  for (Block &block : result->blocks)
    block.isSwitchedOff = true;
  llvm::SmallVector<unsigned, 16> reached = {0};
  while (!reached.empty()) {
    Block &block = result->blocks[reached.pop_back_val()];
    if (!std::exchange(block.isSwitchedOff, false))
      continue;
    for (const Block::Edge &edge : block.edges)
      if (!edge.isSwitchedOff)
        reached.push_back(edge.target);
  }
}

/// Of each block, the head of the innermost loop that it is in; 0 if it is in none.
static std::vector<unsigned> loopsAround(llvm::ArrayRef<Block> blocks) {
  std::vector<unsigned> latch(blocks.size()); // Of each head, the last block that leads back.
  for (unsigned number = 0; number < blocks.size(); ++number)
    for (const Block::Edge &edge : blocks[number].edges)
      if (edge.target <= number)
        latch[edge.target] = number;
  std::vector<unsigned> heads;
  llvm::SmallVector<unsigned> open;
  for (unsigned number = 0; number < blocks.size(); ++number) {
    while (!open.empty() && latch[open.back()] < number)
      open.pop_back();
    if (latch[number] >= number && number > 0)
      open.push_back(number);
    heads.push_back(open.empty() ? 0 : open.back());
  }
  return heads;
}

void FunctionLowering::findTemporaries() {
  struct Mentions {
    unsigned first, last; ///< Blocks, which are in reverse post order.
  };
  llvm::DenseMap<PathId, Mentions> mentions;
  auto mention = [&](PathId path, unsigned block) {
    if (path && paths.last(paths.rootOf(path)).kind == PathStep::Temporary)
      mentions.try_emplace(paths.rootOf(path), Mentions{block, block}).first->second.last = block;
  };
  for (unsigned number = 0; number < result->blocks.size(); ++number)
    for (const Event &event : result->blocks[number].events) {
      mention(event.subject.path, number);
      mention(event.result, number);
      for (const Operand &operand : event.operands)
        mention(operand.path, number);
    }
  const std::vector<unsigned> loops = loopsAround(result->blocks);
  for (const auto &[root, blocks] : mentions)
    if (loops[blocks.last] <= blocks.first) // Else the next round mentions it again.
      result->blocks[blocks.last].temporaries.push_back(root);
  for (Block &block : result->blocks)
    llvm::sort(block.temporaries);
}

// --- events -------------------------------------------------------------------------------------

Event FunctionLowering::make(EventKind kind, const Stmt *site) {
  Event event;
  event.kind = kind;
  event.site = node(site);
  event.function = result.get();
  return event;
}

Event &FunctionLowering::emit(EventKind kind, const Stmt *site) {
  current->events.push_back(make(kind, site));
  return current->events.back();
}

PathId FunctionLowering::pathOf(const VarDecl *variable) {
  return paths.root(PathStep::Variable, symbol(variable->getCanonicalDecl()));
}

bool FunctionLowering::isGradient(const Expr *expr) {
  return paths.last(values.pathOf(expr)).kind == PathStep::Gradient;
}

Flag FunctionLowering::flagOf(const Expr *expr) const {
  Flag flag;
  const Expr *condition = conditions.asked(strip(expr), flag.isNegated);
  if (const auto *variable = dyn_cast<DeclRefExpr>(condition))
    flag.condition = conditions.numberOf(variable->getDecl());
  else
    flag.condition = conditions.numberOf(condition, context);
  return flag;
}

std::optional<bool> FunctionLowering::literalBool(const Expr *expr) const {
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

std::optional<bool> FunctionLowering::fixedAnswer(const Expr *condition) const {
  bool isNegated = false;
  const VarDecl *flag = variableOf(conditions.asked(condition, isNegated));
  if (!flag || !flag->isLocalVarDecl() || flag->getDeclContext() != function || !flag->hasInit() ||
      !isOnlyRead(function->getBody(), flag))
    return std::nullopt;
  const std::optional<bool> value = literalBool(flag->getInit());
  return value ? std::optional(*value != isNegated) : std::nullopt;
}

// --- elements and statements --------------------------------------------------------------------

void FunctionLowering::lowerElement(const CFGElement &element) {
  if (auto statement = element.getAs<CFGStmt>()) {
    lowerStatement(statement->getStmt());
  } else if (auto initialiser = element.getAs<CFGInitializer>()) {
    const CXXCtorInitializer *member = initialiser->getInitializer();
    if (const FieldDecl *field = member->getMember()) {
      bind(paths.member(values.thisObject(), symbol(field->getCanonicalDecl())), field->getType(),
           member->getInit(), member->getInit());
      markMember(current->events.back(), *member->getInit());
      keepMode(current->events.back().subject.path, member->getInit(), member->getInit());
    }
  } else if (auto destroyed = element.getAs<CFGAutomaticObjDtor>()) {
    lowerDestructor(*destroyed);
  } else if (auto end = element.getAs<CFGLifetimeEnds>()) {
    endLifetime(end->getVarDecl(), end->getTriggerStmt());
  }
}

void FunctionLowering::lowerDestructor(const CFGAutomaticObjDtor &end) {
  const CXXDestructorDecl *destructor = end.getDestructorDecl(context);
  if (!destructor || !destructor->isUserProvided() || values.isExternal(destructor))
    return;
  const VarDecl *variable = end.getVarDecl();
  Event &event = emit(EventKind::Call, end.getTriggerStmt());
  event.subject = {pathOf(variable), vocabulary.roleOf(variable->getType())};
  event.callee = symbol(destructor);
  event.isArithmetic = true;
}

void FunctionLowering::lowerStatement(const Stmt *statement) {
  if (isDiscardedGuard(statement)) {
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
  } else if (const auto *freed = dyn_cast<CXXDeleteExpr>(statement)) {
    if (const VarDecl *holder = holderOf(freed->getArgument(), vocabulary, context))
      release(holder, freed, true);
  } else if (const auto *size = dyn_cast<UnaryExprOrTypeTraitExpr>(statement)) {
    lowerMeasure(*size);
  } else if (const auto *unresolved = dyn_cast<CXXUnresolvedConstructExpr>(statement)) {
    lowerUnresolved(unresolved);
  } else if (const auto *binary = dyn_cast<BinaryOperator>(statement)) {
    if (binary->isAssignmentOp())
      lowerAssignment(binary);
    else if (binary->isTypeDependent())
      combine(binary, {binary->getLHS(), binary->getRHS()});
  } else if (const auto *element = dyn_cast<ArraySubscriptExpr>(statement)) {
    if (element->isTypeDependent() && values.roleOf(element->getBase()) == TypeRole::Tensor)
      combine(element, {element->getBase()});
    else if (!element->isTypeDependent())
      lowerAccess(element->getBase(), element);
  } else if (const auto *unary = dyn_cast<UnaryOperator>(statement)) {
    if (unary->isIncrementDecrementOp())
      modify(unary->getSubExpr(), unary);
    else if (unary->getOpcode() == UO_Deref && !unary->isTypeDependent())
      lowerAccess(unary->getSubExpr(), unary);
  } else if (const auto *conditional = dyn_cast<AbstractConditionalOperator>(statement)) {
    lowerChoice(conditional);
  } else if (const auto *list = dyn_cast<InitListExpr>(statement)) {
    lowerList(list);
  } else if (const auto *returned = dyn_cast<ReturnStmt>(statement)) {
    lowerReturn(returned);
  } else if (const auto *error = dyn_cast<RecoveryExpr>(statement)) {
    if (!onlyDamaged(error) && !survey.callees.contains(error) && !namesField(*error))
      lowerError(error);
  }
}

void FunctionLowering::lowerDeclaration(const Decl *declaration, const Stmt *site) {
  const auto *variable = dyn_cast<VarDecl>(declaration);
  if (!variable || variable->isStaticLocal())
    return;
  if (isGuard(vocabulary.roleOf(variable->getType()))) {
    if (variable->getInit())
      enterGuard(pathOf(variable), variable->getInit(), site);
    return;
  }
  bind(pathOf(variable), variable->getType(), variable->getInit(), site);
  markVariable(current->events.back(), *variable);
  if (variable->getInit())
    assign(variable, variable->getInit(), site);
  lowerGradMode(variable, site);
  if (variable->getInit() && !code->mayChange(*variable, code->body))
    keepMode(pathOf(variable), variable->getInit(), site);
}

void FunctionLowering::lowerChoice(const AbstractConditionalOperator *choice) {
  const Flag flag = flagOf(choice->getCond());
  const Expr *ways[] = {choice->getTrueExpr(), choice->getFalseExpr()};
  Expressions taken = ways;
  if (std::optional<bool> answer = fixedAnswer(choice->getCond()))
    taken = taken.slice(*answer ? 0 : 1, 1);
  if (Event *event = combine(choice, taken)) {
    event->choice = flag;
    event->isAnyDevice = true;
  }
}

/// Whether a list of \p type tells which elements of a tensor are meant: `x.index({rows,
/// columns})`.
static bool isIndex(QualType type, Vocabulary &vocabulary) {
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && (vocabulary.traitOf(record) == Trait::Index ||
                    (isStandard(record) && record->getName() == "optional"));
}

bool FunctionLowering::isComputedWith(const InitListExpr &list) const {
  for (const Stmt *outer = code->statementAround(&list); outer && isa<Expr>(outer);
       outer = code->statementAround(outer))
    if (const auto *call = dyn_cast<CallExpr>(outer))
      return call->getDirectCallee() && vocabulary.isFramework(call->getDirectCallee());
  return false;
}

void FunctionLowering::lowerList(const InitListExpr *list) {
  const RecordDecl *record = list->getType()->getAsRecordDecl();
  if (!record || !list->isSemanticForm() || isStandard(record)) {
    if (Event *event = combine(list, list->inits()))
      event->isAnyDevice |= !isComputedWith(*list) ||
                            isIndex(context.getBaseElementType(list->getType()), vocabulary);
    return;
  }
  auto fields = record->field_begin();
  for (const Expr *value : list->inits()) {
    if (fields == record->field_end())
      break; // A base class comes first; its fields stay unknown.
    bind(paths.member(values.temporary(list), symbol(fields->getCanonicalDecl())),
         fields->getType(), value, list);
    ++fields;
  }
}

void FunctionLowering::lowerAccess(const Expr *pointer, const Stmt *site) {
  const QualType type = pointer->IgnoreParenImpCasts()->getType().getNonReferenceType();
  const QualType element = type->getPointeeType();
  const bool isPointer =
      !element.isNull() && (element->isArithmeticType() || element->isVoidType());
  if (!isPointer && !type->isRecordType())
    return;
  // What others hand in, they know.
  const PathId place = values.pathOf(pointer);
  const PathStep &root = paths.last(paths.rootOf(place));
  if (root.kind != PathStep::Variable || !root.symbol()->isLocal)
    return;
  const auto changes = [&](const Event &event) {
    return event.kind != EventKind::Access || event.subject.path == place;
  };
  const auto last = llvm::find_if(llvm::reverse(current->events), changes);
  if (last != current->events.rend() && last->kind == EventKind::Access)
    return; // Once is enough.
  emit(EventKind::Access, site).subject.path = place;
}

void FunctionLowering::lowerReturn(const ReturnStmt *returned) {
  Event &event = emit(EventKind::Return, returned);
  event.subject = {result->returned, vocabulary.roleOf(function->getReturnType())};
  if (returned->getRetValue()) {
    event.operands.push_back(values.operand(returned->getRetValue()));
    event.bind = values.bindKind(function->getReturnType());
    markReturn(event, *returned);
  }
}

void FunctionLowering::lowerError(const RecoveryExpr *error) {
  Event &event = emit(EventKind::Call, error);
  event.result = values.temporary(error);
  event.isArithmetic = error->getType()->isVoidType();
  if (const VarDecl *variable = variableIn(*error))
    event.operands.push_back({.path = pathOf(variable), .escapes = true, .isTensor = true});
  for (const Expr *part : error->subExpressions()) {
    const auto *member = dyn_cast<MemberExpr>(part);
    const auto *method = member ? dyn_cast<CXXMethodDecl>(member->getMemberDecl()) : nullptr;
    if (method && vocabulary.roleOf(method) == FunctionRole::Backward) {
      event.kind = EventKind::Backward;
      event.subject = values.operand(member->getBase());
    }
    const Expr *argument = method ? member->getBase() : part;
    if (values.isNumber(argument))
      continue;
    event.operands.push_back(values.operand(argument));
    event.operands.back().escapes = event.operands.back().role != TypeRole::None ||
                                    vocabulary.reachesTraining(values.typeOf(argument));
  }
}

const VarDecl *FunctionLowering::variableIn(const RecoveryExpr &error) const {
  const StringRef name = error.subExpressions().empty() ? lastToken(error) : StringRef();
  const VarDecl *found = nullptr;
  for (const DeclContext *around = function; around && !found && !name.empty();
       around = around->getParent()) {
    if (!around->isFunctionOrMethod())
      continue; // A closure's class.
    for (const Decl *declaration : around->decls())
      if (const auto *variable = dyn_cast<VarDecl>(declaration);
          variable && variable->getIdentifier() && variable->getName() == name)
        found = variable;
  }
  return found;
}

void FunctionLowering::endLifetime(const VarDecl *variable, const Stmt *site) {
  // Of the variables behind the names of a decomposed tuple, the CFG tells only the beginning.
  if (const auto *decomposition = dyn_cast<DecompositionDecl>(variable))
    for (const BindingDecl *binding : decomposition->bindings())
      if (const VarDecl *holding = binding->getHoldingVar())
        emit(EventKind::EndLifetime, site).subject.path = pathOf(holding);
  emit(EventKind::EndLifetime, site).subject.path = pathOf(variable);
}

Event *FunctionLowering::combine(const Expr *expr, Expressions parts) {
  QualType type = values.typeOf(expr);
  if (!type.isNull() && (type->isArithmeticType() || type->isVoidType()))
    return nullptr;
  Event &event = emit(EventKind::Combine, expr);
  event.result = values.temporary(expr);
  event.isTensor = vocabulary.holdsTensors(type);
  event.resultRole = values.roleOf(expr);
  for (const Expr *part : parts) {
    event.operands.push_back(values.operand(part));
    // Who gets hold of a pointer may assign to what it points to.
    const QualType type = part->getType();
    event.operands.back().isLent = isa<InitListExpr>(expr) && type->isPointerType() &&
                                   !type->getPointeeType().isConstQualified();
  }
  return &event;
}

} // namespace gradtidy
