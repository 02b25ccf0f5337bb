// Losses over labels that were filled up.
#include <torch/torch.h>

namespace nn = torch::nn;
namespace F = torch::nn::functional;
namespace rnn = torch::nn::utils::rnn;

torch::Tensor function_bad(torch::Tensor scores, std::vector<torch::Tensor> labels) {
  auto y = rnn::pad_sequence(labels, true); // note: they are filled up here
  y = y.view({-1});
  return torch::cross_entropy_loss(scores, y); // expect: ml-unpacked-padding (level 2): class 0
}

torch::Tensor module_bad(torch::Tensor scores, std::vector<torch::Tensor> labels,
                         torch::Device device) {
  nn::CrossEntropyLoss criterion;
  auto y = rnn::pad_sequence(labels, true, 0).to(device); // note: they are filled up here
  return criterion(scores.transpose(1, 2), y);            // expect: ml-unpacked-padding (level 2)
}

// --- right

torch::Tensor ignored_ok(torch::Tensor scores, std::vector<torch::Tensor> labels) {
  auto y = rnn::pad_sequence(labels, true, -100);
  return torch::cross_entropy_loss(scores.view({-1, 5}), y.view({-1}));
}

torch::Tensor options_ok(torch::Tensor scores, std::vector<torch::Tensor> labels) {
  auto y = rnn::pad_sequence(labels, true);
  return F::cross_entropy(scores.view({-1, 5}), y.view({-1}),
                          F::CrossEntropyFuncOptions().ignore_index(0));
}

torch::Tensor weighted_ok(torch::Tensor scores, std::vector<torch::Tensor> labels,
                          torch::Tensor weight) {
  nn::CrossEntropyLoss criterion(nn::CrossEntropyLossOptions().weight(weight));
  auto y = rnn::pad_sequence(labels, true);
  return criterion(scores.view({-1, 5}), y.view({-1}));
}

torch::Tensor unreduced_ok(torch::Tensor scores, std::vector<torch::Tensor> labels,
                           torch::Tensor mask) {
  auto y = rnn::pad_sequence(labels, true);
  auto losses =
      torch::cross_entropy_loss(scores.view({-1, 5}), y.view({-1}), {}, at::Reduction::None);
  return (losses * mask).sum() / mask.sum();
}

torch::Tensor selected_ok(torch::Tensor scores, std::vector<torch::Tensor> labels,
                          torch::Tensor mask) {
  auto y = rnn::pad_sequence(labels, true);
  return torch::cross_entropy_loss(scores.index({mask}), y.index({mask})) +
         torch::cross_entropy_loss(scores.index({mask}), y.masked_select(mask));
}

torch::Tensor filled_ok(torch::Tensor scores, std::vector<torch::Tensor> labels,
                        torch::Tensor padding) {
  auto y = rnn::pad_sequence(labels, true).masked_fill(padding, -100);
  return torch::cross_entropy_loss(scores.view({-1, 5}), y.view({-1}));
}
