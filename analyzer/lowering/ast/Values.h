// What expressions denote: access paths, roles, and how a value is handed on.
#pragma once

#include "Vocabulary.h"
#include "analyzer/ir/Event.h"

#include "llvm/ADT/DenseSet.h"

namespace gradtidy {

/// \p expr without everything that changes neither object nor value: parentheses, casts,
/// temporaries, address and dereference, `new`, wrappers of damaged code.
const clang::Expr *strip(const clang::Expr *expr);

/// Whether values of that type are strings, or paths of files.
bool isText(clang::QualType type);

/// Whether nothing is made of \p value but an empty pointer or module holder.
bool isNull(const clang::Expr *value);

/// The expression that clang wrapped because its type has errors; null if more was damaged.
const clang::Expr *onlyDamaged(const clang::Expr *expr);

/// Where code has errors, expressions may have no type at all.
bool isArithmetic(const clang::Expr *expr);

/// The name of a function, or "" for operators, constructors and null.
llvm::StringRef simpleName(const clang::FunctionDecl *function);

/// Whether a method makes a forward pass, by its name: forward, forward_features, operator().
bool isForward(const clang::FunctionDecl *function);

/// Whether a factory makes a tensor without dimensions: `tensor(1.0)`, `zeros({})`.
bool makesScalar(const clang::CallExpr *call, const Vocabulary &vocabulary);

/// Functions of the standard library that make the object their result points to.
bool isFactory(const clang::FunctionDecl *callee);

/// Whether code names a device other than the CPU, or one that may be another; a type of elements
/// that becomes options is none.
bool namesDevice(const clang::Stmt *statement, Vocabulary &vocabulary);

/// The values of one function.
class Values {
public:
  Values(const clang::FunctionDecl *function, PathTable &paths, Vocabulary &vocabulary);

  /// The path of the object an expression names, or of its temporary.
  PathId pathOf(const clang::Expr *expr);
  PathId temporary(const clang::Stmt *expr) {
    return paths.root(PathStep::Temporary, vocabulary.code().node(expr));
  }
  PathId thisObject() { return paths.root(PathStep::This, vocabulary.code().symbol(thisOwner)); }

  /// The path a call denotes that only reaches for an object: `*p`, `p.get()`, `v[i]`, std::move.
  /// No path for every other call.
  PathId pathOfAccessor(const clang::CallExpr *call);

  /// The type of a value. Where it depends on something unknown (in a template, after errors), the
  /// type that all functions of the name return to the object, or that the initialiser has; a
  /// dependent one if nothing tells.
  clang::QualType typeOf(const clang::Expr *expr);

  /// The role of a value. Where errors hide its type, what is written may still tell.
  TypeRole roleOf(const clang::Expr *expr);

  /// The value as part of an event; \p parameter is the type of the parameter that takes it, if
  /// any.
  Operand operand(const clang::Expr *expr, clang::QualType parameter = {});

  /// How a variable, parameter or result of this type denotes its value.
  BindKind bindKind(clang::QualType type);

  /// The argument whose object a construction takes over: copies, moves, conversions between
  /// smart pointers and module holders, std::function of a closure. Null if it makes a new object.
  const clang::Expr *forwarded(const clang::CXXConstructExpr *construct);

  /// What errors or template parameters hide of the type of \p declaration.
  void setRole(const clang::ValueDecl *declaration, TypeRole role) { roles[declaration] = role; }

  /// The tensors of that struct or tuple are on the host unless something else is known of them.
  void addHostBatch(PathId path) { hostBatches.insert(path); }

  /// The function that is called; where errors or template parameters leave it open, a function of
  /// the framework that has the same role and operation as all others it may be. Or null.
  const clang::FunctionDecl *calleeOf(const clang::CallExpr *call);

  /// Whether the value is a number, as far as is known.
  bool isNumber(const clang::Expr *expr);

  /// Functions whose bodies nobody looks into: what they do is said by the model.
  bool isExternal(const clang::FunctionDecl *callee);

private:
  /// The data member that an expression names whose object's type clang does not know; or null.
  const clang::FieldDecl *openField(const clang::Expr *expr);
  /// The class of the value, if it is one.
  const clang::CXXRecordDecl *recordOf(const clang::Expr *expr);
  /// Visits the functions that may be called, or null for what is none, where that is open.
  void forEachCandidate(const clang::CallExpr *call,
                        llvm::function_ref<void(const clang::FunctionDecl *)> visit);
  clang::QualType typeOfElement(const clang::ArraySubscriptExpr &subscript);
  clang::QualType typeOfOperation(const clang::Expr *left, const clang::Expr *right);
  clang::QualType typeOfCall(const clang::CallExpr *call);
  PathId pathOfVariable(const clang::ValueDecl *declaration, const clang::Expr *expr);
  PathId pathOfOperator(const clang::CXXOperatorCallExpr *call);
  PathId elementOf(const clang::Expr *container, const clang::Expr *index);
  /// Of a tuple or pair. The value of a map's item is an element of the map.
  PathId partOf(const clang::Expr *tuple, std::int64_t index);
  PathId pathOfMember(const clang::CXXMemberCallExpr *call);
  PathId pathOfStandardFunction(const clang::CallExpr *call);
  /// Whether a factory makes a copy of a module, which shares its parts.
  bool copiesModule(const clang::CallExpr *call);
  bool isTensor(const clang::Expr *expr);
  bool makesObject(const clang::Expr *expr);
  /// The device that a constant of the framework, converted or not, stands for.
  Device literalDevice(const clang::Expr *expr);
  bool canChange(clang::QualType parameter);

  clang::ASTContext &context;
  PathTable &paths;
  Vocabulary &vocabulary;
  const clang::FunctionDecl *thisOwner = nullptr;
  llvm::SmallDenseSet<PathId, 4> hostBatches;
  llvm::SmallDenseMap<const clang::ValueDecl *, TypeRole> roles;
};

} // namespace gradtidy
