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

/// A tensor, and what is selected of it.
class Selection {
public:
  /// \param seesThrough also what is computed from what is selected is followed to that.
  Selection(const Expr *tensor, const Stmt &loop, Vocabulary &vocabulary, bool seesThrough = false)
      : loop(loop), vocabulary(vocabulary), whole(tensor), seesThrough(seesThrough) {
    while (step())
      ;
  }

  bool isOfVariableIndex() const { return !indices.empty(); }
  /// Whether the index has two dimensions or more: of rows, and of what is in a row.
  bool isOfVariableIndices() const { return indices.size() > 1; }
  /// The expression that nothing more is known of.
  const Expr *origin() const { return whole; }
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
    const auto *named = dyn_cast<DeclRefExpr>(owner);
    const auto *variable = named ? dyn_cast<VarDecl>(canonical(named->getDecl())) : nullptr;
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
    const auto isCopy = [](StringRef name) { return name == "to" || name == "cpu"; };
    if (!object || !(isSelection || keepsValues(vocabulary.operationOf(call->getDirectCallee())) ||
                     isCopy(simpleName(call->getDirectCallee()))))
      return seesThrough && call && stepThrough(*call);
    if (isSelection)
      for (const Expr *argument : call->arguments())
        if (strip(argument) != strip(object))
          addIndex(argument);
    whole = object;
    return true;
  }

  void addIndex(const Expr *argument) {
    if (isLiteral(argument))
      return;
    const size_t before = indices.size();
    forEach(argument, [&](const Stmt *part) {
      if (const auto *reference = dyn_cast<DeclRefExpr>(part);
          reference && isa<VarDecl>(reference->getDecl()))
        indices.insert(reference->getDecl());
    });
    if (indices.size() == before)
      indices.insert(argument);
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
    // `t == i` is of all elements, but only for this round.
    if (callee->getOverloadedOperator() == OO_EqualEqual || simpleName(callee) == "eq")
      for (const Expr *argument : call.arguments())
        if (argument != whole && !isTensor(argument) && dependsOn(*argument, loop))
          addIndex(argument);
    return true;
  }

  const Stmt &loop;
  Vocabulary &vocabulary;
  const Expr *whole;
  bool seesThrough;
  bool hasComputed = false;
  unsigned steps = 0;
  llvm::SmallPtrSet<const void *, 4> indices; ///< What the index is made of.
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
    const Expr *object = objectOf(call);
    isChanged = object && vocabulary.changesObject(*call) && isIts(object);
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

/// Whether \p condition asks one of the functions \p names.
bool asks(const Stmt *condition, llvm::ArrayRef<StringRef> names) {
  bool isFound = false;
  forEach(condition, [&](const Stmt *part) {
    const auto *call = dyn_cast<CallExpr>(part);
    isFound |= call && call->getDirectCallee() &&
               llvm::is_contained(names, simpleName(call->getDirectCallee()));
  });
  return isFound;
}

/// Whether \p statement may leave the round of the loop it stands in, other than with an error.
bool mayLeaveRound(const Stmt *statement, bool isInLoop = false) {
  if (!statement || isa<LambdaExpr>(statement))
    return false;
  if (isa<BreakStmt, ContinueStmt>(statement))
    return !isInLoop;
  isInLoop |= isa<ForStmt, CXXForRangeStmt, WhileStmt, DoStmt>(statement);
  return isa<ReturnStmt, GotoStmt>(statement) ||
         llvm::any_of(statement->children(),
                      [&](const Stmt *child) { return mayLeaveRound(child, isInLoop); });
}

/// Whether a round of \p loop may go without \p site, but for what asks one of the functions
/// \p names.
bool isSkipped(const Stmt *site, const Stmt &loop, const FunctionCode &function,
               llvm::ArrayRef<StringRef> names) {
  if (!function.isConditional(site, &loop))
    return false;
  const Stmt *inner = site;
  for (const Stmt *outer = function.statementAround(site); outer != &loop;
       outer = function.statementAround(inner = outer)) {
    if (const auto *block = dyn_cast<CompoundStmt>(outer)) {
      for (const Stmt *before : block->body()) {
        if (before == inner)
          break;
        const auto *choice = dyn_cast<IfStmt>(before);
        if (mayLeaveRound(before) && !(choice && asks(choice->getCond(), names)))
          return true;
      }
    } else if (const auto *choice = dyn_cast<IfStmt>(outer)) {
      const Stmt *other = inner == choice->getThen() ? choice->getElse() : choice->getThen();
      if (inner != choice->getCond() && !asks(choice->getCond(), names) &&
          !(other && asks(other, {"item"}))) // Whatever the answer, a number is read.
        return true;
    } else if (const auto *both = dyn_cast<BinaryOperator>(outer)) {
      if (both->isLogicalOp() && inner == both->getRHS() &&
          !(both->getOpcode() == BO_LAnd && asks(both->getLHS(), names)))
        return true;
    } else if (isa<AbstractConditionalOperator, SwitchStmt, CXXCatchStmt>(outer)) {
      return true;
    }
  }
  return false;
}

// --- parameters

/// `net->parameters()`, `group.params()`, or a variable that was made of one.
bool givesParameters(const Expr *range) {
  range = strip(range);
  if (const VarDecl *variable = variableOf(range); variable && variable->hasInit())
    range = strip(variable->getInit());
  const auto *call = dyn_cast<CallExpr>(originalOf(range));
  return call && call->getDirectCallee() &&
         llvm::StringSwitch<bool>(simpleName(call->getDirectCallee()))
             .Cases({"parameters", "named_parameters", "params"}, true)
             .Default(false);
}

/// Whether the loop asks \p element, or an element of it, for its gradient.
bool asksForGradient(const Stmt &loop, const VarDecl &element, Vocabulary &vocabulary) {
  bool isFound = false;
  forEach(&loop, [&](const Stmt *statement) {
    const auto *call = dyn_cast<CallExpr>(statement);
    const Expr *object = call && call->getDirectCallee() ? objectOf(call) : nullptr;
    const StringRef name = object ? simpleName(call->getDirectCallee()) : "";
    isFound |= object && (name == "grad" || name == "mutable_grad") &&
               variableOf(Selection(object, loop, vocabulary).origin()) == &element;
  });
  return isFound;
}

/// Whether \p number is computed of \p element, through the tensors that the loop declares.
bool isComputedOf(const Expr *number, const Stmt &loop, const VarDecl &element,
                  Vocabulary &vocabulary) {
  llvm::SmallPtrSet<const VarDecl *, 16> reached;
  llvm::SmallVector<const Stmt *, 16> pending{number};
  const auto isTensor = [&](QualType type) { return vocabulary.roleOf(type) == TypeRole::Tensor; };
  const auto follow = [&](const VarDecl &variable) {
    if (variable.hasInit())
      pending.push_back(variable.getInit());
    forEach(&loop, [&](const Stmt *statement) {
      const auto *expr = dyn_cast<Expr>(statement);
      const std::optional<Assigned> assigned = expr ? asAssignment(expr) : std::nullopt;
      if (assigned && variableOf(assigned->target) == &variable)
        pending.push_back(assigned->value);
    });
  };
  while (!pending.empty()) {
    const Stmt *part = pending.pop_back_val();
    if (const auto *reference = dyn_cast<DeclRefExpr>(part)) {
      const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
      if (variable == &element)
        return true;
      if (variable && isTensor(variable->getType()) && declares(loop, *variable) &&
          reached.insert(variable).second)
        follow(*variable);
    }
    // What is looked up for a parameter may be anywhere.
    const auto *call = dyn_cast<CallExpr>(part);
    if (!call || isTensor(call->getType()))
      for (const Stmt *child : part->children())
        if (child)
          pending.push_back(child);
  }
  return false;
}

// --- batches

bool slices(const CallExpr &call, Vocabulary &vocabulary);

/// Whether a method of the user's gives nothing but slices of the object's members.
bool slicesMembers(const FunctionDecl &function, Vocabulary &vocabulary) {
  const auto *method = dyn_cast<CXXMethodDecl>(&function);
  const FunctionDecl *definition = nullptr;
  if (!method || !method->isConst() || !method->hasBody(definition))
    return false;
  unsigned sliced = 0, others = 0;
  forEach(definition->getBody(), [&](const Stmt *statement) {
    const auto *call = dyn_cast<CallExpr>(statement);
    if (!call)
      return;
    const auto *member = objectOf(call) ? dyn_cast<MemberExpr>(strip(objectOf(call))) : nullptr;
    const bool isSlice =
        member && isa<CXXThisExpr>(strip(member->getBase())) && call->getDirectCallee() &&
        vocabulary.isFramework(call->getDirectCallee()) && slices(*call, vocabulary);
    ++(isSlice ? sliced : others);
  });
  return sliced > 0 && others == 0;
}

/// `x.slice(0, i, j)`, `x.narrow(0, i, n)`, `x.index({Slice(i, j)})`, and `batch.slice(i, j)` of
/// the user's
bool slices(const CallExpr &call, Vocabulary &vocabulary) {
  const FunctionDecl *callee = call.getDirectCallee();
  if (!callee || !objectOf(&call))
    return false;
  const StringRef name = simpleName(callee);
  if (name == "slice" || name == "narrow")
    return vocabulary.isFramework(callee) || slicesMembers(*callee, vocabulary);
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

/// Whether the loop gives \p batch, of a class of the user's, or a member of it, to a function that
/// may change it.
bool isHandedOut(const Stmt &loop, Entity batch) {
  bool isFound = false;
  forEach(&loop, [&](const Stmt *statement) {
    const auto *call = dyn_cast<CallExpr>(statement);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee)
      return;
    const auto *method = dyn_cast<CXXMethodDecl>(callee);
    const Expr *object = objectOf(call);
    isFound |= object && entityOf(strip(object)) == batch && !(method && method->isConst());
    const unsigned skipped = isa<CXXOperatorCallExpr>(call) && method ? 1 : 0;
    for (unsigned i = skipped; i < call->getNumArgs(); ++i)
      isFound |= entityOf(strip(call->getArg(i))) == batch;
  });
  return isFound;
}

/// The variable that a permutation is drawn into, or null.
const VarDecl *drawnInto(const CallExpr &draw, const Stmt &loop) {
  const StringRef name = simpleName(draw.getDirectCallee());
  if (name == "randperm_out" && draw.getNumArgs() > 0)
    return variableOf(draw.getArg(0));
  const VarDecl *order = nullptr;
  forEach(name == "randperm" ? &loop : nullptr, [&](const Stmt *statement) {
    if (const auto *declarations = dyn_cast<DeclStmt>(statement)) {
      for (const Decl *declaration : declarations->decls())
        if (const auto *variable = dyn_cast<VarDecl>(declaration);
            variable && variable->hasInit() && originalOf(variable->getInit()) == &draw)
          order = variable;
    } else if (const auto *expr = dyn_cast<Expr>(statement)) {
      const auto assigned = asAssignment(expr);
      if (assigned && originalOf(assigned->value) == &draw)
        order = variableOf(assigned->target);
    }
  });
  return order;
}

/// Whether the loop draws or makes an order; one that it draws and uses for nothing is none.
bool shuffles(const Stmt &loop) {
  const auto isUnused = [&](const CallExpr &draw) {
    const VarDecl *order = drawnInto(draw, loop);
    unsigned mentions = 0;
    forEach(&loop, [&](const Stmt *statement) {
      const auto *reference = dyn_cast<DeclRefExpr>(statement);
      mentions += reference && reference->getDecl() == order;
    });
    return order && mentions == (declares(loop, *order) ? 0 : 1);
  };
  bool isFound = false;
  forEach(&loop, [&](const Stmt *statement) {
    const auto *call = dyn_cast<CallExpr>(statement);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    const std::string name = callee ? simpleName(callee).lower() : "";
    for (const StringRef part : {"shuffle", "randperm", "permutation"})
      isFound |= StringRef(name).contains(part) && !isUnused(*call);
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

/// What \p value is a copy of on the host, or without its history; \p value if it is none.
const Expr *copiedBy(const Expr *value) {
  value = strip(value);
  while (const auto *call = dyn_cast<CXXMemberCallExpr>(value)) {
    if (call->getNumArgs() > 0 || !call->getDirectCallee() ||
        !llvm::is_contained({"cpu", "detach"}, simpleName(call->getDirectCallee())))
      break;
    value = strip(call->getImplicitObjectArgument());
  }
  return value;
}

} // namespace

ElementLoop elementLoopOf(const CallExpr &read, const FunctionCode &function,
                          Vocabulary &vocabulary, const ASTContext &context) {
  const Expr *element = objectOf(&read);
  if (!element)
    return {};
  const auto loops = function.loopsAround(&read);
  if (loops.empty()) {
    const Selection asked(element, *function.body, vocabulary);
    const Entity tensor = asked.lasting();
    return {.isOfCalls = tensor && asked.isOfVariableIndices() &&
                         !isChangedIn(*function.body, tensor, vocabulary)};
  }
  const auto loop =
      llvm::find_if(loops, [&](const Stmt *each) { return !isShort(*each, context); });
  if (loop == loops.end())
    return {};
  const Selection selection(element, **loop, vocabulary, /*seesThrough=*/true);
  const Entity tensor = selection.lasting();
  if (!tensor || !selection.isOfVariableIndex() || isChangedIn(**loop, tensor, vocabulary) ||
      (selection.isComputed() && vocabulary.roleOf(tensor->getType()) != TypeRole::Tensor))
    return {};
  // Who goes on while there is something left may end where there is one.
  const llvm::SmallVector<StringRef, 2> ends = {"numel", "size"};
  if (isSkipped(&read, **loop, function, isa<WhileStmt>(*loop) ? ends : ArrayRef<StringRef>()))
    return {};
  return {function.map.node(*loop), selection.isComputed()};
}

ElementLoop pixelLoopOf(const CallExpr &move, const FunctionCode &function, Vocabulary &vocabulary,
                        const ASTContext &context) {
  const Expr *element = objectOf(&move);
  const auto loops = function.loopsAround(&move);
  if (!element || loops.size() < 2 || isShort(*loops[0], context) || isShort(*loops[1], context))
    return {};
  const Selection selection(element, *loops[1], vocabulary);
  const Entity tensor = selection.lasting();
  if (!tensor || !selection.isOfVariableIndices() || isChangedIn(*loops[1], tensor, vocabulary) ||
      isSkipped(&move, *loops[1], function, {}))
    return {};
  return {function.map.node(loops[0])};
}

const Stmt *parameterLoopOf(const CallExpr &read, const FunctionCode &function,
                            Vocabulary &vocabulary) {
  const Expr *number = objectOf(&read);
  const auto loops = function.loopsAround(&read);
  if (!number || loops.empty())
    return nullptr;
  const Stmt &loop = *loops.front();
  const Selection selection(number, loop, vocabulary, /*seesThrough=*/true);
  const Expr *origin = selection.origin();
  if (const auto *item = dyn_cast<CXXMemberCallExpr>(origin); // Of named_parameters().
      item && item->getNumArgs() == 0 && objectOf(item))
    origin = strip(objectOf(item));
  const VarDecl *element = variableOf(origin);
  const auto *range = dyn_cast<CXXForRangeStmt>(&loop);
  if (range && function.isStep() && vocabulary.roleOf(number->getType()) == TypeRole::Tensor &&
      isComputedOf(number, loop, *range->getLoopVariable(), vocabulary))
    element = range->getLoopVariable();
  const bool isElement = element && range && element == range->getLoopVariable();
  const bool isList = element && selection.isOfVariableIndex() && !declares(loop, *element) &&
                      vocabulary.isTensorList(element->getType());
  const bool isParameter =
      (isElement && givesParameters(range->getRangeInit())) || (isList && givesParameters(origin));
  if (!(isElement || isList) || !(isParameter || asksForGradient(loop, *element, vocabulary)) ||
      isSkipped(&read, loop, function,
                {"defined", "requires_grad", "is_sparse", "has_value", "dim", "numel"}))
    return nullptr;
  return &loop;
}

const Stmt *lastOfLoop(const CallExpr &read, const FunctionCode &function) {
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

const Stmt *readBefore(const CallExpr &read, const FunctionCode &function,
                       const Vocabulary &vocabulary) {
  const auto loops = function.loopsAround(&read);
  const VarDecl *tensor = objectOf(&read) ? variableOf(copiedBy(objectOf(&read))) : nullptr;
  if (loops.empty() || !tensor || !declares(*loops.front(), *tensor))
    return nullptr;
  const CallExpr *first = nullptr;
  bool isChanged = false, isReached = false;
  forEach(loops.front(), [&](const Stmt *statement) {
    const auto *call = dyn_cast<CallExpr>(statement);
    const Expr *object = call ? objectOf(call) : nullptr;
    isReached |= call == &read;
    if (!object || isReached || variableOf(copiedBy(object)) != tensor || !call->getDirectCallee())
      return;
    isChanged |= vocabulary.changesObject(*call);
    if (!first && call->getNumArgs() == 0 &&
        simpleName(call->getDirectCallee()) == simpleName(read.getDirectCallee()) &&
        function.loopsAround(call).front() == loops.front() &&
        !function.isConditional(call, loops.front()))
      first = call;
  });
  return isChanged ? nullptr : first;
}

const Stmt *batchLoopOf(const CallExpr &slice, const FunctionCode &function,
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
  if (!tensor || whole.isOfVariableIndex() || isChangedIn(epochs, tensor, vocabulary) ||
      (!vocabulary.isFramework(slice.getDirectCallee()) && isHandedOut(epochs, tensor)))
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
