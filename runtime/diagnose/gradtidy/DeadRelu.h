// DeadReluDetector: which ReLUs never let a value through, best looked at before training.
//
//   gradtidy::DeadReluDetector detector;
//   {
//     torch::NoGradGuard guard;
//     model->forward(batch); // one batch as training has it
//   }
//   std::cout << detector.text();
//
// A unit is dead where it gives 0 for the whole batch: no gradient gets through it, and where that
// is so for all data, it never comes back (Lu et al., "Dying ReLU and Initialization", 2019). With
// weights drawn at random around 0 and data of mean 0, a unit is dead for a batch of n by chance
// 2^-n; more than one in ten means too large negative biases, too large weights or data far from 0.
// Units are the channels (dimension 1), for one sample without a batch all elements. Observed are
// the operations relu and relu_, whoever calls them. One detector can run at a time.
#pragma once

#include "detail/Listener.h"
#include "detail/Tensors.h"
#include "detail/Text.h"

#include <torch/torch.h>

#include <cstring>
#include <string>
#include <vector>

namespace gradtidy {

struct DeadReluOptions {
  double alert = 0.1;   ///< dead units of a layer, as a share of all
  int64_t unitsDim = 1; ///< -1 where channels come last, as in transformers
};

/// One call of relu.
struct ReluActivity {
  std::string shape;
  int64_t units = 0;
  int64_t dead = 0; ///< units that gave 0 alone
  double zeros = 0; ///< share of the elements that are 0, about a half at the start
};

class DeadReluDetector : detail::Listener<DeadReluDetector> {
public:
  explicit DeadReluDetector(DeadReluOptions options = {}) : options(options) {
    listen("DeadReluDetector", false, true);
  }
  ~DeadReluDetector() { silence(); }

  /// In the order of the calls.
  const std::vector<ReluActivity> &layers() const { return calls; }
  bool alarming() const {
    for (const ReluActivity &call : calls)
      if (isAlarming(call))
        return true;
    return false;
  }

  std::string text() const {
    detail::Table table({"ReLU", "shape", "units", "dead", "zeros", ""});
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const ReluActivity &call = calls[i];
      table.add({detail::formatted("%zu", i + 1), call.shape, std::to_string(call.units),
                 std::to_string(call.dead), detail::formatted("%.1f %%", 100 * call.zeros),
                 isAlarming(call) ? "too many are dead" : "fine"});
    }
    return calls.empty() ? "no ReLU was called\n" : table.text();
  }

private:
  friend class detail::Listener<DeadReluDetector>;

  bool isAlarming(const ReluActivity &call) const {
    return static_cast<double>(call.dead) > options.alert * static_cast<double>(call.units);
  }

  std::unique_ptr<at::ObserverContext> started(const at::RecordFunction &) { return nullptr; }

  void ended(const at::RecordFunction &function, at::ObserverContext *) {
    if (std::strcmp(function.name(), "aten::relu") != 0 &&
        std::strcmp(function.name(), "aten::relu_") != 0)
      return;
    for (const c10::IValue &output : function.outputs())
      if (output.isTensor() && output.toTensor().numel() > 0)
        add(output.toTensor());
  }

  void add(const torch::Tensor &result) {
    torch::NoGradGuard guard;
    const torch::Tensor active = result.detach().gt(0);
    const int64_t dim = options.unitsDim;
    const torch::Tensor byUnit = active.dim() < 2
                                     ? active.reshape({-1, 1})
                                     : active.transpose(0, dim).reshape({active.size(dim), -1});
    const std::vector<double> numbers = detail::numbersOf({byUnit.any(1).sum(), active.sum()});
    ReluActivity call;
    call.shape = detail::shapeText(result.sizes());
    call.units = byUnit.size(0);
    call.dead = call.units - static_cast<int64_t>(numbers[0]);
    call.zeros = 1 - numbers[1] / static_cast<double>(result.numel());
    calls.push_back(call);
  }

  DeadReluOptions options;
  std::vector<ReluActivity> calls;
};

} // namespace gradtidy
