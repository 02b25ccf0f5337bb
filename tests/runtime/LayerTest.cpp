// Containers of modules and parameters, layers beside the usual ones, and how they print.
#include "Expect.h"

#include <cmath>
#include <sstream>

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using torch::Tensor;

namespace {

template <class T> std::string text(const T &value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

} // namespace

TEST_CASE("a grid shows an image as it is, mirrored, and from outside") {
  namespace F = torch::nn::functional;
  Tensor x = torch::arange(12, torch::kFloat).view({1, 1, 3, 4});
  Tensor same = torch::tensor({{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}});
  auto seen = [&](const Tensor &theta, F::GridSampleFuncOptions options, bool align) {
    return F::grid_sample(x, F::affine_grid(theta, x.sizes(), align), options.align_corners(align));
  };
  for (bool align : {false, true}) {
    CHECK(torch::allclose(seen(same, {}, align), x, 1e-5, 1e-5));
    CHECK(torch::allclose(seen(-same, {}, align), x.flip({2, 3}), 1e-5, 1e-5));
    CHECK(seen(same, F::GridSampleFuncOptions().mode(torch::kNearest), align).equal(x));
  }
  Tensor far = torch::full({1, 1, 1, 2}, 5.0);
  CHECK(F::grid_sample(x, far).item<float>() == 0);
  CHECK(F::grid_sample(x, far, F::GridSampleFuncOptions().padding_mode(torch::kBorder))
            .item<float>() == 11);
  CHECK(errorOf([&] { F::affine_grid(same, {1, 1, 2, 2, 2}); }) ==
        "Expected a batch of 3D affine matrices of shape Nx3x4 for size [1, 1, 2, 2, 2]. Got "
        "[1, 2, 3].");
}

TEST_CASE("a ModuleDict keeps modules under names") {
  nn::ModuleDict modules;
  modules->update({{"a", nn::Linear(2, 3).ptr()}, {"b", nn::ReLU().ptr()}});
  CHECK(modules->keys() == std::vector<std::string>{"a", "b"});
  CHECK(modules->size() == 2);
  CHECK(modules->contains("b"));
  CHECK(modules->parameters().size() == 2);
  CHECK(modules->named_parameters().keys() == std::vector<std::string>{"a.weight", "a.bias"});
  CHECK(modules->at<nn::LinearImpl>("a").weight.size(0) == 3);
  CHECK(modules["b"]->as<nn::ReLU>() != nullptr);
  CHECK(errorOf([&] { modules["c"]; }) == "Key 'c' is not defined");

  auto copy = std::dynamic_pointer_cast<nn::ModuleDictImpl>(modules->clone());
  CHECK(copy->keys() == modules->keys());
  CHECK_FALSE(copy->parameters()[0].is_same(modules->parameters()[0]));
  CHECK(torch::equal(copy->parameters()[0], modules->parameters()[0]));

  modules->update({{"a", nn::Linear(4, 5).ptr()}});
  CHECK(modules->size() == 2);
  CHECK(modules->parameters()[0].size(0) == 5);
  CHECK(modules->pop("a")->parameters().size() == 2);
  CHECK(modules->keys() == std::vector<std::string>{"b"});
  CHECK(modules->parameters().size() == 2); // it stays registered
  modules->clear();
  CHECK(modules->empty());
}

TEST_CASE("a ParameterList numbers its parameters") {
  Tensor constant = torch::ones({2, 3}), trained = torch::ones({1}, torch::requires_grad());
  nn::ParameterList list(constant, trained);
  list->append(torch::zeros({4}));
  CHECK(list->size() == 3);
  CHECK(list->named_parameters().keys() == std::vector<std::string>{"0", "1", "2"});
  CHECK_FALSE(list->at(0).requires_grad());
  CHECK(list[1].requires_grad());
  CHECK(errorOf([&] { list->at(3); }) == "Index out of range");
  nn::ParameterList longer;
  longer->extend(*list);
  longer->extend(std::vector<Tensor>{trained});
  CHECK(longer->size() == 4);
  CHECK(text(nn::ParameterList(constant, trained)) ==
        "torch::nn::ParameterList(\n(0): Parameter containing: [Float of size [2, 3]]\n"
        "(1): Parameter containing: [Float of size [1]]\n)");
}

TEST_CASE("a ParameterDict names its parameters") {
  nn::ParameterDict dict;
  dict->insert("w", torch::ones({2}, torch::requires_grad()));
  dict->insert("v", torch::zeros({3}));
  CHECK(dict->keys() == std::vector<std::string>{"w", "v"});
  CHECK(dict->get("w").requires_grad());
  CHECK(dict["v"].size(0) == 3);
  CHECK(dict->contains("v"));
  CHECK(errorOf([&] { dict->get("u"); }) == "Parameter 'u' is not defined");
  CHECK(errorOf([&] { dict->insert("w", torch::ones({1})); }) == "Parameter 'w' already defined");
  CHECK(text(dict).find(
            "torch::nn::ParameterDict(\n(w): Parameter containing: [Float of size [2]]") == 0);
  CHECK(dict->pop("w").size(0) == 2);
  CHECK(dict->size() == 1);
  dict->clear();
  CHECK(dict->empty());
}

TEST_CASE("an embedding neither trains nor starts its padding") {
  nn::Embedding embedding(nn::EmbeddingOptions(3, 2).padding_idx(-1));
  CHECK(embedding->weight[2].equal(torch::zeros({2})));
  embedding(torch::tensor({0, 2, 2})).sum().backward();
  CHECK(torch::equal(embedding->weight.grad(), torch::tensor({{1., 1.}, {0., 0.}, {0., 0.}})));
  CHECK(text(embedding) ==
        "torch::nn::Embedding(num_embeddings=3, embedding_dim=2, padding_idx=2)");
  CHECK(errorOf([] { nn::Embedding(nn::EmbeddingOptions(3, 4).padding_idx(3)); }) ==
        "Padding_idx must be within num_embeddings");
  Tensor rows = torch::tensor({{1., 2.}, {3., 4.}}, torch::requires_grad());
  F::embedding(torch::tensor({1, 0}), rows, F::EmbeddingFuncOptions().padding_idx(-1))
      .sum()
      .backward();
  CHECK(torch::equal(rows.grad(), torch::tensor({{1., 1.}, {0., 0.}})));
}

TEST_CASE("an embedding may start from given rows") {
  Tensor rows = torch::tensor({{1., 2.}, {3., 4.}});
  auto frozen = nn::Embedding::from_pretrained(rows);
  CHECK(torch::equal(frozen(torch::tensor({1})), rows.slice(0, 1)));
  CHECK_FALSE(frozen->weight.requires_grad());
  auto trained =
      nn::Embedding::from_pretrained(rows, nn::EmbeddingFromPretrainedOptions().freeze(false));
  CHECK(trained->weight.requires_grad());
}

TEST_CASE("layers with two inputs or of rows start as LibTorch's", "[host]") {
  torch::manual_seed(4);
  nn::Bilinear layer(2, 3, 1);
  CHECK(layer->weight[0][1][2].item<float>() == Approx(-0.6520).epsilon(1e-3));
  CHECK(layer->bias.item<float>() == Approx(0.6971).epsilon(1e-3));
  torch::manual_seed(4);
  nn::Embedding embedding(nn::EmbeddingOptions(3, 2).padding_idx(-1));
  CHECK(embedding->weight[0][0].item<float>() == Approx(-1.6053).epsilon(1e-4));
}

TEST_CASE("Bilinear takes two batches of a size") {
  nn::Bilinear layer(2, 3, 1);
  CHECK(layer(torch::ones({5, 2}), torch::ones({5, 3})).sizes() == std::vector<int64_t>{5, 1});
  auto refused = [&](torch::IntArrayRef a, torch::IntArrayRef b) {
    return errorOf([&] { layer(torch::ones(a), torch::ones(b)); });
  };
  CHECK(refused({2, 2}, {3, 3}) ==
        "bilinear(): input batch dimensions do not match at dim 0: got 2 and 3");
  CHECK(refused({2, 3}, {2, 3}) ==
        "bilinear(): input1 size does not match weight size: got 3 but expected 2");
}

TEST_CASE("layers print as LibTorch's") {
  CHECK(text(nn::HingeEmbeddingLoss()) == "torch::nn::HingeEmbeddingLoss(margin=1)");
  CHECK(text(nn::MultiMarginLoss()) == "torch::nn::MultiMarginLoss(p=1, margin=1, weight=[ Tensor "
                                       "(undefined) ], reduction=kMean)");
  CHECK(text(nn::CosineEmbeddingLoss()) == "torch::nn::CosineEmbeddingLoss(margin=0)");
  CHECK(text(nn::TripletMarginLoss()) ==
        "torch::nn::TripletMarginLoss(margin=1, p=2, eps=1e-06, swap=false)");
  CHECK(text(nn::TripletMarginWithDistanceLoss()) ==
        "torch::nn::TripletMarginWithDistanceLoss(margin=1, swap=false)");
  CHECK(text(nn::MarginRankingLoss()) == "torch::nn::MarginRankingLoss()");
  CHECK(text(nn::KLDivLoss()) == "torch::nn::KLDivLoss()");
  CHECK(text(nn::CosineSimilarity()) == "torch::nn::CosineSimilarity(dim=1, eps=1e-08)");
  CHECK(text(nn::PairwiseDistance()) ==
        "torch::nn::PairwiseDistance(p=2, eps=1e-06, keepdim=false)");
  CHECK(text(nn::Bilinear(2, 3, 4)) ==
        "torch::nn::Bilinear(in1_features=2, in2_features=3, out_features=4, bias=true)");
  CHECK(text(nn::Fold(nn::FoldOptions({4, 5}, 2))) ==
        "torch::nn::Fold(output_size=[4, 5], kernel_size=[2, 2], dilation=[1, 1], padding=[0, 0], "
        "stride=[1, 1])");
  CHECK(text(nn::Unfold(nn::UnfoldOptions({2, 3}))) ==
        "torch::nn::Unfold(kernel_size=[2, 3], dilation=[1, 1], padding=[0, 0], stride=[1, 1])");
  CHECK(text(nn::PixelShuffle(2)) == "torch::nn::PixelShuffle(upscale_factor=2)");
  CHECK(text(nn::PixelUnshuffle(2)) == "torch::nn::PixelUnshuffle(downscale_factor=2)");
}

TEST_CASE("tensors of no dimension print with the fewest digits") {
  auto number = [](const Tensor &x) {
    std::string all = text(x);
    return all.substr(0, all.find('\n'));
  };
  CHECK(number(torch::tensor(1.5)) == "1.5");
  CHECK(number(torch::tensor(1e-5)) == "9.999999747378752e-06");
  CHECK(number(torch::tensor(1e10)) == "10000000000");
  CHECK(number(torch::tensor(123456.789)) == "123456.7890625");
  CHECK(number(torch::tensor(0.0)) == "0");
  CHECK(number(torch::tensor(-2)) == "-2");
  CHECK(number(torch::tensor(true)) == "1");
  CHECK(number(torch::tensor(INFINITY)) == "inf");
}

TEST_CASE("losses refuse classes that there are not", "[host]") {
  Tensor ones = torch::ones({2, 3});
  CHECK(errorOf([&] { F::multi_margin_loss(ones, torch::tensor({0, 3})); }) ==
        "target out of range");
  CHECK(errorOf([&] { F::multilabel_margin_loss(ones[0], torch::tensor({0, 5, 1})); }) ==
        "argument #2 'target' is out of range");
}

TEST_CASE("losses refuse what does not fit") {
  auto of = [](auto action) { return errorOf(action); };
  Tensor ones = torch::ones({2, 3});
  CHECK(of([&] { F::multi_margin_loss(ones, torch::ones({2})); }) ==
        "expected scalar type Long but found Float");
  CHECK(of([&] { F::multi_margin_loss(ones, torch::tensor({0, 1, 1})); }) ==
        "multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
        "samples (batch size). Expected target size [2], but got [3]. Input has shape [2, 3].");
  CHECK(of([&] { F::multilabel_margin_loss(ones, torch::tensor({0, 1, 1})); }) ==
        "inconsistent target size: [3] for input of size: [2, 3]");
  CHECK(of([&] { F::cosine_embedding_loss(ones[0], ones[0], torch::tensor({1})); }) ==
        "1D target tensor expects 2D input tensors, but found inputs with sizes [3] and [3].");
  CHECK(of([&] { F::triplet_margin_loss(ones, ones[0], ones[0]); }) ==
        "The anchor, positive, and negative tensors are expected to have the same number of "
        "dimensions, but got: anchor 2D, positive 1D, and negative 1D inputs");
  CHECK(of([&] { F::cosine_similarity(ones.to(torch::kLong), ones.to(torch::kLong)); }) ==
        "expected common dtype to be floating point, yet common dtype is Long");
}

TEST_CASE("rearrangements refuse what does not fit") {
  auto of = [](auto action) { return errorOf(action); };
  CHECK(of([] { F::fold(torch::ones({1, 5, 9}), F::FoldFuncOptions({4, 4}, {2, 2})); }) ==
        "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but "
        "got input.size(1)=5 and kernel_size=(2, 2).");
  CHECK(of([] { F::fold(torch::ones({1, 4, 8}), F::FoldFuncOptions({4, 4}, {2, 2})); }) ==
        "Given output_size=(4, 4), kernel_size=(2, 2), dilation=(1, 1), padding=(0, 0), stride=(1, "
        "1), expected size of input's dimension 2 to match the calculated number of sliding blocks "
        "3 * 3 = 9, but got input.size(2)=8.");
  CHECK(of([] { F::unfold(torch::ones({4, 4}), F::UnfoldFuncOptions({2, 2})); }) ==
        "Input Error: Only 4D input Tensors are supported (got 2D)");
  CHECK(of([] { F::unfold(torch::ones({1, 1, 4, 4}), F::UnfoldFuncOptions({5, 2})); }) ==
        "Given input with spatial size (4, 4), kernel_size=(5, 2), dilation=(1, 1), padding=(0, "
        "0), calculated shape of the array of sliding blocks as (0, 3), but its components must be "
        "at least one.");
  CHECK(of([] { torch::pixel_shuffle(torch::ones({1, 3, 4, 4}), 2); }) ==
        "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
        "upscale_factor, but input.size(-3)=3 is not divisible by 4");
  CHECK(of([] { torch::pixel_unshuffle(torch::ones({1, 3, 5, 4}), 2); }) ==
        "pixel_unshuffle expects height to be divisible by downscale_factor, but input.size(-2)=5 "
        "is not divisible by 2");
}

TEST_CASE("einsum says what is wrong with an equation") {
  auto of = [](const char *equation, const std::vector<Tensor> &operands) {
    return errorOf([&] { torch::einsum(equation, operands); });
  };
  Tensor x = torch::ones({2, 3});
  CHECK(of("i...->...j", {x}) == "einsum(): output subscript j does not appear in the equation for "
                                 "any input operand");
  CHECK(of("i..j->ij", {x}) ==
        "einsum(): found '.' for operand 0 that is not part of any ellipsis");
  CHECK(of("...i...->i", {x}) ==
        "einsum(): found '.' for operand 0 for which an ellipsis was already found");
  CHECK(of("ijk...->i", {x}) == "einsum(): the number of subscripts in the equation (3) is more "
                                "than the number of dimensions (2) for operand 0");
  CHECK(of("...i,...i->...", {x, torch::ones({4, 3})}) ==
        "einsum(): dimension 0 covered by ellipsis in operand 1has size 4 which does not broadcast "
        "with previously seen ellipsis with size 2 for the respective dimension");
}

TEST_CASE("softmax over channels, dimensions taken apart, GELU by tanh") {
  torch::manual_seed(1);
  Tensor x = torch::randn({2, 6, 3, 3});
  CHECK(nn::Softmax2d()(x).sum(1).allclose(torch::ones({2, 3, 3})));
  CHECK(errorOf([&] { nn::Softmax2d()(x.flatten(1)); }) ==
        "Softmax2d requires a 3D or 4D tensor as input");
  CHECK(nn::Unflatten(nn::UnflattenOptions(1, {2, -1}))(x).sizes() ==
        torch::IntArrayRef({2, 2, 3, 3, 3}));
  Tensor y = torch::tensor({-2.0, -0.5, 1.0}, torch::kDouble);
  Tensor expected = 0.5 * y * (1 + torch::tanh(std::sqrt(2 / M_PI) * (y + 0.044715 * y.pow(3))));
  CHECK(nn::GELU(nn::GELUOptions().approximate("tanh"))(y).allclose(expected));
  CHECK(F::gelu(y, F::GELUFuncOptions().approximate("none")).equal(torch::gelu(y)));
}

TEST_CASE("a hard sample of classes is one of them, with the gradient of the soft one") {
  torch::manual_seed(2);
  Tensor logits = torch::randn({5, 4}).requires_grad_();
  Tensor sample = F::gumbel_softmax(logits, F::GumbelSoftmaxFuncOptions().hard(true).dim(1));
  CHECK(sample.detach().round().sum(1).equal(torch::ones({5})));
  CHECK(torch::allclose(sample.detach().max(), torch::ones({})));
  (sample * torch::arange(4)).sum().backward();
  CHECK(logits.grad().abs().sum().item<float>() > 0);
}

TEST_CASE("an adaptive softmax gives all classes a probability") {
  torch::manual_seed(4);
  nn::AdaptiveLogSoftmaxWithLoss softmax(nn::AdaptiveLogSoftmaxWithLossOptions(16, 20, {5, 10}));
  CHECK(softmax->named_parameters().keys() ==
        std::vector<std::string>{"head.weight", "tail.0.0.weight", "tail.0.1.weight",
                                 "tail.1.0.weight", "tail.1.1.weight"});
  Tensor x = torch::randn({4, 16}), target = torch::tensor({0, 7, 19, 4});
  Tensor all = softmax->log_prob(x);
  CHECK(all.exp().sum(1).allclose(torch::ones({4})));
  auto result = softmax(x, target);
  CHECK(result.output.allclose(all.gather(1, target.unsqueeze(1)).squeeze(1)));
  CHECK(result.loss == Approx(-result.output.mean().item<double>()));
  CHECK(softmax->predict(x).equal(all.argmax(1)));
  CHECK(errorOf([&] { softmax(x, torch::tensor({0, 7, 20, 4})); }) != "no error");
  CHECK(errorOf([&] {
          nn::AdaptiveLogSoftmaxWithLoss(16, 20, std::vector<int64_t>{5, 20});
        }).find("cutoffs should be a sequence") == 0);
}

TEST_CASE("a Sequential computes what its modules compute one after the other") {
  torch::manual_seed(5);
  nn::Linear first(6, 8), second(8, 3);
  nn::GELU gelu(nn::GELUOptions().approximate("tanh"));
  nn::Sequential model(first, gelu, second, nn::GELU(), nn::ReLU());
  for (const std::vector<int64_t> &sizes :
       std::vector<std::vector<int64_t>>{{4, 6}, {2, 5, 6}, {6}, {0, 6}}) {
    Tensor x = torch::randn(sizes).requires_grad_(), y = x.detach().clone().requires_grad_();
    Tensor whole = model->forward(x), parts = torch::relu(torch::gelu(second(gelu(first(y)))));
    CHECK(agree(whole, parts));
    whole.sum().backward();
    parts.sum().backward();
    CHECK(agree(x.grad(), y.grad()));
  }
  nn::Sequential start(first, gelu);
  Tensor x = torch::randn({4, 6});
  Tensor out = start->forward(x);
  CHECK(out.grad_fn()->name() == "GeluBackward0");
  CHECK(out.grad_fn()->next_edge(0).function->name() == "AddmmBackward0");
  CHECK(out._version() == 0);
  CHECK(errorOf([&] { start->forward(torch::randn({4, 5})); }) ==
        "addmm: mat1 and mat2 shapes cannot be multiplied (4x5 and 6x8)");
  first->weight.set_data(torch::zeros({8, 6}));
  CHECK(torch::allclose(start->forward(x)[0], gelu(first->bias)));
}
