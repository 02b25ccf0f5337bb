// Where the tests of this program run: GRADTIDY_DEVICE=sim or =cuda puts their tensors on a device.
#define CATCH_CONFIG_EXTERNAL_INTERFACES // for listeners
#include "Expect.h"

#include <algorithm>

namespace {

/// What is about the host alone has the tag [host]: memory that a test reads, files, LibTorch's
/// random numbers, and errors of kernels, after which a device does nothing more.
struct OnDevice : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo &test) override {
    const bool host = std::count(test.tags.begin(), test.tags.end(), "host") > 0;
    torch::set_default_device(host || !torch::cuda::is_available() ? torch::kCPU : torch::kCUDA);
    at::globalContext().setAllowTF32CuDNN(false);
  }
};
CATCH_REGISTER_LISTENER(OnDevice)

} // namespace
