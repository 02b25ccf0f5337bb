// The findings of ml-missing-zero-grad in programs that train with Flashlight.
#include <flashlight/fl/flashlight.h>

using Batches = std::vector<std::pair<fl::Tensor, fl::Tensor>>;

void left_bad(fl::Sequential &model, const Batches &batches) {
  fl::SGDOptimizer optimizer(model.params(), 0.1);
  for (const auto &[images, labels] : batches) {
    auto output = model(fl::input(images));
    auto loss = fl::categoricalCrossEntropy(output, fl::noGrad(labels));
    loss.backward();
    optimizer.step(); // expect: ml-missing-zero-grad: clear them with zeroGrad()
  }
}

void left_ok(fl::Sequential &model, const Batches &batches) {
  fl::SGDOptimizer optimizer(model.params(), 0.1);
  for (const auto &[images, labels] : batches) {
    auto output = model(fl::input(images));
    auto loss = fl::categoricalCrossEntropy(output, fl::noGrad(labels));
    loss.backward();
    optimizer.step();
    optimizer.zeroGrad();
  }
}
