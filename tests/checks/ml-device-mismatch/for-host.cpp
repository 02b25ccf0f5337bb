// Tensors that a function takes on the CPU alone, wherever the others are.
#include <torch/torch.h>

namespace rnn = torch::nn::utils::rnn;

void lengths_bad(torch::Tensor x, torch::Tensor lengths) {
  lengths = lengths.to(torch::kCUDA); // note: on GPU 0 since here
  rnn::pack_padded_sequence(x.to(torch::kCUDA), lengths, true); // expect: ml-device-mismatch (no fix): 'lengths' has to be on the CPU
}

void lengths_ok(torch::Tensor x, torch::Tensor lengths) {
  rnn::pack_padded_sequence(x.to(torch::kCUDA), lengths.to(torch::kCPU), true);
}

struct Batch {
  torch::Tensor steps, lengths;
};

struct Encoder : torch::nn::Module {
  void forward(const Batch &batch) { rnn::pack_padded_sequence(batch.steps, batch.lengths, true); }
};

void encode_ok(Encoder &encoder, torch::Tensor x) {
  encoder.to(torch::kCUDA);
  encoder.forward({x.to(torch::kCUDA), torch::tensor({3, 2})});
}
