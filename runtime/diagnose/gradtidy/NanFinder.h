// NanFinder: which operation made the first NaN, in forward or in backward.
//
//   gradtidy::NanFinder finder(*model);
//   loss(model(input), target).backward();
//   if (finder.found())
//     std::cout << finder.text();
//   // the first NaN came out of aten::sqrt, in 1 of 4 elements of [4]
//
// It looks at the result of every operation of its scope, on all threads, and at the parameters and
// buffers at its start. Anomaly mode (torch::autograd::DetectAnomalyGuard) sees backward alone: a
// NaN made by log in forward gives it the name of another operation, or none. An infinite value
// that came before is reported, too, since NaN is often inf - inf or 0 * inf. The host waits for
// every operation: this is for the one step that fails. One finder can run at a time.
#pragma once

#include "detail/Listener.h"
#include "detail/Tensors.h"
#include "detail/Text.h"

#include <torch/torch.h>

#include <string>
#include <utility>
#include <vector>

namespace gradtidy {

/// Values that are not finite, and what made them.
struct NanSource {
  std::string operation; ///< "aten::log"; empty where there was none
  std::string caller;    ///< the scope around it, "SqrtBackward0"; empty outside of all
  std::string shape;
  int64_t count = 0, elements = 0;

  std::string text() const {
    return "came out of " + operation + (caller.empty() ? "" : ", called by " + caller) +
           detail::formatted(", in %lld of %lld elements of ", static_cast<long long>(count),
                             static_cast<long long>(elements)) +
           shape;
  }
};

class NanFinder : detail::Listener<NanFinder> {
public:
  NanFinder() { listen("NanFinder", true, true); }
  explicit NanFinder(const torch::nn::Module &module) {
    for (const detail::NamedTensor &item : detail::namedTensors(module))
      if (before.empty() && countOf(item.tensor, torch::isnan) > 0)
        before = std::string(item.kind) + ' ' + item.name;
    listen("NanFinder", true, true);
  }
  ~NanFinder() { silence(); }

  bool found() const { return !before.empty() || nan.count > 0; }
  /// Of the first operation with NaN in its result and none in its arguments.
  const NanSource &source() const { return nan; }

  std::string text() const {
    if (!before.empty())
      return before + " held NaN at the start\n";
    if (!found())
      return "no operation made a NaN\n";
    return (infinite.count > 0 ? "the first infinite value " + infinite.text() + '\n' : "") +
           "the first NaN " + nan.text() + '\n';
  }

private:
  friend class detail::Listener<NanFinder>;

  struct Scope : at::ObserverContext {
    Scope *outer = nullptr;
    std::string name;
    bool hadNan = false, hadInfinite = false;
  };

  static Scope *&innermost() {
    static thread_local Scope *scope = nullptr;
    return scope;
  }

  /// How many elements `test` is true for; 0 for types that have no NaN.
  template <class Test> static int64_t countOf(const torch::Tensor &tensor, Test test) {
    if (!tensor.defined() || !tensor.is_floating_point() || tensor.layout() != torch::kStrided)
      return 0;
    torch::NoGradGuard guard;
    return test(tensor.detach()).sum().template item<int64_t>();
  }

  /// Whether the values of a result are still to be written.
  static bool leavesMemoryAsItIs(const std::string &name) {
    return name.find("empty") != std::string::npos || name.find("resize") != std::string::npos;
  }

  std::unique_ptr<at::ObserverContext> started(const at::RecordFunction &function) {
    auto scope = std::make_unique<Scope>();
    scope->outer = innermost();
    scope->name = function.name();
    if (!found())
      for (const c10::IValue &input : function.inputs())
        if (input.isTensor()) {
          scope->hadNan = scope->hadNan || countOf(input.toTensor(), torch::isnan) > 0;
          scope->hadInfinite = scope->hadInfinite || countOf(input.toTensor(), torch::isinf) > 0;
        }
    innermost() = scope.get();
    return scope;
  }

  void ended(const at::RecordFunction &function, at::ObserverContext *context) {
    auto *scope = static_cast<Scope *>(context);
    if (!scope)
      return;
    innermost() = scope->outer;
    if (found() || leavesMemoryAsItIs(scope->name))
      return;
    for (const c10::IValue &output : function.outputs())
      if (output.isTensor()) {
        if (!scope->hadInfinite && infinite.count == 0)
          note(infinite, *scope, output.toTensor(), torch::isinf);
        if (!scope->hadNan && nan.count == 0)
          note(nan, *scope, output.toTensor(), torch::isnan);
      }
  }

  template <class Test>
  static void note(NanSource &source, const Scope &scope, const torch::Tensor &result, Test test) {
    source.count = countOf(result, test);
    if (source.count == 0)
      return;
    source.operation = scope.name;
    source.caller = scope.outer ? scope.outer->name : "";
    source.shape = detail::shapeText(result.sizes());
    source.elements = result.numel();
  }

  std::string before;
  NanSource nan, infinite;
};

} // namespace gradtidy
