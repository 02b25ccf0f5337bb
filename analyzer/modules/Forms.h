// Forms of code that the views of modules share: what names a variable or member, what hands its
// value on, and what values of a type hold.
#pragma once

#include "analyzer/ir/Node.h"

#include <optional>

namespace gradtidy {

/// A variable, parameter or data member.
using Entity = const ir::Symbol *;

/// The declaration that stands for all of the entity; that of the whole for a structured binding.
Entity canonical(const ir::Symbol *declaration);

/// The variable, structured binding or member that the expression names, or null.
Entity entityOf(const ir::Node *expr);

/// \p node without all that changes neither object nor value.
const ir::Node *strip(const ir::Node *node);

/// A plain assignment, built in or overloaded. Its value is its target's.
struct Assignment {
  const ir::Node *target, *value;
};

/// What \p expr assigns where it is an assignment.
std::optional<Assignment> asAssignment(const ir::Node &expr);

/// Whether \p call of an operator is an assignment, be it one that computes.
bool isAssignmentOperator(const ir::Node &call);

/// What a copy is made of, through all constructions of one argument; \p expr if it is none.
const ir::Node *originalOf(const ir::Node *expr);

/// What a conversion to a class, such as that for numbers, is made of, or null.
const ir::Node *convertedFrom(const ir::Node *value);

/// \p arguments without those that are left out at the end, but for the first.
llvm::ArrayRef<const ir::Node *> withoutDefaults(llvm::ArrayRef<const ir::Node *> arguments);

/// What is called; where errors or templates leave the overload open, the only candidate. Null if
/// nobody knows.
const ir::Symbol *calleeOf(const ir::Node &call);

/// What the model says of what is called.
Trait traitOfCallee(const ir::Node &call);

bool isMethodCall(const ir::Node &call);

/// The object of a call of a method, also where its overload is open. Null if it is implicit.
const ir::Node *methodObject(const ir::Node &call);

/// The class of a method. Null for other functions, and for null.
const ir::Symbol *classOf(const ir::Symbol *function);

/// The definition of a function of the user, or null.
const ir::Symbol *definitionOf(const ir::Symbol *function);

/// Whether the function is a forward pass by its name.
bool isForward(const ir::Symbol *function);

/// Functions of the standard library that make the object their result points to.
bool isFactory(const ir::Symbol *callee);

/// Whether it is a number, or may be read as one.
inline bool isArithmetic(const ir::Node &expr) { return expr.type && expr.type->isArithmetic; }

/// Whether a template decides on its type.
inline bool isDependent(const ir::Node &expr) { return expr.type && expr.type->isDependent; }

/// Whether a function is given true, or nothing.
bool saysTrue(const ir::Node &call);

// ---- types -------------------------------------------------------------------------------------

/// The module classes that values of the type are, hold or lead to.
inline llvm::ArrayRef<const ir::Symbol *> modulesIn(const ir::Type *type) {
  return type ? type->modules : llvm::ArrayRef<const ir::Symbol *>();
}
inline bool holdsModules(const ir::Type *type) { return !modulesIn(type).empty(); }
inline bool holdsTensors(const ir::Type *type) { return type && type->leadsToTensors; }
inline bool holdsAny(const ir::Type *type) { return holdsModules(type) || holdsTensors(type); }

/// Whether the class is one of modules.
inline bool isModuleClass(const ir::Symbol *record) {
  return record && record->role == TypeRole::Module;
}

/// The class of the one module that a value of the type is or leads to by a pointer or holder, or
/// null.
const ir::Symbol *moduleClassOf(const ir::Type *type);

/// Whether values of the type are lambdas or std::function.
bool isClosure(const ir::Type *type);

} // namespace gradtidy
