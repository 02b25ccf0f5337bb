// Whose memory a pointer leads to.
#pragma once

#include "Vocabulary.h"

namespace gradtidy {

/// The local variable in whose memory \p pointer points, or null: an array, a variable whose address
/// is taken, or an object that owns its elements, as the model says (`data()`, `&values[0]`). It
/// is gone when the variable's scope ends, unless the object is moved elsewhere.
const clang::VarDecl *ownerOf(const clang::Expr *pointer, const Vocabulary &vocabulary);

} // namespace gradtidy
