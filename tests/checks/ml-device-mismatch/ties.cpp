// Tuples of tensors on several devices are handed around as they are.
#include <torch/torch.h>

using Labels = std::vector<std::tuple<torch::Tensor, torch::Tensor>>;

struct Augmentation {
  std::tuple<torch::Tensor, Labels> mosaic(torch::Tensor images, Labels labels) {
    Labels mixed;
    for (auto &label : labels)
      mixed.push_back({std::get<0>(label), std::get<1>(label)});
    return {images, mixed};
  }
  std::tuple<torch::Tensor, Labels> augment(torch::Tensor images, Labels labels) {
    std::tie(images, labels) = mosaic(images, labels);
    return {images, labels};
  }
};

void train_ok(Augmentation &augmentation, torch::Device device) {
  Labels labels;
  labels.push_back({torch::full({1, 1}, 3), torch::full({1, 4}, 3)});
  torch::Tensor images = torch::rand({3, 2}).to(device);
  std::tie(images, labels) = augmentation.augment(images, labels);
}

void train_bad(Augmentation &augmentation, torch::Device device) {
  Labels labels;
  torch::Tensor boxes = torch::full({1, 4}, 3), images = torch::rand({3, 2}).to(device);
  std::tie(images, labels) = augmentation.augment(images, labels);
  torch::Tensor sum = images + boxes; // expect: ml-device-mismatch
}
