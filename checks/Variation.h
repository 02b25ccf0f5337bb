// What changes from one iteration of a loop to the next, and what a loop does besides.
#pragma once

#include "Check.h"

namespace gradtidy {

/// Whether the value of \p expr, an argument of the event, may differ between iterations of
/// \p loop, which is around the event or a call that leads there.
bool variesIn(const Visit &visit, const ir::Node *expr, const ir::Node *loop);

/// Whether the other event, or a call that leads there, is in \p loop.
bool isWithin(const Visit &visit, const Observation &other, const ir::Node *loop);

/// Whether an iteration of \p loop may go without the event, or comes to it only once: by way of a
/// library that calls a closure. With \p user, which is in the loop, too: whether it does so and
/// comes to that.
bool isSkippedIn(const Visit &visit, const ir::Node *loop, const ir::Node *user = nullptr);

} // namespace gradtidy
