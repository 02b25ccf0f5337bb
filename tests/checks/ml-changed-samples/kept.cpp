// Datasets whose samples are views of what they keep, and what is computed of these in place.
#include <torch/torch.h>

#include <vector>

using torch::data::Example;
template <typename Self> using Base = torch::data::datasets::Dataset<Self>;
namespace datasets = torch::data::datasets;
namespace transforms = torch::data::transforms;

template <typename Data> auto loaderOf(Data data) {
  return torch::data::make_data_loader(data.map(transforms::Stack<>()), 8);
}

/// As that of the framework, but in place.
struct Normalize_bad : transforms::TensorTransform<> {
  torch::Tensor operator()(torch::Tensor input) override {
    return input.sub_(mean).div_(deviation); // expect: ml-changed-samples: each epoch
  }
  torch::Tensor mean, deviation;
};

struct Copy_ok : transforms::TensorTransform<> {
  torch::Tensor operator()(torch::Tensor input) override {
    return input.sub(mean).div_(deviation);
  }
  torch::Tensor mean, deviation;
};

struct Cast_ok : transforms::TensorTransform<> {
  torch::Tensor operator()(torch::Tensor input) override {
    input = input.clone();
    input.mul_(2);
    return input;
  }
};

/// The same numbers, however often.
struct Clamp_ok : transforms::TensorTransform<> {
  torch::Tensor operator()(torch::Tensor input) override { return input.clamp_(0, 1); }
};

struct Apply_bad : transforms::Transform<Example<>, Example<>> {
  Example<> apply(Example<> input) override {
    input.data = input.data.mul_(2); // expect: ml-changed-samples
    return input;
  }
};

struct Fresh : Base<Fresh> {
  Example<> get(size_t) override { return {torch::rand({4}), torch::zeros({1})}; }
  torch::optional<size_t> size() const override { return 8; }
};

struct Scale : transforms::TensorTransform<> {
  torch::Tensor operator()(torch::Tensor input) override { return input.div_(255); }
};

struct Kept : Base<Kept> {
  Example<> get(size_t index) override { return {images[index], labels[index]}; }
  torch::optional<size_t> size() const override { return images.size(0); }
  torch::Tensor images, labels;
};

struct Halves_bad : transforms::TensorTransform<> {
  torch::Tensor operator()(torch::Tensor input) override {
    input /= 2; // expect: ml-changed-samples (no fix)
    return input;
  }
};

void mnist_bad() { loaderOf(datasets::MNIST("data").map(Normalize_bad())); }
void mnist_ok() { loaderOf(datasets::MNIST("data").map(Copy_ok())); }
void cast_ok() { loaderOf(datasets::MNIST("data").map(Cast_ok())); }
void clamp_ok() { loaderOf(datasets::MNIST("data").map(Clamp_ok())); }
void apply_bad() { loaderOf(datasets::MNIST("data").map(Apply_bad())); }
void kept_bad() { loaderOf(Kept().map(Halves_bad())); }
/// What get() makes is nobody else's.
void fresh_ok() { loaderOf(Fresh().map(Scale())); }
/// The first transform has made them anew.
void second_ok() { loaderOf(Kept().map(transforms::Normalize<>(0.5, 0.5)).map(Scale())); }

// --- what get() does itself ---------------------------------------------------------------------

struct Scaled_bad : Base<Scaled_bad> {
  Example<> get(size_t index) override {
    return {images[index].div_(255), labels[index]}; // expect: ml-changed-samples
  }
  torch::optional<size_t> size() const override { return 8; }
  torch::Tensor images, labels;
};

struct Listed_bad : Base<Listed_bad> {
  Example<> get(size_t index) override {
    torch::Tensor image = images.at(index).select(0, 0);
    image += torch::randn_like(image); // expect: ml-changed-samples (no fix)
    return {image, labels[index]};
  }
  torch::optional<size_t> size() const override { return images.size(); }
  std::vector<torch::Tensor> images;
  torch::Tensor labels;
};

struct Pair {
  torch::Tensor image, label;
};
struct Structured_bad : Base<Structured_bad> {
  Example<> get(size_t index) override {
    const Pair &pair = pairs[index];
    pair.image.sub_(0.5); // expect: ml-changed-samples (no fix)
    return {pair.image, pair.label};
  }
  torch::optional<size_t> size() const override { return pairs.size(); }
  std::vector<Pair> pairs;
};

struct Converted_ok : Base<Converted_ok> {
  Example<> get(size_t index) override {
    torch::Tensor image = images[index];
    image = image.to(torch::kFloat32);
    image.div_(255);
    return {image, labels[index].to(torch::kInt64)};
  }
  torch::optional<size_t> size() const override { return 8; }
  torch::Tensor images, labels;
};

/// Each sample is scaled when it is asked for first.
struct Once_ok : Base<Once_ok> {
  Example<> get(size_t index) override {
    if (!isScaled[index])
      images[index].div_(255);
    isScaled[index] = true;
    return {images[index], labels[index]};
  }
  torch::optional<size_t> size() const override { return 8; }
  torch::Tensor images, labels;
  std::vector<bool> isScaled;
};
struct Early_ok : Base<Early_ok> {
  Example<> get(size_t index) override {
    if (isScaled[index])
      return {images[index], labels[index]};
    isScaled[index] = true;
    images[index].div_(255);
    return {images[index], labels[index]};
  }
  torch::optional<size_t> size() const override { return 8; }
  torch::Tensor images, labels;
  std::vector<bool> isScaled;
};

/// How often each sample was given.
struct Counted_ok : Base<Counted_ok> {
  Example<> get(size_t index) override {
    counts[index] += 1;
    return {images[index], labels[index]};
  }
  torch::optional<size_t> size() const override { return 8; }
  torch::Tensor images, labels, counts;
};

/// Elements that are chosen by a tensor are copied.
struct Chosen_ok : Base<Chosen_ok> {
  Example<> get(size_t index) override {
    torch::Tensor image = images.index({order[index]});
    return {image.div_(255), labels[index]};
  }
  torch::optional<size_t> size() const override { return 8; }
  torch::Tensor images, labels, order;
};

void own_bad() {
  loaderOf(Scaled_bad());
  loaderOf(Listed_bad());
  loaderOf(Structured_bad());
}
void own_ok() {
  loaderOf(Converted_ok());
  loaderOf(Once_ok());
  loaderOf(Early_ok());
  loaderOf(Counted_ok());
  loaderOf(Chosen_ok());
}
