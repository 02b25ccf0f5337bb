#include "ConstantWeights.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;

namespace gradtidy {

/// The variable or member that \p expr names, be it behind a pointer or holder.
static Entity ownerOf(const Expr *expr) {
  expr = strip(expr);
  while (true) {
    const auto *operation = dyn_cast<CXXOperatorCallExpr>(expr);
    const auto *call = dyn_cast<CXXMemberCallExpr>(expr);
    if (operation && (operation->getOperator() == OO_Arrow || operation->getOperator() == OO_Star))
      expr = strip(operation->getArg(0));
    else if (call && (simpleName(call->getMethodDecl()) == "get" ||
                      simpleName(call->getMethodDecl()) == "ptr"))
      expr = strip(call->getImplicitObjectArgument());
    else
      return entityOf(expr);
  }
}

static bool isWeighted(QualType type, Vocabulary &vocabulary) {
  const CXXRecordDecl *record = vocabulary.classOf(type);
  return record && vocabulary.operationOf(record) == Operation::WeightedSum;
}

/// The layer whose weights \p tensor is; null if it is anything else.
static Entity layerOf(const Expr *tensor, Vocabulary &vocabulary) {
  tensor = originalOf(tensor);
  while (const auto *call = dyn_cast<CXXMemberCallExpr>(tensor)) { // weight.data()
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee || vocabulary.roleOf(callee) != FunctionRole::Detach)
      return nullptr;
    tensor = originalOf(call->getImplicitObjectArgument());
  }
  const auto *member = dyn_cast<MemberExpr>(tensor);
  if (!member || member->getMemberDecl()->getName() != "weight")
    return nullptr;
  const Entity layer = ownerOf(member->getBase());
  return layer && isWeighted(layer->getType(), vocabulary) ? layer : nullptr;
}

namespace {

/// What the code of a class or function does to the weights of its layers.
class Fills {
public:
  llvm::DenseMap<Entity, const CallExpr *> constant; ///< What fills them, whatever happens.
  llvm::DenseSet<Entity> varied;                     ///< Something else may get into them.
  llvm::DenseSet<Entity> single;                     ///< Layers that give a single number.

  explicit Fills(Vocabulary &vocabulary) : vocabulary(vocabulary) {}

  void collect(const FunctionDecl &function) {
    if (const auto *constructor = dyn_cast<CXXConstructorDecl>(&function))
      for (const CXXCtorInitializer *init : constructor->inits())
        if (const FieldDecl *field = init->getAnyMember())
          readMaking(field, init->getInit());
    collect(function.getBody(), /*isSure=*/true);
  }

  void readMaking(const ValueDecl *layer, const Stmt *made) {
    if (made && isWeighted(layer->getType(), vocabulary) && givesOne(made))
      single.insert(canonical(layer));
  }

  bool isConstant(Entity layer) const { return constant.count(layer) && !varied.contains(layer); }

private:
  void collect(const Stmt *statement, bool isSure) {
    if (!statement)
      return;
    if (const auto *declared = dyn_cast<DeclStmt>(statement))
      for (const Decl *each : declared->decls())
        if (const auto *variable = dyn_cast<VarDecl>(each); variable && variable->hasInit())
          readMaking(variable, variable->getInit());
    if (const auto *expr = dyn_cast<Expr>(statement))
      read(*expr, isSure);
    const bool isChoice = isa<IfStmt, SwitchStmt, ForStmt, WhileStmt, DoStmt, CXXForRangeStmt,
                              ConditionalOperator, LambdaExpr>(statement);
    for (const Stmt *child : statement->children())
      collect(child, isSure && !isChoice);
  }

  void read(const Expr &expr, bool isSure) {
    if (const auto assigned = asAssignment(&expr)) {
      if (const Entity layer = layerOf(assigned->target, vocabulary))
        varied.insert(layer);
      if (const Entity layer = ownerOf(assigned->target))
        readMaking(layer, assigned->value);
      return;
    }
    const auto *call = dyn_cast<CallExpr>(&expr);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee)
      return;
    const Expr *object = objectOf(call);
    const Expr *first = object ? object : call->getNumArgs() ? call->getArg(0) : nullptr;
    const Entity layer = first ? layerOf(first, vocabulary) : nullptr;
    const bool isFill = vocabulary.operationOf(callee) == Operation::Fill;
    const bool onlyReads =
        object && !vocabulary.worksInPlace(callee) && !isa<CXXOperatorCallExpr>(call);
    if (layer && isFill && isSure)
      constant.try_emplace(layer, call);
    else if (layer && !isFill && !onlyReads)
      varied.insert(layer);
    if (vocabulary.roleOf(callee) == FunctionRole::Load && first)
      if (const Entity loaded = ownerOf(first))
        varied.insert(loaded);
  }

  /// Whether the second number of the layer that is made is 1.
  static bool givesOne(const Stmt *made) {
    const auto isOne = [](const Expr *expr) {
      const auto *number = dyn_cast<IntegerLiteral>(strip(expr));
      return number && number->getValue() == 1;
    };
    const auto *construct = dyn_cast<CXXConstructExpr>(made);
    const auto *call = dyn_cast<CallExpr>(made);
    if (construct && construct->getNumArgs() > 1 && isArithmetic(construct->getArg(0)))
      return isOne(construct->getArg(1));
    if (call && call->getNumArgs() > 1 && isArithmetic(call->getArg(0)))
      return isOne(call->getArg(1));
    return llvm::any_of(made->children(),
                        [](const Stmt *child) { return child && givesOne(child); });
  }

  Vocabulary &vocabulary;
};

/// Follows the values of a forward pass from layer to layer.
class LayerFlow {
public:
  struct Step {
    Entity before, behind;
  };
  llvm::SmallVector<Step, 4> steps; ///< Layers with weights, with nothing between that has any.

  explicit LayerFlow(Vocabulary &vocabulary) : vocabulary(vocabulary) {}

  void run(const Stmt *statement) {
    if (!statement)
      return;
    if (const auto *declared = dyn_cast<DeclStmt>(statement)) {
      for (const Decl *each : declared->decls())
        if (const auto *variable = dyn_cast<VarDecl>(each); variable && variable->hasInit())
          last[variable] = layerOf(variable->getInit());
    } else if (const auto *expr = dyn_cast<Expr>(statement)) {
      layerOf(expr);
    } else {
      for (const Stmt *child : statement->children())
        run(child);
    }
  }

private:
  /// The layer whose neurons the elements of \p expr are, one for one; null if nobody knows.
  Entity layerOf(const Expr *expr) {
    expr = strip(expr);
    if (const auto *reference = dyn_cast<DeclRefExpr>(expr))
      return last.lookup(reference->getDecl());
    if (const auto *made = dyn_cast<CXXConstructExpr>(expr); made && made->getNumArgs() == 1)
      return layerOf(made->getArg(0));
    if (const auto assigned = asAssignment(expr)) {
      const Entity layer = layerOf(assigned->value);
      if (const Entity target = entityOf(strip(assigned->target)))
        last[target] = layer;
      return layer;
    }
    if (const auto *call = dyn_cast<CallExpr>(expr))
      return layerOfCall(*call);
    for (const Stmt *child : expr->children())
      if (const auto *part = dyn_cast_or_null<Expr>(child); part && !isa<LambdaExpr>(part))
        layerOf(part);
    return nullptr;
  }

  Entity layerOfCall(const CallExpr &call) {
    const FunctionDecl *callee = call.getDirectCallee();
    const Expr *object = objectOf(&call);
    const Entity module = object ? ownerOf(object) : nullptr;
    const bool isForwarded = module && isModule(vocabulary.roleOf(module->getType())) &&
                             (isForward(callee) || isCalled(call));
    unsigned tensors = 0;
    Entity input = nullptr;
    const auto take = [&](const Expr *part) {
      const Entity layer = layerOf(part);
      if (!vocabulary.holdsTensors(part->getType()))
        return;
      ++tensors;
      input = layer;
    };
    if (object && !isForwarded)
      take(object);
    const unsigned first = isa<CXXOperatorCallExpr>(&call) && object ? 1 : 0;
    for (unsigned i = first; i < call.getNumArgs(); ++i)
      if (!isa<CXXDefaultArgExpr>(call.getArg(i)))
        take(call.getArg(i));
    if (tensors != 1)
      input = nullptr;
    if (isForwarded)
      return layerOfForward(module, input);
    // Dropout makes the neurons differ.
    const bool keeps = callee && vocabulary.isFramework(callee) &&
                       vocabulary.traitOf(callee) != Trait::ModeDependent &&
                       vocabulary.traitOf(callee) != Trait::TrainsByDefault &&
                       vocabulary.operationOf(callee) != Operation::WeightedSum;
    return keeps ? input : nullptr;
  }

  static bool isCalled(const CallExpr &call) {
    const auto *operation = dyn_cast<CXXOperatorCallExpr>(&call);
    return operation && operation->getOperator() == OO_Call;
  }

  Entity layerOfForward(Entity module, Entity input) {
    if (isWeighted(module->getType(), vocabulary)) {
      if (input && input != module)
        steps.push_back({input, module});
      return module;
    }
    const CXXRecordDecl *record = vocabulary.classOf(module->getType());
    return record && vocabulary.isStateless(*record) ? input : nullptr;
  }

  Vocabulary &vocabulary;
  llvm::DenseMap<const ValueDecl *, Entity> last;
};

} // namespace

static LayerFlow flowOf(const CXXRecordDecl &record, Vocabulary &vocabulary) {
  LayerFlow flow(vocabulary);
  for (const CXXMethodDecl *method : record.methods())
    if (const FunctionDecl *body = method->getDefinition();
        body && isForward(method) && body->doesThisDeclarationHaveABody())
      flow.run(body->getBody());
  return flow;
}

static Fills fillsOf(const CXXRecordDecl &record, Vocabulary &vocabulary) {
  Fills fills(vocabulary);
  for (const FieldDecl *field : record.fields())
    if (field->hasInClassInitializer())
      fills.readMaking(field, field->getInClassInitializer());
  for (const CXXMethodDecl *method : record.methods())
    if (const FunctionDecl *body = method->getDefinition();
        body && body->doesThisDeclarationHaveABody())
      fills.collect(*body);
  return fills;
}

EqualNeurons equalNeuronsOf(const CallExpr &fill, const FunctionCode &function,
                            Vocabulary &vocabulary) {
  const Expr *object = objectOf(&fill);
  const Expr *tensor = object ? object : fill.getNumArgs() ? fill.getArg(0) : nullptr;
  const Entity layer = tensor ? layerOf(tensor, vocabulary) : nullptr;
  if (!layer)
    return {};
  const CXXRecordDecl *record = nullptr;
  if (const auto *field = dyn_cast<FieldDecl>(layer)) {
    const auto *method = dyn_cast<CXXMethodDecl>(function.function);
    record = dyn_cast<CXXRecordDecl>(field->getParent());
    if (!record || !method || !declaresSameEntity(method->getParent(), record))
      return {};
  }
  Fills fills = record ? fillsOf(*record, vocabulary) : Fills(vocabulary);
  LayerFlow flow = record ? flowOf(*record, vocabulary) : LayerFlow(vocabulary);
  if (!record) {
    fills.collect(*function.function);
    flow.run(function.body);
  }
  if (!fills.isConstant(layer) || fills.constant[layer] != &fill || fills.single.contains(layer))
    return {};
  CodeMap &map = vocabulary.code();
  for (const LayerFlow::Step &step : flow.steps)
    if (step.before == layer && fills.isConstant(step.behind))
      return {map.symbol(step.before), map.symbol(step.behind), map.node(&fill),
              map.node(fills.constant[step.behind])};
  return {};
}

// --- functions that are called for all parts

/// The call in \p statement that fills the weights of the layers of a class with one value, and the
/// variable that names the layer. Null where something else is asked but of which class it is.
static const CallExpr *fillIn(const Stmt *statement, Entity &layer, Vocabulary &vocabulary) {
  if (!statement || isa<LambdaExpr, ForStmt, WhileStmt, CXXForRangeStmt>(statement))
    return nullptr;
  if (const auto *branch = dyn_cast<IfStmt>(statement)) {
    const VarDecl *variable = branch->getConditionVariable();
    const Entity asked = variable ? variable : entityOf(strip(branch->getCond()));
    const CallExpr *found = fillIn(branch->getThen(), layer, vocabulary);
    if (found && asked == layer)
      return found;
    return fillIn(branch->getElse(), layer, vocabulary);
  }
  if (const auto *call = dyn_cast<CallExpr>(statement))
    if (const FunctionDecl *callee = call->getDirectCallee();
        callee && vocabulary.operationOf(callee) == Operation::Fill) {
      const Expr *object = objectOf(call);
      const Expr *tensor = object ? object : call->getNumArgs() ? call->getArg(0) : nullptr;
      layer = tensor ? layerOf(tensor, vocabulary) : nullptr;
      return layer ? call : nullptr;
    }
  for (const Stmt *child : statement->children())
    if (const CallExpr *found = fillIn(child, layer, vocabulary))
      return found;
  return nullptr;
}

EqualNeurons equalNeuronsOfApply(const CXXMemberCallExpr &apply, Vocabulary &vocabulary) {
  if (apply.getNumArgs() == 0)
    return {};
  const Expr *argument = strip(apply.getArg(0));
  while (const auto *made = dyn_cast<CXXConstructExpr>(argument)) {
    if (made->getNumArgs() == 0)
      return {};
    argument = strip(made->getArg(0));
  }
  const FunctionDecl *function = nullptr;
  if (const auto *lambda = dyn_cast<LambdaExpr>(argument))
    function = lambda->getCallOperator();
  else if (const auto *reference = dyn_cast<DeclRefExpr>(argument))
    function = dyn_cast<FunctionDecl>(reference->getDecl());
  const FunctionDecl *body = function ? function->getDefinition() : nullptr;
  if (!body || !body->getBody())
    return {};
  Fills fills(vocabulary);
  fills.collect(*body);
  Entity layer = nullptr;
  const CallExpr *fill = fillIn(body->getBody(), layer, vocabulary);
  if (!fill || fills.varied.contains(layer))
    return {};
  const CXXRecordDecl *filled = vocabulary.classOf(layer->getType());
  const Expr *object = apply.getImplicitObjectArgument();
  const Entity whole = ownerOf(object);
  const CXXRecordDecl *record =
      vocabulary.classOf(whole ? whole->getType() : strip(object)->getType());
  record = record ? record->getDefinition() : nullptr;
  if (!record || vocabulary.isFramework(record))
    return {};
  CodeMap &map = vocabulary.code();
  const Fills own = fillsOf(*record, vocabulary);
  for (const LayerFlow::Step &step : flowOf(*record, vocabulary).steps)
    if (vocabulary.classOf(step.before->getType()) == filled &&
        vocabulary.classOf(step.behind->getType()) == filled && !own.single.contains(step.before))
      return {map.symbol(step.before), map.symbol(step.behind), map.node(fill), map.node(fill)};
  return {};
}

} // namespace gradtidy
