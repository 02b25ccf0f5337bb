// A program that asks for its arguments first.
#include <torch/torch.h>

#include <chrono>

using Clock = std::chrono::steady_clock;

static double milliseconds(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  torch::Device device(torch::kCUDA);
  torch::InferenceMode guard;
  torch::jit::Module model = torch::jit::load(argv[1], device);
  model.eval();
  std::vector<torch::jit::IValue> inputs = {torch::ones({3}, device)};
  model.forward(inputs);
  torch::cuda::synchronize();
  auto begin = Clock::now();
  auto result = model.forward(inputs);
  auto end = Clock::now(); // expect: ml-unsynchronized-timing (level 1): does not contain the work of the GPU
  auto copy = result.toTensor().to(torch::kCPU);
  auto last = Clock::now();
  std::cout << milliseconds(begin, end) << ' ' << milliseconds(begin, last);
}
