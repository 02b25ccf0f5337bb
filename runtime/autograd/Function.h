// Function: an operation whose gradient a program writes itself.
//
//   struct Double : torch::autograd::Function<Double> {
//     static Tensor forward(AutogradContext *ctx, Tensor x) { return 2 * x; }
//     static tensor_list backward(AutogradContext *ctx, tensor_list g) { return {2 * g[0]}; }
//   };
//   Tensor y = Double::apply(x);
//
// forward() runs with gradients off. backward() returns one gradient for each argument of
// forward(), undefined ones for those that are no tensors.
#pragma once

#include "../core/IValue.h"
#include "Autograd.h"
#include "Node.h"

#include <type_traits>
#include <typeinfo>
#include <unordered_map>

namespace gradtidy::runtime::autograd {

using tensor_list = std::vector<Tensor>;

class FunctionNode;

/// What forward() leaves for backward().
class AutogradContext {
public:
  AutogradContext() = default;
  AutogradContext(const AutogradContext &) = delete;
  AutogradContext &operator=(const AutogradContext &) = delete;

  /// Keeps inputs or outputs; get_saved_variables() throws where one was changed since.
  void save_for_backward(variable_list tensors) { toSave = std::move(tensors); }
  variable_list get_saved_variables() const;
  /// Says that forward() changed these inputs in place and returns them.
  void mark_dirty(const variable_list &inputs) { dirty = inputs; }
  /// Says that no gradient goes through these outputs.
  void mark_non_differentiable(const variable_list &outputs) { constants = outputs; }
  /// Whether undefined gradients reach backward() as zeros, as they do unless switched off.
  void set_materialize_grads(bool value) { materialise = value; }
  /// Whether anybody wants the gradient of argument `i`, counting tensors only.
  bool needs_input_grad(std::size_t i) const;

  /// Anything else, by name.
  std::unordered_map<std::string, IValue> saved_data;

private:
  friend class FunctionNode;

  FunctionNode *node = nullptr;
  variable_list toSave, dirty, constants;
  bool materialise = true;
};

using BackwardFunction = variable_list (*)(AutogradContext *, variable_list);

/// The node of a call of a Function.
std::shared_ptr<FunctionNode> makeFunctionNode(const std::type_info &type,
                                               BackwardFunction backward);
AutogradContext &contextOf(FunctionNode &node);
/// Puts the outputs of forward() into the graph behind the inputs. Arguments that are no tensors
/// have an entry in `isTensor`, but none in `inputs`.
variable_list connect(const std::shared_ptr<FunctionNode> &node, const variable_list &inputs,
                      std::vector<bool> isTensor, variable_list outputs);

template <class T> struct Function {
  template <class X = T, class... Args> static auto apply(Args &&...args) {
    static_assert(std::is_same_v<X, T>);
    std::shared_ptr<FunctionNode> node = makeFunctionNode(
        typeid(T), [](AutogradContext *context, variable_list gradients) -> variable_list {
          return X::backward(context, std::move(gradients));
        });
    variable_list inputs;
    std::vector<bool> isTensor;
    (collect(args, inputs, isTensor), ...);
    auto run = [&] {
      NoGradGuard guard;
      return X::forward(&contextOf(*node), std::forward<Args>(args)...);
    };
    if constexpr (std::is_same_v<decltype(run()), Tensor>)
      return connect(node, inputs, isTensor, {run()})[0];
    else
      return connect(node, inputs, isTensor, run());
  }

private:
  template <class Arg>
  static void collect(const Arg &arg, variable_list &inputs, std::vector<bool> &isTensor) {
    if constexpr (std::is_convertible_v<const Arg &, const Tensor &>) {
      inputs.push_back(arg);
      isTensor.push_back(true);
    } else if constexpr (std::is_same_v<Arg, TensorList>) {
      inputs.insert(inputs.end(), arg.begin(), arg.end());
      isTensor.insert(isTensor.end(), arg.size(), true);
    } else if constexpr (std::is_same_v<Arg, optional<Tensor>>) {
      inputs.push_back(arg.value_or(Tensor()));
      isTensor.push_back(true);
    } else {
      isTensor.push_back(false);
    }
  }
};

} // namespace gradtidy::runtime::autograd
