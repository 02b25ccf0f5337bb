// Modules: registration, modes, containers, clones, dropout and batch norm.
#include "Expect.h"

#include <sstream>

using torch::Tensor;
namespace nn = torch::nn;

namespace {

struct NetImpl : nn::Cloneable<NetImpl> {
  explicit NetImpl(int64_t width) : width(width) { reset(); }
  void reset() override {
    hidden = register_module("hidden", nn::Linear(2, width));
    dropout = register_module("dropout", nn::Dropout(0.5));
    output = register_module("output", nn::Linear(nn::LinearOptions(width, 1).bias(false)));
    scale = register_parameter("scale", torch::ones({1}));
    mean = register_buffer("mean", torch::zeros({2}));
  }
  Tensor forward(Tensor x) { return output(dropout(torch::relu(hidden(x - mean)))) * scale; }

  int64_t width;
  nn::Linear hidden{nullptr}, output{nullptr};
  nn::Dropout dropout{nullptr};
  Tensor scale, mean;
};
TORCH_MODULE(Net);

struct PlainImpl : nn::Module {
  Tensor forward(const Tensor &x, int64_t times) { return x * times; }
};
TORCH_MODULE(Plain);

} // namespace

TEST_CASE("registered members are found by name and in order") {
  Net net(4);
  auto parameters = net->named_parameters();
  CHECK(parameters.keys() ==
        std::vector<std::string>{"scale", "hidden.weight", "hidden.bias", "output.weight"});
  CHECK(net->parameters().size() == 4);
  CHECK(net->parameters(false).size() == 1);
  CHECK(net->named_buffers().keys() == std::vector<std::string>{"mean"});
  CHECK(net->named_children().keys() == std::vector<std::string>{"hidden", "dropout", "output"});
  CHECK(net->modules().size() == 4);
  CHECK(parameters["hidden.weight"].sizes() == torch::IntArrayRef({4, 2}));
  CHECK(parameters["hidden.weight"].requires_grad());
  CHECK_FALSE(net->mean.requires_grad());
  CHECK_FALSE(net->output->bias.defined());
  CHECK(net->children()[0]->as<nn::Linear>() == net->hidden.get());
  CHECK(net->children()[0]->as<nn::Dropout>() == nullptr);
}

TEST_CASE("registration is checked") {
  nn::Module module;
  module.register_module("a", nn::Linear(1, 1));
  CHECK(errorOf([&] { module.register_module("a", nn::Linear(1, 1)); }) ==
        "Submodule 'a' already defined");
  CHECK(errorOf([&] { module.register_module("", nn::Linear(1, 1)); }) ==
        "Submodule name must not be empty");
  CHECK(errorOf([&] { module.register_parameter("a.b", torch::ones({1})); }) ==
        "Parameter name must not contain a dot (got 'a.b')");
  nn::Linear empty = nullptr;
  CHECK(errorOf([&] { empty->forward(torch::ones({1})); }) == "Accessing empty ModuleHolder");
  CHECK(errorOf([&] { PlainImpl().clone(); }).find("clone() has not been implemented") == 0);
}

TEST_CASE("train and eval reach registered submodules") {
  Net net(8);
  CHECK(net->is_training());
  Tensor x = torch::ones({1, 2});
  net->eval();
  CHECK_FALSE(net->dropout->is_training());
  CHECK(torch::equal(net(x), net(x)));
  net->train();
  CHECK(net->dropout->is_training());
  torch::manual_seed(0);
  Tensor zeros = torch::dropout(torch::ones({1000}), 0.3, true).eq(0).to(torch::kFloat).mean();
  CHECK(zeros.item<double>() == Approx(0.3).margin(0.05));
  CHECK(torch::dropout(torch::ones({10}), 0.5, true).max().item<double>() == 2);
  CHECK(nn::functional::dropout(torch::ones({100})).eq(0).any().item<bool>()); // trains by default
}

TEST_CASE("conversion happens in place, clones are apart, copies are not") {
  Net net(3);
  Tensor weight = net->hidden->weight;
  net->to(torch::kDouble);
  CHECK(weight.dtype() == torch::kDouble);
  auto clone = std::dynamic_pointer_cast<NetImpl>(net->clone());
  REQUIRE(clone);
  CHECK(torch::equal(clone->hidden->weight, net->hidden->weight));
  {
    torch::NoGradGuard guard;
    net->hidden->weight.fill_(7);
  }
  CHECK_FALSE(torch::equal(clone->hidden->weight, net->hidden->weight));
  NetImpl copy = *net;
  CHECK(copy.hidden->weight.is_same(net->hidden->weight));
}

TEST_CASE("zero_grad makes gradients undefined") {
  nn::Linear layer(2, 1);
  layer(torch::ones({1, 2})).sum().backward();
  CHECK(layer->weight.grad().defined());
  layer->zero_grad();
  CHECK_FALSE(layer->weight.grad().defined());
  layer(torch::ones({1, 2})).sum().backward();
  layer->zero_grad(false);
  CHECK(layer->weight.grad().abs().sum().item<float>() == 0);
}

TEST_CASE("Sequential calls its modules one after the other") {
  nn::Sequential model(nn::Linear(2, 4), nn::ReLU(), nn::Linear(4, 1));
  CHECK(model->size() == 3);
  CHECK(model->parameters().size() == 4);
  CHECK(model->named_parameters().contains("2.bias"));
  Tensor x = torch::ones({5, 2});
  Tensor byHand =
      model->at<nn::LinearImpl>(2).forward(torch::relu(model->at<nn::LinearImpl>(0).forward(x)));
  CHECK(agree(model->forward(x), byHand));
  nn::Sequential named({{"first", nn::Linear(2, 3)}, {"last", nn::Tanh()}});
  CHECK(named->named_parameters().contains("first.weight"));
  model->push_back(nn::Sigmoid());
  CHECK(model->forward(x).max().item<float>() < 1);
  model->eval();
  auto clone = std::dynamic_pointer_cast<nn::SequentialImpl>(model->clone());
  CHECK(torch::equal(clone->forward(x), model->forward(x)));
  CHECK_FALSE(clone->parameters()[0].is_same(model->parameters()[0]));
  std::ostringstream text;
  text << nn::Sequential(nn::Linear(1, 2), nn::ReLU());
  CHECK(text.str() == "torch::nn::Sequential(\n  (0): torch::nn::Linear(in_features=1, "
                      "out_features=2, bias=true)\n  (1): torch::nn::ReLU()\n)");
  CHECK(errorOf([&] { nn::Sequential()->forward(x); }) ==
        "Cannot call forward() on an empty Sequential");
}

TEST_CASE("AnyModule checks the arguments of forward") {
  nn::AnyModule any(Plain{});
  CHECK(any.forward(torch::ones({1}), int64_t{3}).item<float>() == 3);
  CHECK(errorOf([&] { any.forward(torch::ones({1})); }).find("expects 2 argument(s)") !=
        std::string::npos);
  CHECK(errorOf([&] { any.forward(torch::ones({1}), 3.0); }) != "no error");
}

TEST_CASE("ModuleList keeps modules in order") {
  nn::ModuleList list(nn::Linear(1, 2), nn::Linear(2, 3));
  CHECK(list->size() == 2);
  CHECK(list->parameters().size() == 4);
  CHECK(list[1]->as<nn::Linear>()->weight.size(0) == 3);
}

TEST_CASE("batch norm uses the batch in training and its running statistics else") {
  nn::BatchNorm1d norm(2);
  Tensor x = torch::tensor({{1.0, 10.0}, {3.0, 30.0}});
  Tensor y = norm(x);
  CHECK(torch::allclose(y, torch::tensor({{-1.0, -1.0}, {1.0, 1.0}}), 1e-3));
  CHECK(torch::allclose(norm->running_mean, torch::tensor({0.2, 2.0})));
  CHECK(torch::allclose(norm->running_var, torch::tensor({1.1, 20.9})));
  CHECK(norm->num_batches_tracked.item<int64_t>() == 1);
  norm->eval();
  Tensor before = norm->running_mean.clone();
  CHECK(torch::allclose(norm(x).slice(1, 0, 1), (x.slice(1, 0, 1) - 0.2) / std::sqrt(1.1 + 1e-5)));
  CHECK(torch::equal(before, norm->running_mean));
  norm->train();
  CHECK(errorOf([&] { norm(torch::ones({1, 2})); }) ==
        "Expected more than 1 value per channel when training, got input size [1, 2]");
}

TEST_CASE("embedding looks rows up") {
  nn::Embedding embedding(3, 2);
  Tensor rows = embedding(torch::tensor({2, 2, 0}));
  CHECK(torch::equal(rows[0], embedding->weight[2]));
  rows.sum().backward();
  CHECK(
      torch::equal(embedding->weight.grad(), torch::tensor({{1.0, 1.0}, {0.0, 0.0}, {2.0, 2.0}})));
}

TEST_CASE("embedding refuses what it has not", "[host]") {
  nn::Embedding embedding(3, 2);
  CHECK(errorOf([&] { embedding(torch::tensor({3})); }) == "index out of range in self");
}

TEST_CASE("layers start with LibTorch's values for the same seed", "[host]") {
  torch::manual_seed(42);
  nn::Linear layer(2, 2);
  Tensor expected = torch::tensor({{0.540596, 0.586904}, {-0.165654, 0.649556}});
  CHECK(torch::allclose(layer->weight, expected, 1e-4));
  CHECK(torch::allclose(layer->bias, torch::tensor({-0.154926, 0.142687}), 1e-4));
}

TEST_CASE("orthogonal weights are LibTorch's for the same seed", "[host]") {
  torch::manual_seed(3);
  Tensor wide = torch::tensor({{1.5601, 0.3396, 0.1728, -1.1920},
                               {0.8317, -1.5917, 0.5196, 0.7104},
                               {0.2991, 1.0237, 1.4379, 0.8916}});
  CHECK(torch::allclose(nn::init::orthogonal_(torch::empty({3, 4}), 2), wide, 1e-3, 1e-4));
  Tensor kernel = nn::init::orthogonal_(torch::empty({4, 2, 2}));
  CHECK(torch::allclose(kernel[1].view({4}), torch::tensor({-0.4253, 0.7544, 0.1212, -0.4852}),
                        1e-3, 1e-4));
}

TEST_CASE("weights may be orthogonal or pass on their input") {
  torch::manual_seed(3);
  Tensor tall = nn::init::orthogonal_(torch::empty({5, 3}));
  CHECK(torch::allclose(tall.t().mm(tall), torch::eye(3), 1e-5, 1e-6));
  Tensor sparse = nn::init::sparse_(torch::ones({10, 3}, torch::requires_grad()), 0.25, 1);
  CHECK(torch::equal(torch::count_nonzero(sparse, torch::IntArrayRef(0)), torch::full({3}, 7)));
  CHECK(sparse.is_leaf());
  CHECK(torch::equal(nn::init::eye_(torch::empty({2, 3})), torch::eye(3).narrow(0, 0, 2)));
  Tensor image = torch::rand({1, 2, 4, 4});
  Tensor same = nn::init::dirac_(torch::empty({2, 2, 3, 3}));
  CHECK(agree(torch::conv2d(image, same, {}, 1, 1), image));
  CHECK(errorOf([] { nn::init::dirac_(torch::empty({2, 3})); }) ==
        "Only tensors with 3, 4, or 5 dimensions are supported");
}

TEST_CASE("parameters become a vector and come back from one") {
  nn::Linear from(2, 3), to(2, 3);
  nn::utils::vector_to_parameters(nn::utils::parameters_to_vector(from->parameters()),
                                  to->parameters());
  CHECK(torch::equal(from->weight, to->weight));
  CHECK(torch::equal(from->bias, to->bias));
  CHECK(to->weight.requires_grad());
  CHECK(errorOf([&] { nn::utils::vector_to_parameters(torch::ones({7}), to->parameters()); }) ==
        "shape '[3]' is invalid for input of size 1");
}

TEST_CASE("apply() gives modules with their names") {
  Net net(4);
  std::string names;
  net->apply([&](const std::string &name, nn::Module &) { names += name + ";"; });
  CHECK(names == ";hidden;dropout;output;");
  names.clear();
  net->apply(
      [&](const std::string &name, const std::shared_ptr<nn::Module> &) { names += name + ";"; },
      "net");
  CHECK(names == "net;net.hidden;net.dropout;net.output;");
  int count = 0;
  net->apply([&](const std::shared_ptr<nn::Module> &) { ++count; });
  CHECK(count == 4);
}

TEST_CASE("containers take the modules of others, and give them by type") {
  nn::Sequential first(nn::Linear(2, 3)), second(nn::ReLU(), nn::Linear(3, 1));
  first->extend(*second);
  CHECK(first->size() == 3);
  CHECK(first->ptr<nn::LinearImpl>(2)->options.out_features() == 1);
  CHECK(errorOf([&] { first->ptr<nn::ReLUImpl>(0); }) != "no error");

  nn::ModuleList list(nn::Linear(1, 2), nn::Tanh());
  list->insert(1, nn::Linear(2, 4));
  list->extend(*nn::ModuleList(nn::ReLU()));
  CHECK(list->size() == 4);
  CHECK(list->at<nn::LinearImpl>(1).options.out_features() == 4);
  CHECK(list->named_parameters().keys() ==
        std::vector<std::string>{"0.weight", "0.bias", "1.weight", "1.bias"});

  nn::AnyModule any(nn::Linear(2, 5));
  CHECK(any.get<nn::Linear>()->options.out_features() == 5);
  CHECK(any.type_info() == typeid(nn::LinearImpl));
  nn::AnyValue result = any.any_forward(torch::ones({1, 2}));
  CHECK(result.get<Tensor>().size(1) == 5);
  CHECK(result.try_get<int>() == nullptr);
}
