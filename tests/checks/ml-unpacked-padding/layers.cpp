// What recurrent layers have at the end of sequences that were filled up.
#include <torch/torch.h>

namespace nn = torch::nn;
namespace rnn = torch::nn::utils::rnn;
using torch::indexing::Slice;

torch::Tensor last_bad(std::vector<torch::Tensor> sequences) {
  nn::LSTM lstm(nn::LSTMOptions(8, 16).batch_first(true));
  auto x = rnn::pad_sequence(sequences, true); // note: they are filled up here
  auto result = lstm->forward(x);              // expect: ml-unpacked-padding (level 2): the longest
  return std::get<0>(result).select(1, -1);    // note: the end is taken here
}

torch::Tensor state_bad(std::vector<torch::Tensor> sequences, nn::Linear out) {
  nn::GRU gru(8, 16);
  auto x = rnn::pad_sequence(sequences); // note: they are filled up here
  auto [y, h] = gru->forward(x);         // expect: ml-unpacked-padding (level 2)
  return out(h[-1]);                     // note: the end is taken here
}

struct WordsImpl : nn::Module {
  WordsImpl() {
    embedding = register_module("embedding", nn::Embedding(100, 8));
    gru = register_module("gru", nn::GRU(nn::GRUOptions(8, 16).batch_first(true)));
    out = register_module("out", nn::Linear(16, 2));
  }
  torch::Tensor forward(torch::Tensor tokens) {
    auto x = embedding->forward(tokens);
    auto y = std::get<0>(gru->forward(x)); // expect: ml-unpacked-padding (level 2)
    return out(y.index({Slice(), -1}));    // note: the end is taken here
  }
  nn::Embedding embedding{nullptr};
  nn::GRU gru{nullptr};
  nn::Linear out{nullptr};
};
TORCH_MODULE(Words);

torch::Tensor words_bad(Words words, std::vector<torch::Tensor> sequences, torch::Device device) {
  auto tokens = rnn::pad_sequence(sequences, true).to(device); // note: they are filled up here
  return words->forward(tokens); // note: they get into the module here
}

// --- right

struct TaggerImpl : nn::Module {
  TaggerImpl() { gru = register_module("gru", nn::GRU(nn::GRUOptions(8, 16).batch_first(true))); }
  torch::Tensor forward(torch::Tensor x) { return std::get<0>(gru->forward(x)); }
  nn::GRU gru{nullptr};
};
TORCH_MODULE(Tagger);

// Every step has its result, and a mask tells those that count.
torch::Tensor masked_ok(Tagger tagger, std::vector<torch::Tensor> sequences, torch::Tensor mask) {
  auto y = tagger->forward(rnn::pad_sequence(sequences, true));
  return (y * mask).sum(1) / mask.sum(1);
}

torch::Tensor gathered_ok(Tagger tagger, std::vector<torch::Tensor> sequences, torch::Tensor last) {
  auto y = tagger->forward(rnn::pad_sequence(sequences, true));
  return y.gather(1, last);
}

rnn::PackedSequence packed_good(std::vector<torch::Tensor> sequences, torch::Tensor lengths) {
  auto x = rnn::pad_sequence(sequences, true);
  return rnn::pack_padded_sequence(x, lengths, true);
}

torch::Tensor same_length_ok(torch::Tensor x) {
  nn::LSTM lstm(nn::LSTMOptions(8, 16).batch_first(true));
  return std::get<0>(lstm->forward(x)).select(1, -1);
}

// One of them, without what it is filled up with.
torch::Tensor cut_ok(std::vector<torch::Tensor> sequences, int64_t length) {
  nn::GRU gru(8, 16);
  auto x = rnn::pad_sequence(sequences);
  auto y = std::get<0>(gru->forward(x.slice(0, 0, length)));
  return y[-1];
}
