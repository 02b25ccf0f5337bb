// Conditions that a function asks more than once. `if (last) step(); … if (last) zero_grad();` runs
// both or neither; the flow analysis keeps the two answers apart (trace partitioning).
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <optional>
#include <vector>

namespace clang {
class ASTContext;
class CFG;
class CaseStmt;
class ForStmt;
} // namespace clang

namespace gradtidy {

class Conditions {
public:
  /// More conditions than this are not told apart: the number of partitions grows as 3^n.
  static constexpr unsigned limit = 4;

  /// Finds the conditions of \p cfg, the body of \p function, that have no side effects and are
  /// asked at least twice, or are variables that are set to true or false, or are parameters
  /// (callers may have said), or tell the last round of a `for` loop from the others.
  void collect(const clang::CFG &cfg, const clang::FunctionDecl *function,
               clang::ASTContext &context);

  unsigned count() const { return static_cast<unsigned>(conditions.size()); }

  /// What \p condition asks: it without parentheses, casts, negations and comparisons with null,
  /// and in the place of a constant what that is made of. \p negated is toggled by each negation,
  /// and where an enumeration is compared by `!=`.
  const clang::Expr *asked(const clang::Expr *condition, bool &negated) const;

  /// The number of a condition, as asked() gives it, or -1 if it is not among them.
  int numberOf(const clang::Expr *condition, clang::ASTContext &context) const;

  /// The number of the condition that the case \p choice of a `switch` over \p asked holds, or -1.
  int numberOf(const clang::Expr *asked, const clang::CaseStmt &choice,
               clang::ASTContext &context) const;

  /// The conditions that do not hold where the condition \p number does, as bits: what is one value
  /// of an enumeration is no other.
  unsigned excludedBy(int number) const;

  /// The number of the condition that is \p variable and nothing else, or -1.
  int numberOf(const clang::ValueDecl *variable) const;

  /// A condition that compares a parameter with a value of an enumeration.
  struct Choice {
    unsigned number;
    const clang::EnumConstantDecl *value;
  };

  /// The conditions that are told by who gives \p parameter its value.
  llvm::SmallVector<Choice, 2> choicesOf(const clang::ParmVarDecl *parameter) const;

  /// Whether the ways on which the condition \p number was answered differently are kept apart;
  /// else what callers tell decides it, and nothing comes of the answer.
  bool isKeptApart(unsigned number) const { return conditions[number].isKeptApart; }

  /// A condition that tells the last round of a loop from the others.
  struct LastRound {
    unsigned number;
    bool answer; ///< In the last round, and in no other.
  };

  /// What tells the last round of \p loop: `epoch != epochs - 1` in a loop over
  /// `epoch < epochs`.
  std::optional<LastRound> lastRoundOf(const clang::ForStmt *loop) const;

  /// The conditions whose answer may change with this variable or field, as bits.
  unsigned affectedBy(const clang::ValueDecl *variable) const;

private:
  int numberOf(const llvm::FoldingSetNodeID &profile) const;

  struct Condition {
    llvm::FoldingSetNodeID profile;
    llvm::FoldingSetNodeID compared; ///< What is compared with a value of an enumeration, if any.
    llvm::SmallPtrSet<const clang::ValueDecl *, 4> variables;
    const clang::EnumConstantDecl *value = nullptr; ///< With what it is compared.
    bool isVariable = false;                        ///< By itself.
    bool isKeptApart = true;                        ///< See isKeptApart().
    const clang::ForStmt *lastRoundOf = nullptr;    ///< The loop whose last round it tells.
    bool answerInLastRound = false;
  };
  std::vector<Condition> conditions;
  /// What constants are made of that depend on nothing but parameters.
  llvm::SmallDenseMap<const clang::ValueDecl *, const clang::Expr *, 2> constants;
};

/// The value of an enumeration that \p expr names, or null.
const clang::EnumConstantDecl *enumeratorOf(const clang::Expr *expr);

/// Whether \p statement does nothing with \p variable but read its value.
bool isOnlyRead(const clang::Stmt *statement, const clang::ValueDecl *variable);

} // namespace gradtidy
