// What layers of the framework, and operators like them, make of shapes, as far as the arguments
// and options that they are made with say.
#pragma once

#include "Constants.h"
#include "analyzer/ir/Layer.h"

namespace gradtidy {

class Model;

/// What a layer of that rule makes of its input, or an operator of the tensor before \p arguments.
/// Those that have no rule, or take numbers that nobody knows, are SizedLayer::Other.
SizedLayer sizedLayerOf(ResultRule rule, llvm::ArrayRef<const ir::Node *> arguments,
                        const Constants &constants, const Model &model);

/// What is common to both.
std::vector<SizedLayer> joined(llvm::ArrayRef<SizedLayer> some, llvm::ArrayRef<SizedLayer> others);

} // namespace gradtidy
