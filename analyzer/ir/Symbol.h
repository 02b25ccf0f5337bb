// Symbols and types: what the names in code stand for, without an AST.
//
// They are made on demand, one for each declaration of a unit (see CodeMap.h), live as long as the
// unit is analyzed, and are compared by address.
#pragma once

#include "analyzer/model/Role.h"

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {
struct Operator;
} // namespace gradtidy

namespace gradtidy::ir {

struct Class;
struct Node;
struct Symbol;

/// What is known of the type of an expression or symbol, seen through references.
struct Type {
  bool isReference = false;
  bool isConst = false; ///< Of what a reference refers to.
  bool isPointer = false;
  bool isArray = false;
  bool isArithmetic = false; ///< A number, a truth value or an enumeration without a scope.
  bool isInteger = false;    ///< Of these all but floating-point numbers.
  bool isBoolean = false;
  unsigned bits = 0; ///< How wide an integer is; 0 where a template decides that.
  bool isVoid = false;
  bool isDependent = false; ///< A template decides what it is.
  bool isEnumeration = false;
  bool isText = false;            ///< A string, the path of a file, or what leads to characters.
  llvm::StringRef name;           ///< Of a class or enumeration.
  const Symbol *record = nullptr; ///< The class; null for what is none.
  TypeRole role = TypeRole::None; ///< Of its values, seen through pointers and smart pointers.
  bool holdsTensors = false;   ///< A list of tensors, or another class of the standard library that
                               ///< holds some.
  bool leadsToTensors = false; ///< Its values are, hold or lead to tensors.
  bool leadsToTraining = false;  ///< The same of modules and optimizers, or nobody knows.
  const Type *pointee = nullptr; ///< Of pointers, and of smart pointers of the standard library.
  /// Of an instance of a template: the types that it is made of, without those that the template
  /// has by default.
  llvm::ArrayRef<const Type *> arguments;
  /// The module classes that its values are, hold or lead to, be it in containers.
  llvm::ArrayRef<const Symbol *> modules;
};

enum class SymbolKind : unsigned char {
  Variable,
  Parameter,
  Binding, ///< A name of a structured binding.
  Member,  ///< A data member.
  Function,
  Method,
  Constructor,
  Destructor,
  Class,
  Enumerator,
  Other,
};

/// What a constructor initializes a member with.
struct Initializer {
  const Symbol *member = nullptr; ///< Null for a base class.
  const Node *value = nullptr;
};

struct Symbol {
  SymbolKind kind = SymbolKind::Other;
  llvm::StringRef name;           ///< Empty for what has no identifier: operators, constructors.
  llvm::StringRef spelling;       ///< As messages name it: operators and constructors, too.
  llvm::StringRef qualifiedName;  ///< The same with all that it stands in.
  llvm::StringRef space;          ///< The outermost namespace around it, or empty.
  clang::SourceLocation location; ///< Where its name stands.
  clang::SourceRange range;       ///< Its declaration.
  /// The function or class that declares it, or null; of a binding the variable it is a part of.
  const Symbol *owner = nullptr;
  const Symbol *first = nullptr; ///< The same for all declarations of one function or variable.
  const Type *type = nullptr;    ///< Of what has a value, and what a function returns.
  clang::SourceRange typeRange;  ///< Where its type is written; invalid where it is deduced.

  bool isStandard = false;   ///< In namespace std, or in one below it.
  bool isOfSystem = false;   ///< A header of the system declares it.
  bool isFramework = false;  ///< It belongs to a framework of the model; of no local variable.
  bool isUser = false;       ///< It is in the user's code.
  bool isOfMainFile = false; ///< All that declares it is in the main file of the unit.
  Trait trait = Trait::None; ///< What the model says besides the role; of no local variable.
  Operation operation = Operation::None; ///< What a function computes, or a layer of the class.
  /// What it is to those who read code: a function, a member or class of the framework, a parameter
  /// of its functions; also a method by which a class of the user's takes part in the framework.
  Aspects aspects;

  // --- variables, parameters, members
  const Node *init = nullptr; ///< The initializer or default argument, or null.
  bool namesDevice = false;   ///< The initializer of a device says one that the program chooses.
  bool hasDefault = false;    ///< A parameter that callers may leave out.
  unsigned index = 0;         ///< Of a parameter.
  /// A parameter of a template that gets whatever it is given as it is: `T &&`. Functions of the
  /// standard library that give a reference back have none: they are casts, such as std::move.
  bool isForwarded = false;
  bool isLocal = false;     ///< A variable of a function, but no parameter.
  bool isStatic = false;    ///< A variable that outlives its scope: global, static or a thread's.
  bool isExtern = false;    ///< A global variable that other sources may use.
  bool isOfThread = false;  ///< Each thread has one of its own.
  bool mayBeUnused = false; ///< Its author says so.
  bool isRangeElement = false; ///< The variable of a range-based for loop.
  bool seesAll =
      false; ///< The same, of a loop that goes on to the last element: nothing leaves it.
  bool isPublic = false;  ///< A member that everybody may reach.
  bool isPrivate = false; ///< A member that the class and its friends may reach.

  // --- functions
  /// The declaration with the body that it runs, if that is the user's; else null.
  const Symbol *definition = nullptr;
  const Node *body = nullptr; ///< Of a definition.
  /// Of the definition of a constructor, as they are written.
  llvm::ArrayRef<Initializer> initializers;
  llvm::ArrayRef<const Symbol *> parameters;
  llvm::ArrayRef<const Symbol *>
      overridden;                 ///< The first declarations of what it overrides itself.
  clang::SourceRange parentheses; ///< Around the parameters, where they are written.
  bool isMain = false;
  bool isBuiltin = false; ///< The compiler knows what it does.
  bool isClosure = false; ///< The call operator of a lambda.
  bool isPureVirtual = false;
  bool isDependent = false;  ///< A template, or a part of one.
  bool isDelegating = false; ///< A constructor that calls another one.
  bool isImplicit = false;   ///< Nobody wrote it.
  bool isConstMethod = false;
  bool isStaticMethod = false;
  bool isVirtual = false;
  bool isCopying = false;    ///< A constructor that copies or moves.
  bool neverReturns = false; ///< Its author says so.
  bool worksInPlace = false; ///< It changes its object, or first argument, in place.
  bool redefines = false;    ///< A method: a framework's class that its class derives from has one
                             ///< of that name.
  bool isOfTemplate = false; ///< A method that is a template or made of one.
  FunctionRole purpose = FunctionRole::None; ///< What the model says that it does.
  const Operator *run = nullptr;     ///< The framework's operator that it runs, if it is one.
  const Symbol *inherited = nullptr; ///< The constructor of a base that stands for this one.

  // --- classes
  llvm::ArrayRef<const Symbol *> bases; ///< Those that it names itself.
  const Class *record = nullptr;        ///< See classOf().
  TypeRole role = TypeRole::None;       ///< Its own, or that of its nearest base.
  ResultRule rule = ResultRule::None;   ///< Of a layer of the class, or of a function whose name
                                        ///< the model lists.
  bool isStateless = false;     ///< Modules of the class have neither parameters nor a mode.
  const Symbol *held = nullptr; ///< Of a module holder: the class of the modules that it holds.

  /// Of a first declaration: what tells the same in other sources, clang's USR. Empty for what no
  /// other source can name, such as what is static or local, and for members and parameters, which
  /// their owners tell.
  llvm::StringRef usr;

  bool isVariable() const { return kind == SymbolKind::Variable || kind == SymbolKind::Parameter; }
  bool isFunction() const { return kind >= SymbolKind::Function && kind <= SymbolKind::Destructor; }
  /// Methods, constructors and destructors.
  bool isMethod() const { return kind >= SymbolKind::Method && kind <= SymbolKind::Destructor; }
  bool hasLocalStorage() const { return isVariable() && !isStatic; }
};

/// A method, as the unit shows it.
struct Method {
  const Symbol *symbol = nullptr;
  bool isGenerated = false;  ///< The compiler makes it, or nobody may call it.
  bool isDefined = false;    ///< The unit has its body.
  bool isOfTemplate = false; ///< It is made of a template.
};

/// What is known of a class as a whole; of one that is not the user's the public data members and
/// the methods that override what copies a module. Lists are in the order of declarations.
struct Class {
  llvm::ArrayRef<Method> methods;
  llvm::ArrayRef<const Symbol *> generic;      ///< Templates of methods, and what is made of them.
  llvm::ArrayRef<const Symbol *> members;      ///< The data members.
  llvm::ArrayRef<const Symbol *> constructors; ///< Those that copy nothing and are not deleted.
  bool hasFriends = false;
  bool isDamaged = false; ///< Part of it does not compile.
  bool isAbstract = false;
  bool hasOpenBases = false; ///< Some bases depend on a template, or are declared and no more.
};

/// What is known of the class \p record as a whole.
const Class &classOf(const Symbol &record);

/// Whether the class \p record is \p base, or derives from it.
bool isOrDerives(const Symbol &record, const Symbol &base);

/// The body of \p function, or null.
inline const Node *codeOf(const Symbol &function) {
  return function.definition ? function.definition->body : nullptr;
}

/// What gives the variable or member \p entity its value where no function does and no other
/// source can: the initializer of what is global, or of a member of a class in the main file.
const Node *outerInitializerOf(const Symbol &entity);

} // namespace gradtidy::ir
