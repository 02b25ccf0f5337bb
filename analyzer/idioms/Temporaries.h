// What ends with the full expression that makes it, and who keeps a pointer or a view beyond that.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// What a pointer or view leads to when the expression that makes it has ended.
struct Dangling {
  Ending ending = Ending::None;
  const ir::Node *temporary = nullptr; ///< What ends.
  const ir::Node *original = nullptr;  ///< The tensor that it may be itself, or null.
  const ir::Symbol *keeper = nullptr;  ///< See DanglingView.
};

/// What is left of the temporary tensor into whose memory \p pointer, a call on it, points: where a
/// variable, a list or the caller keeps the pointer, or a tensor or image made over it.
Dangling leftByPointer(const ir::Node &pointer, const FunctionBody &function);

/// What is left of the temporary list, `made().data()`, over whose elements \p wrapping makes a
/// tensor: where a variable, a list or the caller keeps that.
Dangling leftByWrapping(const ir::Node &wrapping, const FunctionBody &function);

/// What is left of the temporary over which \p value, whose type is one of views, looks: a braced
/// list, a vector, the shape of a tensor. If it \p leavesFunction, local variables end, too.
Dangling leftByView(const ir::Node *value, bool leavesFunction);

/// What is left of the temporary list of which \p variable, a reference, names an element, or of
/// the temporary that a view looks over.
Dangling leftByVariable(const ir::Symbol &variable, const FunctionBody &function);

/// What is left of the temporary list to an element of which \p assignment lets a pointer lead.
Dangling leftByPointerTo(const ir::Node &assignment);

/// Whether objects of the type look over elements that others hold.
bool leadsElsewhere(const ir::Type *type);

/// Whether \p call gives a pointer into the memory of its object, or a view of its shape or
/// elements.
bool leadsIntoObject(const ir::Node &call);

} // namespace gradtidy
