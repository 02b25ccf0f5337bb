// Pointers that objects of the program's own keep.
#include <torch/torch.h>

#include <cstdint>
#include <numeric>
#include <vector>

using torch::Tensor;

class Image {
public:
  Image(int64_t rows, int64_t columns, float *data) : rows(rows), columns(columns), data(data) {}
  float first() const { return data[0]; }

private:
  int64_t rows, columns;
  float *data;
};

struct Span {
  const float *data;
  int64_t size;
};

class Sum {
public:
  Sum(const float *data, int64_t size) : value(std::accumulate(data, data + size, 0.0f)) {}
  float value;
};

class Copy {
public:
  Copy(const float *data, int64_t size) : values(data, data + size) {}
  std::vector<float> values;
};

void constructed_bad(Tensor map) {
  Image image(map.size(0), map.size(1), map.exp().data_ptr<float>()); // expect: ml-dangling-data-ptr
  image.first();
}

float listed_bad(Tensor map) {
  Span span{map.exp().data_ptr<float>(), map.numel()}; // expect: ml-dangling-data-ptr
  return span.data[0];
}

float named_ok(Tensor map) {
  Tensor values = map.exp();
  Image image(values.size(0), values.size(1), values.data_ptr<float>());
  Span span{values.data_ptr<float>(), values.numel()};
  return image.first() + span.data[0];
}

float read_by_the_constructor_ok(Tensor map) {
  Sum sum(map.exp().data_ptr<float>(), map.numel());
  Copy copy(map.exp().data_ptr<float>(), map.numel());
  return sum.value + copy.values[0];
}

float unnamed_ok(Tensor map) {
  return Image(map.size(0), map.size(1), map.exp().data_ptr<float>()).first();
}
