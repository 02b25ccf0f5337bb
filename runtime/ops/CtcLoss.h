// Connectionist temporal classification: the loss of sequences of labels that nobody has aligned
// with the input. (A. Graves et al., Connectionist Temporal Classification, ICML 2006)
#pragma once

#include "Losses.h"

namespace gradtidy::runtime {

/// `logProbabilities` are (T, N, C), or (T, C) for one sequence; `targets` (N, S), or all labels
/// one after the other. Of sequence n the first inputLengths[n] steps and targetLengths[n] labels
/// count. The mean is one over the batch of losses by label. A target that does not fit has an
/// infinite loss, or none where `zeroInfinity`.
Tensor ctc_loss(const Tensor &logProbabilities, const Tensor &targets, IntArrayRef inputLengths,
                IntArrayRef targetLengths, int64_t blank = 0, int64_t reduction = Reduction::Mean,
                bool zeroInfinity = false);
Tensor ctc_loss(const Tensor &logProbabilities, const Tensor &targets, const Tensor &inputLengths,
                const Tensor &targetLengths, int64_t blank = 0, int64_t reduction = Reduction::Mean,
                bool zeroInfinity = false);

} // namespace gradtidy::runtime
