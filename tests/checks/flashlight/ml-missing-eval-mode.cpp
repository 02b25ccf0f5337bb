// The findings of ml-missing-eval-mode in programs that train with Flashlight.
#include <flashlight/fl/flashlight.h>

#include <cstdio>

using Batches = std::vector<std::pair<fl::Tensor, fl::Tensor>>;

/// What goes wrong in a program as Flashlight's examples have them: trains with dropout, evaluates in
/// the mode of training.
int main() {
  fl::Sequential model;
  model.add(fl::Linear(784, 64));
  model.add(fl::ReLU());
  model.add(fl::Dropout(0.5));
  model.add(fl::Linear(64, 10));
  model.add(fl::LogSoftmax());
  Batches training, test;
  fl::SGDOptimizer optimizer(model.params(), 0.01);
  for (int epoch = 0; epoch < 10; ++epoch) {
    model.train();
    for (const auto &[images, labels] : training) {
      auto loss = fl::categoricalCrossEntropy(model(fl::noGrad(images)), fl::noGrad(labels));
      loss.backward();
      optimizer.step();
      optimizer.zeroGrad();
    }
    double sum = 0;
    for (const auto &[images, labels] : test) {
      auto output = model(fl::noGrad(images)); // expect: ml-missing-eval-mode
      sum += fl::categoricalCrossEntropy(output, fl::noGrad(labels)).tensor().scalar<float>();
    }
    std::printf("%f\n", sum);
  }
}

double evaluate_ok(fl::Sequential &model, const Batches &test) {
  model.eval();
  double sum = 0;
  for (const auto &[images, labels] : test) {
    auto output = model(fl::noGrad(images));
    sum += fl::categoricalCrossEntropy(output, fl::noGrad(labels)).tensor().scalar<float>();
  }
  model.train();
  return sum;
}
