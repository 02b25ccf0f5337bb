// The findings of ml-loss-activation in programs that train with Flashlight.
#include <flashlight/fl/flashlight.h>

using Batches = std::vector<std::pair<fl::Tensor, fl::Tensor>>;

void probabilities_bad(fl::Linear &model, const Batches &batches) {
  fl::SGDOptimizer optimizer(model.params(), 0.1);
  for (const auto &[images, labels] : batches) {
    optimizer.zeroGrad();
    auto output = fl::softmax(model(fl::input(images)), 0);
    fl::categoricalCrossEntropy(output, fl::noGrad(labels)).backward(); // expect: ml-loss-activation
    optimizer.step();
  }
}

void probabilities_ok(fl::Linear &model, const Batches &batches) {
  fl::SGDOptimizer optimizer(model.params(), 0.1);
  for (const auto &[images, labels] : batches) {
    optimizer.zeroGrad();
    auto output = fl::logSoftmax(model(fl::input(images)), 0);
    fl::categoricalCrossEntropy(output, fl::noGrad(labels)).backward();
    optimizer.step();
  }
}
