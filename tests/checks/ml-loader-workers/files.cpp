// Loaders without workers, whose samples are read from files.
#include <torch/torch.h>

#include <fstream>

namespace data = torch::data;
using Net = torch::nn::Linear;
using Size = decltype(std::declval<data::datasets::MNIST>().size()); // Of LibTorch's own optional.

namespace cv {
struct Mat {
  unsigned char *data;
};
Mat imread(const std::string &path);
} // namespace cv

struct Images : data::datasets::Dataset<Images> {
  std::vector<std::string> paths;

  data::Example<> get(size_t index) override {
    auto image = cv::imread(paths[index]); // note: the samples are read here
    return {torch::from_blob(image.data, {3, 32, 32}).clone(), torch::tensor(1)};
  }
  Size size() const override { return paths.size(); }
};

struct Texts : data::datasets::Dataset<Texts> {
  std::vector<std::string> paths;

  torch::Tensor lengthOf(const std::string &path) {
    std::ifstream file(path); // note: the samples are read here
    std::string line;
    std::getline(file, line);
    return torch::tensor(static_cast<float>(line.size()));
  }
  data::Example<> get(size_t index) override { return {lengthOf(paths[index]), torch::tensor(1)}; }
  Size size() const override { return paths.size(); }
};

struct Points : data::datasets::Dataset<Points> {
  torch::Tensor x, y;

  data::Example<> get(size_t index) override { return {x[index], y[index]}; }
  Size size() const override { return x.size(0); }
};

template <typename Loader>
void train(Net net, Loader &loader, torch::optim::Optimizer &optimizer, torch::Device device) {
  for (auto &batch : loader) { // note: the training on a GPU is here
    optimizer.zero_grad();
    net(batch.data.to(device)).mean().backward();
    optimizer.step();
  }
}

void none_bad(Images images) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  Net net(3072, 1);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto loader = data::make_data_loader( // expect: ml-loader-workers (level 2): no workers
      images.map(data::transforms::Stack<>()), 64);
  train(net, *loader, optimizer, device);
}

void zero_bad(Texts texts) {
  torch::Device device(torch::kCUDA, 0);
  Net net(1, 1);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto options = data::DataLoaderOptions().batch_size(64).workers(0);
  auto loader = data::make_data_loader( // expect: ml-loader-workers
      texts.map(data::transforms::Stack<>()), options);
  for (auto &batch : *loader) { // note: the training on a GPU is here
    optimizer.zero_grad();
    net(batch.data.to(device)).mean().backward();
    optimizer.step();
  }
}

// Another method has brought the module there.
class Trainer {
public:
  explicit Trainer(torch::Device device) : device(device) {}
  void setUp() { net->to(device); }
  void run_bad(Images images) {
    torch::optim::SGD optimizer(net->parameters(), 0.1);
    auto loader = data::make_data_loader( // expect: ml-loader-workers
        images.map(data::transforms::Stack<>()), 64);
    for (auto &batch : *loader) { // note: the training on a GPU is here
      optimizer.zero_grad();
      net(batch.data.to(device)).mean().backward();
      optimizer.step();
    }
  }

private:
  Net net{3072, 1};
  torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
};

void workers_ok(Images images, torch::Device device) {
  Net net(3072, 1);
  net->to(torch::kCUDA);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto loader = data::make_data_loader(images.map(data::transforms::Stack<>()),
                                       data::DataLoaderOptions().batch_size(64).workers(4));
  train(net, *loader, optimizer, device);
}

void by_a_variable_ok(Images images, torch::Device device, size_t workers) {
  Net net(3072, 1);
  net->to(torch::kCUDA);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto loader = data::make_data_loader(images.map(data::transforms::Stack<>()),
                                       data::DataLoaderOptions().batch_size(64).workers(workers));
  train(net, *loader, optimizer, device);
}

void by_others_ok(Images images, torch::Device device, data::DataLoaderOptions options) {
  Net net(3072, 1);
  net->to(torch::kCUDA);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto loader = data::make_data_loader(images.map(data::transforms::Stack<>()), options);
  train(net, *loader, optimizer, device);
}

void in_memory_ok(Points points) {
  Net net(2, 1);
  net->to(torch::kCUDA);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto loader = data::make_data_loader(points.map(data::transforms::Stack<>()), 64);
  for (auto &batch : *loader) {
    optimizer.zero_grad();
    net(batch.data.to(torch::kCUDA)).mean().backward();
    optimizer.step();
  }
}

void on_the_cpu_ok(Images images) {
  Net net(3072, 1);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto loader = data::make_data_loader(images.map(data::transforms::Stack<>()), 64);
  for (auto &batch : *loader) {
    optimizer.zero_grad();
    net(batch.data).mean().backward();
    optimizer.step();
  }
}

void evaluation_ok(Net net, Images images) {
  torch::NoGradGuard guard;
  net->to(torch::kCUDA);
  net->eval();
  auto loader = data::make_data_loader(images.map(data::transforms::Stack<>()), 64);
  for (auto &batch : *loader)
    net(batch.data.to(torch::kCUDA)).mean().item<float>();
}
