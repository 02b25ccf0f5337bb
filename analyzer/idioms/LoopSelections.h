// What the iterations of a loop select of a tensor that outlives them: one element after the other,
// or one batch after the other.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// The loop in which \p read, of a number on the CPU, reads another element of one and the same
/// tensor in each iteration, or what is computed from it; none if it is one of a few iterations.
/// Outside of loops: whether the function reads what its arguments, or what it has captured, say.
ElementLoop elementLoopOf(const ir::Node &read, const FunctionBody &function);

/// The same of \p move, of an element to the CPU: one of those that two nested loops go over, as
/// over the pixels of an image.
ElementLoop pixelLoopOf(const ir::Node &move, const FunctionBody &function);

/// The loop each iteration of which takes another parameter of a model, of which \p read reads a
/// number; null if there is none.
const ir::Node *parameterLoopOf(const ir::Node &read, const FunctionBody &function);

/// The loop each iteration of which puts the number that \p read gives in place of that of the
/// iteration before, and does nothing else with it; null if there is none.
const ir::Node *lastOfLoop(const ir::Node &read, const FunctionBody &function);

/// What has read the same number of the same tensor before \p read, in each iteration of the loop
/// around both that makes the tensor; null if nothing has.
const ir::Node *readBefore(const ir::Node &read, const FunctionBody &function);

/// The loop whose iterations take one batch after the other, of which \p slice takes one, in an
/// order that is the same in each iteration of the loop around it; null if there is none, or if a
/// state goes from one batch to the next.
const ir::Node *batchLoopOf(const ir::Node &slice, const FunctionBody &function);

} // namespace gradtidy
