// Datasets that leave samples on the host, and others that may use the GPU.
#include <torch/torch.h>

namespace data = torch::data;
using Size = decltype(std::declval<data::datasets::MNIST>().size()); // Of LibTorch's own optional.
using Sample = data::Example<>;

torch::Tensor read(size_t index);

struct OnHost : data::datasets::Dataset<OnHost> {
  Sample get(size_t index) override {
    auto image = read(index).to(torch::kFloat) * 0.1;
    return {image, torch::tensor(1).to(torch::kLong)};
  }
  Size size() const override { return 100; }
};

struct OnCpu : data::datasets::Dataset<OnCpu> {
  Sample get(size_t index) override {
    return {read(index).to(torch::kCPU), torch::zeros({1}, torch::kCPU)};
  }
  Size size() const override { return 100; }
};

// Computed on the GPU, given on the host.
struct Features : data::datasets::Dataset<Features> {
  Sample get(size_t index) override {
    torch::NoGradGuard guard;
    auto x = read(index).to(torch::kCUDA);
    return {net(x).to(torch::kCPU), torch::zeros({1})};
  }
  Size size() const override { return 100; }
  torch::nn::Linear net{8, 2};
};

// A whole batch at once.
struct Batches : data::datasets::BatchDataset<Batches> {
  std::vector<Sample> get_batch(c10::ArrayRef<size_t> indices) override {
    auto x = read(indices[0]).to(torch::kCUDA);
    return {{x, x}};
  }
  Size size() const override { return 100; }
};

// The device is told by a program that uses none but the CPU.
struct Told : data::datasets::Dataset<Told> {
  explicit Told(torch::Device device) : device(device) {}
  Sample get(size_t index) override {
    return {read(index).to(device), torch::zeros({1})};
  }
  Size size() const override { return 100; }
  torch::Device device;
};

// Not a dataset of the framework: who knows who calls it.
struct Buffer {
  torch::Tensor get(size_t index) { return read(index).to(torch::kCUDA); }
};

void train_ok(torch::nn::Linear net, torch::optim::Optimizer &optimizer) {
  net->to(torch::kCUDA);
  auto told = data::make_data_loader(Told(torch::kCPU).map(data::transforms::Stack<>()), 64);
  auto loader = data::make_data_loader(OnHost().map(data::transforms::Stack<>()), 64);
  for (auto &batch : *loader) {
    optimizer.zero_grad();
    net(batch.data.to(torch::kCUDA)).mean().backward();
    optimizer.step();
  }
}
