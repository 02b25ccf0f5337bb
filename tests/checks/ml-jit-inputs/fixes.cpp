#include <torch/torch.h>

#if __has_include(<torch/script.h>)
#include <torch/script.h>
#endif

void fixes(torch::jit::Module module, const std::vector<torch::Tensor> &images) {
  std::vector<torch::jit::IValue> inputs;
  for (const auto &image : images) {
    auto scaled = image / 255;
    inputs.push_back(scaled);
    inputs.push_back(image);
    module.forward(inputs); // expect: ml-jit-inputs
  }
}
