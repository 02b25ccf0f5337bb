// Memory that a pointer leads to, which a variable holds or a function gives.
#include <torch/torch.h>

#include <vector>

namespace {

class Image {
public:
  explicit Image(int size) : pixels(size) {}
  float *data() { return pixels.data(); }

private:
  std::vector<float> pixels;
};

torch::Tensor of_an_image_bad() {
  Image image(16);
  return torch::from_blob(image.data(), {4, 4}); // expect: ml-dangling-from-blob (no fix): the tensor lies in the memory of 'image.pixels', which ends although it is kept // note: it ends here
}

torch::Tensor by_a_pointer_bad() {
  std::vector<float> values(16);
  float *first = values.data();
  return torch::from_blob(first, {4, 4}); // expect: ml-dangling-from-blob (no fix) // note: it ends here
}

float *memoryOf(std::vector<float> &values) { return values.data(); }

torch::Tensor by_a_function_bad() {
  std::vector<float> values(16);
  return torch::from_blob(memoryOf(values), {4, 4}); // expect: ml-dangling-from-blob (no fix) // note: it ends here
}

struct Set {
  torch::data::Example<> get_bad(size_t index) {
    Image image(16);
    auto tensor = torch::from_blob(image.data(), {4, 4}); // expect: ml-dangling-from-blob (no fix)
    return {tensor, torch::full({1}, int64_t(index))}; // note: it ends here
  }
};

void grown_bad(int count) {
  std::vector<float> values(16);
  float *first = values.data();
  auto tensor = torch::from_blob(first, {4, 4}); // expect: ml-dangling-from-blob (no fix): the tensor lies in the memory of 'values', which may move its elements before the tensor is used
  values.push_back(1); // note: they may move here
  auto sum = tensor.sum(); // note: used here
}

// ---- memory that lives on, or is copied

torch::Tensor copied_ok() {
  Image image(16);
  return torch::from_blob(image.data(), {4, 4}).clone();
}

torch::Tensor summed_ok() {
  std::vector<float> values(16);
  float *first = values.data();
  auto tensor = torch::from_blob(first, {4, 4});
  return tensor.sum() + tensor * 2;
}

torch::Tensor of_the_callers_ok(Image &image, std::vector<float> &values) {
  return torch::from_blob(image.data(), {4, 4}) + torch::from_blob(memoryOf(values), {4, 4});
}

float own_affair_ok(int count) {
  std::vector<float> values(16);
  float *first = values.data();
  values.push_back(1);
  return *first;
}

} // namespace
