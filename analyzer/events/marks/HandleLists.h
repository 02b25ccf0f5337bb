// Lists of handles: to assign to an element lets the list go of a tensor, and changes no tensor.
#pragma once

#include "analyzer/events/Event.h"
#include "analyzer/events/values/Vocabulary.h"

namespace gradtidy {

/// The local list of a module's parameters of which \p place is an element, where the function does
/// nothing with the list but assign to elements and look at what was there: nobody sees the new
/// ones. Null if it is none.
const clang::VarDecl *deadListOf(const clang::Expr &place, const FunctionBody &function,
                                 Vocabulary &vocabulary);

} // namespace gradtidy
