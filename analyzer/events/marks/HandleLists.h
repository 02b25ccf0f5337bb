// Lists of handles: to assign to an element lets the list go of a tensor, and changes no tensor.
#pragma once

#include "analyzer/events/values/FunctionCode.h"
#include "analyzer/events/values/Vocabulary.h"

namespace gradtidy {

/// The local list of a module's parameters, or the caller's list given by value, of which \p place
/// is an element, where the function does nothing with the list but assign to elements and look at
/// what was there: nobody sees the new ones. Null if it is none.
const clang::VarDecl *deadListOf(const clang::Expr &place, const FunctionCode &function,
                                 Vocabulary &vocabulary);

/// What makes it matter that all elements of the list \p made are handles of one object, as those
/// of `vector<Tensor> states(3, zeros)`: the list itself if they are modules, and of tensors where
/// the function changes one of them. Null if nothing does.
const clang::Stmt *changeOfShared(const clang::CXXConstructExpr &made, const FunctionCode &function,
                                  Vocabulary &vocabulary);

} // namespace gradtidy
