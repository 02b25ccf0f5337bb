// The AST of a function that is being lowered, with what the source map knows of its structure.
// What is decided by the writing of a statement asks here; flow and checks ask FunctionBody.
#pragma once

#include "CodeMap.h"
#include "analyzer/ir/Event.h"

#include <memory>

namespace clang {
class ParentMap;
} // namespace clang

namespace gradtidy {

class FunctionCode {
public:
  /// Both must outlive this object.
  FunctionCode(const FunctionBody &lowered, CodeMap &map);
  ~FunctionCode();

  const clang::FunctionDecl *const function;
  const clang::Stmt *const body;
  CodeMap &map;
  const FunctionBody &lowered;

  /// The innermost statement or expression around \p statement, be it an implicit one.
  const clang::Stmt *statementAround(const clang::Stmt *statement) const;

  // --- see FunctionBody

  llvm::SmallVector<const clang::Stmt *, 4> loopsAround(const clang::Stmt *site) const;
  bool mentions(const clang::VarDecl &variable) const;
  bool mayChange(const clang::VarDecl &variable, const clang::Stmt *within) const;
  bool isConditional(const clang::Stmt *site, const clang::Stmt *within = nullptr) const;

private:
  mutable std::unique_ptr<clang::ParentMap> parents; ///< Made when it is first needed.
};

} // namespace gradtidy
