// GradScaler, of which LibTorch has none: the behaviour of Python's.
#include "Expect.h"

#include <gradtidy/GradScaler.h>

#include <functional>
#include <limits>

namespace {

/// One parameter, which SGD moves by its gradient.
struct Problem {
  torch::Tensor weight = torch::ones({2}, torch::requires_grad());
  torch::optim::SGD optimizer{std::vector<torch::Tensor>{weight}, 1.0};

  torch::Tensor loss(double slope) { return (weight * slope).sum(); }
};

} // namespace

TEST_CASE("gradients are scaled in backward and not in the step") {
  Problem problem;
  gradtidy::GradScaler scaler({.scale = 1024});
  scaler.scale(problem.loss(0.25)).backward();
  CHECK(problem.weight.grad()[0].item<float>() == 256);
  CHECK(scaler.step(problem.optimizer));
  CHECK(problem.weight[0].item<float>() == 0.75F);
  CHECK(problem.weight.grad()[0].item<float>() == 0.25F);
}

TEST_CASE("gradients unscaled for clipping are not unscaled again") {
  Problem problem;
  gradtidy::GradScaler scaler({.scale = 1024});
  scaler.scale(problem.loss(8)).backward();
  scaler.unscale_(problem.optimizer);
  CHECK(problem.weight.grad()[0].item<float>() == 8);
  torch::nn::utils::clip_grad_value_(std::vector<torch::Tensor>{problem.weight}, 0.5);
  scaler.step(problem.optimizer);
  CHECK(problem.weight[0].item<float>() == 0.5F);
}

TEST_CASE("an infinite gradient skips the step and lowers the scale, calm raises it") {
  Problem problem;
  gradtidy::GradScaler scaler({.scale = 8, .interval = 2});
  auto iterate = [&](double slope) {
    problem.optimizer.zero_grad();
    scaler.scale(problem.loss(slope)).backward();
    const bool stepped = scaler.step(problem.optimizer);
    scaler.update();
    return stepped;
  };
  CHECK(iterate(0.1));
  CHECK(scaler.get_scale() == 8);
  CHECK_FALSE(iterate(std::numeric_limits<double>::infinity()));
  CHECK(scaler.get_scale() == 4);
  CHECK(problem.weight.isfinite().all().item<bool>());
  CHECK(iterate(0.1));
  CHECK(iterate(0.1));
  CHECK(scaler.get_scale() == 8);
  CHECK_FALSE(iterate(std::numeric_limits<double>::quiet_NaN()));
  CHECK(scaler.get_scale() == 4);
}

TEST_CASE("small gradients of float16 survive") {
  auto gradient = [](const gradtidy::GradScaler &scaler) {
    auto x = torch::ones({1}, torch::requires_grad());
    auto loss = (x.to(torch::kHalf) * 1e-4).to(torch::kHalf) * 1e-4;
    scaler.scale(loss.to(torch::kFloat).sum()).backward();
    return x.grad().item<float>() / scaler.get_scale();
  };
  CHECK(gradient(gradtidy::GradScaler({.enabled = false})) == 0);
  CHECK(gradient(gradtidy::GradScaler({.scale = 32768})) == Approx(1e-8).epsilon(0.01));
}

TEST_CASE("a scaler says what was called out of order") {
  Problem problem;
  gradtidy::GradScaler scaler;
  CHECK(errorOf([&] { scaler.update(); }) == "No inf checks were recorded prior to update.");
  CHECK(errorOf([&] { scaler.step(problem.optimizer); }) ==
        "No inf checks were recorded for this optimizer.");
  scaler.scale(problem.loss(1)).backward();
  scaler.unscale_(problem.optimizer);
  CHECK(errorOf([&] { scaler.unscale_(problem.optimizer); }) ==
        "unscale_() has already been called on this optimizer since the last update().");
  scaler.step(problem.optimizer);
  CHECK(errorOf([&] { scaler.unscale_(problem.optimizer); }) ==
        "unscale_() is being called after step().");
  CHECK(errorOf([&] { scaler.step(problem.optimizer); }) ==
        "step() has already been called since the last update().");
  scaler.update();
  auto half = torch::ones({1}, torch::TensorOptions(torch::kHalf).requires_grad(true));
  half.sum().backward();
  torch::optim::SGD optimizer(std::vector<torch::Tensor>{half}, 1.0);
  CHECK(errorOf([&] { scaler.step(optimizer); }) == "Attempting to unscale FP16 gradients.");
}
