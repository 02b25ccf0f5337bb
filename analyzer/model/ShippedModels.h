// Models that come with gradtidy and are used when they are named: --model=flashlight.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace gradtidy {

/// The text of the model \p name, as a model file has it; nothing if none of that name is shipped.
std::optional<llvm::StringRef> shippedModel(llvm::StringRef name);

} // namespace gradtidy
