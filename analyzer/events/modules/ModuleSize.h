// How many parameters a module has, and what its layers make of the shape of their input, as far as
// sizes are written where the layers are made.
#pragma once

#include "ModuleUses.h"
#include "analyzer/events/Layer.h"

namespace gradtidy {

ModuleSize sizeOf(const ir::Node &module, const ModuleUses &uses);

} // namespace gradtidy
