// What the workers of a data loader share, and change.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// Fills in \p options what all workers share of a dataset of the type \p dataset, or of what it
/// wraps, and its code changes when it gives a sample, with nothing that keeps them apart.
void markShared(LoaderOptions &options, const ir::Type *dataset);

} // namespace gradtidy
