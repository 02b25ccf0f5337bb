// Values that are given to a variable and that nothing reads after that.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"

#include <limits>

namespace gradtidy {

/// Where the variables of one function are named, in the order in which it is written. Made in one
/// walk, so that a question takes no time that depends on the size of the function.
class LastValues {
public:
  /// \p function must outlive this object.
  explicit LastValues(const clang::FunctionDecl &function);

  /// Whether \p variable is not named any more once \p assignment has given it a value: neither
  /// behind it, nor in another round of a loop that the variable outlives, nor in a closure.
  bool isLastMention(const clang::CallExpr &assignment, const clang::VarDecl &variable) const;

private:
  class Reader;

  /// Statements and expressions are numbered from 1.
  struct Uses {
    unsigned declaration = 0; ///< 0 for parameters.
    unsigned lastMention = 0;
    /// Where it gets another name, or a closure keeps it.
    unsigned firstEscape = std::numeric_limits<unsigned>::max(), lastEscape = 0;
  };
  struct Call {
    unsigned begin, end; ///< Of what is within the call.
    unsigned loop;       ///< The innermost loop around it, or 0.
  };

  const clang::FunctionDecl &function;
  llvm::DenseMap<const clang::VarDecl *, Uses> uses;
  llvm::DenseMap<const clang::Expr *, Call> calls;
  bool hasJumps = false; ///< A goto or a label.
};

} // namespace gradtidy
