// Forms of code that idioms share: what a call is called on, what is around an expression.
#pragma once

#include "analyzer/ir/Event.h"
#include "analyzer/modules/Forms.h"

namespace gradtidy {

/// The variable that \p expr names, or null.
const ir::Symbol *variableOf(const ir::Node *expr);

/// What \p declaration declares, if that is one variable; else null.
const ir::Symbol *onlyVariableOf(const ir::Node &declaration);

/// Whether \p code, be it a loop and what stands in its head, declares \p variable.
bool declares(const ir::Node &code, Entity variable);

/// The variable or member that \p expr names, be it behind a pointer or module holder, or null.
Entity ownerOf(const ir::Node *expr);

/// The simple name of what \p call calls, be that open; empty for what is no call.
llvm::StringRef nameOfCallee(const ir::Node &call);

/// The object of a call of a method or of an operator that is one, or null.
const ir::Node *objectOf(const ir::Node &call);

/// The arguments of \p call that parameters take: without the object of an operator.
llvm::ArrayRef<const ir::Node *> argumentsOf(const ir::Node &call);

/// Whether \p call gives its object other elements, or makes another tensor of it: an assignment,
/// or what works in place.
bool changesObject(const ir::Node &call);

/// Whether \p call asks how many entries or elements there are: of a tensor, of a list of the
/// framework or of the standard library, or by a method of the user's that says so.
bool asksForSize(const ir::Node &call);

/// Whether \p expr is a tensor, or leads to one by a pointer.
bool isTensor(const ir::Node *expr);

/// Whether \p part stands in \p whole, or is it.
bool isWithin(const ir::Node *part, const ir::Node &whole);

/// Whether \p code names the variable or member \p entity.
bool mentions(const ir::Node *code, Entity entity);

bool isCast(const ir::Node &node);

/// `std::move(x)`
bool isMove(const ir::Node &node);

/// Whether \p expr makes an object, as against naming one: a construction, a call that does not
/// give a reference.
bool makesValue(const ir::Node &expr);

/// `a < b`, `a >= b`, of numbers.
bool isRelation(const ir::Node &node);

/// The same, or `a == b`, `a != b`.
bool isComparison(const ir::Node &node);

/// What \p type leads to through pointers, be they smart ones.
const ir::Type *behindPointers(const ir::Type *type);

/// What the model says of the class, or of the nearest of its bases; nothing of null.
Trait traitOfClass(const ir::Symbol *record);

/// Whether \p a begins before \p b in the function.
bool isBefore(const ir::Node &a, const ir::Node &b, const FunctionBody &function);

} // namespace gradtidy
