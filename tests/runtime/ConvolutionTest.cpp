// Convolution, pooling, padding and resizing: values, gradients and first parameters as LibTorch
// gives them, and what misuse says.
#include "Expect.h"

#include <sstream>

using torch::Tensor;
namespace nn = torch::nn;
namespace F = torch::nn::functional;

namespace {

Tensor weight(torch::IntArrayRef sizes) { return torch::cos(wave(sizes).detach() * 5); }

template <class Module> std::string text(const Module &module) {
  std::ostringstream stream;
  stream << module;
  return stream.str();
}

} // namespace

TEST_CASE("convolutions over one dimension give LibTorch's values and gradients") {
  const Marked rows[] = {
      MARKED(torch::conv1d(x, weight({3, 4, 3})), -0.790082943, 30.94312682),
      MARKED(torch::conv1d(x, weight({6, 2, 3}), weight({6}), 2, 1, 2, 2), -7.782896912,
             -1.525659821),
      MARKED(torch::conv1d(x[0], weight({3, 4, 3}), {}, 1, "same"), 0.4455447509, -0.356561759),
      MARKED(torch::conv_transpose1d(x, weight({4, 3, 3}), weight({3}), 3, 1, 1), -3.453751248,
             2.601088673),
      MARKED(torch::max_pool1d(x, 3, 2, 1), 0.2030318014, -0.9568531804),
      MARKED(torch::avg_pool1d(x, 3, 2, 1, true, false), -2.180330245, -1.13645398),
      MARKED(torch::adaptive_avg_pool1d(x, 3), 0.126863729, 0.1835603317),
      MARKED(std::get<0>(torch::adaptive_max_pool1d(x, 5)), 1.808650264, 1.301685155),
      MARKED(F::lp_pool1d(x.abs(), F::LPPool1dFuncOptions(3, 2)), -0.001566174983, -0.2927267442),
      MARKED(F::pad(x, F::PadFuncOptions({2, 1}).mode(torch::kReplicate)), -2.487056758,
             -3.697864465),
  };
  for (const Marked &row : rows)
    checkMarks(row, {2, 4, 8});
}

TEST_CASE("convolutions over two dimensions give LibTorch's values and gradients") {
  const Marked rows[] = {
      MARKED(torch::conv2d(x, weight({3, 4, 3, 3})), 0.2183908039, 7.737575807),
      MARKED(torch::conv2d(x, weight({3, 4, 1, 1}), weight({3})), -1.604076766, -7.088587156),
      MARKED(torch::conv2d(x, weight({3, 4, 3, 2}), weight({3}), {2, 1}, {1, 0}, {1, 2}),
             -1.216346173, 0.8802050557),
      MARKED(torch::conv2d(x, weight({8, 2, 3, 3}), weight({8}), 2, 1, 1, 2), -2.906437432,
             -13.40724779),
      MARKED(torch::conv2d(x, weight({4, 1, 3, 3}), {}, 1, 1, 1, 4), 0.407471077, -46.57781604),
      MARKED(torch::conv2d(x, weight({3, 4, 2, 3}), {}, 1, "same"), -0.4183589265, 40.19085102),
      MARKED(torch::conv2d(x[0], weight({3, 4, 3, 3})), 0.09204786469, 7.206669196),
      MARKED(torch::conv2d(x.transpose(2, 3), weight({3, 4, 3, 3})), -0.5735850495, 4.507682929),
      MARKED(torch::conv_transpose2d(x, weight({4, 3, 3, 3})), 0.3731841876, 8.641820782),
      MARKED(torch::conv_transpose2d(x, weight({4, 3, 4, 4}), weight({3}), 2, 1), -1.251166089,
             3.153753629),
      MARKED(torch::conv_transpose2d(x, weight({4, 2, 3, 3}), weight({4}), {2, 3}, {1, 0}, {1, 2},
                                     2, 2),
             -1.81583578, 0.9738122659),
      MARKED(F::conv2d(x, weight({3, 4, 3, 3}),
                       F::Conv2dFuncOptions().bias(weight({3})).stride({2, 1}).padding({1, 2})),
             -3.419267036, 0.7636391019),
      MARKED(F::conv_transpose2d(x, weight({4, 3, 3, 3}),
                                 F::ConvTranspose2dFuncOptions().stride(2).output_padding(1)),
             -1.367536895, 6.560091104),
  };
  for (const Marked &row : rows)
    checkMarks(row, {2, 4, 6, 5});
}

TEST_CASE("pooling over two dimensions gives LibTorch's values and gradients") {
  const Marked rows[] = {
      MARKED(torch::max_pool2d(x, 2), -1.673626442, -0.08421607674),
      MARKED(torch::max_pool2d(x, {3, 2}, {2, 1}, {1, 0}, {1, 2}), 2.059281358, -6.159012561),
      MARKED(torch::max_pool2d(x, 3, 2, 1, 1, true), 0.9704372736, 0.8340593185),
      MARKED(torch::max_pool2d(x[0], 2), -1.218321323, 3.628962155),
      MARKED(torch::max_pool2d(x.transpose(1, 3), 2), -0.6305241397, 1.304109657),
      MARKED(torch::avg_pool2d(x, 2), -0.05039052497, 0.1637754897),
      MARKED(torch::avg_pool2d(x, 3, 2, 1, true, false), 0.005189383988, -0.1910972122),
      MARKED(torch::avg_pool2d(x, 3, 2, 1, true, true), 0.02310241433, -0.141351221),
      MARKED(torch::avg_pool2d(x, {2, 3}, 1, 0, false, true, 5), -0.04718805855, 0.3916423731),
      MARKED(torch::adaptive_avg_pool2d(x, {3, 2}), 0.07769165491, -0.1753889762),
      MARKED(torch::adaptive_avg_pool2d(x, {4, 3}), 0.2564007764, -0.5806126955),
      MARKED(std::get<0>(torch::adaptive_max_pool2d(x, {4, 3})), 0.2426120057, -3.28894261),
      MARKED(std::get<0>(torch::adaptive_max_pool2d(x, {3, 5})), -0.422268082, -1.965637353),
      MARKED(F::adaptive_avg_pool2d(
                 x, F::AdaptiveAvgPool2dFuncOptions({torch::nullopt, torch::nullopt})),
             -0.05017483921, 119.6519517),
      MARKED(F::max_unpool2d(
                 torch::max_pool2d(x, 2), std::get<1>(torch::max_pool2d_with_indices(x, 2)),
                 F::MaxUnpool2dFuncOptions(2).output_size(std::vector<int64_t>{2, 4, 6, 5})),
             2.833051974, 22.51627717),
      MARKED(F::lp_pool2d(x.abs(), F::LPPool2dFuncOptions(2, 2).stride(1)), -1.392698101,
             -0.09699799716),
  };
  for (const Marked &row : rows)
    checkMarks(row, {2, 4, 6, 5});
}

namespace {

using Pooled = std::tuple<Tensor, Tensor>;

/// The gradient of pooling by maxima against sums at the indices.
void checkMaxima(const Tensor &input, int64_t dims, const std::function<Pooled(Tensor)> &pool) {
  Tensor x = input.detach().requires_grad_();
  auto [values, indices] = pool(x);
  CHECK(indices.scalar_type() == torch::kLong);
  Tensor picked = x.detach().flatten(-dims).gather(-1, indices.flatten(-dims));
  CHECK(torch::equal(values, picked.view(values.sizes())));
  Tensor g =
      torch::cos(torch::arange(values.numel(), torch::kDouble)).view(values.sizes()).to(values);
  values.backward(g);
  Tensor sums =
      torch::zeros(x.sizes(), torch::promote_types(x.scalar_type(), torch::kFloat))
          .flatten(-dims)
          .scatter_add(-1, indices.flatten(-dims),
                       g.to(torch::promote_types(x.scalar_type(), torch::kFloat)).flatten(-dims));
  CHECK(agree(x.grad(), sums.view(x.sizes()).to(x.scalar_type())));
}

} // namespace

TEST_CASE("elements get the gradients of all windows whose maximum they are") {
  torch::manual_seed(2);
  for (auto type : {torch::kFloat, torch::kDouble, torch::kHalf, torch::kBFloat16}) {
    const Tensor plane = torch::randn({2, 3, 9, 7}).to(type);
    for (const Tensor &x : {plane, plane.transpose(1, 3), plane[1], plane.slice(2, 1, 9, 2)}) {
      checkMaxima(x, 2, [](Tensor x) { return torch::max_pool2d_with_indices(x, 2); });
      checkMaxima(x, 2, [](Tensor x) {
        return torch::max_pool2d_with_indices(x, {3, 2}, {1, 1}, {1, 1}, {2, 3}, true);
      });
      checkMaxima(x, 2, [](Tensor x) { // some elements are in no window
        return torch::max_pool2d_with_indices(x, {1, 2}, {3, 2});
      });
      checkMaxima(x, 2, [](Tensor x) { return torch::adaptive_max_pool2d(x, {2, 5}); });
      checkMaxima(x, 2, [](Tensor x) { return torch::adaptive_max_pool2d(x, {11, 3}); });
    }
    checkMaxima(torch::randn({3, 40}).to(type), 1,
                [](Tensor x) { return torch::max_pool1d_with_indices(x, 5, 2, 2, 3); });
    checkMaxima(torch::randn({2, 3, 40}).to(type), 1,
                [](Tensor x) { return torch::adaptive_max_pool1d(x, 12); });
    checkMaxima(torch::randn({2, 5, 6, 7}).to(type), 3, [](Tensor x) {
      return torch::max_pool3d_with_indices(x, {2, 3, 2}, {1, 2, 1}, 1, {2, 1, 3}, true);
    });
    checkMaxima(torch::randn({1, 2, 5, 6, 7}).to(type), 3,
                [](Tensor x) { return torch::adaptive_max_pool3d(x, {3, 4, 2}); });
    checkMaxima(torch::zeros({1, 1, 4, 4}).to(type), 2, // the first of equal ones
                [](Tensor x) { return torch::max_pool2d_with_indices(x, 3, 1, 1); });
    checkMaxima(torch::zeros({0, 2, 4, 4}).to(type), 2,
                [](Tensor x) { return torch::max_pool2d_with_indices(x, 2); });
    checkMaxima(torch::zeros({2, 2, 4, 4}).to(type), 2,
                [](Tensor x) { return torch::adaptive_max_pool2d(x, {0, 2}); });
  }
}

TEST_CASE("pooling by maxima counts with as many bits as it needs") {
  const int64_t far = int64_t{1} << 40;
  const Tensor x = torch::tensor({1., 4., 3., 2., 5.}).view({1, 5});
  checkMaxima(x, 1, [&](Tensor x) { return torch::max_pool1d_with_indices(x, 3, far); });
  checkMaxima(x, 1, [&](Tensor x) { return torch::max_pool1d_with_indices(x, 1, 2, 0, far); });
  CHECK(torch::max_pool1d(x, 3, far).item<double>() == 4);
  checkMaxima(torch::randn({1, 50000}), 1,
              [](Tensor x) { return torch::adaptive_max_pool1d(x, 49999); });
}

TEST_CASE("maxima of windows have gradients of any order") {
  torch::manual_seed(3);
  auto gradientOf = [](auto pool) {
    return [=](const std::vector<Tensor> &in) {
      Tensor x = in[0].requires_grad() ? in[0] : in[0].clone().set_requires_grad(true);
      torch::AutoGradMode mode(true);
      Tensor first = torch::autograd::grad({pool(x).pow(4).sum()}, {x}, {}, true, true)[0];
      return torch::autograd::grad({first.pow(2).sum()}, {x}, {}, true, true)[0];
    };
  };
  const std::vector<Tensor> x{torch::randperm(2 * 5 * 4).to(torch::kDouble).view({2, 5, 4}) / 20};
  checkGradients(gradientOf([](Tensor x) { return torch::max_pool2d(x, 3, 1, 1); }), x);
  checkGradients(
      gradientOf([](Tensor x) { return std::get<0>(torch::adaptive_max_pool2d(x, {3, 3})); }), x);
}

TEST_CASE("maxima of windows are recorded by LibTorch's names") {
  const Tensor x = torch::rand({1, 2, 4, 4, 4}).requires_grad_();
  auto name = [](const Pooled &pooled) { return std::get<0>(pooled).grad_fn()->name(); };
  CHECK(name(torch::max_pool2d_with_indices(x[0], 2)) == "MaxPool2DWithIndicesBackward0");
  CHECK(name(torch::max_pool3d_with_indices(x, 2)) == "MaxPool3DWithIndicesBackward0");
  CHECK(name(torch::adaptive_max_pool2d(x[0], {2, 2})) == "AdaptiveMaxPool2DBackward0");
  CHECK(name(torch::adaptive_max_pool3d(x, {2, 2, 2})) == "AdaptiveMaxPool3DBackward0");
}

TEST_CASE("three dimensions") {
  const Marked rows[] = {
      MARKED(torch::conv3d(x, weight({3, 2, 2, 3, 2}), weight({3}), 1, 1), -5.016529499,
             1.933266589),
      MARKED(torch::conv_transpose3d(x, weight({2, 3, 2, 2, 2}), {}, 2), -3.898841167, 30.82673394),
      MARKED(torch::max_pool3d(x, 2, 2, 1), -3.044424247, 5.996869109),
      MARKED(torch::avg_pool3d(x, 2, 1), 0.01109697595, 0.07309975173),
      MARKED(torch::adaptive_avg_pool3d(x, {2, 2, 2}), -0.02079531366, 0.1027132545),
  };
  for (const Marked &row : rows)
    checkMarks(row, {1, 2, 3, 4, 4});
}

TEST_CASE("padding gives LibTorch's values and gradients") {
  const Marked rows[] = {
      MARKED(torch::constant_pad_nd(x, {1, 2, -1, 1}, 0.5), -1.343521675, 5.601648725),
      MARKED(F::pad(x, F::PadFuncOptions({1, 2, 0, 1}).value(2)), 0.4993671578, -1.573804046),
      MARKED(F::pad(x, F::PadFuncOptions({-1, -1})), -0.3409896793, -0.5839192378),
      MARKED(F::pad(x, F::PadFuncOptions({1, 2, 3, 1}).mode(torch::kReflect)), 1.307761832,
             1.152138979),
      MARKED(F::pad(x, F::PadFuncOptions({1, 2, 3, 1}).mode(torch::kReplicate)), 0.413599702,
             -14.3627223),
      MARKED(F::pad(x, F::PadFuncOptions({1, 2, 3, 1}).mode(torch::kCircular)), -0.1766126633,
             9.164237836),
      MARKED(nn::ZeroPad2d(1)(x), 0.2919509006, -0.1471474084),
      MARKED(nn::ConstantPad2d(nn::ConstantPad2dOptions({1, 0, 2, 1}, 3.5))(x), -1.115169416,
             0.1211575417),
      MARKED(nn::ReflectionPad2d(2)(x), -1.040370965, 0.5510172477),
      MARKED(nn::ReplicationPad2d(nn::ReplicationPad2dOptions({0, 1, 2, 3}))(x), 12.40484679,
             -1.345086288),
  };
  for (const Marked &row : rows)
    checkMarks(row, {2, 3, 4, 5});
}

TEST_CASE("convolutions have gradients of their gradients") {
  auto gradientOf = [](auto convolve) {
    return [=](const std::vector<Tensor> &in) {
      Tensor x = in[0].requires_grad() ? in[0] : in[0].clone().set_requires_grad(true);
      torch::AutoGradMode mode(true);
      Tensor y = convolve(x, in[1]);
      return torch::autograd::grad({y.pow(3).sum()}, {x}, {}, true, true)[0];
    };
  };
  torch::manual_seed(1);
  checkGradients(gradientOf([](Tensor x, Tensor w) { return torch::conv2d(x, w, {}, 2, 1); }),
                 {torch::randn({2, 2, 4, 3}), torch::randn({2, 2, 2, 2})});
  checkGradients(
      gradientOf([](Tensor x, Tensor w) { return torch::conv_transpose2d(x, w, {}, 2); }),
      {torch::randn({2, 2, 2, 2}), torch::randn({2, 2, 2, 2})});
  checkGradients(gradientOf([](Tensor x, Tensor w) { return torch::avg_pool2d(x * w, 2, 1); }),
                 {torch::randn({1, 2, 3, 3}), torch::randn({3, 3})});
}

TEST_CASE("a weight has the gradient that finite differences give") {
  torch::manual_seed(1);
  checkGradients(
      [](const std::vector<Tensor> &in) { return torch::conv2d(in[0], in[1], in[2], 2, 1, 1, 2); },
      {torch::randn({2, 4, 4, 3}), torch::randn({4, 2, 2, 3}), torch::randn({4})});
  checkGradients(
      [](const std::vector<Tensor> &in) {
        return torch::conv_transpose2d(in[0], in[1], in[2], 2, 1, 1, 2);
      },
      {torch::randn({2, 4, 3, 3}), torch::randn({4, 2, 2, 3}), torch::randn({4})});
}

TEST_CASE("convolution layers start with LibTorch's values for the same seed", "[host]") {
  torch::manual_seed(42);
  nn::Conv2d layer(nn::Conv2dOptions(2, 3, 3).groups(1));
  nn::ConvTranspose2d transposed(nn::ConvTranspose2dOptions(4, 2, 3).groups(2).bias(false));
  nn::Conv1d line(3, 5, 2);
  CHECK(mark(layer->weight) == Approx(0.13328423));
  CHECK(mark(layer->bias) == Approx(-0.077745414));
  CHECK(mark(transposed->weight) == Approx(-2.2970032));
  CHECK(mark(line->bias) == Approx(0.20287127));
  CHECK_FALSE(transposed->bias.defined());
  CHECK(transposed->weight.sizes() == torch::IntArrayRef({4, 1, 3, 3}));
}

TEST_CASE("layers over images pass their options on") {
  Tensor x = wave({2, 4, 6, 5}).detach().to(torch::kFloat);
  auto layer = nn::Conv2d(nn::Conv2dOptions(4, 2, 3).padding(2).padding_mode(torch::kReflect));
  CHECK(torch::allclose(
      layer(x),
      torch::conv2d(F::pad(x, F::PadFuncOptions({2, 2, 2, 2}).mode(torch::kReflect)), layer->weight,
                    layer->bias),
      1e-4, 1e-5));
  auto same = nn::Conv2d(nn::Conv2dOptions(4, 2, {3, 2}).padding(torch::kSame));
  CHECK(same(x).sizes() == torch::IntArrayRef({2, 2, 6, 5}));
  nn::ConvTranspose2d up(nn::ConvTranspose2dOptions(4, 2, 3).stride(2));
  CHECK(up(x).sizes() == torch::IntArrayRef({2, 2, 13, 11}));
  std::vector<int64_t> wanted{14, 12};
  CHECK(up(x, torch::IntArrayRef(wanted)).sizes() == torch::IntArrayRef({2, 2, 14, 12}));
  nn::MaxPool2d pool(nn::MaxPool2dOptions(3).stride(1).padding(1));
  CHECK(torch::equal(pool(x), torch::max_pool2d(x, 3, 1, 1)));
  CHECK(nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({2, torch::nullopt}))(x).sizes() ==
        torch::IntArrayRef({2, 4, 2, 5}));
  nn::Sequential model(nn::ConvTranspose2d(4, 2, 3), nn::MaxPool2d(2), nn::Flatten(),
                       nn::Linear(24, 3));
  CHECK(model->forward(x).sizes() == torch::IntArrayRef({2, 3}));
  auto copy = std::dynamic_pointer_cast<nn::SequentialImpl>(model->clone());
  CHECK(agree(copy->forward(x), model->forward(x)));
  nn::Sequential functional(
      nn::Functional(torch::max_pool2d, 2, torch::ExpandingArray<2>({2, 1}), 0, 1, false),
      nn::Functional(torch::relu));
  CHECK(torch::equal(functional->forward(x), torch::max_pool2d(x, 2, {2, 1}).relu()));
}

TEST_CASE("layers over images print as LibTorch's do") {
  CHECK(text(nn::Conv2d(nn::Conv2dOptions(1, 6, {3, 2})
                            .stride(2)
                            .padding({1, 0})
                            .dilation(2)
                            .bias(false)
                            .padding_mode(torch::kReflect))) ==
        "torch::nn::Conv2d(1, 6, kernel_size=[3, 2], stride=[2, 2], padding=[1, 0], dilation=[2, "
        "2], bias=false, padding_mode=kReflect)");
  CHECK(text(nn::Conv1d(nn::Conv1dOptions(2, 4, 3).padding(torch::kSame).groups(2))) ==
        "torch::nn::Conv1d(2, 4, kernel_size=3, stride=1, padding='same', groups=2)");
  CHECK(
      text(nn::ConvTranspose2d(nn::ConvTranspose2dOptions(4, 6, 3).stride(2).output_padding(1))) ==
      "torch::nn::ConvTranspose2d(4, 6, kernel_size=[3, 3], stride=[2, 2], output_padding=[1, 1])");
  CHECK(text(nn::MaxPool2d(nn::MaxPool2dOptions(2).ceil_mode(true))) ==
        "torch::nn::MaxPool2d(kernel_size=[2, 2], stride=[2, 2], padding=[0, 0], dilation=[1, 1], "
        "ceil_mode=true)");
  CHECK(text(nn::AvgPool1d(3)) == "torch::nn::AvgPool1d(kernel_size=3, stride=3, padding=0)");
  CHECK(text(nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({4, torch::nullopt}))) ==
        "torch::nn::AdaptiveAvgPool2d(output_size=[4, None])");
  CHECK(text(nn::AdaptiveMaxPool1d(3)) == "torch::nn::AdaptiveMaxPool1d(output_size=3)");
  CHECK(text(nn::MaxUnpool2d(2)) ==
        "torch::nn::MaxUnpool2d(kernel_size=[2, 2], stride=[2, 2], padding=[0, 0])");
  CHECK(text(nn::LPPool2d(2, 3)) ==
        "torch::nn::LPPool2d(norm_type=2, kernel_size=[3, 3], stride=[3, 3], ceil_mode=false)");
  CHECK(text(nn::ConstantPad1d(1, 2.5)) == "torch::nn::ConstantPad1d(padding=[1, 1], value=2.5)");
  CHECK(text(nn::ReflectionPad2d(1)) == "torch::nn::ReflectionPad2d(padding=[1, 1, 1, 1])");
}

TEST_CASE("misuse of convolution and pooling is explained in LibTorch's words") {
  Tensor x = torch::zeros({2, 3, 6, 6});
  auto conv = [&](torch::IntArrayRef weight, auto... options) {
    return errorOf([&] { torch::conv2d(x, torch::zeros(weight), {}, options...); });
  };
  CHECK(conv({4, 1, 3, 3}) == "Given groups=1, weight of size [4, 1, 3, 3], expected input[2, 3, "
                              "6, 6] to have 1 channels, but got 3 channels instead");
  CHECK(conv({4, 3, 7, 7}) == "Calculated padded input size per channel: (6 x 6). Kernel size: (7 "
                              "x 7). Kernel size can't be greater than actual input size");
  CHECK(conv({4, 3, 3, 3}, 0) == "non-positive stride is not supported");
  CHECK(conv({4, 3, 3, 3}, 1, -1) == "negative padding is not supported");
  CHECK(conv({4, 1, 3, 3}, 1, 1, 1, 3) == "Given groups=3, expected weight to be divisible by 3 at "
                                          "dimension 0, but got weight of size [[4, 1, 3, 3]] "
                                          "instead");
  Tensor w = torch::zeros({4, 3, 3, 3});
  const char *elsewhere =
      x.is_cpu() ? " or input should be a MKLDNN tensor and weight is a dense tensor" : "";
  CHECK(errorOf([&] { torch::conv2d(x, w.to(torch::kDouble)); }) ==
        "Input type (" + typeName("Float") + ") and weight type (" + typeName("Double") +
            ") should be the same" + elsewhere);
  CHECK(errorOf([&] { torch::conv2d(x[0][0], w); }) ==
        "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [6, 6]");
  CHECK(errorOf([&] { torch::conv2d(x, w, torch::zeros({3})); }) ==
        "Given weight of size [4, 3, 3, 3], expected bias to be 1-dimensional with 4 elements, but "
        "got bias of size [3] instead");
  CHECK(errorOf([&] { torch::conv_transpose2d(x, w); }) ==
        "Given transposed=1, weight of size [4, 3, 3, 3], expected input[2, 3, 6, 6] to have 4 "
        "channels, but got 3 channels instead");
  CHECK(errorOf([&] { nn::Conv2d(nn::Conv2dOptions(3, 4, 3).groups(2)); }) ==
        "in_channels must be divisible by groups");
  CHECK(errorOf([&] { torch::max_pool2d(x, 7); }) ==
        "Given input size: (3x6x6). Calculated output size: (3x0x0). Output size is too small");
  CHECK(errorOf([&] { torch::max_pool2d(x, 2, 2, 2); }) ==
        "pad should be at most half of effective kernel size, but got pad=2, kernel_size=2 and "
        "dilation=1");
  CHECK(errorOf([&] { torch::max_pool2d(x, 0); }) == "stride should not be zero");
  CHECK(errorOf([&] { torch::adaptive_avg_pool2d(x[0][0], {2, 2}); }) ==
        "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got [6, 6]");
  CHECK(errorOf([&] { F::pad(x, F::PadFuncOptions({7, 7, 7, 7}).mode(torch::kReflect)); }) ==
        "Argument #4: Padding size should be less than the corresponding input dimension, but got: "
        "padding (7, 7) at dimension 3 of input [2, 3, 6, 6]");
  CHECK(errorOf([&] { F::pad(x, F::PadFuncOptions({1, 2, 3})); }) ==
        "Padding length must be divisible by 2");
}
