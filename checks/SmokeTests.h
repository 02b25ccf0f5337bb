// Forward passes that are there to be looked at: nobody relies on their numbers.
#pragma once

#include "Check.h"

namespace gradtidy {

/// Whether the event is the first look at a module whose parameters are what they were made with:
/// whether it fits its input, what it begins with. Nobody relies on what it computes.
bool isFirstLook(const Visit &visit);

/// Whether the event is a single look at what a module makes of tensors that are made up in the
/// same function, as in a unit test or a demonstration, and is not trained there. Nobody needs the
/// numbers.
bool isOnSyntheticInput(const Visit &visit);

} // namespace gradtidy
