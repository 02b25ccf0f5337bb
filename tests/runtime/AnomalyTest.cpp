// Anomaly mode: what it checks and says.
#include "Expect.h"

#include <stdexcept>

using torch::Tensor;

namespace {

/// What backward() throws in anomaly mode; NaN is reported as a std::runtime_error.
std::string anomalyOf(const std::function<void()> &action, bool checkNan = true) {
  torch::autograd::DetectAnomalyGuard guard(checkNan);
  try {
    action();
  } catch (const c10::Error &error) {
    return error.what_without_backtrace();
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "no error";
}

/// sqrt of a negative number has a NaN gradient.
void backwardThroughNan() {
  Tensor x = torch::tensor({-1.0, 1.0}, torch::requires_grad());
  (x.sqrt() * 2).sum().backward();
}

} // namespace

TEST_CASE("anomaly mode names the operation that returned NaN") {
  CHECK(anomalyOf(backwardThroughNan) ==
        "Function 'SqrtBackward0' returned nan values in its 0th output.");
  Tensor x = torch::zeros({2}, torch::requires_grad());
  Tensor one = torch::ones({2}, torch::requires_grad());
  CHECK(anomalyOf([&] { (one * (x / x)).sum().backward(); }) ==
        "Function 'MulBackward0' returned nan values in its 0th output.");
}

TEST_CASE("anomaly mode is on in the scope of its guard alone, and NaN may be let pass") {
  using torch::autograd::AnomalyMode;
  CHECK_NOTHROW(backwardThroughNan());
  CHECK(anomalyOf(backwardThroughNan, false) == "no error");
  CHECK_FALSE(AnomalyMode::is_enabled());
  CHECK(AnomalyMode::should_check_nan());
  AnomalyMode::set_enabled(true, false);
  CHECK(AnomalyMode::is_enabled());
  CHECK_FALSE(AnomalyMode::should_check_nan());
  AnomalyMode::set_enabled(false);
}

TEST_CASE("in anomaly mode an in-place change is said to be further above") {
  const std::string message = anomalyOf([] {
    Tensor x = torch::ones({2}, torch::requires_grad());
    Tensor y = x.exp();
    y.add_(1);
    y.sum().backward();
  });
  CHECK(message.find("one of the variables needed for gradient computation") == 0);
  CHECK(message.find("Hint: the backtrace further above shows the operation that failed to compute "
                     "its gradient. The variable in question was changed in there or anywhere "
                     "later. Good luck!") != std::string::npos);
}
