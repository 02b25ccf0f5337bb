// Modules that name a GPU.
#include <torch/torch.h>

#include <string>

using torch::Tensor;

struct Encoding : torch::nn::Module {
  Encoding() { linear = register_module("linear", torch::nn::Linear(8, 8)); }
  Tensor forward(Tensor x) {
    auto scale = torch::ones({8}, torch::kCUDA); // expect: ml-hardcoded-device: names a GPU
    auto shift = torch::zeros({8}).to(torch::kCUDA);
    return linear(x) * scale + shift;
  }
  torch::nn::Linear linear{nullptr};
};

struct Mover : torch::nn::Module {
  Mover() {
    linear = register_module("linear", torch::nn::Linear(8, 8));
    table = register_buffer("table", torch::zeros({8}).cuda()); // expect: ml-hardcoded-device
  }
  Tensor forward(Tensor x) {
    return linear(x.to(torch::kCUDA)); // expect: ml-hardcoded-device
  }
  torch::nn::Linear linear{nullptr};
  Tensor table;
};

struct Net : torch::nn::Module {
  Net() { linear = register_module("linear", torch::nn::Linear(8, 8)); }
  Tensor forward(Tensor x) {
    auto mask = torch::ones({8}, x.device());
    auto other = torch::zeros({8}, linear->weight.options());
    return linear(x) * mask + other;
  }
  torch::nn::Linear linear{nullptr};
};

// It asks first.
struct Asking : torch::nn::Module {
  Tensor forward(Tensor x) {
    if (torch::cuda::is_available())
      x = x.to(torch::kCUDA);
    return x;
  }
  Tensor aside(Tensor x) {
    auto y = torch::ones({8});
    if (x.is_cuda())
      y = y.cuda();
    return x + y;
  }
  void toGpu() { to(torch::kCUDA); }
};

// The CPU is everywhere.
// Back to where it was.
struct Saved : torch::nn::Module {
  void write_ok(const std::string &file, bool isOnCuda) {
    to(torch::kCPU);
    torch::save(parameters(), file);
    if (isOnCuda)
      to(torch::kCUDA);
  }
};

struct OnHost : torch::nn::Module {
  Tensor forward(Tensor x) { return x.to(torch::kCPU) + torch::ones({8}, torch::kCPU); }
};

Tensor batch() {
  return torch::ones({4, 8}).to(torch::kCUDA); // expect: ml-hardcoded-device: asks whether
}

int chosen_ok(int argc) {
  torch::Device device = torch::kCPU;
  if (torch::cuda::is_available())
    device = torch::kCUDA;
  Net net;
  net.to(device);
  net.forward(batch());
  return 0;
}

Tensor sureBatch() { return torch::ones({4, 8}).to(torch::kCUDA); }

// It runs on nothing else.
int required_ok() {
  if (!torch::cuda::is_available())
    return 1;
  torch::Device device(torch::kCUDA);
  Net net;
  net.to(device);
  net.forward(sureBatch());
  return 0;
}

Tensor gpuBatch() { return torch::ones({4, 8}).to(torch::kCUDA); }
int where_there_is_one_ok() {
  torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  Net net;
  net.to(device);
  if (device.is_cuda())
    net.forward(gpuBatch());
  return 0;
}

// A function that is told nothing may be for GPUs alone.
Tensor helper(Tensor x) { return x.cuda(); }

// It is told which device the program has chosen.
Tensor toldBatch(const std::string &device) {
  Tensor batch = torch::ones({4, 8});
  if (device == "cuda")
    batch = batch.to(torch::kCUDA);
  return batch;
}
int told_ok() {
  torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  Net net;
  net.to(device);
  net.forward(toldBatch(device == torch::kCUDA ? "cuda" : "cpu"));
  return 0;
}

// Beside the choice.
int beside_bad() {
  const bool hasGpu = torch::cuda::is_available();
  torch::Device device(hasGpu ? torch::kCUDA : torch::kCPU);
  Net net;
  net.to(device);
  auto x = torch::ones({4, 8}, torch::kCUDA); // expect: ml-hardcoded-device: asks whether there is one
  net.forward(x);
  return 0;
}

int in_the_choice_ok() {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  Net net;
  net.to(device);
  auto x = torch::ones({4, 8});
  if (device.is_cuda())
    x = x.to(torch::kCUDA);
  net.forward(x);
  return 0;
}

int left_before_ok(bool second) {
  if (!torch::cuda::is_available())
    return 1;
  torch::Device device(second ? torch::Device(torch::kCUDA, 1) : torch::Device(torch::kCPU));
  Net net;
  net.to(torch::kCUDA);
  net.forward(torch::ones({4, 8}, torch::kCUDA));
  return 0;
}

// All of them are GPUs.
int of_two_ok() {
  torch::Device second(torch::cuda::is_available() ? torch::Device(torch::kCUDA, 1)
                                                   : torch::Device(torch::kCUDA, 0));
  Net net, other;
  net.to(torch::kCUDA);
  other.to(second);
  return 0;
}

// A GPU it must be: it checks, and chooses nothing.
torch::Tensor render_ok(torch::Tensor view, torch::Tensor camera, const float *bounds) {
  auto matrix = view.to(torch::kCUDA);
  TORCH_CHECK(matrix.is_cuda(), "view must be on a GPU");
  if (!camera.is_cuda())
    throw std::runtime_error("camera must be on a GPU");
  if (bounds != nullptr) {
    auto box = torch::full({3}, bounds[0], torch::TensorOptions().device(torch::kCUDA));
    matrix = matrix + box.to(torch::kCUDA);
  }
  return matrix + camera;
}

int moved_beside_bad() {
  torch::DeviceType device;
  if (torch::cuda::is_available())
    device = torch::kCUDA;
  else
    device = torch::kCPU;
  Net net;
  net.to(device);
  net.forward(torch::ones({4, 8}).cuda()); // expect: ml-hardcoded-device: asks whether there is one
  return 0;
}

int moved_in_the_choice_ok() {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  Net net;
  net.to(device);
  auto x = torch::ones({4, 8});
  if (device.is_cuda())
    x = x.cuda();
  net.forward(x);
  return 0;
}

// One method chooses, another one does not care.
class Segmenter {
public:
  void train() {
    auto device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
    net->to(device);
  }
  Tensor test_bad(Tensor x) {
    return net(x.to(torch::kCUDA)); // expect: ml-hardcoded-device: asks whether there is one
  }
  Tensor show_ok(Tensor x, bool onGpu) {
    if (onGpu)
      x = x.to(torch::kCUDA);
    return net(x);
  }

private:
  torch::nn::Linear net{8, 8};
};

class Tracker {
public:
  Tracker() : device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU) { net->to(device); }
  Tensor track_bad(Tensor x) {
    return net(x.cuda()); // expect: ml-hardcoded-device: asks whether there is one
  }

private:
  torch::nn::Linear net{8, 8};
  torch::Device device;
};

// It is for GPUs alone.
class Renderer {
public:
  Renderer() { net->to(torch::kCUDA); }
  Tensor render_ok(Tensor x) { return net(x.cuda()); }

private:
  torch::nn::Linear net{8, 8};
};

// It ends without one.
class Checked {
public:
  Checked() {
    if (!torch::cuda::is_available())
      throw std::runtime_error("no GPU");
    net->to(torch::kCUDA);
  }
  Tensor forward_ok(Tensor x) { return net(x.cuda()); }

private:
  torch::nn::Linear net{8, 8};
};
