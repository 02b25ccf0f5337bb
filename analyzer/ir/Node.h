// Nodes: the statements and expressions of a function as its author wrote them, without an AST.
//
// Implicit casts, temporaries and cleanups are no nodes of their own: they are the node that they
// wrap. Nodes are made by CodeMap, live as long as the unit is analyzed, and are compared by
// address. They have some 210 bytes each.
#pragma once

#include "Symbol.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>

namespace gradtidy::ir {

enum class NodeKind : unsigned char {
  Other, ///< What is none of the others.

  // --- statements
  Compound,    ///< `{ … }`
  Declaration, ///< Of variables or functions.
  If,
  For,
  RangeFor,
  While,
  Do,
  Switch,
  Catch,
  Break,
  Continue,
  Return,
  Null, ///< `;`

  // --- expressions
  Call,           ///< Of a function, or of what is no method's.
  MemberCall,     ///< `object.method(…)`
  OperatorCall,   ///< Of an operator that is a function: the arguments are its operands.
  KernelCall,     ///< `kernel<<<…>>>(…)`
  Construct,      ///< Of an object, be it implicitly or by a list in braces.
  Temporary,      ///< `Type(…)` or `Type{…}` of several arguments, or none.
  FunctionalCast, ///< `Type(value)`
  Cast,           ///< All other casts that are written.
  TypeId,         ///< `typeid(…)`; its symbol is the class that it names.
  List,           ///< `{ … }`
  Reference,      ///< A name.
  Member,         ///< `object.member`
  This,
  Lambda,
  Conditional, ///< `a ? b : c`, `a ?: c`
  Unary,
  Binary,
  Subscript,
  Parentheses,
  Throw,
  New,             ///< `new Type(…)`
  Open,            ///< A name that errors or a template leave open; its symbol is a candidate.
  OpenConstruct,   ///< `Type(…)` of a type that a template leaves open.
  Damaged,         ///< What the compiler could not make sense of.
  DefaultArgument, ///< An argument that is left out; its symbol is the parameter.
  Boolean,         ///< Literals.
  Integer,
  Real,
  String,
  NullPointer,
};

struct Node {
  NodeKind kind = NodeKind::Other;
  bool isExpression = false;
  bool hasSideEffects = false;   ///< To evaluate it may change something.
  bool isConstant = false;       ///< A number that the compiler knows.
  bool isConstantBranch = false; ///< An `if constexpr`.
  bool isOnlyRead = false;       ///< A name that leads to a value which is read and no more.
  clang::SourceRange range;      ///< From the first token to the last.
  clang::SourceLocation caret;   ///< Where diagnostics point at an expression.
  clang::SourceLocation name;    ///< Of the member, variable or function that is named or called.
  clang::SourceRange brackets;   ///< Braces of a Compound, parentheses or braces of arguments.
  /// Of Unary, Binary and OperatorCall: its spelling, "[]" or "()"; of String its text; of Open the
  /// name; of a Cast with a keyword that.
  llvm::StringRef op;
  /// What a name stands for, the function that is called, the variable of a RangeFor.
  const Symbol *symbol = nullptr;
  llvm::ArrayRef<const Symbol *> declared; ///< Of Declaration; of Lambda its call operators.
  const Type *type = nullptr;              ///< Of expressions.
  const Node *parent = nullptr;            ///< Null where what is around is no code, or not known.
  llvm::ArrayRef<const Node *> children;   ///< As they are evaluated or stand.
  llvm::ArrayRef<const Node *> arguments;  ///< Of calls and constructions.
  const Node *condition = nullptr;         ///< Of branches and loops.
  const Node *init = nullptr;          ///< Of If and For; of RangeFor the beginning of the range.
  const Node *body = nullptr;          ///< Of loops; of If what is done if the condition holds.
  const Node *otherwise = nullptr;     ///< Of If: the else.
  const Node *object = nullptr;        ///< Of MemberCall, Member and Open; of RangeFor the range.
  Aspects openAspects;                 ///< Of Open: what may hold of the name.
  const Node *spelledNode = nullptr;   ///< See spelled().
  std::optional<std::int64_t> integer; ///< The value of what is a constant integer.
  std::optional<double> real;          ///< The value of another constant number.
  /// Of a name with template arguments: where the first is written, if it is a type; of a Cast and
  /// of TypeId where their type is.
  clang::SourceRange typeArgument;

  clang::SourceLocation begin() const { return range.getBegin(); }
  clang::SourceLocation end() const { return range.getEnd(); }

  /// The innermost expression that is written in the same place: without parentheses, conversions
  /// and constructors that nobody wrote.
  const Node &spelled() const { return spelledNode ? *spelledNode : *this; }

  bool isLoop() const { return kind >= NodeKind::For && kind <= NodeKind::Do; }
  bool isCall() const { return kind >= NodeKind::Call && kind <= NodeKind::KernelCall; }

  /// The simple name of the function that is called, or empty.
  llvm::StringRef calledName() const {
    return isCall() && symbol ? symbol->name : llvm::StringRef();
  }

  /// What the function that is called is to those who read code, be it open which one that is.
  Aspects calledAspects() const;
  bool calls(Aspect aspect) const { return calledAspects().has(aspect); }

  /// Whether a function of that role, or of that operation, is called.
  bool calls(FunctionRole role) const { return isCall() && symbol && symbol->purpose == role; }
  bool calls(Operation operation) const {
    return isCall() && symbol && symbol->operation == operation;
  }

  /// Of a call: what is called, without parentheses.
  const Node *callee() const;

  /// How many arguments are written.
  unsigned writtenArguments() const;

  /// Of Binary: whether it gives its left operand a value.
  bool isAssignment() const;
};

/// \p node if it is of that kind, else null.
inline const Node *as(NodeKind kind, const Node *node) {
  return node && node->kind == kind ? node : nullptr;
}

/// \p node if it constructs an object, else null.
inline const Node *asConstruction(const Node *node) {
  return node && (node->kind == NodeKind::Construct || node->kind == NodeKind::Temporary) ? node
                                                                                          : nullptr;
}

/// \p node if it is a call, else null.
inline const Node *asCall(const Node *node) { return node && node->isCall() ? node : nullptr; }

/// \p node without the parentheses around it.
const Node *withoutParentheses(const Node *node);

/// \p node without all that changes neither object nor value: parentheses, casts, address and
/// dereference; of an argument that is left out what is given in its place, if that is known.
const Node *stripped(const Node *node);

/// Whether \p node is a null pointer, or an object made of one.
bool isNull(const Node *node);

/// Whether \p a and \p b are written alike: the same operations on the same names and constants.
bool areAlike(const Node &a, const Node &b);

/// The variable that \p node names and nothing else, or null.
const Symbol *variableIn(const Node *node);

/// What \p node says, without what changes nothing about it: of a constant's name what that is made
/// with, be it another one's. Null if it is null, or names go on for long.
const Node *constantIn(const Node *node);

/// Calls \p visit for \p node and all that stands in it.
void forEach(const Node *node, llvm::function_ref<void(const Node &)> visit);

} // namespace gradtidy::ir
