// What a container of layers ends in.
#pragma once

#include "ModuleUses.h"

namespace gradtidy {

/// What the last layer computes of the framework's container that \p module denotes or makes, or
/// the layer that it is. None where several may be meant, or what is put in is not all to be seen.
Operation lastOperation(const clang::Expr *module, ModuleUses &uses, const Vocabulary &vocabulary);

} // namespace gradtidy
