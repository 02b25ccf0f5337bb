// What a dataset and its transforms do when a loader asks for samples: draw random numbers, read
// files.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// The user's classes that give the samples of a dataset, a transform or a pointer to one, of the
/// type \p dataset: its own, or those that the framework's class around them has got.
llvm::SmallVector<const ir::Symbol *, 2> sampleClasses(const ir::Type *dataset);

/// Whether \p method is what a loader calls for samples, by its name.
bool givesSamples(const ir::Symbol &method);

/// Notes in \p options what a dataset of the type \p dataset does, and what it wraps.
void markSamples(LoaderOptions &options, const ir::Type *dataset);

} // namespace gradtidy
