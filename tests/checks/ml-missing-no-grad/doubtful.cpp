// Forward passes whose results nobody reads as numbers, or that somebody else may differentiate.
#include <torch/torch.h>

struct Distribution {
  virtual ~Distribution() = default;
  virtual torch::Tensor sample() = 0;
};
struct Normal : Distribution {
  Normal(torch::Tensor mean, torch::Tensor *scale);
  torch::Tensor sample() override;
};

int64_t probe_of_the_shape(torch::nn::Sequential &net) {
  return net->forward(torch::zeros({1, 3, 8, 8})).size(1); // expect: ml-missing-no-grad (level 2)
}
size_t count_of_the_outputs(torch::nn::Sequential &net, torch::Tensor x) {
  std::vector<torch::Tensor> outputs = {net->forward(x)}; // expect: ml-missing-no-grad (level 2)
  return outputs.size();
}
void read(torch::nn::Sequential &net, torch::Tensor x) {
  auto y = net->forward(x); // expect: ml-missing-no-grad (level 1)
  auto first = y.item<double>();
}

// The caller gets the graph inside of an object.
struct Head : torch::nn::Module {
  torch::nn::Linear layer{4, 2};
  std::unique_ptr<Distribution> forward(torch::Tensor x) {
    x = layer(x);
    return std::make_unique<Normal>(x, nullptr);
  }
};
std::unique_ptr<Distribution> act_ok(torch::nn::Linear &layer, torch::Tensor x) {
  x = layer(x);
  return std::make_unique<Normal>(x, &x);
}
std::tuple<torch::Tensor, torch::Tensor> pair_ok(torch::nn::Linear &layer, torch::Tensor x) {
  auto y = layer(x);
  auto weight = torch::exp(y);
  return {y, weight};
}

// Results through tuples of references.
void recurrent_ok(torch::nn::LSTM &lstm, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  torch::Tensor h, c, output;
  std::forward_as_tuple(output, std::tie(h, c)) = lstm->forward(x, std::make_tuple(h, c));
  optimizer.zero_grad();
  output.sum().backward();
  optimizer.step();
}

// Without layers and parameters there is nothing to record.
struct Padding : torch::nn::Module {
  explicit Padding(int64_t width);
  torch::Tensor forward(torch::Tensor x);

private:
  int64_t width;
};
void padded_ok(Padding &padding, torch::Tensor x) {
  auto first = padding.forward(x).item<double>();
}

// ---- which part of the data it takes is no function that it differentiates

enum class Part { Training, Test };

struct KeeperImpl : torch::nn::Module {
  torch::Tensor forward(Part part);
  torch::nn::Linear layer{4, 2};
};
TORCH_MODULE(Keeper);

double part_bad(Keeper net, torch::Tensor target) {
  torch::Tensor output = net->forward(Part::Test); // expect: ml-missing-no-grad
  return torch::mse_loss(output, target).item<double>();
}
