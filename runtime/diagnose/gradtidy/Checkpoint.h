// checkpoint: trades time for memory, as torch.utils.checkpoint of Python does, which LibTorch does
// not have. Works with LibTorch and with the bundled runtime.
//
//   torch::Tensor y = gradtidy::checkpoint([&](torch::Tensor x) { return block->forward(x); }, x);
//
// The call keeps its inputs alone. Backward calls the function again, with the random numbers of
// the first time, and goes back through that graph. (T. Chen et al., Training Deep Nets with
// Sublinear Memory Cost, 2016)
//
// The gradients of what the function uses beside its inputs, such as parameters, are added to their
// grad(); so backward() it is that must be called, not torch::autograd::grad, and there is no
// gradient of the gradient.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace gradtidy {

struct CheckpointOptions {
  /// Whether dropout and the like draw the same numbers again.
  bool preserve_rng_state = true;
};

namespace detail {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The states of the generators of the host and of the devices of some tensors.
class RandomState {
public:
  explicit RandomState(const variable_list &tensors) {
    add(at::globalContext().defaultGenerator(torch::Device(torch::kCPU)));
    for (const torch::Tensor &tensor : tensors)
      if (tensor.defined() && !tensor.is_cpu())
        add(at::globalContext().defaultGenerator(tensor.device()));
  }
  void restore() {
    for (auto &[generator, state] : states)
      generator.set_state(state);
  }

private:
  void add(const at::Generator &generator) {
    states.emplace_back(generator, generator.get_state());
  }

  std::vector<std::pair<at::Generator, torch::Tensor>> states;
};

struct CheckpointedCall : torch::CustomClassHolder {
  std::function<variable_list(const variable_list &)> function;
  std::optional<RandomState> random;
};

/// Its first argument requires a gradient, so that backward() comes here even where no input does.
struct CheckpointFunction : torch::autograd::Function<CheckpointFunction> {
  static variable_list forward(AutogradContext *context, torch::Tensor,
                               c10::intrusive_ptr<CheckpointedCall> call, at::TensorList inputs) {
    context->saved_data["call"] = c10::IValue::make_capsule(call);
    context->save_for_backward(inputs.vec());
    return call->function(inputs.vec());
  }

  static variable_list backward(AutogradContext *context, variable_list gradients) {
    auto call = c10::static_intrusive_pointer_cast<CheckpointedCall>(
        context->saved_data["call"].toCapsule());
    variable_list inputs = context->get_saved_variables();
    for (torch::Tensor &input : inputs)
      if (input.defined())
        input = input.detach().set_requires_grad(input.requires_grad());
    variable_list outputs, their;
    {
      torch::AutoGradMode mode(true);
      std::optional<RandomState> now;
      if (call->random) {
        now.emplace(inputs);
        call->random->restore();
      }
      variable_list results = call->function(inputs);
      if (now)
        now->restore();
      for (std::size_t i = 0; i < results.size(); ++i)
        if (results[i].requires_grad() && gradients[i].defined()) {
          outputs.push_back(results[i]);
          their.push_back(gradients[i]);
        }
    }
    if (!outputs.empty())
      torch::autograd::backward(outputs, their);
    variable_list result(2); // of the first two arguments
    for (const torch::Tensor &input : inputs)
      result.push_back(input.defined() ? input.grad() : torch::Tensor());
    return result;
  }
};

} // namespace detail

/// function(inputs), both lists of tensors, of which only the inputs are kept for backward.
inline std::vector<torch::Tensor>
checkpoint(std::function<std::vector<torch::Tensor>(const std::vector<torch::Tensor> &)> function,
           const std::vector<torch::Tensor> &inputs, CheckpointOptions options = {}) {
  if (!torch::GradMode::is_enabled())
    return function(inputs);
  auto call = c10::make_intrusive<detail::CheckpointedCall>();
  call->function = std::move(function);
  if (options.preserve_rng_state)
    call->random.emplace(inputs);
  return detail::CheckpointFunction::apply(torch::empty({0}, torch::requires_grad()), call,
                                           at::TensorList(inputs));
}

/// function(input), from tensor to tensor.
template <class F>
torch::Tensor checkpoint(F function, const torch::Tensor &input, CheckpointOptions options = {})
  requires std::is_invocable_r_v<torch::Tensor, F, torch::Tensor>
{
  return checkpoint(
      [function](const std::vector<torch::Tensor> &in) mutable {
        return std::vector<torch::Tensor>{function(in[0])};
      },
      std::vector<torch::Tensor>{input}, options)[0];
}

} // namespace gradtidy
