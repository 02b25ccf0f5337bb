#include "Function.h"
#include "../core/TensorImpl.h"
#include "../ops/Factories.h"
#include "Record.h"
#include "SavedTensor.h"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>

namespace gradtidy::runtime::autograd {
namespace {

bool contains(const variable_list &list, const Tensor &tensor) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Tensor &entry) { return entry.is_same(tensor); });
}

std::string nodeName(const std::type_info &type) {
  int status = 0;
  std::unique_ptr<char, void (*)(void *)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  return concat("torch::autograd::CppNode<", status == 0 ? text.get() : type.name(), ">");
}

} // namespace

class FunctionNode final : public Node {
public:
  FunctionNode(const std::type_info &type, BackwardFunction backward)
      : type(type), backward(backward) {
    context.node = this;
  }

  std::string name() const override { return nodeName(type); }

  std::vector<Tensor> apply(std::vector<Tensor> gradients) override {
    for (std::size_t i = 0; i < gradients.size(); ++i)
      if (!gradients[i].defined() && context.materialise)
        gradients[i] =
            zeros(inputs[i].sizes, TensorOptions(inputs[i].type).device(inputs[i].device));
    variable_list results = backward(&context, std::move(gradients));
    while (results.size() > isTensor.size() && !results.back().defined())
      results.pop_back();
    TORCH_CHECK(results.size() == isTensor.size(), "function ", name(),
                " returned an incorrect number of gradients (expected ", isTensor.size(), ", got ",
                results.size(), ")");
    variable_list ofTensors;
    for (std::size_t i = 0; i < results.size(); ++i) {
      TORCH_CHECK(isTensor[i] || !results[i].defined(), "function ", name(),
                  " returned a gradient different that is defined at position ", i + 1,
                  ", std the corresponding forward input was not a Variable");
      if (isTensor[i])
        ofTensors.push_back(std::move(results[i]));
    }
    return ofTensors;
  }

  void release() override {
    released = !saved.empty() || released;
    saved.clear();
  }

  variable_list unpack() {
    if (released)
      failBackwardTwice();
    variable_list tensors;
    for (const SavedTensor &entry : saved)
      tensors.push_back(entry.unpack(*this));
    return tensors;
  }

  variable_list connect(const variable_list &arguments, std::vector<bool> tensorArguments,
                        variable_list outputs) {
    isTensor = std::move(tensorArguments);
    bool recording = mustRecord(arguments);
    for (const Tensor &argument : arguments)
      next.push_back(recording ? gradientEdge(argument) : Edge());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      Tensor &output = outputs[i];
      bool changed = contains(context.dirty, output);
      TORCH_CHECK(!recording || !changed || !output.requires_grad() || !output.is_leaf(),
                  "a leaf Variable that requires grad is being used in an in-place operation.");
      bool constant = contains(context.constants, output) || !output.is_floating_point();
      // An input that is returned as it came is another tensor from now on.
      if (!changed && contains(arguments, output))
        output = makeAlias(output);
      inputs.emplace_back(output);
      if (!recording || constant)
        continue;
      AutogradInfo &info = implOf(output).autograd;
      info.gradFn = shared_from_this();
      info.outputNr = static_cast<uint32_t>(i);
    }
    if (recording)
      for (const Tensor &tensor : context.toSave)
        saved.emplace_back(tensor, tensor.defined() && contains(outputs, tensor));
    context.toSave.clear();
    context.dirty.clear();
    context.constants.clear();
    return outputs;
  }

  AutogradContext context;

private:
  const std::type_info &type;
  BackwardFunction backward;
  std::vector<bool> isTensor;
  std::vector<SavedTensor> saved;
  bool released = false;
};

variable_list AutogradContext::get_saved_variables() const { return node->unpack(); }
bool AutogradContext::needs_input_grad(std::size_t i) const {
  return node->next.at(i).function != nullptr;
}

std::shared_ptr<FunctionNode> makeFunctionNode(const std::type_info &type,
                                               BackwardFunction backward) {
  return makeNode<FunctionNode>(type, backward);
}

AutogradContext &contextOf(FunctionNode &node) { return node.context; }

variable_list connect(const std::shared_ptr<FunctionNode> &node, const variable_list &inputs,
                      std::vector<bool> isTensor, variable_list outputs) {
  return node->connect(inputs, std::move(isTensor), std::move(outputs));
}

} // namespace gradtidy::runtime::autograd
