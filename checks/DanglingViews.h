// Pointers and views that outlive what they lead to: how sure that is, and how findings speak of
// it.
#pragma once

#include "Check.h"

#include <optional>

namespace gradtidy {

/// How sure it is that what \p visit has left behind ends; none where it certainly is a tensor that
/// lives on.
std::optional<Level> levelOfDanglingView(const Visit &visit);

/// The note on what ends, which may be \p isCopy of a tensor of which only the original lives on.
Note noteOnTemporary(const Visit &visit, llvm::StringRef what);

} // namespace gradtidy
