#include "Conditions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"

#include <map>

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
  const auto *compared = llvm::dyn_cast<clang::CXXOperatorCallExpr>(expr);
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(expr);
      call && !(compared && compared->isComparisonOp())) {
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

/// What \p statement does not only read (see isOnlyRead).
void findChanged(const clang::Stmt *statement, Variables &found) {
  if (!statement)
    return;
  if (const auto *cast = llvm::dyn_cast<clang::ImplicitCastExpr>(statement);
      cast && cast->getCastKind() == clang::CK_LValueToRValue &&
      llvm::isa<clang::DeclRefExpr>(cast->getSubExpr()->IgnoreParens()))
    return;
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(statement))
    found.insert(reference->getDecl());
  for (const clang::Stmt *child : statement->children())
    findChanged(child, found);
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

bool isToldByCallers(const clang::ValueDecl *variable) {
  const clang::QualType type = variable->getType();
  return llvm::isa<clang::ParmVarDecl>(variable) &&
         (type->isBooleanType() || type->isPointerType() || type->isEnumeralType());
}

/// Something compared with a value of an enumeration.
struct EnumComparison {
  const clang::Expr *compared = nullptr; ///< Null if it is no such comparison.
  const clang::EnumConstantDecl *value = nullptr;
};

EnumComparison enumComparisonOf(const clang::Expr *expr) {
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expr);
  if (!binary || !binary->isEqualityOp())
    return {};
  if (const clang::EnumConstantDecl *value = enumeratorOf(binary->getRHS()))
    return {binary->getLHS()->IgnoreParenImpCasts(), value};
  if (const clang::EnumConstantDecl *value = enumeratorOf(binary->getLHS()))
    return {binary->getRHS()->IgnoreParenImpCasts(), value};
  return {};
}

/// What holds where a `switch` over \p compared goes to \p choice.
EnumComparison comparisonOf(const clang::Expr *compared, const clang::SwitchCase *choice) {
  const auto *single = llvm::dyn_cast<clang::CaseStmt>(choice);
  const clang::EnumConstantDecl *value = single ? enumeratorOf(single->getLHS()) : nullptr;
  return value ? EnumComparison{compared, value} : EnumComparison();
}

llvm::FoldingSetNodeID profileOf(EnumComparison comparison, clang::ASTContext &context) {
  llvm::FoldingSetNodeID id;
  comparison.compared->Profile(id, context, /*Canonical=*/true);
  id.AddPointer(comparison.value);
  return id;
}

llvm::FoldingSetNodeID profileOf(const clang::Expr *expr, clang::ASTContext &context) {
  if (EnumComparison comparison = enumComparisonOf(expr); comparison.compared)
    return profileOf(comparison, context);
  llvm::FoldingSetNodeID id;
  expr->Profile(id, context, /*Canonical=*/true);
  return id;
}

/// `expr + offset`; without `expr`, a number.
struct Linear {
  const clang::Expr *expr;
  std::int64_t offset = 0;
};

Linear linear(const clang::Expr *expr) {
  expr = expr->IgnoreParenImpCasts();
  if (const auto *number = llvm::dyn_cast<clang::IntegerLiteral>(expr))
    return {nullptr, number->getValue().getSExtValue()};
  if (const auto *sum = llvm::dyn_cast<clang::BinaryOperator>(expr);
      sum && (sum->getOpcode() == clang::BO_Add || sum->getOpcode() == clang::BO_Sub))
    if (const Linear added = linear(sum->getRHS()); !added.expr) {
      Linear result = linear(sum->getLHS());
      result.offset += sum->getOpcode() == clang::BO_Add ? added.offset : -added.offset;
      return result;
    }
  return {expr};
}

/// `variable op bound + offset`.
struct Comparison {
  const clang::ValueDecl *variable = nullptr; ///< Null if it is nothing of that kind.
  clang::BinaryOperatorKind op = clang::BO_EQ;
  llvm::FoldingSetNodeID bound;
  std::int64_t offset = 0;
};

/// \p expr as a comparison of \p variable, or of any variable on its left.
Comparison comparisonOf(const clang::Expr *expr, const clang::ValueDecl *variable,
                        clang::ASTContext &context) {
  const auto *binary = llvm::dyn_cast_or_null<clang::BinaryOperator>(expr);
  if (!binary || !binary->isComparisonOp() || binary->getOpcode() == clang::BO_Cmp)
    return {};
  Linear left = linear(binary->getLHS()), right = linear(binary->getRHS());
  const auto variableOf = [](const Linear &side) {
    const auto *name = llvm::dyn_cast_or_null<clang::DeclRefExpr>(side.expr);
    return name ? llvm::cast<clang::ValueDecl>(name->getDecl()->getCanonicalDecl()) : nullptr;
  };
  clang::BinaryOperatorKind op = binary->getOpcode();
  if (variable && variableOf(right) == variable) {
    std::swap(left, right);
    op = clang::BinaryOperator::isEqualityOp(op) ? op
                                                 : clang::BinaryOperator::reverseComparisonOp(op);
  }
  Comparison result;
  result.variable = variableOf(left);
  if (variable && result.variable != variable)
    return {};
  result.op = op;
  if (right.expr)
    result.bound = profileOf(right.expr, context);
  result.offset = right.offset - left.offset;
  return result;
}

/// A loop that counts upwards in ones: its variable is \c last in the last round.
struct Count {
  const clang::ForStmt *loop;
  Comparison last;
};

std::vector<Count> countsOf(const clang::CFG &cfg, clang::ASTContext &context) {
  std::vector<Count> counts;
  for (const clang::CFGBlock *block : cfg) {
    const auto *loop = llvm::dyn_cast_or_null<clang::ForStmt>(block->getTerminatorStmt());
    const auto *increment =
        loop ? llvm::dyn_cast_or_null<clang::UnaryOperator>(loop->getInc()) : nullptr;
    if (!increment || !increment->isIncrementOp() || !loop->getCond())
      continue;
    Comparison last = comparisonOf(loop->getCond()->IgnoreParenImpCasts(), nullptr, context);
    const auto *counter =
        llvm::dyn_cast<clang::DeclRefExpr>(increment->getSubExpr()->IgnoreParenImpCasts());
    if (!last.variable || !counter || counter->getDecl()->getCanonicalDecl() != last.variable)
      continue;
    if (last.op == clang::BO_LT || last.op == clang::BO_NE)
      --last.offset;
    else if (last.op != clang::BO_LE)
      continue;
    counts.push_back({loop, last});
  }
  return counts;
}

/// What \p asked answers in the last round of the loop, and in no other; empty if it does not tell.
std::optional<bool> answerInLastRound(const clang::Expr *asked, const Count &count,
                                      clang::ASTContext &context) {
  const Comparison comparison = comparisonOf(asked, count.last.variable, context);
  if (!comparison.variable || !(comparison.bound == count.last.bound))
    return std::nullopt;
  const std::int64_t behind = comparison.offset - count.last.offset;
  switch (comparison.op) {
  case clang::BO_EQ:
  case clang::BO_GE:
    return behind == 0 ? std::optional(true) : std::nullopt;
  case clang::BO_NE:
  case clang::BO_LT:
    return behind == 0 ? std::optional(false) : std::nullopt;
  case clang::BO_GT:
    return behind == -1 ? std::optional(true) : std::nullopt;
  case clang::BO_LE:
    return behind == -1 ? std::optional(false) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// What is compared with null, or null.
const clang::Expr *comparedWithNull(const clang::BinaryOperator &comparison) {
  const auto isNull = [](const clang::Expr *side) {
    return llvm::isa<clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr>(side->IgnoreParenImpCasts());
  };
  if (!comparison.isEqualityOp())
    return nullptr;
  return isNull(comparison.getRHS())   ? comparison.getLHS()
         : isNull(comparison.getLHS()) ? comparison.getRHS()
                                       : nullptr;
}

const clang::Expr *withoutNegations(const clang::Expr *condition, bool &negated) {
  condition = condition->IgnoreParenImpCasts();
  while (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(condition)) {
    if (unary->getOpcode() != clang::UO_LNot)
      break;
    negated = !negated;
    condition = unary->getSubExpr()->IgnoreParenImpCasts();
  }
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(condition);
  if (const clang::Expr *pointer = binary ? comparedWithNull(*binary) : nullptr) {
    negated ^= binary->getOpcode() == clang::BO_EQ;
    return pointer->IgnoreParenImpCasts();
  }
  negated ^= binary && binary->getOpcode() == clang::BO_NE && enumComparisonOf(condition).compared;
  return condition;
}

} // namespace

const clang::EnumConstantDecl *enumeratorOf(const clang::Expr *expr) {
  const auto *name = llvm::dyn_cast<clang::DeclRefExpr>(expr->IgnoreParenImpCasts());
  return name ? llvm::dyn_cast<clang::EnumConstantDecl>(name->getDecl()) : nullptr;
}

bool isOnlyRead(const clang::Stmt *statement, const clang::ValueDecl *variable) {
  if (!statement)
    return true;
  if (const auto *cast = llvm::dyn_cast<clang::ImplicitCastExpr>(statement);
      cast && cast->getCastKind() == clang::CK_LValueToRValue &&
      llvm::isa<clang::DeclRefExpr>(cast->getSubExpr()->IgnoreParens()))
    return true;
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(statement);
  return !(reference && reference->getDecl() == variable) &&
         llvm::all_of(statement->children(),
                      [&](const clang::Stmt *child) { return isOnlyRead(child, variable); });
}

const clang::Expr *Conditions::asked(const clang::Expr *condition, bool &negated) const {
  condition = withoutNegations(condition, negated);
  const auto *name = llvm::dyn_cast<clang::DeclRefExpr>(condition);
  const clang::Expr *made = name ? constants.lookup(name->getDecl()) : nullptr;
  return made ? asked(made, negated) : condition;
}

void Conditions::collect(const clang::CFG &cfg, const clang::FunctionDecl *function,
                         clang::ASTContext &context) {
  struct Candidate {
    Condition condition;
    unsigned asked = 0;
    bool isFlag = false; ///< Worth following, be it asked once.
    bool isTold = false; ///< The same where a caller tells the answer.
  };
  Variables changed;
  findChanged(function->getBody(), changed);
  for (const clang::CFGBlock *block : cfg)
    for (const clang::CFGElement &element : *block) {
      auto statement = element.getAs<clang::CFGStmt>();
      const auto *declared =
          statement ? llvm::dyn_cast<clang::DeclStmt>(statement->getStmt()) : nullptr;
      const auto *variable = declared && declared->isSingleDecl()
                                 ? llvm::dyn_cast<clang::VarDecl>(declared->getSingleDecl())
                                 : nullptr;
      Variables parts;
      const auto isFixed = [&](const clang::ValueDecl *part) {
        return llvm::isa<clang::EnumConstantDecl>(part) ||
               (llvm::isa<clang::ParmVarDecl>(part) && !changed.contains(part));
      };
      if (variable && variable->getType()->isBooleanType() && variable->hasInit() &&
          !changed.contains(variable) && isPure(variable->getInit(), parts) && !parts.empty() &&
          llvm::all_of(parts, isFixed))
        constants[variable] = variable->getInit();
    }
  std::vector<Candidate> candidates;
  std::map<llvm::FoldingSetNodeID, size_t> numbers; // Of profiles.
  const auto ask = [&](Condition condition) -> Candidate & {
    const auto [known, isNew] = numbers.try_emplace(condition.profile, candidates.size());
    if (isNew)
      candidates.push_back({std::move(condition)});
    ++candidates[known->second].asked;
    return candidates[known->second];
  };
  Variables flags = flagsOf(cfg);
  const std::vector<Count> counts = countsOf(cfg, context);
  for (const clang::CFGBlock *block : cfg) {
    const clang::Stmt *terminator = block->getTerminatorStmt();
    const auto *asked = llvm::dyn_cast_or_null<clang::Expr>(block->getLastCondition());
    Condition condition;
    bool negated = false;
    if (!terminator || !asked || llvm::isa<clang::CXXForRangeStmt>(terminator) ||
        !isPure(asked = this->asked(asked, negated), condition.variables) ||
        condition.variables.empty())
      continue;
    if (const auto *choice = llvm::dyn_cast<clang::SwitchStmt>(terminator)) {
      condition.compared = profileOf(asked, context);
      for (const clang::SwitchCase *each = choice->getSwitchCaseList(); each;
           each = each->getNextSwitchCase())
        if (EnumComparison comparison = comparisonOf(asked, each); comparison.compared) {
          condition.profile = profileOf(comparison, context);
          condition.value = comparison.value;
          const bool isTold =
              condition.variables.size() == 1 && isToldByCallers(*condition.variables.begin());
          ask(condition).isTold |= isTold;
        }
      continue;
    }
    if (block->succ_size() != 2)
      continue;
    condition.profile = profileOf(asked, context);
    condition.isVariable = llvm::isa<clang::DeclRefExpr>(asked);
    if (EnumComparison comparison = enumComparisonOf(asked); comparison.compared) {
      condition.compared = profileOf(comparison.compared, context);
      condition.value = comparison.value;
      condition.variables.erase(comparison.value);
    }
    const bool isAlone =
        condition.variables.size() == 1 && (condition.isVariable || condition.value);
    const clang::ValueDecl *variable = *condition.variables.begin();
    Candidate &candidate = ask(std::move(condition));
    candidate.isFlag |= candidate.condition.isVariable && flags.contains(variable);
    candidate.isTold |= isAlone && isToldByCallers(variable);
    for (const Count &count : counts)
      if (auto answer = answerInLastRound(asked, count, context);
          answer && terminator != count.loop) {
        candidate.condition.lastRoundOf = count.loop;
        candidate.condition.answerInLastRound = *answer;
        candidate.isFlag = true;
      }
  }
  // Who asks for one value of an enumeration and then for another asks about one thing.
  std::map<llvm::FoldingSetNodeID, unsigned> compared;
  for (const Candidate &candidate : candidates)
    ++compared[candidate.condition.compared];
  for (Candidate &candidate : candidates)
    if (!(candidate.condition.compared == llvm::FoldingSetNodeID()))
      candidate.isFlag |= compared[candidate.condition.compared] > 1;
  for (const clang::ParmVarDecl *parameter : function->parameters()) {
    bool isAsked = llvm::any_of(candidates, [&](const Candidate &candidate) {
      return candidate.condition.isVariable && candidate.condition.variables.contains(parameter);
    });
    if (isAsked || !isToldByCallers(parameter) || parameter->getType()->isEnumeralType())
      continue;
    Candidate &candidate = candidates.emplace_back(); // It may be handed on.
    candidate.condition.variables.insert(parameter);
    candidate.condition.isVariable = candidate.isTold = true;
  }
  // Repeated ones first: a flag is only worth a partition if there is room.
  for (bool flags : {false, true})
    for (Candidate &candidate : candidates)
      if (conditions.size() < limit && (candidate.asked < 2) == flags &&
          (!flags || candidate.isFlag || candidate.isTold)) {
        candidate.condition.isKeptApart = !flags || candidate.isFlag;
        conditions.push_back(std::move(candidate.condition));
      }
}

int Conditions::numberOf(const clang::Expr *condition, clang::ASTContext &context) const {
  return conditions.empty() ? -1 : numberOf(profileOf(condition, context));
}

int Conditions::numberOf(const llvm::FoldingSetNodeID &profile) const {
  for (unsigned i = 0; i < conditions.size(); ++i)
    if (conditions[i].profile == profile)
      return static_cast<int>(i);
  return -1;
}

int Conditions::numberOf(const clang::Expr *asked, const clang::CaseStmt &choice,
                         clang::ASTContext &context) const {
  const EnumComparison comparison = comparisonOf(asked->IgnoreParenImpCasts(), &choice);
  return comparison.compared ? numberOf(profileOf(comparison, context)) : -1;
}

llvm::SmallVector<Conditions::Choice, 2>
Conditions::choicesOf(const clang::ParmVarDecl *parameter) const {
  llvm::SmallVector<Choice, 2> choices;
  const auto *canonical = llvm::cast<clang::ValueDecl>(parameter->getCanonicalDecl());
  for (unsigned i = 0; i < conditions.size(); ++i)
    if (conditions[i].value && conditions[i].variables.size() == 1 &&
        conditions[i].variables.contains(canonical))
      choices.push_back({i, conditions[i].value});
  return choices;
}

unsigned Conditions::excludedBy(int number) const {
  unsigned excluded = 0;
  if (number >= 0 && !(conditions[number].compared == llvm::FoldingSetNodeID()))
    for (unsigned i = 0; i < conditions.size(); ++i)
      if (static_cast<int>(i) != number && conditions[i].compared == conditions[number].compared)
        excluded |= 1u << i;
  return excluded;
}

int Conditions::numberOf(const clang::ValueDecl *variable) const {
  const auto *canonical = llvm::cast<clang::ValueDecl>(variable->getCanonicalDecl());
  for (unsigned i = 0; i < conditions.size(); ++i)
    if (conditions[i].isVariable && conditions[i].variables.contains(canonical))
      return static_cast<int>(i);
  return -1;
}

std::optional<Conditions::LastRound> Conditions::lastRoundOf(const clang::ForStmt *loop) const {
  for (unsigned i = 0; i < conditions.size(); ++i)
    if (conditions[i].lastRoundOf == loop)
      return LastRound{i, conditions[i].answerInLastRound};
  return std::nullopt;
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
