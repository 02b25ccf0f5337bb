// The graphs that forwards record.
#pragma once

#include "Check.h"

namespace gradtidy {

/// Whether the graph of what the forward \p forward gives certainly goes through its parameters and
/// back to its input: all that it runs can be seen, and detaches nothing.
bool recordsGraph(const Visit &visit, const Event &forward);

} // namespace gradtidy
