// A parsed program as the forms of rewriting see it: its functions, local variables, statements and
// expressions, all of the main file and outside macros, with their places in the text.
#pragma once

#include "Edits.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/MapVector.h"

#include <optional>
#include <string>
#include <vector>

namespace rewrites {

/// A variable that a statement of a function declares by itself.
struct Local {
  const clang::VarDecl *variable = nullptr;
  const clang::DeclStmt *declaration = nullptr;
  const clang::CompoundStmt *block = nullptr;
  std::vector<Range> uses; ///< Of its name.
  bool isNamedByCapture = false;
};

/// A function with a body that is declared once.
struct Function {
  const clang::FunctionDecl *function = nullptr;
  Range range;                           ///< With the head of its template.
  std::vector<const clang::Expr *> uses; ///< Expressions that name it.
};

class Program {
public:
  /// Reads the AST, which has to live as long.
  explicit Program(clang::ASTContext &context);

  /// Where \p source stands in the text; nothing if that is elsewhere or in a macro.
  std::optional<Range> range(clang::SourceRange source) const;
  /// The same with the semicolon that ends \p statement.
  std::optional<Range> statementRange(const clang::Stmt *statement) const;
  Range tokenAt(clang::SourceLocation location) const;
  llvm::StringRef text(Range range) const { return source.slice(range.begin, range.end); }
  /// \p range in one line; nothing if it holds comments, which would swallow what comes behind.
  std::optional<std::string> oneLine(Range range) const;
  /// How to write \p type anywhere in the file.
  std::string typeName(clang::QualType type) const;
  /// Where declarations of helpers can stand.
  unsigned firstDeclaration() const { return first; }

  clang::ASTContext &context;
  llvm::StringRef source;
  std::vector<Local> locals;                   ///< In source order.
  std::vector<const clang::Stmt *> statements; ///< Of blocks; outer ones first.
  std::vector<const clang::Stmt *> loops;      ///< Outer ones first.
  std::vector<const clang::Expr *> calls;      ///< That give a tensor by value; outer ones first.
  std::vector<const clang::DeclRefExpr *> tensorUses; ///< Operands that are tensor variables.
  std::vector<Function> functions;                    ///< But main().
  llvm::MapVector<const clang::ParmVarDecl *, std::vector<Range>>
      parameterUses; ///< Of their names.

private:
  class Reader;
  unsigned first = 0;
};

/// Whether \p type is that of a tensor, but no reference.
bool isTensor(clang::QualType type);

/// Whether \p type has to do with training: a class of the framework or one derived from it, what
/// holds one, or bool.
bool isRelevant(clang::QualType type);

/// The variables of the function around \p statement that it names; nothing if it uses `this`.
std::optional<std::vector<const clang::ValueDecl *>> freeVariables(const clang::Stmt *statement);

/// Whether control may leave \p statement other than by its end: by return, goto, or a break or
/// continue of a loop around it.
bool mayLeave(const clang::Stmt *statement);

} // namespace rewrites
