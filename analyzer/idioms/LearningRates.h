// Learning rates, and momentum, that the source says.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// The rate (see rateIn) that \p options, an argument of an optimizer's constructor, set.
LearningRate rateOf(const ir::Node &options, const FunctionBody &function);

/// Whether \p options set a momentum, which is not 0.
bool setsMomentum(const ir::Node &options, const FunctionBody &function);

} // namespace gradtidy
