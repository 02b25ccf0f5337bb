// What a container of layers makes of its input, and what it ends in.
#pragma once

#include "ModuleUses.h"
#include "analyzer/ir/Layer.h"

namespace gradtidy {

/// The layers of the framework's container that \p module denotes or makes, or the layer that it
/// is. Nothing is known of it where several may be meant, or what is put in is not all to be seen.
Layer layerOf(const ir::Node &module, const ModuleUses &uses);

/// Whether \p value is the result of registering what \p entity holds already:
/// `layers = register_module("layers", layers)`.
bool isOwnRegistration(const ir::Node *value, Entity entity, const ModuleUses &uses);

} // namespace gradtidy
