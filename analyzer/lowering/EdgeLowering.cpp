// Where control goes from a block, and what holds on the way.
#include "FunctionLowering.h"
#include "Placement.h"
#include "analyzer/lowering/ast/Integers.h"

#include "clang/AST/ASTContext.h"
#include "clang/Analysis/CFG.h"

namespace gradtidy {

using namespace clang;

struct FunctionLowering::Question {
  int number = -1;                     ///< Of the repeated condition, or -1.
  bool isNegated = false;              ///< The first way is taken where it does not hold.
  PathId asked = noPath;               ///< What `x.defined()` asks for.
  std::optional<bool> answer;          ///< The only one that there is.
  bool isAboutGpu = false;             ///< Whether there is one.
  bool isAboutHost = false;            ///< Whether all is on the CPU.
  llvm::SmallVector<PathId, 2> placed; ///< The tensors whose devices are asked for.
  std::optional<ShapeTest> shape;
};

/// Whether a block ends in a choice between two ways.
static bool isBranch(const CFGBlock &block) {
  const Stmt *terminator = block.getTerminatorStmt();
  return terminator && block.succ_size() == 2 && !isa<SwitchStmt>(terminator);
}

/// Whether a block ends in a `throw`, behind which temporaries may still end.
static bool throws(const CFGBlock &block) {
  return llvm::any_of(block, [](const CFGElement &element) {
    const std::optional<CFGStmt> statement = element.getAs<CFGStmt>();
    return statement && isa<CXXThrowExpr>(statement->getStmt());
  });
}

/// Whether the way from \p block to \p target is that of an exception to the function's end: what
/// it does does not reach the statement behind its call.
static bool isThrow(const CFGBlock &block, const CFGBlock *target, bool taken) {
  const Stmt *terminator = block.getTerminatorStmt();
  return target == &block.getParent()->getExit() &&
         (terminator ? isa<CXXTryStmt>(terminator) : !taken || throws(block));
}

/// Whether the expression is an object that can be moved on.
static bool isIterator(const Expr *expr) {
  const CXXRecordDecl *record = expr->getType().getNonReferenceType()->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition())
    return false;
  const DeclarationName step =
      record->getASTContext().DeclarationNames.getCXXOperatorName(OO_PlusPlus);
  return !record->getDefinition()->lookup(step).empty();
}

/// Whether \p condition asks whether there is data left: an iterator or a pointer, or what a
/// container says of itself. Batches there are.
static bool asksForData(const Expr *condition, Vocabulary &vocabulary) {
  condition = strip(condition);
  const auto isPointer = [](const Expr *expr) {
    const QualType type = expr->IgnoreParenImpCasts()->getType();
    return !type.isNull() && type->isPointerType();
  };
  const auto asksContainer = [](const Expr *expr) {
    const auto *call = dyn_cast<CXXMemberCallExpr>(strip(expr));
    const CXXMethodDecl *callee = call ? call->getMethodDecl() : nullptr;
    return callee && isStandard(callee) && callee->isConst() && call->getNumArgs() == 0 &&
           call->getType()->isArithmeticType();
  };
  const auto isOfBatches = [&](const Expr *expr) {
    const auto *call = dyn_cast<CXXMemberCallExpr>(strip(expr));
    return call &&
           vocabulary.roleOf(call->getImplicitObjectArgument()->getType()) == TypeRole::DataLoader;
  };
  if (const auto *negation = dyn_cast<UnaryOperator>(condition);
      negation && negation->getOpcode() == UO_LNot)
    return asksForData(negation->getSubExpr(), vocabulary);
  const Expr *left = nullptr, *right = nullptr;
  if (const auto *comparison = dyn_cast<BinaryOperator>(condition);
      comparison && comparison->isComparisonOp()) {
    left = comparison->getLHS();
    right = comparison->getRHS();
    const auto isVariable = [](const Expr *expr) {
      return isArithmetic(strip(expr)) && isa<DeclRefExpr, MemberExpr>(strip(expr)) &&
             !strip(expr)->getType().isConstQualified();
    };
    if (isPointer(left) || isPointer(right))
      return true;
    return (asksContainer(left) && !isVariable(right)) ||
           (asksContainer(right) && !isVariable(left));
  }
  if (const auto *rewritten = dyn_cast<CXXRewrittenBinaryOperator>(condition)) {
    const auto parts = rewritten->getDecomposedForm();
    left = parts.LHS;
    right = parts.RHS;
  } else if (const auto *call = dyn_cast<CXXOperatorCallExpr>(condition);
             call && call->isComparisonOp() && call->getNumArgs() == 2) {
    left = call->getArg(0);
    right = call->getArg(1);
  }
  if (left)
    return isIterator(left) && !isOfBatches(left) && !isOfBatches(right);
  return isPointer(condition) || asksContainer(condition);
}

/// Whether the loop at whose head \p block asks is taken to have a round (decision 0003).
static bool runsAtLeastOnce(const CFGBlock &block, Vocabulary &vocabulary) {
  const Stmt *loop = block.getTerminatorStmt();
  if (isa<ForStmt, CXXForRangeStmt>(loop))
    return true;
  const auto *asking = dyn_cast<WhileStmt>(loop);
  const auto *condition = dyn_cast_or_null<Expr>(block.getLastCondition());
  return asking &&
         (asking->getConditionVariable() || !condition || !asksForData(condition, vocabulary));
}

/// The block that leads back to the loop head \p head, if it is one.
static std::optional<unsigned> latchOf(const CFGBlock &head,
                                       const llvm::DenseMap<const CFGBlock *, unsigned> &numbers) {
  for (const CFGBlock::AdjacentBlock &predecessor : head.preds())
    if (const CFGBlock *block = predecessor.getReachableBlock();
        block && block->getLoopTarget() && numbers.contains(block))
      return numbers.lookup(block);
  return std::nullopt;
}

void FunctionLowering::lowerEdges(const CFGBlock &block, const BlockNumbers &numbers) {
  const Stmt *terminator = block.getTerminatorStmt();
  const Question question = questionOf(block);
  current->neverReturns = block.hasNoReturnElement();
  unsigned index = 0;
  for (const CFGBlock::AdjacentBlock &successor : block.succs()) {
    bool taken = index++ == 0;
    const CFGBlock *target = successor.getReachableBlock();
    if (!target || isThrow(block, target, taken) || !numbers.contains(target))
      continue;
    Block::Edge edge{numbers.lookup(target)};
    answer(edge, question, taken);
    if (!taken && isBranch(block))
      edge.exhausted = loaderOf(terminator);
    if (isa_and_nonnull<SwitchStmt>(terminator))
      chooseCase(edge, block, *target);
    if (const auto *loop = dyn_cast_or_null<ForStmt>(block.getLoopTarget()))
      if (std::optional<Conditions::LastRound> last = conditions.lastRoundOf(loop)) {
        edge.lastRound = static_cast<int>(last->number);
        edge.answerInLastRound = last->answer;
      }
    if (!taken && isBranch(block) && runsAtLeastOnce(block, vocabulary))
      if (std::optional<unsigned> latch = latchOf(block, numbers)) {
        current->exitEdge = static_cast<int>(current->edges.size());
        current->latch = *latch;
      }
    current->edges.push_back(edge);
  }
  current->neverReturns |= current->edges.empty() && throws(block);
}

PathId FunctionLowering::loaderOf(const Stmt *loop) {
  if (const auto *over = dyn_cast<CXXForRangeStmt>(loop))
    return values.roleOf(over->getRangeInit()) == TypeRole::DataLoader
               ? values.pathOf(over->getRangeInit())
               : noPath;
  const auto *counted = dyn_cast<ForStmt>(loop);
  const auto *begin = counted ? dyn_cast_or_null<DeclStmt>(counted->getInit()) : nullptr;
  const auto *iterator =
      begin && begin->isSingleDecl() ? dyn_cast<VarDecl>(begin->getSingleDecl()) : nullptr;
  const auto *call = iterator && iterator->hasInit()
                         ? dyn_cast<CXXMemberCallExpr>(strip(iterator->getInit()))
                         : nullptr;
  const bool isLoader =
      call && values.roleOf(call->getImplicitObjectArgument()) == TypeRole::DataLoader;
  return isLoader ? values.pathOf(call->getImplicitObjectArgument()) : noPath;
}

FunctionLowering::Question FunctionLowering::questionOf(const CFGBlock &block) {
  Question question;
  const Expr *condition =
      isBranch(block) ? dyn_cast_or_null<Expr>(block.getLastCondition()) : nullptr;
  if (!condition)
    return question;
  question.answer = fixedAnswer(condition);
  condition = conditions.asked(condition, question.isNegated);
  if (!condition)
    return question;
  question.number = conditions.numberOf(condition, context);
  question.asked = askedForDefined(condition);
  question.isAboutGpu = asksForGpu(condition, function, vocabulary);
  question.isAboutHost = asksForHost(condition, vocabulary);
  findPlaced(condition, question.placed);
  question.shape = shapeTestIn(*condition);
  return question;
}

void FunctionLowering::answer(Block::Edge &edge, const Question &question, bool taken) const {
  if (question.number >= 0) {
    edge.condition = question.number;
    edge.value = taken != question.isNegated;
    edge.isKeptApart = conditions.isKeptApart(question.number);
    edge.excluded = edge.value ? conditions.excludedBy(question.number) : 0;
  }
  if (question.asked && taken == question.isNegated)
    edge.undefined = question.asked;
  edge.isSwitchedOff = question.answer && taken != *question.answer;
  edge.lacksGpu = (question.isAboutGpu && taken == question.isNegated) ||
                  (question.isAboutHost && taken != question.isNegated);
  edge.placed = question.placed;
  edge.shape = question.shape;
  if (edge.shape && taken == question.isNegated)
    edge.shape->holds = !edge.shape->holds;
}

void FunctionLowering::chooseCase(Block::Edge &edge, const CFGBlock &block,
                                  const CFGBlock &target) const {
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

PathId FunctionLowering::askedForDefined(const Expr *condition) {
  const auto *call = dyn_cast<CXXMemberCallExpr>(strip(condition));
  bool asks = call && call->getMethodDecl() &&
              vocabulary.roleOf(call->getMethodDecl()) == FunctionRole::Defined;
  return asks ? values.pathOf(call->getImplicitObjectArgument()) : noPath;
}

std::optional<ShapeTest> FunctionLowering::shapeTestIn(const Expr &condition) {
  const auto *comparison = dyn_cast<BinaryOperator>(strip(&condition));
  if (comparison && !comparison->isComparisonOp())
    return std::nullopt;
  BinaryOperatorKind kind = BO_NE; // Of a number by itself, than 0.
  const Expr *asked = &condition;
  std::optional<std::int64_t> number = 0;
  if (comparison) {
    kind = comparison->getOpcode();
    asked = comparison->getLHS();
    number = integerIn(*comparison->getRHS(), context);
  }
  if (!number) {
    asked = comparison->getRHS();
    number = integerIn(*comparison->getLHS(), context);
    kind = BinaryOperator::reverseComparisonOp(kind);
  }
  const auto *call = dyn_cast<CXXMemberCallExpr>(strip(asked));
  if (!number || !call)
    return std::nullopt;
  ShapeTest test;
  const Expr *tensor = call->getImplicitObjectArgument();
  const auto *list = dyn_cast<CXXMemberCallExpr>(strip(tensor));
  const auto operationOf = [&](const CXXMemberCallExpr &each) {
    return vocabulary.operationOf(each.getMethodDecl());
  };
  if (operationOf(*call) == Operation::CountElements && call->getNumArgs() == 1) {
    test.axis = integerIn(*call->getArg(0), context);
    if (!test.axis)
      return std::nullopt;
  } else if (list && operationOf(*list) == Operation::CountElements && list->getNumArgs() == 0 &&
             simpleName(call->getMethodDecl()) == "size") {
    tensor = list->getImplicitObjectArgument(); // `x.sizes().size()`
  } else if (operationOf(*call) != Operation::CountDimensions) {
    return std::nullopt;
  }
  if (values.roleOf(tensor) != TypeRole::Tensor)
    return std::nullopt;
  test.tensor = values.pathOf(tensor);
  test.holds = kind != BO_NE;
  if (kind == BO_EQ || kind == BO_NE || kind == BO_LT || kind == BO_LE)
    test.most = *number - (kind == BO_LT);
  if (kind == BO_EQ || kind == BO_NE || kind == BO_GT || kind == BO_GE)
    test.least = *number + (kind == BO_GT);
  return test;
}

void FunctionLowering::findPlaced(const Stmt *condition, llvm::SmallVectorImpl<PathId> &found) {
  if (const auto *call = dyn_cast<CXXMemberCallExpr>(condition))
    if (asksForPlace(*call, vocabulary) &&
        values.roleOf(call->getImplicitObjectArgument()) == TypeRole::Tensor)
      found.push_back(values.pathOf(call->getImplicitObjectArgument()));
  for (const Stmt *child : condition->children())
    if (child)
      findPlaced(child, found);
}

} // namespace gradtidy
