// The toolbox on the host, with either library. ToolboxDeviceTest.cpp has what needs devices.
#include "Expect.h"

#include <gradtidy/toolbox.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <thread>

using torch::Tensor;

namespace {

const double notANumber = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

bool contains(const std::string &text, const std::string &part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

struct NetImpl : torch::nn::Module {
  NetImpl() {
    first = register_module("first", torch::nn::Linear(4, 16));
    second = register_module("second", torch::nn::Linear(16, 2));
    scale = register_buffer("scale", torch::ones({2}));
  }
  Tensor forward(const Tensor &x) { return second(torch::relu(first(x))) * scale; }

  torch::nn::Linear first{nullptr}, second{nullptr};
  Tensor scale;
};
TORCH_MODULE(Net);

/// Eight samples of two classes, of which a Net learns every one.
struct Task {
  Task() {
    torch::manual_seed(3);
    net = Net();
    input = torch::randn({8, 4});
    target = torch::arange(8).remainder(2);
  }
  gradtidy::OverfitReport run(torch::optim::Optimizer &optimizer, int64_t steps = 200) {
    gradtidy::OverfitOptions options;
    options.steps = steps;
    return gradtidy::overfitTinyBatch(*net, optimizer, input, target, forward, loss, options);
  }
  gradtidy::OverfitReport run(double rate = 0.5, int64_t steps = 200) {
    torch::optim::SGD optimizer(net->parameters(), rate);
    return run(optimizer, steps);
  }
  /// The likeliest cause.
  std::string cause(double rate = 0.5) {
    const auto report = run(rate);
    CHECK_FALSE(report.passed);
    return report.causes.empty() ? "none" : report.causes[0];
  }

  Net net{nullptr};
  Tensor input, target;
  gradtidy::ForwardFunction forward = [this](const Tensor &x) { return net(x); };
  gradtidy::LossFunction loss = [](const Tensor &output, const Tensor &target) {
    return torch::nn::functional::cross_entropy(output, target);
  };
};

} // namespace

// overfitTinyBatch

TEST_CASE("a sound program overfits a tiny batch, and gets its parameters back") {
  Task task;
  const Tensor before = task.net->first->weight.detach().clone();
  const auto report = task.run();
  CHECK(report.passed);
  CHECK(report.causes.empty());
  CHECK(report.losses.size() == 201);
  CHECK(report.losses.back() < 0.05 * report.losses.front());
  CHECK(torch::equal(task.net->first->weight, before));
  CHECK(contains(report.text(), "passed: loss "));
}

TEST_CASE("overfitting fails first of all where nothing can be learnt") {
  Task task;
  Net other;
  torch::optim::SGD optimizer(other->parameters(), 0.5);
  const auto report = task.run(optimizer);
  REQUIRE_FALSE(report.passed);
  CHECK(report.causes[0] == "the optimizer does not own 4 of 4 parameters (was it made before they "
                            "were?): first.weight, first.bias, second.weight, second.bias");
  CHECK(contains(report.text(), "FAILED: loss "));

  task.forward = [&](const Tensor &x) {
    torch::NoGradGuard guard;
    return task.net(x);
  };
  CHECK(contains(task.cause(), "the loss has no graph"));
  task.forward = [&](const Tensor &x) { return task.net->second(torch::relu(x.repeat({1, 4}))); };
  task.target = torch::zeros({8}, torch::kLong);
  task.loss = [](const Tensor &output, const Tensor &) { return output.pow(2).sum() * 1e-9; };
  CHECK(task.cause() == "2 of 4 parameters get no gradient (are they used in forward?): "
                        "first.weight, first.bias");
  task.forward = [&](const Tensor &x) { return task.net(x) * 0; };
  CHECK(contains(task.cause(), "4 of 4 parameters have a gradient of 0"));
  task.forward = [&](const Tensor &x) { return task.net(x) * notANumber; };
  CHECK(contains(task.cause(), "4 of 4 parameters have gradients that are not finite"));
}

TEST_CASE("overfitting fails by the learning rate") {
  Task task;
  CHECK(contains(task.cause(0), "the first step changes no parameter"));
  CHECK(contains(task.cause(1e-7), "the learning rate is too small"));
  task.loss = [](const Tensor &output, const Tensor &target) {
    return (output - target.unsqueeze(1)).pow(2).sum();
  };
  CHECK(contains(task.cause(1), "the learning rate is too large"));
  const auto report = task.run(1);
  CHECK(contains(report.text(), "the loss is a sum over the batch"));
  Task slow;
  CHECK(slow.run(0.01, 40).causes ==
        std::vector<std::string>{"the loss still falls: more steps or a larger learning rate"});
}

TEST_CASE("overfitting fails by the mode, the labels, the reduction") {
  Task task;
  task.net->eval();
  task.forward = [&](const Tensor &x) {
    return torch::dropout(task.net(x) * 0.01, 0.5, /*train=*/true);
  };
  const auto unfair = task.run(0.1, 20);
  REQUIRE(unfair.causes.size() >= 2);
  CHECK(contains(unfair.causes[0], "evaluation mode"));
  CHECK(contains(unfair.causes[1], "two forwards of the same batch differ"));

  Task contradiction;
  contradiction.input[3] = contradiction.input[0];
  CHECK(contradiction.cause() == "samples 0 and 3 have equal inputs and different targets");

  Task broadcast;
  broadcast.forward = [&](const Tensor &x) { return broadcast.net(x).slice(1, 0, 1); };
  broadcast.target = torch::randn({8});
  broadcast.loss = [](const Tensor &output, const Tensor &target) {
    return (output - target).pow(2).mean();
  };
  CHECK(broadcast.cause(0.05) == "output [8, 1] and target [8] are broadcast: every output is "
                                 "compared with every target");

  Task unreduced;
  unreduced.loss = [](const Tensor &output, const Tensor &) { return output.pow(2); };
  CHECK(unreduced.cause() ==
        "the loss is no single number but of shape [8, 2]: its reduction is none");

  Task constant;
  constant.input = torch::zeros({8, 4});
  constant.target = torch::arange(8).remainder(2);
  CHECK(contains(constant.run(0.1).text(), "all samples get the same output"));
}

// GradientNormMonitor

TEST_CASE("the norm of the gradients is that over all parameters") {
  Net net;
  gradtidy::GradientNormMonitor monitor(*net);
  CHECK(monitor.read().state == gradtidy::GradientState::Missing);
  auto withNorm = [&](double norm) {
    net->zero_grad();
    net->first->bias.mutable_grad() = torch::full({16}, norm * 0.8 / 4);
    net->second->bias.mutable_grad() = torch::full({2}, norm * 0.6 / std::sqrt(2));
    return monitor.read();
  };
  auto reading = withNorm(5);
  CHECK(reading.norm == Approx(5));
  CHECK(reading.state == gradtidy::GradientState::Fine);
  CHECK(reading.parameter == "first.bias");
  CHECK(reading.largest == Approx(4));
  CHECK(withNorm(9.99).state == gradtidy::GradientState::Fine);
  reading = withNorm(11);
  CHECK(reading.state == gradtidy::GradientState::Large);
  CHECK(reading.text() == "gradient norm 11 is large; most of it in first.bias (8.8)");
  CHECK(withNorm(1e-8).state == gradtidy::GradientState::Vanishing);
  reading = withNorm(500);
  CHECK(reading.state == gradtidy::GradientState::Exploding);
  CHECK(reading.median == Approx(9.99));
  reading = withNorm(notANumber);
  CHECK(reading.state == gradtidy::GradientState::NotFinite);
  CHECK(contains(reading.text(), "the gradient of first.bias holds NaN or Inf"));
  CHECK(monitor.history().size() == 5);
}

// NanFinder

TEST_CASE("the operation that made the first NaN is found in forward") {
  Tensor x = torch::tensor({4.0, -1.0, 0.0, 1.0}, torch::requires_grad());
  gradtidy::NanFinder finder;
  Tensor y = (x.sqrt() * 2).sum();
  CHECK(finder.found());
  CHECK(finder.source().operation == "aten::sqrt");
  CHECK(finder.source().count == 1);
  CHECK(finder.text() == "the first NaN came out of aten::sqrt, in 1 of 4 elements of [4]\n");
  CHECK(errorOf([] { gradtidy::NanFinder another; }) == "another NanFinder is running");
}

TEST_CASE("an infinite value before a NaN is told, too") {
  Tensor x = torch::tensor({0.0, 1.0});
  gradtidy::NanFinder finder;
  Tensor logarithm = x.log();
  CHECK_FALSE(finder.found());
  CHECK(finder.text() == "no operation made a NaN\n");
  Tensor entropy = x * logarithm;
  CHECK(finder.text() ==
        "the first infinite value came out of aten::log, in 1 of 2 elements of [2]\n"
        "the first NaN came out of aten::mul, in 1 of 2 elements of [2]\n");
}

TEST_CASE("a NaN of backward is found with the node that made it") {
  Tensor x = torch::zeros({2}, torch::requires_grad());
  Tensor y = (x.sqrt() * 0).sum();
  gradtidy::NanFinder finder;
  y.backward();
  CHECK(finder.found());
  CHECK(finder.source().caller == "SqrtBackward0");
}

TEST_CASE("a NaN that was there at the start is told by its name") {
  Net net;
  torch::NoGradGuard guard;
  net->second->bias.fill_(notANumber);
  gradtidy::NanFinder finder(*net);
  net(torch::ones({1, 4}));
  CHECK(finder.text() == "parameter second.bias held NaN at the start\n");
}

// DivergenceMonitor

TEST_CASE("a loss has diverged five epochs in a row above its minimum") {
  gradtidy::DivergenceMonitor monitor;
  CHECK(monitor.text() == "no epoch so far");
  for (double loss : {1.0, 0.5, 0.6, 0.7, 0.6, 0.55})
    CHECK_FALSE(monitor.update(loss));
  CHECK_FALSE(monitor.update(0.4)); // a new minimum
  for (double loss : {0.41, 0.5, 0.45, 0.44})
    CHECK_FALSE(monitor.update(loss));
  CHECK(monitor.update(0.42));
  CHECK(monitor.bestEpoch() == 6);
  CHECK(monitor.bestLoss() == 0.4);
  CHECK(monitor.text() == "epoch 11: validation loss 0.42, lowest 0.4 in epoch 6, above it for 5 "
                          "epochs\ndiverged");
}

TEST_CASE("the training loss tells overfitting from a learning rate that is too large") {
  auto textAfter = [](double trainingStep) {
    gradtidy::DivergenceOptions options;
    options.patience = 2;
    gradtidy::DivergenceMonitor monitor(options);
    for (int epoch = 0; epoch < 3; ++epoch)
      monitor.update(1 + epoch, 1 + epoch * trainingStep);
    CHECK(monitor.diverged());
    return monitor.text();
  };
  CHECK(contains(textAfter(-0.1), "so the model overfits"));
  CHECK(contains(textAfter(0.1), "so the learning rate is too large"));
}

TEST_CASE("a loss that is not finite has diverged at once, one within the margin has not") {
  gradtidy::DivergenceMonitor broken;
  CHECK(broken.update(notANumber));
  CHECK(broken.text() == "epoch 0: the validation loss is not finite");
  gradtidy::DivergenceOptions options;
  options.patience = 1;
  options.margin = 0.1;
  gradtidy::DivergenceMonitor monitor(options);
  CHECK_FALSE(monitor.update(1));
  CHECK_FALSE(monitor.update(1.05));
  CHECK(monitor.update(1.2));
}

// DeadReluDetector

TEST_CASE("dead ReLUs are counted by unit") {
  torch::NoGradGuard guard;
  gradtidy::DeadReluDetector detector;
  CHECK(detector.text() == "no ReLU was called\n");
  torch::relu(torch::tensor({{-1.0, 2.0, -3.0, -1.0}, {-1.0, -2.0, -3.0, 4.0}}));
  torch::nn::ReLU(torch::nn::ReLUOptions(true))(torch::ones({2, 3, 5, 5}));
  torch::ones({3}).tanh();
  REQUIRE(detector.layers().size() == 2);
  CHECK(detector.layers()[0].units == 4);
  CHECK(detector.layers()[0].dead == 2);
  CHECK(detector.layers()[0].zeros == 0.75);
  CHECK(detector.layers()[1].units == 3);
  CHECK(detector.layers()[1].dead == 0);
  CHECK(detector.layers()[1].shape == "[2, 3, 5, 5]");
  CHECK(detector.alarming());
  CHECK(contains(detector.text(), "[2, 4]      4     2  75.0 %  too many are dead\n"));
}

TEST_CASE("a network as it is made has no dead ReLUs, one with large negative biases has") {
  torch::manual_seed(1);
  torch::NoGradGuard guard;
  Net net;
  const Tensor batch = torch::randn({64, 4});
  auto alarming = [&] {
    gradtidy::DeadReluDetector detector;
    net(batch);
    return detector.alarming();
  };
  CHECK_FALSE(alarming());
  net->first->bias.fill_(-10);
  CHECK(alarming());
}

TEST_CASE("units may come last") {
  torch::NoGradGuard guard;
  gradtidy::DeadReluOptions options;
  options.unitsDim = -1;
  gradtidy::DeadReluDetector detector(options);
  torch::relu(torch::tensor({{{-1.0, 2.0}, {-1.0, 1.0}, {-5.0, 1.0}}}));
  CHECK(detector.layers()[0].units == 2);
  CHECK(detector.layers()[0].dead == 1);
}

TEST_CASE("tools of several kinds run at once") {
  gradtidy::DeadReluDetector detector;
  gradtidy::NanFinder finder;
  gradtidy::TransferCounter counter;
  torch::relu(torch::full({2, 1}, -1.0)).sub(1).sqrt();
  CHECK(detector.layers().size() == 1);
  CHECK(finder.source().operation == "aten::sqrt");
  CHECK(counter.sinceStep().toDevice.count == 0);
}

// verifyDevice

TEST_CASE("a module on one device has no strays") {
  Net net;
  CHECK(gradtidy::strayTensors(*net, torch::kCPU).empty());
  CHECK_NOTHROW(gradtidy::verifyDevice(*net, torch::kCPU));
  CHECK(gradtidy::strayTensors(*net, torch::Device(torch::kCUDA, 0)).size() == 5);
  CHECK(contains(errorOf([&] { gradtidy::verifyDevice(*net, torch::kCUDA); }),
                 "5 of 5 parameters and buffers are not on cuda:\n  parameter first.weight is on "
                 "cpu\n"));
}

// tensorInfo

TEST_CASE("a tensor's line has all that is worth knowing") {
  Tensor x = torch::tensor({{1.0F, -2.0F, 4.0F}, {3.0F, 0.0F, 0.0F}}, torch::requires_grad());
  CHECK(gradtidy::tensorInfo(x, "x").text() ==
        "x: Float [2, 3] on cpu, 24 B, strides [3, 1], leaf, requires_grad, no grad yet; min -2, "
        "max 4, mean 1, 0 NaN, 0 Inf");
  CHECK(contains(gradtidy::tensorInfo((x * 2).t()).text(),
                 "Float [3, 2] on cpu, 24 B, strides [1, 3] (not contiguous), not a leaf, "
                 "requires_grad; min -4"));
  Tensor broken = torch::tensor({1.0, notANumber, infinity, -infinity, 2.0});
  const auto info = gradtidy::tensorInfo(broken);
  CHECK(info.nan == 1);
  CHECK(info.inf == 2);
  CHECK(info.min == 1);
  CHECK(info.max == 2);
  CHECK(info.mean == 1.5);
  CHECK(gradtidy::tensorInfo(Tensor(), "y").text() == "y: undefined");
  CHECK(contains(gradtidy::tensorInfo(torch::arange(4)).text(), "Long [4] on cpu, 32 B"));
  CHECK(contains(gradtidy::tensorInfo(torch::zeros({0, 3})).text(), "min nan, max nan, mean nan"));
}

// Counters and benchmarks: on the host there is nothing to count, but they must work.

TEST_CASE("the host waits for nothing on the host") {
  gradtidy::TransferCounter counter;
  Tensor x = torch::ones({4}), y = torch::zeros({4});
  y.copy_(x);
  x.sum().item<float>();
  counter.step();
  REQUIRE(counter.steps().size() == 1);
  CHECK(counter.steps()[0].waits == 0);
  CHECK(counter.steps()[0].toDevice.count == 0);
  CHECK(counter.text() == "step  to device  to host  between  reads  waits\n"
                          "1             0        0        0      0      0\n");
}

TEST_CASE("a busy host and one that waits for the loader") {
  auto work = [] { torch::ones({200, 200}).mm(torch::ones({200, 200})); };
  gradtidy::BusyMeter meter(torch::kCPU);
  CHECK(meter.busy() == 1);
  for (int i = 0; i < 40; ++i) {
    meter.work();
    work();
    meter.step();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  CHECK(meter.busy() > 0);
  CHECK(meter.waited() >= 39 * 2);
  CHECK(meter.busy() == Approx(meter.worked() / (meter.worked() + meter.waited())));
  CHECK(errorOf([&] { meter.step(); }) == "BusyMeter: step() was called without work()");
  meter.work();
  CHECK(errorOf([&] { meter.work(); }) == "BusyMeter: work() was called twice without step()");
}

TEST_CASE("transfers are measured by size and direction") {
  gradtidy::TransferOptions options;
  options.sizes = {1000, 1000000};
  const auto results = gradtidy::benchmarkTransfers(torch::kCPU, options);
  REQUIRE(results.size() == 4); // nothing is page-locked where there is no device
  CHECK(results[0].name() == "pageable to device");
  CHECK(results[3].name() == "pageable to host");
  CHECK(results[3].bytes == 1000000);
  CHECK(results[3].milliseconds > 0);
  CHECK(results[3].gigabytesPerSecond() == Approx(1e-3 / (results[3].milliseconds * 1e-3)));
  CHECK(contains(gradtidy::transferTable(results), "pageable to host    0.001"));
  options.repetitions = 0;
  CHECK(errorOf([&] { gradtidy::benchmarkTransfers(torch::kCPU, options); }) ==
        "benchmarkTransfers: at least one repetition is needed");
}

TEST_CASE("precisions are compared by time, memory and loss") {
  torch::manual_seed(2);
  const Tensor x = torch::randn({32, 4}), y = torch::randn({32, 2});
  auto in = [&](torch::Dtype type) {
    return [&, type]() -> std::function<Tensor()> {
      torch::manual_seed(1);
      Net net;
      net->to(type);
      auto optimizer = std::make_shared<torch::optim::SGD>(net->parameters(), 0.1);
      return [=]() mutable {
        optimizer->zero_grad();
        Tensor loss = torch::mse_loss(net(x.to(type)), y.to(type));
        loss.backward();
        optimizer->step();
        return loss;
      };
    };
  };
  gradtidy::PrecisionOptions options;
  options.steps = 30;
  options.warmup = 2;
  const auto results = gradtidy::comparePrecisions(
      {{"double", in(torch::kDouble)}, {"float", in(torch::kFloat)}}, torch::kCPU, options);
  REQUIRE(results.size() == 2);
  CHECK(results[0].losses.size() == 30);
  CHECK(results[0].losses.back() < results[0].losses.front());
  CHECK(results[1].losses[0] == Approx(results[0].losses[0]).epsilon(1e-4));
  CHECK(results[0].milliseconds > 0);
  CHECK(results[0].peak > results[1].peak);
  CHECK(contains(gradtidy::precisionTable(results), "double"));
  CHECK(contains(gradtidy::precisionPlot(results), ">float</text>"));
}

TEST_CASE("autocast lasts for its scope, and forgets the weights of 16 bits at its end") {
  const Tensor x = torch::ones({4, 4});
  torch::nn::Linear layer(4, 4);
  {
    gradtidy::Autocast outer(torch::kCPU, torch::kBFloat16);
    CHECK(layer(x).scalar_type() == torch::kBFloat16);
    {
      gradtidy::Autocast inner(torch::kCPU, torch::kHalf);
      CHECK(torch::mm(x, x).scalar_type() == torch::kHalf);
    }
    CHECK(torch::mm(x, x).scalar_type() == torch::kBFloat16);
  }
  CHECK(layer(x).scalar_type() == torch::kFloat);
  torch::NoGradGuard guard;
  layer->weight.fill_(1);
  layer->bias.fill_(2);
  gradtidy::Autocast again(torch::kCPU, torch::kBFloat16);
  CHECK(layer(x).sum().item<float>() == 16 * 6);
}

// linePlot

TEST_CASE("a plot has its lines, names and axes, and leaves out what cannot be shown") {
  gradtidy::PlotOptions options;
  options.title = "a < b";
  const std::string svg = gradtidy::linePlot(
      options, {{"line", {{0, 0}, {1, notANumber}, {2, 10}}}, {"other", {{1, 5}}}});
  CHECK(contains(svg, "a &lt; b</text>"));
  CHECK(contains(svg, "<path d=\"M60.0 320.0L580.0 70.0\" fill=\"none\" stroke=\"#0f84c9\""));
  CHECK(contains(svg, ">other</text>"));
  CHECK(contains(svg, ">10</text>"));
  options.logarithmicY = true;
  CHECK(contains(gradtidy::linePlot(options, {{"line", {{0, 0.1}, {1, -1}, {2, 10}}}}),
                 "<path d=\"M60.0 320.0L580.0 70.0\""));
  CHECK(errorOf([] { gradtidy::writeFile("/nowhere/plot.svg", ""); }) ==
        "cannot write to /nowhere/plot.svg");
}
