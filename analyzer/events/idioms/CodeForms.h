// Forms of code that idioms share: what a call is called on, what is around an expression.
#pragma once

#include "analyzer/events/Event.h"
#include "analyzer/events/modules/Forms.h"

namespace gradtidy {

/// The variable that \p expr names, or null.
const ir::Symbol *variableOf(const ir::Node *expr);

/// What \p declaration declares, if that is one variable; else null.
const ir::Symbol *onlyVariableOf(const ir::Node &declaration);

/// Whether \p code, be it a loop and what stands in its head, declares \p variable.
bool declares(const ir::Node &code, Entity variable);

/// The object of a call of a method or of an operator that is one, or null.
const ir::Node *objectOf(const ir::Node &call);

/// The arguments of \p call that parameters take: without the object of an operator.
llvm::ArrayRef<const ir::Node *> argumentsOf(const ir::Node &call);

/// Whether \p call gives its object other elements, or makes another tensor of it: an assignment,
/// or what works in place.
bool changesObject(const ir::Node &call);

bool isCast(const ir::Node &node);

/// `a < b`, `a >= b`, of numbers.
bool isRelation(const ir::Node &node);

/// What is around \p site within the function, innermost first; nothing for what stands outside of
/// its body, such as the initializers of a constructor.
llvm::SmallVector<const ir::Node *, 16> around(const ir::Node &site, const FunctionBody &function);

} // namespace gradtidy
