// Whose memory a pointer leads to, and who reads there.
#pragma once

#include "Vocabulary.h"
#include "analyzer/events/Event.h"

namespace gradtidy {

/// The local variable in whose memory \p pointer points, or null: an array, a variable whose
/// address is taken, or an object that owns its elements, as the model says (`data()`,
/// `&values[0]`). It is gone when the variable's scope ends, unless the object is moved elsewhere.
const clang::VarDecl *ownerOf(const clang::Expr *pointer, const Vocabulary &vocabulary);

/// What the function itself reads or writes where \p pointer points, as plain memory of the host:
/// `p[i]`, `std::copy(p, p + n, …)`, `std::vector(p, p + n)`, an image over it; be it by way of a
/// variable. What other functions do with a pointer is not known.
HostRead readBy(const FunctionBody &function, const clang::Expr &pointer, Vocabulary &vocabulary);

} // namespace gradtidy
