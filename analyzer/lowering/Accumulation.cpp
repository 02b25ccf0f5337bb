#include "Accumulation.h"

#include "analyzer/lowering/ast/Syntax.h"
#include "analyzer/lowering/ast/Values.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace gradtidy {

/// The divisor of the remainder that \p condition asks for, or null.
static const Expr *divisorIn(const Expr *condition) {
  condition = strip(condition);
  if (const auto *negation = dyn_cast<UnaryOperator>(condition);
      negation && negation->getOpcode() == UO_LNot)
    return divisorIn(negation->getSubExpr());
  const auto *operation = dyn_cast<BinaryOperator>(condition);
  if (!operation)
    return nullptr;
  if (operation->getOpcode() == BO_Rem)
    return strip(operation->getRHS());
  if (!llvm::is_contained({BO_EQ, BO_LT, BO_LOr, BO_LAnd}, operation->getOpcode()))
    return nullptr;
  const Expr *divisor = divisorIn(operation->getLHS());
  return divisor ? divisor : divisorIn(operation->getRHS());
}

/// The same of a condition under which what follows is left out: `if (i % N != 0) continue;`.
static const Expr *divisorOfOthers(const Expr *condition) {
  condition = strip(condition);
  const auto *operation = dyn_cast<BinaryOperator>(condition);
  if (!operation)
    return nullptr;
  if (operation->getOpcode() == BO_Rem)
    return strip(operation->getRHS());
  if (operation->getOpcode() == BO_NE)
    return divisorOfOthers(strip(operation->getLHS()));
  const Expr *first =
      operation->getOpcode() == BO_LOr ? divisorOfOthers(operation->getLHS()) : nullptr;
  return first || operation->getOpcode() != BO_LOr ? first : divisorOfOthers(operation->getRHS());
}

/// What \p block asks, before it comes to \p inner, in order to leave all rounds but every Nth.
static const Expr *roundsLeft(const CompoundStmt &block, const Stmt *inner) {
  const Expr *rounds = nullptr;
  for (const Stmt *child : block.body()) {
    if (child == inner)
      return rounds;
    const auto *choice = dyn_cast<IfStmt>(child);
    const Stmt *taken = choice && !choice->getElse() ? choice->getThen() : nullptr;
    if (const auto *braces = dyn_cast_or_null<CompoundStmt>(taken); braces && braces->size() == 1)
      taken = braces->body_front();
    if (isa_and_nonnull<ReturnStmt, ContinueStmt>(taken))
      if (const Expr *divisor = divisorOfOthers(choice->getCond()))
        rounds = divisor;
  }
  return nullptr;
}

namespace {

/// Looks for what is done with a number, by whichever of its names, besides counting, comparing and
/// printing.
class OtherUses : public RecursiveASTVisitor<OtherUses> {
public:
  OtherUses(llvm::ArrayRef<Entity> names, std::optional<double> value)
      : names(names), value(value) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseBinaryOperator(BinaryOperator *operation) {
    if (operation->isComparisonOp() || operation->getOpcode() == BO_Rem)
      return true;
    if (const Entity set = entityOf(strip(operation->getLHS()));
        set && operation->getOpcode() == BO_Assign && llvm::is_contained(names, canonical(set)))
      return TraverseStmt(operation->getRHS());
    return RecursiveASTVisitor::TraverseBinaryOperator(operation);
  }
  bool TraverseVarDecl(VarDecl *variable) { // Another of its names.
    return llvm::is_contained(names, canonical(variable)) ||
           RecursiveASTVisitor::TraverseVarDecl(variable);
  }
  bool TraverseCXXOperatorCallExpr(CXXOperatorCallExpr *call) {
    if (call->getOperator() == OO_LessLess)
      return true;
    return RecursiveASTVisitor::TraverseCXXOperatorCallExpr(call);
  }
  bool VisitDeclRefExpr(DeclRefExpr *reference) { return !is(reference->getDecl()); }
  bool VisitMemberExpr(MemberExpr *reference) { return !is(reference->getMemberDecl()); }
  /// Of a literal nobody knows which is meant: the same number, or its inverse.
  bool VisitIntegerLiteral(IntegerLiteral *literal) {
    return !value || literal->getValue() != static_cast<std::uint64_t>(*value) || !(found = true);
  }
  bool VisitFloatingLiteral(FloatingLiteral *literal) {
    const double other = literal->getValueAsApproximateDouble();
    return !value || (other != *value && other * *value != 1) || !(found = true);
  }

  bool found = false;

private:
  bool is(const ValueDecl *declaration) {
    return found |= llvm::is_contained(names, canonical(declaration));
  }

  const llvm::ArrayRef<Entity> names;
  const std::optional<double> value;
};

} // namespace

const Expr *roundsBetween(const Expr &call, const FunctionCode &function) {
  const Stmt *inner = &call;
  for (const Stmt *outer = function.statementAround(inner); outer;
       outer = function.statementAround(inner = outer)) {
    if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(outer))
      return nullptr;
    if (const auto *choice = dyn_cast<IfStmt>(outer); choice && inner == choice->getThen())
      if (const Expr *rounds = divisorIn(choice->getCond()))
        return rounds;
    if (const auto *block = dyn_cast<CompoundStmt>(outer))
      if (const Expr *rounds = roundsLeft(*block, inner))
        return rounds;
  }
  return nullptr;
}

bool onlyCounts(const Expr &rounds, const FunctionCode &function, ASTContext &context) {
  const auto *literal = dyn_cast<IntegerLiteral>(&rounds);
  llvm::SmallVector<Entity, 2> names;
  for (const Expr *named = &rounds; named && names.size() < 4;) {
    const Entity number = entityOf(named) ? canonical(entityOf(named)) : nullptr;
    if (!number)
      break;
    names.push_back(number);
    // A constant has the number of what it is made of.
    const auto *variable = dyn_cast<VarDecl>(number);
    const bool isConstant =
        variable && variable->getType().isConstQualified() && variable->hasInit();
    named = isConstant ? strip(variable->getInit()) : nullptr;
  }
  if (literal ? literal->getValue().ule(1) : names.empty())
    return false;
  OtherUses uses(names,
                 literal ? std::optional(literal->getValue().roundToDouble()) : std::nullopt);
  const bool isLocal = llvm::all_of(names, [](Entity name) {
    const auto *variable = dyn_cast<VarDecl>(name);
    return variable && variable->isLocalVarDeclOrParm();
  });
  if (literal || isLocal) {
    uses.TraverseStmt(const_cast<Stmt *>(function.body));
  } else {
    for (Decl *declaration : context.getTraversalScope())
      uses.TraverseDecl(declaration);
  }
  return !uses.found;
}

} // namespace gradtidy
