// Writes down the loss of every Tensor::backward() of a program that does not know of it.
//
// Linked into a program with -Wl,--wrap=BACKWARD (script/runtime-programs does), it stands in for
// the method that the program calls: the value goes, one a line, into the file that
// GRADTIDY_LOSSES names, and after GRADTIDY_LOSS_STEPS of them the program ends.
#include <torch/torch.h>

#include <cstdio>
#include <cstdlib>

namespace {

// Before main: programs that do not seed the generator would differ from run to run.
[[maybe_unused]] const bool seeded = (torch::manual_seed(1), true);

void recordLoss(const torch::Tensor &loss) {
  static std::FILE *file = std::fopen(std::getenv("GRADTIDY_LOSSES"), "w");
  static long left = std::atol(std::getenv("GRADTIDY_LOSS_STEPS"));
  if (loss.numel() != 1)
    return;
  std::fprintf(file, "%.9g\n", loss.item<double>());
  if (--left > 0)
    return;
  std::fclose(file);
  std::fflush(nullptr);
  std::_Exit(0);
}

} // namespace

// std::random_device, by which programs shuffle: the same numbers in every run.
unsigned drawnByDevice(const void *) asm("__wrap__ZNSt13random_device9_M_getvalEv");
unsigned drawnByDevice(const void *) {
  static unsigned drawn = 0;
  return ++drawn;
}

// A method is called as a function whose first argument is the object. The linker gives the names
// __wrap_BACKWARD to the stand-in and __real_BACKWARD to the method itself.
#if __has_include(<ATen/core/TensorBody.h>)
// Convolutions that round in another way, to see how far rounding alone takes a program.
[[maybe_unused]] const bool plain =
    (at::globalContext().setUserEnabledMkldnn(!std::getenv("GRADTIDY_PLAIN")), true);

#define BACKWARD "_ZNK2at6Tensor9_backwardEN3c108ArrayRefIS0_EERKSt8optionalIS0_ES4_IbEb"
void realBackward(const at::Tensor *, at::TensorList, const std::optional<at::Tensor> &,
                  std::optional<bool>, bool) asm("__real_" BACKWARD);
void wrappedBackward(const at::Tensor *, at::TensorList, const std::optional<at::Tensor> &,
                     std::optional<bool>, bool) asm("__wrap_" BACKWARD);
void wrappedBackward(const at::Tensor *self, at::TensorList inputs,
                     const std::optional<at::Tensor> &gradient, std::optional<bool> keepGraph,
                     bool createGraph) {
  recordLoss(*self);
  realBackward(self, inputs, gradient, keepGraph, createGraph);
}
#else
#define BACKWARD                                                                                   \
  "_ZNK8gradtidy7runtime6Tensor8backwardERKS1_St8optionalIbEbS4_INS0_8ArrayRefIS1_EEE"
using Inputs = std::optional<torch::TensorList>;
void realBackward(const torch::Tensor *, const torch::Tensor &, std::optional<bool>, bool,
                  Inputs) asm("__real_" BACKWARD);
void wrappedBackward(const torch::Tensor *, const torch::Tensor &, std::optional<bool>, bool,
                     Inputs) asm("__wrap_" BACKWARD);
void wrappedBackward(const torch::Tensor *self, const torch::Tensor &gradient,
                     std::optional<bool> keepGraph, bool createGraph, Inputs inputs) {
  recordLoss(*self);
  realBackward(self, gradient, keepGraph, createGraph, inputs);
}
#endif
