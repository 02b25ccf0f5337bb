// Autograd for programs: gradients of given tensors without touching any grad().
#pragma once

#include "../core/Tensor.h"
#include "GradMode.h"

namespace gradtidy::runtime::autograd {

using gradtidy::runtime::Variable;
using variable_list = std::vector<Variable>;

/// The gradients of the sum of `outputs` (each weighted with its entry of `gradOutputs`) with
/// respect to `inputs`. Without `retainGraph` the graph is freed unless `createGraph` is set.
/// Throws where an input is not part of the graph, unless `allowUnused`.
variable_list grad(const variable_list &outputs, const variable_list &inputs,
                   const variable_list &gradOutputs = {},
                   std::optional<bool> retainGraph = std::nullopt, bool createGraph = false,
                   bool allowUnused = false);

/// Adds the gradients of `outputs` to the grad() of every leaf.
void backward(const variable_list &outputs, const variable_list &gradOutputs = {},
              std::optional<bool> retainGraph = std::nullopt, bool createGraph = false);

} // namespace gradtidy::runtime::autograd
