// What the workers of a data loader share, and change.
#pragma once

#include "analyzer/events/Event.h"
#include "analyzer/events/values/Vocabulary.h"

namespace gradtidy {

/// Fills in \p options what all workers share of \p dataset, or of what it wraps, and its code
/// changes when it gives a sample, with nothing that keeps them apart.
void markShared(LoaderOptions &options, clang::QualType dataset, Vocabulary &vocabulary);

} // namespace gradtidy
