// Copies to the GPU of memory that is page-locked, and of other memory.
#include <torch/torch.h>

namespace data = torch::data;
using Net = torch::nn::Linear;
using Size = decltype(std::declval<data::datasets::MNIST>().size()); // Of LibTorch's own optional.
using torch::Tensor;

auto digits() {
  return data::datasets::MNIST("data").map(data::transforms::Stack<>());
}

void batches_bad(Net net, torch::optim::Optimizer &optimizer, torch::Device device) {
  net->to(device);
  auto loader = data::make_data_loader(digits(), 64);
  for (auto &batch : *loader) {
    auto x = batch.data.to(device, /*non_blocking=*/true); // expect: ml-pinned-non-blocking (no fix): in spite of
    auto y = batch.target.to(device, torch::kLong, true); // expect: ml-pinned-non-blocking (no fix)
    optimizer.zero_grad();
    torch::nll_loss(net(x), y).backward();
    optimizer.step();
  }
}

void made_bad(Net net, torch::optim::Optimizer &optimizer) {
  net->to(torch::kCUDA);
  for (int step = 0; step < 100; ++step) {
    auto noise = torch::randn({64, 10});
    optimizer.zero_grad();
    net(noise.to(torch::kCUDA, /*non_blocking=*/true)).mean().backward(); // expect: ml-pinned-non-blocking (no fix)
    optimizer.step();
  }
}

void frames_bad(Net net, float *camera) {
  net->to(torch::kCUDA);
  torch::NoGradGuard guard;
  while (true) {
    auto frame = torch::from_blob(camera, {64, 10}, torch::kFloat);
    net(frame.to(torch::kCUDA, true)); // expect: ml-pinned-non-blocking (no fix)
  }
}

void blocking_ok(Net net, torch::optim::Optimizer &optimizer, torch::Device device) {
  auto loader = data::make_data_loader(digits(), 64);
  for (auto &batch : *loader) {
    optimizer.zero_grad();
    net(batch.data.to(device)).mean().backward();
    net(batch.data.to(device, /*non_blocking=*/false)).mean().backward();
    optimizer.step();
  }
}

void pinned_ok(Net net, torch::optim::Optimizer &optimizer) {
  net->to(torch::kCUDA);
  auto buffer = torch::empty({64, 10}, torch::TensorOptions().pinned_memory(true));
  const auto options = torch::TensorOptions(torch::kFloat).pinned_memory(true);
  for (int step = 0; step < 100; ++step) {
    auto x = torch::randn({64, 10}).pin_memory();
    auto y = torch::randn({64, 10}, options);
    optimizer.zero_grad();
    net(x.to(torch::kCUDA, /*non_blocking=*/true)).mean().backward();
    net(y.to(torch::kCUDA, /*non_blocking=*/true)).mean().backward();
    net(buffer.to(torch::kCUDA, /*non_blocking=*/true)).mean().backward();
    optimizer.step();
  }
}

void pinned_batches_ok(Net net, torch::optim::Optimizer &optimizer) {
  net->to(torch::kCUDA);
  auto loader = data::make_data_loader(digits(), 64);
  for (auto &batch : *loader) {
    optimizer.zero_grad();
    net(batch.data.pin_memory().to(torch::kCUDA, /*non_blocking=*/true)).mean().backward();
    optimizer.step();
  }
}

// The dataset pins them.
struct Pinned : data::datasets::BatchDataset<Pinned, data::Example<>> {
  data::Example<> get_batch(c10::ArrayRef<size_t> indices) override {
    auto x = torch::ones({64, 10}).pin_memory();
    return {x, x};
  }
  Size size() const override { return 100; }
};
void pinned_by_dataset_ok(Net net, torch::optim::Optimizer &optimizer) {
  net->to(torch::kCUDA);
  auto loader = data::make_data_loader(Pinned(), 64);
  for (auto &batch : *loader) {
    optimizer.zero_grad();
    net(batch.data.to(torch::kCUDA, /*non_blocking=*/true)).mean().backward();
    optimizer.step();
  }
}

// Where they come from, others know.
void given_ok(Net net, std::vector<Tensor> batches, torch::Device device) {
  for (auto &batch : batches)
    net(batch.to(device, /*non_blocking=*/true)).mean().backward();
}

// Once, before the training.
void once_ok(Net net, torch::optim::Optimizer &optimizer) {
  auto x = torch::ones({64, 10}).to(torch::kCUDA, /*non_blocking=*/true);
  for (int step = 0; step < 100; ++step)
    net(x).mean().backward();
}

// The copy goes nowhere.
void to_cpu_ok(Net net) {
  for (int step = 0; step < 100; ++step)
    net(torch::ones({64, 10}).to(torch::kCPU, /*non_blocking=*/true)).mean().backward();
}

void module_ok(Net net) {
  for (int step = 0; step < 100; ++step) {
    net->to(torch::kCUDA, /*non_blocking=*/true);
    net(torch::ones({64, 10}, torch::kCUDA)).mean().backward();
  }
}
