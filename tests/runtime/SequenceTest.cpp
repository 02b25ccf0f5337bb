// Losses of unaligned sequences, bags of embeddings, and layers beside the usual ones, with values
// and gradients as LibTorch gives them.
#include "Expect.h"

#include <sstream>

namespace {

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using torch::Tensor;

template <class T> std::string text(const T &value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

/// The loss of labels for logits (T, N, C).
Tensor ctc(const Tensor &x, const Tensor &labels, torch::IntArrayRef times,
           torch::IntArrayRef lengths, int64_t blank = 0,
           int64_t reduction = torch::Reduction::Mean, bool zeroInfinity = false) {
  return torch::ctc_loss(x.log_softmax(-1), labels, times, lengths, blank, reduction, zeroInfinity);
}

Tensor labels() { return torch::tensor({{1, 2, 1}, {3, 3, 0}}); }
Tensor bag() { return torch::tensor({0, 2, 4, 1, 2, 2}); }
Tensor starts() { return torch::tensor({0, 2, 2, 5}); }

Tensor resized(const Tensor &x, std::vector<int64_t> size, bool alignCorners) {
  return F::interpolate(
      x, F::InterpolateFuncOptions().size(size).mode(torch::kBicubic).align_corners(alignCorners));
}

} // namespace

TEST_CASE("a loss sums over all alignments of labels") {
  const std::vector<Marked> table{
      MARKED((ctc(x, labels(), {6, 6}, {3, 2})), 1.0093618322, 0.2467051732),
      MARKED((ctc(x, labels(), {6, 4}, {3, 2}, 0, torch::Reduction::None)), 0.1912043155,
             0.5343418853),
      MARKED((ctc(x, torch::tensor({1, 2, 3}), {5, 6}, {2, 1}, 0, torch::Reduction::Sum)),
             4.2174524188, 0.3041703251),
      MARKED((ctc(x, labels().remainder(3), {6, 6}, {3, 0}, 3)), 2.8848780805, 0.3917347827),
      MARKED((ctc(x, labels(), {2, 6}, {3, 2}, 0, torch::Reduction::Sum, true)), 2.5180997916,
             0.6942616358),
      MARKED((nn::CTCLoss(nn::CTCLossOptions().reduction(torch::kSum))(
                 x.log_softmax(-1), labels(), torch::tensor({6, 5}), torch::tensor({3, 2}))),
             4.9674174029, 1.0749724906)};
  for (const Marked &row : table)
    checkMarks(row, {6, 2, 4});
  Tensor x = wave({6, 2, 4});
  CHECK(ctc(x, labels(), {2, 6}, {3, 2}, 0, torch::Reduction::None)[0].item<double>() == HUGE_VAL);
  CHECK(ctc(x.select(1, 0), labels()[0], {6}, {3}, 0, torch::Reduction::None).dim() == 0);
  CHECK(errorOf([&] { ctc(x, labels(), {6, 6}, {3, 2}, 4); }) == "blank must be in label range");
  CHECK(errorOf([&] { ctc(x, labels(), {6}, {3, 2}); }) ==
        "input_lengths must be of size batch_size");
  CHECK(text(nn::CTCLoss()) == "torch::nn::CTCLoss()");
}

TEST_CASE("the loss of labels has the gradient that finite differences give") {
  checkGradients(
      [](const std::vector<Tensor> &in) { return ctc(in[0], labels(), {6, 5}, {3, 2}, 0, 0); },
      {wave({6, 2, 4})});
}

TEST_CASE("bags of embeddings give LibTorch's values and gradients") {
  const std::vector<Marked> table{
      MARKED((F::embedding_bag(bag(), x, F::EmbeddingBagFuncOptions().offsets(starts()))),
             0.0100975384, 0.4611959739),
      MARKED((F::embedding_bag(bag(), x,
                               F::EmbeddingBagFuncOptions().offsets(starts()).mode(torch::kMax))),
             -0.62392557, -1.457040505),
      MARKED((F::embedding_bag(bag(), x,
                               F::EmbeddingBagFuncOptions()
                                   .offsets(starts())
                                   .mode(torch::kSum)
                                   .include_last_offset(true)
                                   .per_sample_weights(wave({6}, 1).detach()))),
             0.3448069362, 4.9971176523),
      MARKED((F::embedding_bag(bag().view({2, 3}), x, F::EmbeddingBagFuncOptions().padding_idx(2))),
             0.2969536237, 2.7449752358),
      MARKED((F::embedding_bag(bag().view({2, 3}), x,
                               F::EmbeddingBagFuncOptions().padding_idx(-3).mode(torch::kMax))),
             0.078341842, 2.6447501622),
  };
  for (const Marked &row : table)
    checkMarks(row, {5, 3});
  CHECK(errorOf([] { F::embedding_bag(bag(), wave({5, 3})); }) ==
        "offsets has to be a 1D Tensor but got null");
}

TEST_CASE("bags begin at the first index", "[host]") { // a device is not waited for
  CHECK(errorOf([] {
          F::embedding_bag(bag(), wave({5, 3}),
                           F::EmbeddingBagFuncOptions().offsets(torch::tensor({1, 2})));
        }) ==
        "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
        "position 0. However, got 1\n[ CPULongType{} ]");
}

TEST_CASE("rows that are looked up are shortened to the largest norm") {
  Tensor weight = wave({5, 3}).detach().to(torch::kFloat);
  nn::EmbeddingBag bags = nn::EmbeddingBag::from_pretrained(
      weight.clone(), nn::EmbeddingBagFromPretrainedOptions().max_norm(0.5).mode(torch::kSum));
  CHECK(mark(bags(bag(), starts())) == Approx(0.1451693559).epsilon(1e-6));
  CHECK(mark(bags->weight) == Approx(0.3887277136).epsilon(1e-6));
  CHECK(torch::equal(bags->weight[3], weight[3])); // not looked up
  nn::Embedding rows = nn::Embedding::from_pretrained(
      weight.clone(), nn::EmbeddingFromPretrainedOptions().max_norm(1).norm_type(1));
  CHECK(mark(rows(bag())) == Approx(0.2730167675).epsilon(1e-6));
  CHECK(text(bags) == "torch::nn::EmbeddingBag(num_embeddings=5, embedding_dim=3, max_norm=0.5, "
                      "mode=kSum)");
  CHECK(text(rows) ==
        "torch::nn::Embedding(num_embeddings=5, embedding_dim=3, max_norm=1, norm_type=1)");
  CHECK(text(nn::EmbeddingBag(nn::EmbeddingBagOptions(4, 2).padding_idx(1))) ==
        "torch::nn::EmbeddingBag(num_embeddings=4, embedding_dim=2, padding_idx=1)");
}

TEST_CASE("bags start with LibTorch's values for the same seed", "[host]") {
  torch::manual_seed(7);
  CHECK(mark(nn::EmbeddingBag(4, 2)->weight) == Approx(-1.442419005).epsilon(1e-6));
}

TEST_CASE("images are resized by cubic polynomials") {
  const std::vector<Marked> table{
      MARKED((resized(x, {7, 9}, false)), -0.1133200018, -2.7134854603),
      MARKED((resized(x, {7, 9}, true)), -0.0712958767, -1.8859313731),
      MARKED((resized(x, {2, 3}, false)), -0.2108118027, 0.0866213778),
      MARKED((nn::Upsample(nn::UpsampleOptions()
                               .scale_factor(std::vector<double>{1.5, 2})
                               .mode(torch::kBicubic))(x)),
             4.1703985898, -1.0392696851)};
  for (const Marked &row : table)
    checkMarks(row, {1, 2, 4, 5});
}

TEST_CASE("slopes are those of the middle, but in training") {
  checkMarks(MARKED((torch::rrelu(x, 0.1, 0.6)), 0.0952857378, 6.3197146713), {4, 5});
  const torch::Tensor slopes = torch::rrelu(-torch::ones({1000}), 0.1, 0.6, true).neg();
  CHECK(slopes.ge(0.1).logical_and(slopes.lt(0.6)).all().item<bool>());
  CHECK(slopes.std().item<double>() == Approx(0.5 / std::sqrt(12)).epsilon(0.1));
}

TEST_CASE("random slopes are LibTorch's for the same seed", "[host]") {
  const std::vector<Marked> table{
      MARKED((torch::rrelu(x, 0.1, 0.6, true)), 0.1183328713, 6.1538642491),
      MARKED((F::rrelu(x, F::RReLUFuncOptions().lower(0.2).training(true))), 0.1152506434,
             5.8417495936),
      MARKED((nn::RReLU()(x.to(torch::kFloat))), 0.124926276, 5.6216897691)};
  for (const Marked &row : table)
    checkMarks(row, {4, 5});
  CHECK(text(nn::RReLU(nn::RReLUOptions().lower(0.25).inplace(true))) ==
        "torch::nn::RReLU(lower=0.25, upper=0.333333, inplace=true)");
}
