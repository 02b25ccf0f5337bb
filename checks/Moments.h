// Events that several checks want to see, and what they have in common.
#pragma once

#include "Check.h"

namespace gradtidy {

/// Whether a module computes something: in a forward pass, or in a method whose code nobody sees.
bool isPass(const Moment &moment);

/// Whether the event makes an optimizer.
bool makesOptimizer(const Event &event);

/// Whether the event stores a tensor with a graph in a place that has had a value, or adds it to a
/// list or another tensor.
bool storesGraph(const Moment &moment);

/// The same of a tensor that lies in the memory of parameters.
bool storesParameters(const Moment &moment);

/// Whether elements of a parameter, or of another tensor of a module, are changed in place.
bool changesWeights(const Moment &moment);

/// Whether the event reads or writes gradients.
bool touchesGradients(const Moment &moment);

/// Whether the event moves a tensor, not a module.
bool movesTensor(const Event &event);

/// Whether the event moves a tensor that the same expression has just made or moved, or that is on
/// the host.
bool mayMoveInVain(const Moment &moment);

/// Whether \p made is what the operand is written as.
bool isWrittenAs(const Operand &operand, const Event *made, EventKind kind);

/// Whether tensors on different devices meet.
bool meetsOtherDevice(const Moment &moment);

} // namespace gradtidy
