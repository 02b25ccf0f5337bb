// The findings of ml-missing-step in programs that train with Flashlight.
#include <flashlight/fl/flashlight.h>

using Batches = std::vector<std::pair<fl::Tensor, fl::Tensor>>;

void never_stepped_bad(fl::Linear &model, const Batches &batches) {
  fl::SGDOptimizer optimizer(model.params(), 0.1);
  for (const auto &[images, labels] : batches) {
    optimizer.zeroGrad(); // expect: ml-missing-step
    fl::categoricalCrossEntropy(model(fl::input(images)), fl::noGrad(labels)).backward();
  }
}

void stepped_ok(fl::Linear &model, const Batches &batches) {
  fl::SGDOptimizer optimizer(model.params(), 0.1);
  for (const auto &[images, labels] : batches) {
    optimizer.zeroGrad();
    fl::categoricalCrossEntropy(model(fl::input(images)), fl::noGrad(labels)).backward();
    optimizer.step();
  }
}
