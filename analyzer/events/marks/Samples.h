// What a dataset and its transforms do when a loader asks for samples: draw random numbers, read
// files.
#pragma once

#include "analyzer/events/Event.h"
#include "analyzer/events/values/Vocabulary.h"

namespace gradtidy {

/// Notes in \p options what a dataset of the type \p dataset does, and what it wraps.
void markSamples(LoaderOptions &options, clang::QualType dataset, Vocabulary &vocabulary);

} // namespace gradtidy
