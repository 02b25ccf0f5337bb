// The way between the AST and the source map: makes the nodes, symbols and types of a unit
// (analyzer/ir), each once, and finds back from them.
//
// A function's nodes are made when it is lowered, in time and memory linear in its size; those of
// other code when somebody first asks for it. Only what knows the AST includes this header.
#pragma once

#include "DetachedMethods.h"
#include "analyzer/ir/Node.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"

#include <functional>
#include <vector>

namespace gradtidy {

class Vocabulary;

class CodeMap {
public:
  using IsUserCode = std::function<bool(const clang::Decl *)>;

  /// Context and vocabulary must outlive this object.
  CodeMap(clang::ASTContext &context, Vocabulary &vocabulary, IsUserCode isUserCode);
  CodeMap(const CodeMap &) = delete;

  /// The node of a statement or expression, with all that stands in it; null of null.
  const ir::Node *node(const clang::Stmt *code);

  /// The symbol of a declaration; null of null.
  const ir::Symbol *symbol(const clang::NamedDecl *declaration);

  /// Null where nothing is known of a type.
  const ir::Type *type(clang::QualType type);

  /// What a node was made of, without implicit casts; null of null.
  static const clang::Stmt *code(const ir::Node *node);
  static const clang::Expr *expr(const ir::Node *node);

  /// What a symbol was made of; null of null.
  static const clang::NamedDecl *declaration(const ir::Symbol *symbol);
  static const clang::VarDecl *variable(const ir::Symbol *symbol);
  static const clang::FieldDecl *member(const ir::Symbol *symbol);
  static const clang::FunctionDecl *function(const ir::Symbol *symbol);
  static const clang::CXXRecordDecl *record(const ir::Symbol *symbol);

  /// Whether a declaration is in the user's code.
  const IsUserCode &isUserCode() const { return isUser; }

  clang::ASTContext &context() const { return ast; }

private:
  struct OwnedNode;
  struct OwnedSymbol;

  OwnedNode *make(const clang::Stmt *code, const ir::Node *parent);
  /// Notes what \p wrapper, which is around an expression whose nodes are made, says of these.
  void noteRead(const clang::Stmt &wrapper);
  void describeStatement(ir::Node &node, const clang::Stmt &code);
  void describeExpression(ir::Node &node, const clang::Expr &expr);
  void describeCall(ir::Node &node, const clang::CallExpr &call);
  /// What \p call calls of the \p overloads: the only candidate of the user, or any that is not the
  /// user's. Null if nobody knows.
  const clang::FunctionDecl *candidateFor(const clang::CallExpr &call,
                                          const clang::OverloadExpr &overloads) const;
  void describeConstruction(ir::Node &node, const clang::CXXConstructExpr &made);
  void describeReference(ir::Node &node, const clang::DeclRefExpr &reference);
  void evaluate(ir::Node &node, const clang::Expr &expr) const;
  void describeVariable(ir::Symbol &symbol, const clang::VarDecl &variable);
  void describeFunction(ir::Symbol &symbol, const clang::FunctionDecl &function);
  /// The declaration with the body that \p function runs, or null. Where errors keep a template
  /// from being instantiated, it speaks for itself.
  const clang::FunctionDecl *definitionOf(const clang::FunctionDecl &function) const;
  llvm::ArrayRef<ir::Initializer> initializersOf(const clang::FunctionDecl &function);
  /// Whether a class of the framework that the class derives from has something of that name.
  bool redefines(const clang::CXXMethodDecl &method) const;
  void describeRecord(ir::Symbol &symbol, const clang::CXXRecordDecl &record);
  /// What is known of a class as a whole.
  const ir::Class *whole(const clang::CXXRecordDecl &record);
  /// The node of what stands in code whose nodes are made, or null.
  const ir::Node *made(const clang::Stmt *code) const;
  llvm::ArrayRef<const ir::Node *> allMade(llvm::ArrayRef<const clang::Expr *> code);
  /// Makes what symbols wait for: what names other symbols.
  void settle();

  clang::ASTContext &ast;
  Vocabulary &vocabulary;
  const IsUserCode isUser;
  llvm::BumpPtrAllocator allocator;
  llvm::UniqueStringSaver names{allocator};
  llvm::DenseMap<const clang::Stmt *, OwnedNode *> nodes;
  llvm::DenseMap<const clang::NamedDecl *, OwnedSymbol *> symbols;
  llvm::DenseMap<void *, const ir::Type *> types;
  const DetachedMethods detached;
  std::vector<OwnedSymbol *> waiting;
  bool isMaking = false; ///< What waits is made when all else is.
};

} // namespace gradtidy
