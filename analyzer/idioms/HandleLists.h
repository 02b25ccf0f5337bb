// Lists of handles: to assign to an element lets the list go of a tensor, and changes no tensor.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// Whether \p place is an element of a local list of a module's parameters, or of the caller's list
/// given by value, with which the function does nothing but assign to elements and look at what was
/// there: nobody sees the new ones.
bool isOfDeadList(const ir::Node &place, const FunctionBody &function);

/// What makes it matter that all elements of the list \p made are handles of one object, as those
/// of `vector<Tensor> states(3, zeros)`: the list itself if they are modules, and of tensors where
/// the function changes one of them. Null if nothing does.
const ir::Node *changeOfShared(const ir::Node &made, const FunctionBody &function);

} // namespace gradtidy
