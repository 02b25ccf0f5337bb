// What ends with the full expression that makes it, and who keeps a pointer or a view beyond that.
#pragma once

#include "analyzer/events/values/FunctionCode.h"
#include "analyzer/events/values/Values.h"

namespace gradtidy {

/// What is left of the temporary tensor into whose memory \p pointer, a call on it, points: where a
/// variable, a list or the caller keeps the pointer, or a tensor or image made over it.
DanglingView leftByPointer(const FunctionCode &function, const clang::CallExpr &pointer,
                           Vocabulary &vocabulary, Values &values);

/// What is left of the temporary list, `made().data()`, over whose elements \p wrapping makes a
/// tensor: where a variable, a list or the caller keeps that.
DanglingView leftByWrapping(const FunctionCode &function, const clang::CallExpr &wrapping,
                            Vocabulary &vocabulary);

/// What is left of the temporary over which \p value, whose type is one of views, looks: a braced
/// list, a vector, the shape of a tensor. If it \p leavesFunction, local variables end, too.
DanglingView leftByView(const clang::Expr *value, bool leavesFunction, Vocabulary &vocabulary,
                        Values &values);

/// What is left of the temporary list of which \p variable, a reference, names an element, or of
/// the temporary that a view looks over.
DanglingView leftByVariable(const FunctionCode &function, const clang::VarDecl &variable,
                            Vocabulary &vocabulary, Values &values);

/// What is left of the temporary list to an element of which \p assignment lets a pointer lead.
DanglingView leftByPointerTo(const clang::BinaryOperator &assignment, Vocabulary &vocabulary);

/// Whether objects of the type look over elements that others hold.
bool leadsElsewhere(clang::QualType type, Vocabulary &vocabulary);

/// Whether \p call gives a pointer into the memory of its object, or a view of its shape or
/// elements.
bool leadsIntoObject(const clang::CallExpr &call, const clang::Expr &object,
                     Vocabulary &vocabulary);

/// Whether the object looks over a list that it is made of, or keeps a pointer that it is made
/// with.
bool leadsIntoArgument(const clang::CXXConstructExpr &construct, Vocabulary &vocabulary);

} // namespace gradtidy
