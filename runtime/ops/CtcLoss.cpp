#include "CtcLoss.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Factories.h"
#include "Indexing.h"
#include "Pointwise.h"
#include "Reductions.h"
#include "Views.h"
#include "kernels/Dispatch.h"
#include "kernels/Launch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gradtidy::runtime {
namespace {

template <class T> constexpr T impossible = -std::numeric_limits<T>::infinity();

/// log(e^a + e^b)
template <class T> T logSum(T a, T b) {
  T larger = std::max(a, b);
  return larger == impossible<T> ? larger : larger + std::log1p(std::exp(-std::abs(a - b)));
}

/// One sequence. Its states are its labels with a blank before, between and behind them.
template <class T> class Alignments {
public:
  Alignments(const T *logProbabilities, int64_t step, int64_t length, const int64_t *labels,
             int64_t count, int64_t blank)
      : probabilities(logProbabilities), step(step), length(length),
        states(static_cast<std::size_t>(2 * count + 1), blank) {
    for (int64_t i = 0; i < count; ++i)
      states[static_cast<std::size_t>(2 * i + 1)] = labels[i];
  }

  /// The log-probability of all alignments.
  T likelihood() const {
    if (length == 0)
      return states.size() == 1 ? 0 : impossible<T>;
    std::vector<T> paths = scores(false);
    T last = paths.back();
    return states.size() == 1 ? last : logSum(last, paths[paths.size() - 2]);
  }

  /// Writes p(class) - p(class at this time | labels) for each class at each time: the gradient of
  /// the loss by what went into a softmax, which LibTorch takes for that by its result. Behind the
  /// softmax's own gradient they are the same.
  void writeGradient(T *gradient, int64_t classes) const {
    T likelihood = this->likelihood();
    std::vector<T> before = scores(false), behind = scores(true);
    std::size_t count = states.size();
    for (int64_t t = 0; t < length; ++t) {
      std::vector<T> collected(static_cast<std::size_t>(classes), impossible<T>);
      for (std::size_t s = 0; s < count; ++s) {
        T &sum = collected[static_cast<std::size_t>(states[s])];
        sum = logSum(
            sum, before[static_cast<std::size_t>(t) * count + s] +
                     behind[static_cast<std::size_t>(length - 1 - t) * count + (count - 1 - s)]);
      }
      for (int64_t c = 0; c < classes; ++c) {
        T p = probabilities[t * step + c];
        gradient[t * step + c] =
            std::exp(p) - std::exp(collected[static_cast<std::size_t>(c)] - likelihood - p);
      }
    }
  }

private:
  /// Row t, column s: the log-probability of being in state s at time t on any way there; if
  /// `reversed`, the same with times and states counted from the end.
  std::vector<T> scores(bool reversed) const {
    std::size_t count = states.size(), times = static_cast<std::size_t>(length);
    std::vector<T> table(times * count, impossible<T>);
    auto state = [&](std::size_t s) { return reversed ? states[count - 1 - s] : states[s]; };
    for (std::size_t t = 0; t < times; ++t) {
      const T *now = probabilities + static_cast<int64_t>(reversed ? times - 1 - t : t) * step;
      for (std::size_t s = 0; s < count; ++s) {
        T ways = s < 2 ? 0 : impossible<T>;
        if (t > 0) {
          const T *earlier = &table[(t - 1) * count];
          ways = earlier[s];
          if (s > 0)
            ways = logSum(ways, earlier[s - 1]);
          if (s > 1 && state(s) != state(s - 2))
            ways = logSum(ways, earlier[s - 2]);
        }
        table[t * count + s] = ways + now[state(s)];
      }
    }
    return table;
  }

  const T *probabilities;
  int64_t step, length;
  std::vector<int64_t> states;
};

struct Lengths {
  std::vector<int64_t> inputs, targets;
};

/// Calls use(alignments, n) for each sequence of a batch, in a kernel. `labels` is (N, S).
template <class T, class Use>
void forEachSequence(const Tensor &x, const Tensor &labels, const Lengths &lengths, int64_t blank,
                     Use use) {
  int64_t batch = x.size(1), classes = x.size(2), width = labels.size(1);
  launch("_ctc_loss", x.device(), {x.numel() * static_cast<int64_t>(sizeof(T)), x.numel()},
         [=, from = kernelData<T>(x), targets = kernelData<int64_t>(labels)] {
           for (int64_t n = 0; n < batch; ++n) {
             auto i = static_cast<std::size_t>(n);
             use(Alignments<T>(from + n * classes, batch * classes, lengths.inputs[i],
                               targets + n * width, lengths.targets[i], blank),
                 n);
           }
         });
}

/// Labels that stand one after the other as rows (N, S).
Tensor rowsOfLabels(const Tensor &targets, const std::vector<int64_t> &lengths) {
  if (targets.dim() == 2)
    return targets.to(kLong).contiguous();
  int64_t longest = *std::max_element(lengths.begin(), lengths.end()), start = 0;
  Tensor rows = zeros({static_cast<int64_t>(lengths.size()), longest},
                      targets.options().dtype(kLong).requires_grad(false));
  for (std::size_t n = 0; n < lengths.size(); start += lengths[n++])
    rows[static_cast<int64_t>(n)]
        .narrow(0, 0, lengths[n])
        .copy_(targets.narrow(0, start, lengths[n]));
  return rows;
}

void check(const Tensor &x, const Tensor &targets, const Lengths &lengths, int64_t blank) {
  int64_t batch = x.size(1);
  TORCH_CHECK(targets.scalar_type() == kLong || targets.scalar_type() == kInt,
              "Expected tensor for argument #2 'targets' to have one of the following scalar "
              "types: Long, Int; but got ",
              targets.toString(), " instead (while checking arguments for ctc_loss_cpu)");
  TORCH_CHECK(blank >= 0 && blank < x.size(2), "blank must be in label range");
  TORCH_CHECK(static_cast<int64_t>(lengths.inputs.size()) == batch,
              "input_lengths must be of size batch_size");
  TORCH_CHECK(static_cast<int64_t>(lengths.targets.size()) == batch,
              "target_lengths must be of size batch_size");
  TORCH_CHECK(batch > 0 && x.numel() > 0, "log_probs tensor must not be empty");
  for (int64_t length : lengths.inputs)
    TORCH_CHECK(length >= 0 && length <= x.size(0), "Expected input_lengths to have value at most ",
                x.size(0), ", but got value ", length,
                " (while checking arguments for ctc_loss_cpu)");
  TORCH_CHECK(targets.dim() == 1 || targets.dim() == 2, "Expected 1 to 2 dimensions, but got ",
              targets.dim(), "-dimensional tensor for argument #2 'targets'");
  int64_t all = 0;
  for (int64_t length : lengths.targets) {
    TORCH_CHECK(length >= 0, "Expected target_lengths to have value at least 0, but got value ",
                length, " (while checking arguments for ctc_loss_cpu)");
    TORCH_CHECK(targets.dim() == 1 || length <= targets.size(1),
                "Expected tensor to have size at least ", length, " at dimension 1, but got size ",
                targets.size(1), " for argument #2 'targets'");
    all += length;
  }
  TORCH_CHECK(targets.size(0) == (targets.dim() == 1 ? all : batch),
              "Expected tensor to have size ", targets.dim() == 1 ? all : batch,
              " at dimension 0, but got size ", targets.size(0), " for argument #2 'targets'");
  if (targets.is_cpu() && targets.numel() > 0)
    TORCH_CHECK(targets.min().item<int64_t>() >= 0 && targets.max().item<int64_t>() < x.size(2),
                "targets must be in label range");
}

/// The losses of a batch (T, N, C).
Tensor losses(const Tensor &x, const Tensor &labels, const Lengths &lengths, int64_t blank,
              bool zeroInfinity) {
  Tensor packed = x.detach().contiguous();
  Tensor result = empty({x.size(1)}, packed.options());
  auto floating = [](const Tensor &x, auto f) {
    if (x.scalar_type() == kDouble)
      return f.template operator()<double>();
    TORCH_CHECK_NOT_IMPLEMENTED(x.scalar_type() == kFloat, "\"ctc_loss_cpu\" not implemented for '",
                                x.scalar_type(), "'");
    f.template operator()<float>();
  };
  floating(x, [&]<class T>() {
    forEachSequence<T>(packed, labels, lengths, blank,
                       [out = kernelData<T>(result)](const Alignments<T> &sequence, int64_t n) {
                         out[n] = -sequence.likelihood();
                       });
  });
  Tensor endless = result.isinf();
  return record(zeroInfinity ? result.masked_fill(endless, 0) : result, "CtcLossBackward0", {x},
                {x, labels, endless}, [=](const Tensor &g, const GradientContext &c) -> Gradients {
                  TORCH_CHECK_NOT_IMPLEMENTED(!GradMode::is_enabled() || !g.requires_grad(),
                                              "derivative for aten::_ctc_loss_backward is not "
                                              "implemented");
                  Tensor x = c.saved(0).detach().contiguous(), gradient = zeros_like(x);
                  int64_t classes = x.size(2);
                  floating(x, [&]<class T>() {
                    forEachSequence<T>(x, c.saved(1), lengths, blank,
                                       [classes, out = kernelData<T>(gradient)](
                                           const Alignments<T> &sequence, int64_t n) {
                                         sequence.writeGradient(out + n * classes, classes);
                                       });
                  });
                  gradient = gradient * g.unsqueeze(0).unsqueeze(-1);
                  return {zeroInfinity
                              ? gradient.masked_fill(c.saved(2).unsqueeze(0).unsqueeze(-1), 0)
                              : gradient};
                });
}

} // namespace

Tensor ctc_loss(const Tensor &logProbabilities, const Tensor &targets, IntArrayRef inputLengths,
                IntArrayRef targetLengths, int64_t blank, int64_t reduction, bool zeroInfinity) {
  if (Casting cast = autocast::widen(logProbabilities, autocast::onHost))
    return ctc_loss(cast(logProbabilities), targets, inputLengths, targetLengths, blank, reduction,
                    zeroInfinity);
  OperationScope scope("ctc_loss");
  TORCH_CHECK(logProbabilities.dim() == 2 || logProbabilities.dim() == 3,
              "Expected tensor for argument #1 'log_probs' to have 2 to 3 dimensions, but got ",
              logProbabilities.dim());
  bool one = logProbabilities.dim() == 2;
  Tensor x = one ? logProbabilities.unsqueeze(1) : logProbabilities;
  Lengths lengths{inputLengths.vec(), targetLengths.vec()};
  check(x, targets, lengths, blank);
  // CUDA devices have no kernel for it.
  const Device device = cudaStreamOf(x.device()) ? Device(kCPU) : x.device();
  Tensor labels = rowsOfLabels(targets.to(device), lengths.targets);
  Tensor result = losses(x.to(device), labels, lengths, blank, zeroInfinity).to(x.device());
  if (reduction == Reduction::Mean) {
    Tensor counts = tensor(lengths.targets).clamp_min(1).to(result.options().requires_grad(false));
    return (result / counts).mean();
  }
  return reduceLoss(one ? result.squeeze(0) : result, reduction);
}

Tensor ctc_loss(const Tensor &logProbabilities, const Tensor &targets, const Tensor &inputLengths,
                const Tensor &targetLengths, int64_t blank, int64_t reduction, bool zeroInfinity) {
  auto listed = [](const Tensor &lengths) {
    TORCH_CHECK(isIntegralType(lengths.scalar_type(), false), "input_lengths must be integral");
    Tensor packed = lengths.reshape({-1}).to(kCPU, kLong).contiguous();
    const auto *data = packed.data_ptr<int64_t>();
    return std::vector<int64_t>(data, data + packed.numel());
  };
  return ctc_loss(logProbabilities, targets, listed(inputLengths), listed(targetLengths), blank,
                  reduction, zeroInfinity);
}

} // namespace gradtidy::runtime
