// One step of recurrent layers, from the sums that enter their gates.
//
// `fromInput` and `fromHidden`, whose sum enters the gates, are (batch, gates * size); states are
// (batch, size). CUDA devices compute a step in one kernel, and its gradient in another one.
#pragma once

#include "../core/Tensor.h"

#include <array>

namespace gradtidy::runtime {

/// The hidden state and the cell of a long short-term memory (S. Hochreiter, J. Schmidhuber, 1997)
/// after a step from `cell`. The gates are input, forget, cell, output.
std::array<Tensor, 2> lstmCell(const Tensor &fromInput, const Tensor &fromHidden,
                               const Tensor &cell);

/// The hidden state of a gated recurrent unit (K. Cho et al., 2014) after a step from `hidden`. The
/// gates are reset, update, new, and reset weighs what the hidden state gives to new, as in
/// PyTorch.
Tensor gruCell(const Tensor &fromInput, const Tensor &fromHidden, const Tensor &hidden);

} // namespace gradtidy::runtime
