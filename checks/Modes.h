// What train() and eval() make a difference to.
#pragma once

#include "Check.h"

namespace gradtidy {

/// Whether the mode of the module makes a difference to what the call runs: a named method may
/// leave out the layers to which it does.
Answer dependsOnMode(const Visit &visit);

} // namespace gradtidy
