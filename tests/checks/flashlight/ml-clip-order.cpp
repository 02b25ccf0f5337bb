// The findings of ml-clip-order in programs that train with Flashlight.
#include <flashlight/fl/flashlight.h>

using Batches = std::vector<std::pair<fl::Tensor, fl::Tensor>>;

void clipped_bad(fl::Sequential &model, const Batches &batches) {
  fl::SGDOptimizer optimizer(model.params(), 0.1);
  for (const auto &[images, labels] : batches) {
    optimizer.zeroGrad();
    fl::categoricalCrossEntropy(model(fl::input(images)), fl::noGrad(labels)).backward();
    optimizer.step();
    fl::clipGradNorm(model.params(), 1); // expect: ml-clip-order
  }
}

void clipped_ok(fl::Sequential &model, const Batches &batches) {
  fl::SGDOptimizer optimizer(model.params(), 0.1);
  for (const auto &[images, labels] : batches) {
    optimizer.zeroGrad();
    fl::categoricalCrossEntropy(model(fl::input(images)), fl::noGrad(labels)).backward();
    fl::clipGradNorm(model.params(), 1);
    optimizer.step();
  }
}
