// Frames that are looked at one by one, each in memory of the same size.
#include <torch/torch.h>

#include <c10/cuda/CUDACachingAllocator.h>

#include <vector>

class Detector {
public:
  explicit Detector(torch::Device device) : device(device) {
    net->to(device);
    net->eval();
  }

  torch::Tensor detect_bad(const torch::Tensor &frame) {
    torch::NoGradGuard guard;
    auto found = net->forward(frame.to(device));
    c10::cuda::CUDACachingAllocator::emptyCache(); // expect: ml-empty-cache
    return found.cpu();
  }

  // Now and then.
  torch::Tensor detect_ok(const torch::Tensor &frame) {
    torch::NoGradGuard guard;
    auto found = net->forward(frame.to(device));
    if (++frames % 1000 == 0)
      c10::cuda::CUDACachingAllocator::emptyCache();
    return found.cpu();
  }

  // Once for all that is there.
  std::vector<torch::Tensor> all_ok(const std::vector<torch::Tensor> &some) {
    torch::NoGradGuard guard;
    std::vector<torch::Tensor> found;
    for (const torch::Tensor &frame : some)
      found.push_back(net->forward(frame.to(device)).cpu());
    c10::cuda::CUDACachingAllocator::emptyCache();
    return found;
  }

private:
  torch::Device device;
  torch::nn::Linear net{8, 4};
  int frames = 0;
};

int main() {
  Detector detector(torch::kCUDA);
  for (int i = 0; i < 1000; ++i) {
    detector.detect_bad(torch::rand({1, 8}));
    detector.detect_ok(torch::rand({1, 8}));
    detector.all_ok({torch::rand({1, 8}), torch::rand({1, 8})});
  }
}

// One picture, then the program ends.
void once_ok() {
  torch::nn::Linear net(8, 4);
  net->to(torch::kCUDA);
  net->eval();
  torch::NoGradGuard guard;
  auto found = net->forward(torch::rand({1, 8}, torch::kCUDA));
  c10::cuda::CUDACachingAllocator::emptyCache();
}
