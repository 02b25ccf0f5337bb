#include "Conditions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"

namespace gradtidy {
namespace {

using Variables = llvm::SmallPtrSet<const clang::ValueDecl *, 4>;

/// Whether asking \p expr twice in a row gives the same answer; collects what the answer depends
/// on.
bool isPure(const clang::Stmt *expr, Variables &variables) {
  if (!expr || llvm::isa<clang::LambdaExpr, clang::CXXNewExpr, clang::CXXConstructExpr>(expr))
    return false;
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expr))
    if (binary->isAssignmentOp())
      return false;
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(expr))
    if (unary->isIncrementDecrementOp())
      return false;
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(expr)) {
    const auto *method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee());
    if (!method || !method->isConst() || method->getNumParams() > 0)
      return false;
  }
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expr))
    variables.insert(llvm::cast<clang::ValueDecl>(reference->getDecl()->getCanonicalDecl()));
  if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(expr))
    variables.insert(llvm::cast<clang::ValueDecl>(member->getMemberDecl()->getCanonicalDecl()));
  for (const clang::Stmt *child : expr->children())
    if (!isPure(child, variables))
      return false;
  return true;
}

/// The variables that are set to true or false after their declaration.
Variables flagsOf(const clang::CFG &cfg) {
  Variables flags;
  for (const clang::CFGBlock *block : cfg)
    for (const clang::CFGElement &element : *block) {
      auto statement = element.getAs<clang::CFGStmt>();
      const auto *assignment =
          statement ? llvm::dyn_cast<clang::BinaryOperator>(statement->getStmt()) : nullptr;
      if (!assignment || assignment->getOpcode() != clang::BO_Assign ||
          !llvm::isa<clang::CXXBoolLiteralExpr>(assignment->getRHS()->IgnoreParenImpCasts()))
        continue;
      if (const auto *target =
              llvm::dyn_cast<clang::DeclRefExpr>(assignment->getLHS()->IgnoreParenImpCasts()))
        flags.insert(llvm::cast<clang::ValueDecl>(target->getDecl()->getCanonicalDecl()));
    }
  return flags;
}

bool isOfConstructor(const clang::ValueDecl *variable) {
  return llvm::isa<clang::ParmVarDecl>(variable) && variable->getType()->isBooleanType() &&
         llvm::isa<clang::CXXConstructorDecl>(variable->getDeclContext());
}

llvm::FoldingSetNodeID profileOf(const clang::Expr *expr, clang::ASTContext &context) {
  llvm::FoldingSetNodeID id;
  expr->Profile(id, context, /*Canonical=*/true);
  return id;
}

} // namespace

const clang::Expr *withoutNegations(const clang::Expr *condition, bool &negated) {
  condition = condition->IgnoreParenImpCasts();
  while (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(condition)) {
    if (unary->getOpcode() != clang::UO_LNot)
      break;
    negated = !negated;
    condition = unary->getSubExpr()->IgnoreParenImpCasts();
  }
  return condition;
}

void Conditions::collect(const clang::CFG &cfg, clang::ASTContext &context) {
  struct Candidate {
    Condition condition;
    unsigned asked = 0;
    bool isFlag = false; ///< Set to true or false, or by who calls a constructor.
  };
  std::vector<Candidate> candidates;
  Variables flags = flagsOf(cfg);
  for (const clang::CFGBlock *block : cfg) {
    const clang::Stmt *terminator = block->getTerminatorStmt();
    if (!terminator || block->succ_size() != 2 ||
        llvm::isa<clang::SwitchStmt, clang::CXXForRangeStmt>(terminator))
      continue;
    const auto *asked = llvm::dyn_cast_or_null<clang::Expr>(block->getLastCondition());
    if (!asked)
      continue;
    bool negated = false;
    asked = withoutNegations(asked, negated);
    Candidate candidate;
    if (!isPure(asked, candidate.condition.variables) || candidate.condition.variables.empty())
      continue;
    candidate.condition.profile = profileOf(asked, context);
    auto known = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate &other) {
      return other.condition.profile == candidate.condition.profile;
    });
    if (known == candidates.end()) {
      const clang::ValueDecl *variable = *candidate.condition.variables.begin();
      candidate.condition.isVariable = llvm::isa<clang::DeclRefExpr>(asked);
      candidate.isFlag =
          candidate.condition.isVariable && (flags.contains(variable) || isOfConstructor(variable));
      candidates.push_back(std::move(candidate));
      known = std::prev(candidates.end());
    }
    ++known->asked;
  }
  // Repeated ones first: a flag is only worth a partition if there is room.
  for (bool flags : {false, true})
    for (Candidate &candidate : candidates)
      if (conditions.size() < limit && (candidate.asked < 2) == flags &&
          (!flags || candidate.isFlag))
        conditions.push_back(std::move(candidate.condition));
}

int Conditions::numberOf(const clang::Expr *condition, clang::ASTContext &context) const {
  if (conditions.empty())
    return -1;
  llvm::FoldingSetNodeID profile = profileOf(condition, context);
  for (unsigned i = 0; i < conditions.size(); ++i)
    if (conditions[i].profile == profile)
      return static_cast<int>(i);
  return -1;
}

int Conditions::numberOf(const clang::ValueDecl *variable) const {
  const auto *canonical = llvm::cast<clang::ValueDecl>(variable->getCanonicalDecl());
  for (unsigned i = 0; i < conditions.size(); ++i)
    if (conditions[i].isVariable && conditions[i].variables.contains(canonical))
      return static_cast<int>(i);
  return -1;
}

unsigned Conditions::affectedBy(const clang::ValueDecl *variable) const {
  unsigned affected = 0;
  const auto *canonical = llvm::cast<clang::ValueDecl>(variable->getCanonicalDecl());
  for (unsigned i = 0; i < conditions.size(); ++i)
    if (conditions[i].variables.contains(canonical))
      affected |= 1u << i;
  return affected;
}

} // namespace gradtidy
