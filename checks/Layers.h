// Whether it makes a difference in which mode the module of a forward pass is.
#pragma once

#include "Check.h"

namespace gradtidy {

enum class Answer : unsigned char { No, Unknown, Yes };
inline Answer dependsOnMode(const Visit &) { return Answer::Yes; }

} // namespace gradtidy
