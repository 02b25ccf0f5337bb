// Batches of loaders, and of sequences that were filled up.
#include <torch/torch.h>

namespace nn = torch::nn;
namespace data = torch::data;

using data::datasets::MNIST;

struct StepsImpl : nn::Module {
  StepsImpl() {
    lstm = register_module("lstm", nn::LSTM(nn::LSTMOptions(8, 16).num_layers(2)));
    out = register_module("out", nn::Linear(16, 2));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto result = lstm->forward(x); // expect: ml-rnn-batch-first: it takes that for the steps
    return out(std::get<0>(result)[-1]);
  }
  nn::LSTM lstm{nullptr};
  nn::Linear out{nullptr};
};
TORCH_MODULE(Steps);

struct SamplesImpl : nn::Module {
  SamplesImpl() {
    lstm = register_module("lstm", nn::LSTM(nn::LSTMOptions(8, 16).batch_first(true)));
    out = register_module("out", nn::Linear(16, 2));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto result = lstm->forward(x);
    return out(std::get<0>(result).select(1, -1));
  }
  nn::LSTM lstm{nullptr};
  nn::Linear out{nullptr};
};
TORCH_MODULE(Samples);

struct TurnsImpl : nn::Module {
  TurnsImpl() { lstm = register_module("lstm", nn::LSTM(8, 16)); }
  torch::Tensor forward(torch::Tensor x) {
    return std::get<0>(lstm->forward(x.transpose(0, 1)))[-1];
  }
  nn::LSTM lstm{nullptr};
};
TORCH_MODULE(Turns);

void train(Steps wrong, Samples right, Turns turns, torch::Device device,
           torch::optim::Optimizer &optimizer) {
  auto loader =
      data::make_data_loader(MNIST("data").map(data::transforms::Stack<>()), /*batch_size=*/32);
  for (auto &batch : *loader) { // note: batches of this loader have their samples first
    auto x = batch.data.to(device);
    optimizer.zero_grad();
    auto loss =
        torch::cross_entropy_loss(wrong(x), batch.target); // note: they get into the module here
    loss = loss + torch::cross_entropy_loss(right(x), batch.target) + turns(x).sum();
    loss.backward();
    optimizer.step();
  }
}

void rows(torch::Device device) {
  nn::GRU gru(28, 64), first(nn::GRUOptions(28, 64).batch_first(true));
  auto loader =
      data::make_data_loader(MNIST("data").map(data::transforms::Stack<>()), /*batch_size=*/32);
  for (auto &batch : *loader) { // note: batches of this loader
    auto images = batch.data.to(device).reshape({-1, 28, 28});
    auto y = gru->forward(images); // expect: ml-rnn-batch-first
    auto z = first->forward(images);
    auto turned = gru->forward(images.transpose(0, 1));
    auto back =
        first->forward(images.permute({1, 0, 2})); // expect: ml-rnn-batch-first: counts steps
    auto one = gru->forward(batch.data.view({-1, 1, 784}));
    auto squeezed = gru->forward(batch.data.squeeze(1)); // expect: ml-rnn-batch-first
  }
}

// In the order of the time series, each batch is a sequence.
void series_ok() {
  nn::GRU gru(8, 64);
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
      MNIST("data").map(data::transforms::Stack<>()), /*batch_size=*/32);
  for (auto &batch : *loader)
    auto y = gru->forward(batch.data);
}

struct Beside : data::transforms::Collation<data::Example<>> {
  data::Example<> apply_batch(std::vector<data::Example<>> samples) override;
};

// Nobody knows how these are put beside each other.
void collated_ok() {
  nn::GRU gru(8, 64);
  auto loader = data::make_data_loader(MNIST("data").map(Beside()), /*batch_size=*/32);
  for (auto &batch : *loader)
    auto y = gru->forward(batch.data);
}

void padded(std::vector<torch::Tensor> sequences, torch::Tensor lengths) {
  nn::GRU gru(8, 64), first(nn::GRUOptions(8, 64).batch_first(true));
  auto x =
      nn::utils::rnn::pad_sequence(sequences, /*batch_first=*/true); // note: the first dimension
  auto y = gru->forward(x);                                          // expect: ml-rnn-batch-first
  auto z = first->forward(x);
  auto steps =
      nn::utils::rnn::pad_sequence(sequences); // note: the samples are the second dimension
  auto right = gru->forward(steps);
  auto wrong = first->forward(steps); // expect: ml-rnn-batch-first
}

void attention(std::vector<torch::Tensor> sequences) {
  nn::MultiheadAttention attention(8, 2);
  auto x =
      nn::utils::rnn::pad_sequence(sequences, /*batch_first=*/true); // note: the first dimension
  auto y = attention->forward(x, x, x); // expect: ml-rnn-batch-first: attention has no batch_first
  auto turned = x.transpose(0, 1);
  auto z = attention->forward(turned, turned, turned);
}

// The second layer gets what the first has made, in its order.
void stacked(torch::Tensor x) {
  nn::GRU lower(nn::GRUOptions(8, 16).batch_first(true)), upper(16, 16);
  nn::GRU right(nn::GRUOptions(16, 16).batch_first(true));
  x = torch::randn({4, 10, 8});
  auto y = std::get<0>(lower->forward(x)); // note: this layer has the samples in the first
  auto z = upper->forward(y);              // expect: ml-rnn-batch-first
  auto w = right->forward(y);
}
