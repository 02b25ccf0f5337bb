// How many parameters a module has, as far as sizes are written where its layers are made.
#pragma once

#include "ModuleUses.h"

namespace gradtidy {

/// So many at least.
std::int64_t parametersOf(const ir::Node &module, const ModuleUses &uses);

} // namespace gradtidy
