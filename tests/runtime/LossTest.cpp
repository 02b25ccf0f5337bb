// Losses, distances, rearrangements of images and einsum, with values and gradients as LibTorch
// gives them.
#include "Expect.h"

#include <sstream>

namespace {

namespace F = torch::nn::functional;

torch::Tensor signs(torch::IntArrayRef sizes) { return wave(sizes, 0.1).detach().sign(); }
torch::Tensor other() { return (wave({4, 3}).detach() * 1.7 + 0.3).sin(); }
torch::Tensor counts() { return (wave({4, 3}).detach() * 3).abs().round(); }
torch::Tensor weights() { return torch::tensor({0.5, 1.0, 2.0}, torch::kDouble); }
torch::Tensor classes() { return torch::tensor({2, 0, 1, 1}); }
torch::Tensor l1(const torch::Tensor &a, const torch::Tensor &b) { return (a - b).abs().sum(-1); }

} // namespace

TEST_CASE("losses and distances give LibTorch's values and gradients") {
  const std::vector<Marked> table{
      MARKED((F::kl_div(x.log_softmax(1), x.detach().softmax(1), torch::kBatchMean)),
             -1.499640151e-17, 1.061280816e-18),
      MARKED((F::kl_div(x.log_softmax(1), x.detach().log_softmax(1) * 2,
                        F::KLDivFuncOptions(torch::kSum).log_target(true))),
             -0.7016425227, -0.02234377551),
      MARKED((F::kl_div(x, x.detach().abs(), torch::kNone)), -0.4033220435, -3.857254879),
      MARKED((F::poisson_nll_loss(x, counts())), 0.5915059488, 0.04077807134),
      MARKED(
          (F::poisson_nll_loss(
              x.abs(), counts(),
              F::PoissonNLLLossFuncOptions().log_input(false).full(true).reduction(torch::kNone))),
          -2.509493234, 12.67010247),
      MARKED((F::hinge_embedding_loss(x, signs({4, 3}))), 0.5788913904, 0.05173832006),
      MARKED((F::hinge_embedding_loss(
                 x, signs({4, 3}),
                 F::HingeEmbeddingLossFuncOptions().margin(0.4).reduction(torch::kNone))),
             -0.276943417, 0.7924865994),
      MARKED((F::margin_ranking_loss(x, other(), signs({4, 3}),
                                     F::MarginRankingLossFuncOptions().margin(0.5))),
             0.3206255337, -0.05173832006),
      MARKED((F::cosine_embedding_loss(
                 x, other(), signs({4}),
                 F::CosineEmbeddingLossFuncOptions().margin(-0.5).reduction(torch::kNone))),
             -1.481118115, -0.1698586106),
      MARKED((F::cosine_embedding_loss(x[0], other()[1], torch::tensor(1))), 0.6404155444,
             0.2393242117),
      MARKED((F::soft_margin_loss(x, signs({4, 3}))), 0.2336383391, -0.02096880652),
      MARKED((F::multilabel_soft_margin_loss(x, (signs({4, 3}) + 1) / 2)), 0.2336383391,
             -0.02096880652),
      MARKED(
          (F::multilabel_soft_margin_loss(
              x, (signs({4, 3}) + 1) / 2,
              F::MultilabelSoftMarginLossFuncOptions().weight(weights()).reduction(torch::kNone))),
          -0.4836195403, 0.08911589019),
      MARKED((F::multi_margin_loss(x, classes())), 0.4467300507, 0.209420778),
      MARKED((F::multi_margin_loss(
                 x, classes(),
                 F::MultiMarginLossFuncOptions().p(2).margin(0.7).weight(weights()).reduction(
                     torch::kNone))),
             -2.361072148, 1.321709743),
      MARKED((F::multi_margin_loss(x[1], torch::tensor({2}))), 0.1372062847, -0.2906491252),
      MARKED((F::multilabel_margin_loss(
                 x, torch::tensor({{2, 0, -1}, {-1, 0, 1}, {1, -1, 2}, {0, 1, 2}}))),
             0.1153390318, -0.01722679531),
      MARKED((F::multilabel_margin_loss(
                 x, torch::tensor({{2, 0, -1}, {-1, 0, 1}, {1, -1, 2}, {0, 1, 2}}), torch::kNone)),
             0.4613561271, -0.06890718125),
      MARKED((F::multilabel_margin_loss(x[2], torch::tensor({1, -1, 0}))), 0, 0),
      MARKED((F::triplet_margin_loss(x, other(), other() * 2)), 0.0518885738, -0.01426883183),
      MARKED(
          (F::triplet_margin_loss(
              x, other() * 2, other(),
              F::TripletMarginLossFuncOptions().margin(3).p(3).swap(true).reduction(torch::kNone))),
          -6.601203989, 0.5267022604),
      MARKED((F::triplet_margin_with_distance_loss(x, other() * 2, other())), 1.16336504,
             -0.04459031674),
      MARKED((F::triplet_margin_with_distance_loss(x, other() * 2, other(),
                                                   F::TripletMarginWithDistanceLossFuncOptions()
                                                       .distance_function(l1)
                                                       .margin(2)
                                                       .swap(true)
                                                       .reduction(torch::kSum))),
             8.570957462, 0.152060092),
      MARKED((F::cosine_similarity(x, other())), -1.48526999, 0.1651147116),
      MARKED((F::cosine_similarity(x, other()[0], F::CosineSimilarityFuncOptions().dim(0).eps(2))),
             0.09756522112, -0.008857183962),
      MARKED(
          (F::pairwise_distance(x, other(), F::PairwiseDistanceFuncOptions().p(1).keepdim(true))),
          -1.074764808, -0.2987820784),
      MARKED((F::pairwise_distance(x, other()[0])), -2.927064149, -0.277517532),
  };
  for (const Marked &expected : table)
    checkMarks(expected, {4, 3}, 0.2);
}

TEST_CASE("rearrangements of images give LibTorch's values and gradients") {
  const std::vector<Marked> table{
      MARKED((F::unfold(x, F::UnfoldFuncOptions({2, 3}))), 3.880301097, 0.3501883929),
      MARKED((F::unfold(
                 x, F::UnfoldFuncOptions({2, 3}).dilation({2, 1}).padding({1, 2}).stride({2, 3}))),
             -6.423848337, 1.107302854),
      MARKED((F::fold(x.reshape({2, 8, 15}).slice(2, 0, 12), F::FoldFuncOptions({4, 5}, 2))),
             -0.8986470134, 13.63072257),
      MARKED((F::fold(x.reshape({2, 6, 20}).slice(2, 0, 16), F::FoldFuncOptions({5, 6}, {2, 3}))),
             0.3526702362, 3.285150933),
      MARKED(
          (F::fold(
              x.reshape({2, 4, 30}).slice(2, 0, 8),
              F::FoldFuncOptions({5, 4}, {2, 2}).dilation({1, 2}).padding({0, 1}).stride({2, 1}))),
          0.3088626728, -0.9031396659),
      MARKED((F::pixel_shuffle(x, 2)), 1.81591229, -0.3037505722),
      MARKED((F::pixel_unshuffle(x.slice(2, 0, 4), 2)), 0.1729160062, -5.676718361),
  };
  for (const Marked &expected : table)
    checkMarks(expected, {2, 4, 5, 6}, 0);
}

TEST_CASE("sums over letters and ellipses give LibTorch's values and gradients") {
  const std::vector<Marked> table{
      MARKED((torch::einsum("...i,...i->...", {x, wave({3})})), -0.1062461927, -0.01403331902),
      MARKED((torch::einsum("...ij,jk", {x, wave({3, 2})})), -0.09488003866, 0.1169433064),
      MARKED((torch::einsum("...ij->...ji", {x})), 1.117882277, -0.05693668636),
      MARKED((torch::einsum("...ii", {x})), -1.857184632, -0.02961037441),
      MARKED((torch::einsum("b...,...->b", {x, wave({1, 3})})), 0.2485341412, 0.2152951418),
      MARKED((torch::einsum("...i->i", {x})), 0.1869900513, 0.2315640789),
      MARKED((torch::einsum("a...b,bc...->...ca", {x, wave({3, 4, 3})})), 0.6239947934,
             -0.459789278),
      MARKED((F::bilinear(x, wave({2, 3, 2}), wave({4, 3, 2}), wave({4}))), -3.456977444,
             6.102309342),
  };
  for (const Marked &expected : table)
    checkMarks(expected, {2, 3, 3}, 0);
}
