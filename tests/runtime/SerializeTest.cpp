// Saving and loading: tensors, lists, modules and optimizers come back as they were.
#include "Expect.h"

#include <filesystem>
#include <sstream>

using torch::Tensor;
namespace nn = torch::nn;
namespace optim = torch::optim;

namespace {

struct NetImpl : nn::Module {
  NetImpl() {
    register_module("hidden", hidden);
    register_module("norm", norm);
    register_module("tail", tail);
    scale = register_parameter("scale", torch::rand({2}));
  }
  Tensor forward(Tensor x) { return tail->forward(norm(hidden(x))) * scale; }

  nn::Linear hidden{3, 4};
  nn::BatchNorm1d norm{4};
  nn::Sequential tail{nn::Functional(torch::relu), nn::Linear(4, 2)};
  Tensor scale;
};
TORCH_MODULE(Net);

void trainStep(Net &net, optim::Optimizer &optimizer) {
  optimizer.zero_grad();
  Tensor x = torch::sin(torch::arange(15, torch::kFloat)).view({5, 3});
  net(x).pow(2).mean().backward();
  optimizer.step();
}

/// Trains, saves, loads into a fresh pair, trains both on: they must stay equal.
template <class Optimizer, class Options> void checkResumes(Options options) {
  torch::manual_seed(1);
  Net net, copy;
  Optimizer optimizer(net->parameters(), options), resumed(copy->parameters(), Options(0.5));
  for (int i = 0; i < 3; ++i)
    trainStep(net, optimizer);
  std::stringstream modelFile, optimizerFile;
  torch::save(net, modelFile);
  torch::save(optimizer, optimizerFile);
  torch::load(copy, modelFile);
  torch::load(resumed, optimizerFile);
  CHECK(resumed.param_groups()[0].options().get_lr() == options.lr());
  for (int i = 0; i < 3; ++i) {
    trainStep(net, optimizer);
    trainStep(copy, resumed);
  }
  for (const auto &item : net->named_parameters())
    CHECK(torch::equal(item.value(), copy->named_parameters()[item.key()]));
  CHECK(torch::equal(net->norm->running_var, copy->norm->running_var));
  CHECK(copy->norm->num_batches_tracked.item<int64_t>() == 6);
}

} // namespace

TEST_CASE("tensors come back with type, shape and values", "[host]") {
  for (Tensor x : {torch::randn({2, 3}), torch::arange(4), torch::tensor(2.5, torch::kDouble),
                   torch::tensor({true, false}), torch::zeros({0, 2}),
                   torch::ones({3}, torch::kByte), torch::arange(6).view({2, 3}).t()}) {
    std::stringstream stream;
    torch::save(x, stream);
    Tensor y;
    torch::load(y, stream);
    CHECK(y.dtype() == x.dtype());
    CHECK(torch::equal(x, y));
  }
  std::stringstream stream;
  std::vector<Tensor> list{torch::rand({2}), torch::arange(3)}, loaded;
  torch::save(list, stream);
  torch::load(loaded, stream);
  REQUIRE(loaded.size() == 2);
  CHECK(torch::equal(loaded[1], list[1]));
}

TEST_CASE("training goes on after loading as if it had not stopped") {
  checkResumes<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9).nesterov(true));
  checkResumes<optim::Adam>(optim::AdamOptions(0.01).betas({0.8, 0.95}).amsgrad(true));
  checkResumes<optim::AdamW>(optim::AdamWOptions(0.01).weight_decay(0.1));
  checkResumes<optim::RMSprop>(optim::RMSpropOptions(0.01).momentum(0.5).centered(true));
  checkResumes<optim::Adagrad>(optim::AdagradOptions(0.1).lr_decay(0.1));
}

TEST_CASE("archives hold values by name, also nested", "[host]") {
  torch::serialize::OutputArchive inner, outer;
  inner.write("weight", torch::ones({2}));
  outer.write("part", inner);
  outer.write("epoch", torch::IValue(7));
  outer.write("rate", torch::IValue(0.5));
  outer.write("name", torch::IValue(std::string("net")));
  std::string file =
      (std::filesystem::temp_directory_path() / ("gradtidy-" + std::to_string(getpid()))).string();
  outer.save_to(file);
  torch::serialize::InputArchive in, part;
  in.load_from(file);
  std::filesystem::remove(file);
  torch::IValue epoch, rate, name;
  in.read("epoch", epoch);
  in.read("rate", rate);
  in.read("name", name);
  CHECK(epoch.toInt() == 7);
  CHECK(rate.toDouble() == 0.5);
  CHECK(name.toStringRef() == "net");
  in.read("part", part);
  Tensor weight;
  part.read("weight", weight);
  CHECK(torch::equal(weight, torch::ones({2})));
  CHECK_FALSE(in.try_read("missing", weight));
  CHECK(errorOf([&] { part.read("bias", weight); }).find("No such serialized tensor 'part.bias'") ==
        0);
}

TEST_CASE("a file that is cut short is refused, wherever it ends", "[host]") {
  std::stringstream whole;
  torch::save(nn::Linear(2, 1), whole);
  nn::Linear target(2, 1);
  for (std::size_t length = 0; length < whole.str().size(); ++length) {
    std::stringstream part(whole.str().substr(0, length));
    INFO(length << " bytes");
    CHECK(errorOf([&] { torch::load(target, part); }) != "no error");
  }
}

TEST_CASE("loading fails where members differ or the file is none", "[host]") {
  std::stringstream stream;
  torch::save(nn::Linear(nn::LinearOptions(2, 2).bias(false)), stream);
  nn::Sequential other(nn::Linear(2, 2));
  CHECK(errorOf([&] { torch::load(other, stream); }) != "no error");
  Tensor x;
  CHECK(errorOf([&] { torch::load(x, "/no/such/file"); }) != "no error");
  std::stringstream damaged("not an archive");
  CHECK(errorOf([&] { torch::load(x, damaged); }) != "no error");
  nn::Linear a(1, 1), b(1, 1);
  optim::SGD one(a->parameters(), 0.1), two(std::vector<Tensor>{b->weight}, 0.1);
  std::stringstream optimizer;
  torch::save(one, optimizer);
  CHECK(errorOf([&] {
          torch::load(two, optimizer);
        }).find("loaded state dict contains a parameter group that has a different size") == 0);
}
