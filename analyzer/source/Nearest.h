// Suggestions for misspelt names: "did you mean".
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace gradtidy {

/// The one of \p candidates that \p name is most likely meant to be: with a letter or two wrong, or
/// with words in common ("ml-zero-grads" is "ml-missing-zero-grad"). Nothing if none is similar.
std::optional<llvm::StringRef> nearestName(llvm::StringRef name,
                                           llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace gradtidy
