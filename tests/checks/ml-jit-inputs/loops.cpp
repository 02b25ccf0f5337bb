// Lists of inputs that grow, and lists that do not.
#include <torch/torch.h>

#if __has_include(<torch/script.h>)
#include <torch/script.h>
#endif

#include <vector>

using torch::Tensor;
using torch::jit::IValue;

void grows_bad(torch::jit::Module module, const std::vector<Tensor> &images) {
  std::vector<IValue> inputs;
  for (const Tensor &image : images) {
    inputs.push_back(image);
    module.forward(inputs); // expect: ml-jit-inputs (level 1): gets the inputs of all rounds before
  }
}

void several_bad(torch::jit::Module module, Tensor image) {
  std::vector<IValue> inputs;
  while (image.defined()) {
    inputs.emplace_back(image);
    inputs.push_back(image + 1);
    auto output = module.forward(inputs).toTensor(); // expect: ml-jit-inputs: clear 'inputs'
    image = output;
  }
}

void with_a_constant_bad(torch::jit::Module module, const std::vector<Tensor> &images,
                         Tensor scale) {
  std::vector<IValue> inputs;
  inputs.push_back(scale);
  for (const Tensor &image : images) {
    inputs.push_back(image);
    module.forward(inputs); // expect: ml-jit-inputs (no fix)
  }
}

void of_the_caller_bad(torch::jit::Module module, std::vector<IValue> &inputs, Tensor image) {
  for (int i = 0; i < 10; ++i) {
    inputs.push_back(image);
    module.forward(inputs); // expect: ml-jit-inputs (no fix)
  }
}

Tensor static_bad(torch::jit::Module &module, Tensor image) {
  static std::vector<IValue> inputs;
  inputs.push_back(image);
  return module.forward(inputs).toTensor(); // expect: ml-jit-inputs (no fix): of all calls
}

class Detector {
public:
  Tensor detect_bad(Tensor image) {
    inputs.push_back(image);
    return module.forward(inputs).toTensor(); // expect: ml-jit-inputs (no fix): clear 'inputs'
  }

private:
  torch::jit::Module module;
  std::vector<IValue> inputs;
};

// --- silent

class Clearing {
public:
  Tensor detect_ok(Tensor image) {
    inputs.push_back(image);
    auto output = module.forward(inputs).toTensor();
    inputs.clear();
    return output;
  }

private:
  torch::jit::Module module;
  std::vector<IValue> inputs;
};

class Session {
public:
  void begin() { inputs.clear(); }
  Tensor detect_ok(Tensor image) {
    inputs.push_back(image);
    return module.forward(inputs).toTensor();
  }

private:
  torch::jit::Module module;
  std::vector<IValue> inputs;
};

class Elsewhere {
public:
  void prepare();
  Tensor detect_ok(Tensor image) {
    inputs.push_back(image);
    return module.forward(inputs).toTensor();
  }

private:
  torch::jit::Module module;
  std::vector<IValue> inputs;
};

void new_in_the_loop_ok(torch::jit::Module module, const std::vector<Tensor> &images) {
  for (const Tensor &image : images) {
    std::vector<IValue> inputs;
    inputs.push_back(image);
    module.forward(inputs);
  }
}

void cleared_ok(torch::jit::Module module, const std::vector<Tensor> &images) {
  std::vector<IValue> inputs;
  for (const Tensor &image : images) {
    inputs.clear();
    inputs.push_back(image);
    module.forward(inputs);
  }
  for (const Tensor &image : images) {
    inputs.push_back(image);
    module.forward(inputs);
    inputs.pop_back();
  }
  for (const Tensor &image : images) {
    inputs.push_back(image);
    module.forward(std::move(inputs));
  }
}

void assigned_ok(torch::jit::Module module, const std::vector<Tensor> &images) {
  std::vector<IValue> inputs(1);
  for (const Tensor &image : images) {
    inputs[0] = image;
    module.forward(inputs);
    inputs = {image};
    module.forward(inputs);
  }
}

void filled_before_ok(torch::jit::Module module, const std::vector<Tensor> &images) {
  std::vector<IValue> inputs;
  for (const Tensor &image : images)
    inputs.push_back(image);
  module.forward(inputs);
  for (int i = 0; i < 10; ++i)
    module.forward(inputs);
}

void filled_once_ok(torch::jit::Module module, const std::vector<Tensor> &images) {
  std::vector<IValue> inputs;
  for (const Tensor &image : images) {
    if (inputs.empty())
      inputs.push_back(image);
    module.forward(inputs);
  }
}

void fill(std::vector<IValue> &inputs, const Tensor &image);
void helper_ok(torch::jit::Module module, const std::vector<Tensor> &images) {
  std::vector<IValue> inputs;
  for (const Tensor &image : images) {
    fill(inputs, image);
    inputs.push_back(image);
    module.forward(inputs);
  }
}

void once_ok(torch::jit::Module module, const std::vector<Tensor> &images) {
  std::vector<IValue> inputs;
  for (const Tensor &image : images) {
    inputs.push_back(image);
    module.forward(inputs);
    break;
  }
}
