#include "LoopSelections.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace gradtidy {
namespace {

/// `t[i]`, `t.index({i})`, `t.select(0, i)`
bool selects(const CallExpr &call, Vocabulary &vocabulary) {
  const FunctionDecl *callee = call.getDirectCallee();
  return callee &&
         (callee->getOverloadedOperator() == OO_Subscript || //
          simpleName(callee) == "select" || vocabulary.operationOf(callee) == Operation::Index);
}

bool isLiteral(const Stmt *index) {
  if (isa<DeclRefExpr, MemberExpr, CXXThisExpr>(index))
    return isa<DeclRefExpr>(index) && !isa<VarDecl>(cast<DeclRefExpr>(index)->getDecl());
  return llvm::all_of(index->children(),
                      [](const Stmt *child) { return !child || isLiteral(child); });
}

bool declares(const Stmt &loop, const VarDecl &variable) {
  bool isFound = false;
  forEach(&loop, [&](const Stmt *statement) {
    if (const auto *declarations = dyn_cast<DeclStmt>(statement))
      isFound |= llvm::is_contained(declarations->decls(), &variable);
  });
  return isFound;
}

/// A tensor, and what is selected of it.
class Selection {
public:
  /// \param seesThrough also what is computed from what is selected is followed to that.
  Selection(const Expr *tensor, const Stmt &loop, Vocabulary &vocabulary, bool seesThrough = false)
      : loop(loop), vocabulary(vocabulary), whole(tensor), seesThrough(seesThrough) {
    while (step())
      ;
  }

  bool isOfVariableIndex() const { return hasVariableIndex; }
  bool isComputed() const { return hasComputed; }

  /// The variable or member that holds the tensor in all rounds of the loop, or null.
  Entity lasting() const {
    const Expr *owner = whole;
    while (const auto *member = dyn_cast<MemberExpr>(owner)) {
      owner = strip(member->getBase());
      if (const auto *arrow = dyn_cast<CXXOperatorCallExpr>(owner);
          arrow && arrow->getNumArgs() == 1)
        owner = strip(arrow->getArg(0));
    }
    const VarDecl *variable = variableOf(owner);
    const bool isLasting = variable ? !declares(loop, *variable) : isa<CXXThisExpr>(owner);
    return isLasting ? entityOf(whole) : nullptr;
  }

private:
  bool step() {
    whole = strip(whole);
    if (const VarDecl *variable = variableOf(whole); variable && steps++ < 8) {
      const auto *range = dyn_cast<CXXForRangeStmt>(&loop);
      if (!variable->hasInit() || !declares(loop, *variable) ||
          (range && variable == range->getLoopVariable()))
        return false;
      whole = variable->getInit();
      return true;
    }
    const auto *call = dyn_cast<CallExpr>(whole);
    const Expr *object = call && call->getDirectCallee() ? objectOf(call) : nullptr;
    const bool isSelection = object && selects(*call, vocabulary);
    if (!object || !(isSelection || keepsValues(vocabulary.operationOf(call->getDirectCallee())) ||
                     simpleName(call->getDirectCallee()) == "to"))
      return seesThrough && call && stepThrough(*call);
    if (isSelection)
      hasVariableIndex |= llvm::any_of(call->arguments(), [&](const Expr *argument) {
        return strip(argument) != strip(object) && !isLiteral(argument);
      });
    whole = object;
    return true;
  }

  /// To the first tensor of which the call computes something.
  bool stepThrough(const CallExpr &call) {
    const FunctionDecl *callee = call.getDirectCallee();
    const auto isTensor = [&](const Expr *expr) {
      return expr && vocabulary.roleOf(expr->getType()) == TypeRole::Tensor;
    };
    if (!callee || !vocabulary.isFramework(callee) ||
        vocabulary.roleOf(callee) == FunctionRole::Create)
      return false;
    const Expr *object = objectOf(&call);
    const auto operand = llvm::find_if(call.arguments(), isTensor);
    if (!isTensor(object) && operand == call.arg_end())
      return false;
    whole = isTensor(object) ? object : *operand;
    hasComputed = true;
    return true;
  }

  const Stmt &loop;
  Vocabulary &vocabulary;
  const Expr *whole;
  bool seesThrough;
  bool hasComputed = false;
  unsigned steps = 0;
  bool hasVariableIndex = false;
};

/// Whether the loop gives \p tensor, or some of its elements, other values.
bool isChangedIn(const Stmt &loop, Entity tensor, Vocabulary &vocabulary) {
  bool isChanged = false;
  const auto isIts = [&](const Expr *expr) {
    return Selection(expr, loop, vocabulary).lasting() == tensor;
  };
  forEach(&loop, [&](const Stmt *statement) {
    const auto *call = dyn_cast<CallExpr>(statement);
    if (!call || isChanged)
      return;
    const auto *operation = dyn_cast<CXXOperatorCallExpr>(call);
    const Expr *object = objectOf(call);
    const bool changes =
        (operation && operation->isAssignmentOp()) ||
        (call->getDirectCallee() && simpleName(call->getDirectCallee()).ends_with("_"));
    isChanged = changes && object && isIts(object);
  });
  return isChanged;
}

/// `for (int corner = 0; corner < 4; ++corner)`
bool isShort(const Stmt &loop, const ASTContext &context) {
  constexpr int fewRounds = 16;
  const auto *counting = dyn_cast<ForStmt>(&loop);
  const auto *condition =
      counting ? dyn_cast_or_null<BinaryOperator>(counting->getCond()) : nullptr;
  Expr::EvalResult bound;
  return condition && condition->isRelationalOp() && !condition->getRHS()->isValueDependent() &&
         condition->getRHS()->EvaluateAsInt(bound, context) && bound.Val.getInt() <= fewRounds;
}

// --- batches
// ----------------------------------------------------------------------------------------

/// `x.slice(0, i, j)`, `x.narrow(0, i, n)`, `x.index({Slice(i, j)})`
bool slices(const CallExpr &call, Vocabulary &vocabulary) {
  const FunctionDecl *callee = call.getDirectCallee();
  if (!callee || !objectOf(&call))
    return false;
  const StringRef name = simpleName(callee);
  if (name == "slice" || name == "narrow")
    return vocabulary.isFramework(callee);
  bool isSlice = false;
  if (name == "index" && vocabulary.operationOf(callee) == Operation::Index)
    forEach(&call, [&](const Stmt *part) {
      const auto *made = dyn_cast<CXXConstructExpr>(part);
      isSlice |= made && made->getConstructor()->getParent()->getName() == "Slice" &&
                 made->getNumArgs() > 1 && !isLiteral(made);
    });
  return isSlice;
}

/// What the rounds of a loop do with numbers: whether they come out the same whenever it runs.
class Counting {
public:
  explicit Counting(const Stmt &loop) : loop(loop) {}

  /// Whether the number is computed by counting, of numbers that the loop leaves alone.
  bool isCounted(const Expr *number) {
    if (!number)
      return true;
    number = strip(number);
    if (isa<IntegerLiteral, FloatingLiteral, CXXBoolLiteralExpr, CXXNullPtrLiteralExpr,
            SizeOfPackExpr, CXXScalarValueInitExpr>(number))
      return true;
    if (const Entity entity = entityOf(number))
      return isCounted(entity);
    if (const auto *call = dyn_cast<CallExpr>(number))
      return isCountedCall(*call);
    const bool isComputed =
        isa<BinaryOperator, UnaryOperator, ConditionalOperator, CXXConstructExpr, InitListExpr>(
            number);
    return (isComputed && llvm::all_of(number->children(),
                                       [&](const Stmt *child) {
                                         return isCounted(dyn_cast_or_null<Expr>(child));
                                       })) ||
           isa<DeclRefExpr>(number); // A constant.
  }

private:
  bool isCountedCall(const CallExpr &call) {
    const FunctionDecl *callee = call.getDirectCallee();
    const bool tells = callee && llvm::StringSwitch<bool>(simpleName(callee))
                                     .Cases({"size", "sizes", "numel", "len", "length"}, true)
                                     .Default(false);
    if (tells)
      return true;
    const bool computes =
        callee && llvm::StringSwitch<bool>(simpleName(callee))
                      .Cases({"min", "max", "ceil", "floor", "range", "irange", "iota"}, true)
                      .Default(callee->getOverloadedOperator() == OO_Subscript);
    return computes && llvm::all_of(call.arguments(),
                                    [&](const Expr *argument) { return isCounted(argument); });
  }

  bool isCounted(Entity entity) {
    if (!seen.insert(entity).second)
      return true;
    bool isCounting = true;
    forEach(&loop, [&](const Stmt *statement) {
      if (const auto *declarations = dyn_cast<DeclStmt>(statement)) {
        for (const Decl *declaration : declarations->decls())
          if (const auto *variable = dyn_cast<VarDecl>(declaration); variable == entity)
            isCounting &= isCounted(variable->getInit());
      } else if (const auto *range = dyn_cast<CXXForRangeStmt>(statement)) {
        if (range->getLoopVariable() == entity)
          isCounting &=
              isa<CallExpr>(strip(range->getRangeInit())) && isCounted(range->getRangeInit());
      } else if (const auto *assignment = dyn_cast<BinaryOperator>(statement)) {
        if (assignment->isAssignmentOp() && entityOf(assignment->getLHS()) == entity)
          isCounting &= isCounted(assignment->getRHS());
      } else if (const auto *call = dyn_cast<CallExpr>(statement)) {
        isCounting &= !mayChange(*call, entity);
      }
    });
    return isCounting;
  }

  /// Whether a function gets hold of the variable.
  static bool mayChange(const CallExpr &call, Entity entity) {
    const FunctionDecl *callee = call.getDirectCallee();
    const unsigned skipped = isa<CXXOperatorCallExpr>(call) && isMethodCall(&call) ? 1 : 0;
    for (unsigned i = skipped; callee && i < call.getNumArgs(); ++i) {
      if (entityOf(call.getArg(i)) != entity || i - skipped >= callee->getNumParams())
        continue;
      const QualType type = callee->getParamDecl(i - skipped)->getType();
      if (type->isPointerType() ||
          (type->isReferenceType() && !type->getPointeeType().isConstQualified()))
        return true;
    }
    return false;
  }

  const Stmt &loop;
  llvm::SmallPtrSet<Entity, 8> seen;
};

bool isCountedIn(const Stmt &loop, const VarDecl &number) {
  bool isFound = false;
  forEach(&loop, [&](const Stmt *statement) {
    const auto *assignment = dyn_cast<BinaryOperator>(statement);
    const auto *step = dyn_cast<UnaryOperator>(statement);
    isFound |=
        (assignment && assignment->isAssignmentOp() && entityOf(assignment->getLHS()) == &number) ||
        (step && step->isIncrementDecrementOp() && entityOf(step->getSubExpr()) == &number);
  });
  return isFound;
}

/// Whether \p index names what the rounds of the loop declare or change.
bool dependsOn(const Expr &index, const Stmt &loop) {
  bool isFound = false;
  forEach(&index, [&](const Stmt *part) {
    const auto *reference = dyn_cast<DeclRefExpr>(part);
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    isFound |= variable && (declares(loop, *variable) || isCountedIn(loop, *variable));
  });
  return isFound;
}

/// Whether the loop draws or makes an order.
bool shuffles(const Stmt &loop) {
  bool isFound = false;
  forEach(&loop, [&](const Stmt *statement) {
    const auto *call = dyn_cast<CallExpr>(statement);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    const std::string name = callee ? simpleName(callee).lower() : "";
    for (const StringRef part : {"shuffle", "randperm", "permutation"})
      isFound |= StringRef(name).contains(part);
  });
  return isFound;
}

/// Whether \p argument is made of something that holds tensors and outlives the rounds of the loop,
/// other than by slices.
bool outlives(const Expr &argument, const Stmt &loop, Vocabulary &vocabulary) {
  bool isSliced = false, isFound = false;
  forEach(&argument, [&](const Stmt *part) {
    const auto *call = dyn_cast<CallExpr>(part);
    isSliced |= call && slices(*call, vocabulary);
    const auto *reference = dyn_cast<DeclRefExpr>(part);
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    isFound |= variable && variable->getType()->isRecordType() &&
               vocabulary.roleOf(variable->getType()) != TypeRole::Device &&
               !declares(loop, *variable);
  });
  return isFound && !isSliced;
}

/// Whether a module gets, beside the batch, something that outlives the round of the loop: a state
/// that goes from one batch to the next.
bool carriesState(const Stmt &loop, Vocabulary &vocabulary) {
  bool isFound = false;
  forEach(&loop, [&](const Stmt *statement) {
    const auto *call = dyn_cast<CallExpr>(statement);
    const Expr *object = call ? objectOf(call) : nullptr;
    const auto *operation = dyn_cast_or_null<CXXOperatorCallExpr>(call);
    const bool isForwardPass = object && (operation ? operation->getOperator() == OO_Call
                                                    : isForward(call->getDirectCallee()));
    if (!isForwardPass || call->getNumArgs() < (operation ? 3 : 2))
      return;
    for (const Expr *argument : call->arguments())
      isFound |= argument != object && outlives(*argument, loop, vocabulary);
  });
  return isFound;
}

} // namespace

ElementLoop elementLoopOf(const CallExpr &read, const FunctionBody &function,
                          Vocabulary &vocabulary, const ASTContext &context) {
  const Expr *element = objectOf(&read);
  if (!element)
    return {};
  const auto loops = function.loopsAround(&read);
  const auto loop =
      llvm::find_if(loops, [&](const Stmt *each) { return !isShort(*each, context); });
  if (loop == loops.end())
    return {};
  const Selection selection(element, **loop, vocabulary, /*seesThrough=*/true);
  const Entity tensor = selection.lasting();
  if (!tensor || !selection.isOfVariableIndex() || isChangedIn(**loop, tensor, vocabulary) ||
      (selection.isComputed() && vocabulary.roleOf(tensor->getType()) != TypeRole::Tensor))
    return {};
  return {*loop, selection.isComputed()};
}

const Stmt *lastOfLoop(const CallExpr &read, const FunctionBody &function) {
  const auto loops = function.loopsAround(&read);
  const auto *assignment = dyn_cast_or_null<BinaryOperator>(function.expressionStatementOf(&read));
  const VarDecl *variable = assignment && assignment->getOpcode() == BO_Assign
                                ? variableOf(assignment->getLHS())
                                : nullptr;
  if (loops.empty() || !variable || !variable->isLocalVarDecl() ||
      declares(*loops.front(), *variable) || function.isConditional(assignment, loops.front()))
    return nullptr;
  unsigned mentions = 0;
  forEach(loops.front(), [&](const Stmt *statement) {
    const auto *reference = dyn_cast<DeclRefExpr>(statement);
    mentions += reference && reference->getDecl() == variable;
  });
  return mentions == 1 ? loops.front() : nullptr;
}

const Stmt *readBefore(const CallExpr &read, const FunctionBody &function) {
  const auto loops = function.loopsAround(&read);
  const VarDecl *tensor = objectOf(&read) ? variableOf(objectOf(&read)) : nullptr;
  if (loops.empty() || !tensor || !declares(*loops.front(), *tensor))
    return nullptr;
  const CallExpr *first = nullptr;
  bool isChanged = false, isReached = false;
  forEach(loops.front(), [&](const Stmt *statement) {
    const auto *call = dyn_cast<CallExpr>(statement);
    const Expr *object = call ? objectOf(call) : nullptr;
    isReached |= call == &read;
    if (!object || isReached || variableOf(object) != tensor || !call->getDirectCallee())
      return;
    const auto *operation = dyn_cast<CXXOperatorCallExpr>(call);
    const StringRef name = simpleName(call->getDirectCallee());
    isChanged |= (operation && operation->isAssignmentOp()) || name.ends_with("_");
    if (!first && call->getNumArgs() == 0 && name == simpleName(read.getDirectCallee()) &&
        function.loopsAround(call).front() == loops.front() &&
        !function.isConditional(call, loops.front()))
      first = call;
  });
  return isChanged ? nullptr : first;
}

const Stmt *batchLoopOf(const CallExpr &slice, const FunctionBody &function,
                        Vocabulary &vocabulary) {
  if (!slices(slice, vocabulary))
    return nullptr;
  const auto loops = function.loopsAround(&slice);
  if (loops.size() < 2)
    return nullptr;
  const Stmt &batches = *loops[0], &epochs = *loops[1];
  const Expr *object = objectOf(&slice);
  const Selection whole(object, epochs, vocabulary);
  const Entity tensor = whole.lasting();
  if (!tensor || whole.isOfVariableIndex() || isChangedIn(epochs, tensor, vocabulary))
    return nullptr;
  Counting counting(epochs);
  bool isOfRound = false;
  for (const Expr *argument : slice.arguments()) {
    if (argument == object)
      continue;
    if (!counting.isCounted(argument))
      return nullptr;
    isOfRound |= dependsOn(*argument, batches);
  }
  return isOfRound && !shuffles(epochs) && !carriesState(batches, vocabulary) ? &batches : nullptr;
}

} // namespace gradtidy
