// Sequences in batches: which dimension counts the samples and which the steps, as it is written.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// The first or second dimension, of which \p size asks for the size, if that becomes the number of
/// samples in the state from which a layer of \p function starts; else -1.
int samplesCountedBy(const ir::Node &size, const FunctionBody &function);

/// What \p call, of which \p event is lowered, says of the order of its subject.
OrderMark orderOf(const ir::Node &call, const Event &event);

/// What \p pad, which fills up sequences, says of its result: it is plain if what it fills up with
/// is 0, which may be anything else, too.
OrderMark orderOfPadded(const ir::Node &pad);

/// Whether all that \p loss, of classes, is given are scores and classes.
bool isPlainLoss(const ir::Node &loss);

} // namespace gradtidy
