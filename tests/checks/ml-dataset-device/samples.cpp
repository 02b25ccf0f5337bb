// Datasets that bring samples to the GPU.
#include <torch/torch.h>

namespace data = torch::data;
using Size = decltype(std::declval<data::datasets::MNIST>().size()); // Of LibTorch's own optional.
using Sample = data::Example<>;

torch::Tensor read(size_t index);

struct Images : data::datasets::Dataset<Images> {
  explicit Images(torch::Device device) : device(device) {}
  Sample get(size_t index) override {
    auto image = read(index).to(device); // expect: ml-dataset-device: by itself, in the thread
    auto label = torch::tensor(1).to(device);
    return {image, label};
  }
  Size size() const override { return 100; }
  torch::Device device;
};

struct Literal : data::datasets::Dataset<Literal> {
  Sample get(size_t index) override {
    return {read(index).to(torch::kCUDA), torch::zeros({1})}; // expect: ml-dataset-device: GPU 0
  }
  Size size() const override { return 100; }
};

struct ByName : data::datasets::Dataset<ByName> {
  Sample get(size_t index) override {
    return {read(index).cuda(), torch::zeros({1})}; // expect: ml-dataset-device
  }
  Size size() const override { return 100; }
};

struct MadeThere : data::datasets::Dataset<MadeThere> {
  Sample get(size_t index) override {
    auto x = torch::rand({3, 8, 8}, torch::kCUDA); // expect: ml-dataset-device
    return {x, torch::zeros({1})};
  }
  Size size() const override { return 100; }
};

torch::Tensor load(size_t index, torch::Device device) {
  return read(index).to(device); // expect: ml-dataset-device
}

struct ByFunction : data::datasets::Dataset<ByFunction> {
  Sample get(size_t index) override {
    return {load(index, torch::kCUDA), torch::zeros({1})};
  }
  Size size() const override { return 100; }
};

struct OwnSample {
  torch::Tensor image, mask;
};
class Masks : public data::datasets::Dataset<Masks, OwnSample> {
public:
  OwnSample get(size_t index) override {
    OwnSample sample;
    sample.image = read(index);
    sample.mask = read(index);
    if (useGpu)
      sample.image = sample.image.to(torch::Device(torch::kCUDA, 0)); // expect: ml-dataset-device
    return sample;
  }
  Size size() const override { return 100; }

private:
  bool useGpu = true;
};

// All data at once may be what a small dataset wants.
struct Kept : data::datasets::Dataset<Kept> {
  explicit Kept(torch::Tensor all) {
    x = all.to(torch::kCUDA); // expect: ml-dataset-device (level 2): keeps its data
  }
  Sample get(size_t index) override { return {x[index], x[index]}; }
  Size size() const override { return 100; }
  torch::Tensor x;
};

void use_ok(torch::Tensor all) {
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  auto images = data::make_data_loader(Images(device).map(data::transforms::Stack<>()), 64);
  auto kept = data::make_data_loader(Kept(all).map(data::transforms::Stack<>()), 64);
}
