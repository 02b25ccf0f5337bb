// Samples that lie in the memory of a dataset, and are changed there when they are given.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// What changes the samples of a dataset of the type \p dataset in its own memory each time it
/// gives them, so that they are other ones the next time: arithmetic in place, be it its own or
/// that of the first transform.
SampleChange changeOfKeptSamples(const ir::Type *dataset);

} // namespace gradtidy
