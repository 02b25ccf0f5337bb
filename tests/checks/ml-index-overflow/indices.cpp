// Products of sizes that lead to elements of tensors.
#include <torch/torch.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

using torch::Tensor;

// --- right ---------------------------------------------------------------------------------------

float wide_ok(Tensor x, int n, int c, int h, int w) {
  const float *data = x.data_ptr<float>();
  const int64_t channels = x.size(1), height = x.size(2), width = x.size(3);
  return data[((n * channels + c) * height + h) * width + w];
}

float cast_first_ok(Tensor x, int n) {
  const int channels = x.size(1), height = x.size(2), width = x.size(3);
  return x.data_ptr<float>()[static_cast<int64_t>(n) * channels * height * width];
}

// An image has no 2^31 pixels.
float pixel_ok(Tensor image, int y, int x) {
  const int width = image.size(1);
  return image.data_ptr<float>()[y * width + x];
}

// The number of channels has to be 3.
void channels_ok(Tensor image, uint8_t *pixels) {
  const int height = image.size(0), width = image.size(1), channels = image.size(2);
  if (channels != 3)
    throw std::runtime_error("no picture");
  const uint8_t *data = image.data_ptr<uint8_t>();
  std::copy(data, data + (height * width * channels), pixels);
}

float checked_ok(Tensor x, int n) {
  if (x.numel() > std::numeric_limits<int>::max())
    throw std::invalid_argument("too large");
  const int channels = x.size(1), height = x.size(2), width = x.size(3);
  return x.data_ptr<float>()[n * channels * height * width];
}

float constants_ok(Tensor x, int n) {
  constexpr int channels = 3, height = 224, width = 224;
  return x.data_ptr<float>()[n * channels * height * width];
}

int printed_ok(Tensor x) {
  const int channels = x.size(1), height = x.size(2), width = x.size(3);
  int pixels = channels * height * width;
  std::printf("%d", pixels);
  return 0;
}

// How many features a layer gets leads to no element.
struct FlatImpl : torch::nn::Module {
  FlatImpl(int channels, int height, int width)
      : mean(torch::zeros({channels, height, width})), layer(channels * height * width, 10) {
    register_buffer("mean", mean);
    register_module("layer", layer);
  }

  static int features(Tensor x) {
    const int channels = x.size(1), height = x.size(2), width = x.size(3);
    return channels * height * width;
  }

  Tensor forward(Tensor x) { return layer(x.view({x.size(0), features(x)})); }

  Tensor mean;
  torch::nn::Linear layer;
};

float ratio_ok(Tensor x) {
  const int total = x.numel(), height = x.size(2), width = x.size(3);
  return x.data_ptr<float>()[total / (height * width) * height];
}

// --- wrong ---------------------------------------------------------------------------------------

float flat_bad(Tensor x) {
  const float *data = x.data_ptr<float>();
  const int samples = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
  float sum = 0;
  for (int n = 0; n < samples; ++n)
    for (int c = 0; c < channels; ++c)
      for (int h = 0; h < height; ++h)
        for (int w = 0; w < width; ++w)
          sum += data[((n * channels + c) * height + h) * width + w]; // expect: ml-index-overflow (level 1)
  return sum;
}

void offset_bad(Tensor x, std::vector<float *> &samples) {
  const int count = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
  for (int n = 0; n < count; ++n)
    samples.push_back(x.data_ptr<float>() + n * channels * height * width); // expect: ml-index-overflow (level 1)
}

float variable_bad(Tensor x) {
  const auto sizes = x.sizes();
  int plane = sizes[2] * sizes[3];
  float sum = 0;
  for (int n = 0; n < sizes[0]; ++n) {
    const int begin = n * static_cast<int>(sizes[1]) * plane; // expect: ml-index-overflow (level 1)
    for (int i = 0; i < plane; ++i)
      sum += x.data_ptr<float>()[begin + i];
  }
  return sum;
}

// Widened too late.
float widened_bad(Tensor x) {
  const float *data = x.data_ptr<float>();
  int samples = x.size(0), height = x.size(2), width = x.size(3);
  int64_t count = samples * height * width; // expect: ml-index-overflow (level 1)
  float sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += data[i];
  return sum;
}

float narrowed_bad(Tensor x, int64_t n) {
  int32_t begin = n * x.size(1) * x.size(2) * x.size(3); // expect: ml-index-overflow (level 1)
  return x.data_ptr<float>()[begin];
}

float small_bad(Tensor x) {
  const int16_t height = x.size(1), width = x.size(2);
  float sum = 0;
  for (int16_t n = 0; n < x.size(0); ++n) {
    const int16_t begin = n * height * width; // expect: ml-index-overflow (level 1)
    sum += x.data_ptr<float>()[begin];
  }
  return sum;
}

// Sizes that members keep, and what callers give.
struct Volume {
  explicit Volume(Tensor voxels) : voxels(voxels) {
    depth = voxels.size(0);
    height = voxels.size(1);
    width = voxels.size(2);
  }

  float at(int z, int y, int x) const {
    int index = (z * height + y) * width + x; // expect: ml-index-overflow (level 1)
    return voxels.data_ptr<float>()[index];
  }

  float sum() const {
    float result = 0;
    for (int z = 0; z < depth; ++z)
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
          result += at(z, y, x);
    return result;
  }

  Tensor voxels;
  int depth = 0, height = 0, width = 0;
};

static int flat_index(int n, int c, int h, int channels, int height) {
  return (n * channels + c) * height + h; // expect: ml-index-overflow (level 1)
}

float helper_bad(Tensor x) {
  const float *data = x.data_ptr<float>();
  float sum = 0;
  for (int n = 0; n < x.size(0); ++n)
    for (int c = 0; c < x.size(1); ++c)
      for (int h = 0; h < x.size(2); ++h)
        sum += data[flat_index(n, c, h, x.size(1), x.size(2))];
  return sum;
}

// What tells the sizes of a new tensor is one.
class Grid {
public:
  Grid(int width, int height, int depth)
      : width(width), height(height), cells(torch::zeros({depth, height, width})),
        data(cells.data_ptr<float>()) {}

  float at(int x, int y, int z) const { return data[offset(x, y, z)]; }

private:
  int offset(int x, int y, int z) const {
    return (z * height + y) * width + x; // expect: ml-index-overflow (level 1)
  }

  int width, height;
  Tensor cells;
  float *data;
};

float first_of_planes(int depth) {
  const Grid grid(64, 64, depth);
  auto planes = torch::zeros({depth});
  float sum = 0;
  for (int z = 0; z < depth; ++z)
    sum += grid.at(0, 0, z);
  return sum + planes.sum().item<float>();
}
