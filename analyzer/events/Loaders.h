// The order in which data loaders give their samples.
#pragma once

#include "Vocabulary.h"

namespace gradtidy {

/// Whether the sampler of the loader \p loader keeps the order of the samples, and neither the
/// function that makes it nor the class of its dataset draws a random one.
bool keepsOrder(const clang::VarDecl &loader, const Vocabulary &vocabulary);

} // namespace gradtidy
