// What is taken of what a layer has made: the last step, not the last sample.
#include <torch/torch.h>

namespace nn = torch::nn;
using torch::indexing::Ellipsis;
using torch::indexing::Slice;

struct Last : nn::Module {
  Last()
      : steps(nn::LSTMOptions(8, 16).num_layers(2)),
        samples(nn::LSTMOptions(8, 16).batch_first(true)), out(16, 2) {
    register_module("steps", steps);
    register_module("samples", samples);
    register_module("out", out);
    encoder = register_module("encoder", nn::TransformerEncoderLayer(8, 2));
  }

  torch::Tensor selected_bad(torch::Tensor x) {
    auto y = std::get<0>(steps->forward(x));
    return out(y.select(1, -1)); // expect: ml-rnn-batch-first: dimension 1 of 'y' counts samples
  }
  torch::Tensor indexed_bad(torch::Tensor x) {
    auto result = steps->forward(x);
    auto last = std::get<0>(result).index({Slice(), -1, Slice()}); // expect: ml-rnn-batch-first
    return out(last);
  }
  torch::Tensor assigned_bad(torch::Tensor x) {
    x = std::get<0>(steps(x));
    x = x.index({Slice(), -1}); // expect: ml-rnn-batch-first
    return out(x);
  }
  torch::Tensor projected_bad(torch::Tensor x) {
    auto [y, state] = steps->forward(x);
    return torch::relu(out(y)).select(1, -1); // expect: ml-rnn-batch-first
  }
  torch::Tensor tied_bad(torch::Tensor x) {
    torch::Tensor y;
    std::tuple<torch::Tensor, torch::Tensor> state;
    std::tie(y, state) = steps->forward(x);
    return y.mean(1); // expect: ml-rnn-batch-first
  }
  torch::Tensor attended_bad(torch::Tensor x) {
    return encoder->forward(x).mean(1); // expect: ml-rnn-batch-first: attention has no batch_first
  }
  torch::Tensor turned_bad(torch::Tensor x) {
    auto y = std::get<0>(samples->forward(x)).transpose(0, 1);
    return y.select(1, -1); // expect: ml-rnn-batch-first: made with batch_first
  }
  torch::Tensor first_bad() {
    auto x = torch::randn({4, 10, 8});
    auto y = std::get<0>(samples->forward(x));
    return y[-1]; // expect: ml-rnn-batch-first: dimension 0 of 'y' counts samples
  }

  // --- right

  torch::Tensor steps_good(torch::Tensor x) {
    auto y = std::get<0>(steps->forward(x));
    return y[-1] + y.select(0, -1) + y.index({-1}) + y.mean(0) + y[y.size(0) - 1];
  }
  torch::Tensor samples_good(torch::Tensor x) {
    auto y = std::get<0>(samples->forward(x));
    return y.select(1, -1) + y.index({Slice(), -1}) + y.index({Slice(), -1, Slice()}) + y.mean(1);
  }
  torch::Tensor turned_good(torch::Tensor x) {
    auto y = std::get<0>(steps->forward(x.transpose(0, 1))).transpose(0, 1);
    return y.select(1, -1);
  }
  torch::Tensor permuted_good(torch::Tensor x) {
    auto y = std::get<0>(steps->forward(x.permute({1, 0, 2}))).permute({1, 0, 2});
    return y.index({Slice(), -1}) + encoder->forward(x.transpose(0, 1)).mean(0);
  }
  // The state has layers first, whatever the layer.
  torch::Tensor state_good(torch::Tensor x) {
    auto [y, state] = samples->forward(x);
    auto h = std::get<0>(state);
    return h[-1] + h.select(0, -1) + h.index({-1, Slice(), Slice()});
  }
  torch::Tensor layers_good(torch::Tensor x) {
    auto result = steps->forward(x);
    auto h = std::get<0>(std::get<1>(result));
    return h.transpose(0, 1).select(1, -1) + h.transpose(0, 1).mean(1);
  }
  // One sequence, without a dimension for samples.
  torch::Tensor single_good(torch::Tensor x) {
    auto y = std::get<0>(samples->forward(x));
    return y[-1];
  }
  torch::Tensor features_good(torch::Tensor x) {
    auto y = std::get<0>(steps->forward(x));
    return y.mean(2) + y.mean(-1).mean(0) + y.select(2, -1);
  }
  torch::Tensor viewed_good(torch::Tensor x) {
    auto y = std::get<0>(steps->forward(x));
    y = y.view({y.size(1), y.size(0), 16});
    return y.select(1, -1);
  }
  // The only sample.
  torch::Tensor one_good(torch::Tensor x) {
    auto y = std::get<0>(steps->forward(x.unsqueeze(1)));
    return out(y.squeeze(1)) + out(y.select(1, 0));
  }
  nn::LSTM steps, samples;
  nn::Linear out;
  nn::TransformerEncoderLayer encoder{nullptr};
};

struct Counted : nn::Module {
  Counted() : steps(nn::LSTMOptions(8, 16)), out(16, 2) {
    register_module("steps", steps);
    register_module("out", out);
  }
  torch::Tensor counted_bad(torch::Tensor x) {
    auto y = std::get<0>(steps->forward(x));
    return out(y.select(1, y.size(1) - 1)); // expect: ml-rnn-batch-first: dimension 1 of 'y'
  }
  torch::Tensor named_bad(torch::Tensor x) {
    auto y = std::get<0>(steps->forward(x));
    const auto last = y.size(1) - 1;
    return out(y.index({Slice(), last})); // expect: ml-rnn-batch-first: dimension 1 of 'y'
  }
  torch::Tensor counted_ok(torch::Tensor x) {
    auto y = std::get<0>(steps->forward(x));
    return out(y.select(0, y.size(0) - 1));
  }
  torch::Tensor one_of_all_ok(torch::Tensor x) {
    auto y = std::get<0>(steps->forward(x));
    return out(y.select(1, y.size(0) - 1));
  }
  nn::LSTM steps;
  nn::Linear out;
};
