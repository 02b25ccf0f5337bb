// The size of which dimension becomes the number of samples in the state.
#include <torch/torch.h>

namespace nn = torch::nn;

struct Missing : nn::Module {
  Missing() { lstm = register_module("lstm", nn::LSTM(nn::LSTMOptions(8, 16).num_layers(2))); }
  torch::Tensor forward(torch::Tensor x) {
    auto h0 =
        torch::zeros({2, x.size(0), 16}); // note: the state has a row for each entry of its first
    auto c0 = torch::zeros({2, x.size(0), 16});
    auto result =
        lstm->forward(x, std::make_tuple(h0, c0)); // expect: ml-rnn-batch-first: counts samples
    return std::get<0>(result);
  }
  nn::LSTM lstm{nullptr};
};

struct Named : nn::Module {
  Named() : gru(nn::GRUOptions(8, 16)) { register_module("gru", gru); }
  torch::Tensor forward(torch::Tensor x) {
    const auto batch = x.size(0); // note: the state has a row
    auto h0 = torch::zeros({1, batch, 16}, x.options());
    auto [out, h] = gru(x, h0); // expect: ml-rnn-batch-first: without batch_first
    return out;
  }
  nn::GRU gru;
};

struct Words : nn::Module {
  Words() {
    embedding = register_module("embedding", nn::Embedding(100, 8));
    gru = register_module("gru", nn::GRU(8, 16));
  }
  torch::Tensor forward(torch::Tensor tokens) {
    auto h0 = torch::zeros({1, tokens.size(0), 16}); // note: the state has a row
    auto embedded = torch::relu(embedding->forward(tokens));
    return std::get<1>(gru->forward(embedded, h0)); // expect: ml-rnn-batch-first
  }
  nn::Embedding embedding{nullptr};
  nn::GRU gru{nullptr};
};

struct Reverse : nn::Module {
  Reverse() {
    nn::LSTMOptions options(8, 16);
    options.num_layers(2).batch_first(true);
    lstm = register_module("lstm", nn::LSTM(options));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto zeros = torch::zeros({2, x.size(1), 16}); // note: of its second dimension
    std::tuple<torch::Tensor, torch::Tensor> state(zeros, zeros);
    auto result = lstm->forward(x, state); // expect: ml-rnn-batch-first: made with batch_first
    return std::get<0>(result);
  }
  nn::LSTM lstm{nullptr};
};

// --- right

struct First : nn::Module {
  First() {
    lstm = register_module("lstm", nn::LSTM(nn::LSTMOptions(8, 16).batch_first(true)));
    gru = register_module("gru", nn::GRU(nn::GRUOptions(8, 16).batch_first(false)));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto h0 = torch::zeros({1, x.size(0), 16});
    auto c0 = torch::zeros({1, x.size(0), 16});
    return std::get<0>(lstm->forward(x, std::make_tuple(h0, c0)));
  }
  torch::Tensor forward_steps(torch::Tensor x) {
    return std::get<0>(gru->forward(x, torch::zeros({1, x.size(1), 16})));
  }
  torch::Tensor forward_turned(torch::Tensor x) {
    auto h0 = torch::zeros({1, x.size(0), 16});
    return std::get<0>(gru->forward(x.transpose(0, 1), h0));
  }
  torch::Tensor forward_permuted(torch::Tensor x) {
    auto h0 = torch::zeros({1, x.size(0), 16});
    x = x.permute({1, 0, 2});
    return std::get<0>(gru->forward(x, h0));
  }
  torch::Tensor forward_back(torch::Tensor x) {
    auto h0 = torch::zeros({1, x.size(1), 16});
    return std::get<0>(lstm->forward(x.transpose(0, 1), std::make_tuple(h0, h0)));
  }
  // One step for each of the samples.
  torch::Tensor forward_step(torch::Tensor x) {
    auto h0 = torch::zeros({1, x.size(0), 16});
    return std::get<0>(gru->forward(x.unsqueeze(0), h0)).squeeze(0);
  }
  torch::Tensor forward_viewed(torch::Tensor x) {
    auto h0 = torch::zeros({1, x.size(0), 16});
    return std::get<0>(gru->forward(x.view({1, x.size(0), 8}), h0));
  }
  // The size is for something else.
  torch::Tensor forward_other(torch::Tensor x) {
    auto other = torch::zeros({1, x.size(0), 16});
    return std::get<0>(gru->forward(x, torch::zeros({1, x.size(1), 16}))) + other.sum();
  }
  nn::LSTM lstm{nullptr};
  nn::GRU gru{nullptr};
};

// Nobody knows with what it is made.
nn::LSTMOptions optionsOf(bool first);
struct Told : nn::Module {
  explicit Told(bool first) {
    lstm = register_module("lstm", nn::LSTM(nn::LSTMOptions(8, 16).batch_first(first)));
    other = register_module("other", nn::LSTM(optionsOf(first)));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto h0 = torch::zeros({1, x.size(0), 16});
    auto steps = std::get<0>(lstm->forward(x, std::make_tuple(h0, h0)));
    return std::get<0>(other->forward(steps, std::make_tuple(h0, h0))).select(1, -1);
  }
  nn::LSTM lstm{nullptr}, other{nullptr};
};
