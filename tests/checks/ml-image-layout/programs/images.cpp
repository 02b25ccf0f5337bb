// Tensors over the memory of images.
#include <torch/torch.h>

#include <string>
#include <vector>

namespace cv {
struct Mat {
  Mat();
  Mat(const Mat &other);
  ~Mat();
  unsigned char *ptr(int row = 0);
  template <typename T> T *ptr(int row = 0);
  int channels() const;
  void convertTo(Mat &other, int type, double scale = 1) const;
  unsigned char *data;
  int rows, cols;
};
Mat imread(const std::string &file);
void split(const Mat &image, std::vector<Mat> &channels);
void resize(const Mat &from, Mat &to, int rows, int cols);
namespace dnn {
Mat blobFromImage(const Mat &image);
} // namespace dnn
} // namespace cv
extern "C" unsigned char *stbi_load(const char *file, int *x, int *y, int *channels, int wanted);

torch::Tensor read_bad(const std::string &file) {
  cv::Mat image = cv::imread(file);
  return torch::from_blob(image.data, {3, image.rows, image.cols}, // expect: ml-image-layout: name
                          torch::kUInt8)
      .clone();
}

torch::Tensor batched_bad(cv::Mat image) {
  cv::Mat resized;
  cv::resize(image, resized, 224, 224);
  resized.convertTo(resized, 21, 1 / 255.);
  return torch::from_blob(resized.data, {1, 3, 224, 224}).clone(); // expect: ml-image-layout
}

torch::Tensor by_pointer_bad(cv::Mat &image) {
  auto *p = image.ptr();
  int h = image.rows, w = image.cols;
  auto x = torch::from_blob(p, {3, h, w}, torch::kUInt8); // expect: ml-image-layout
  return x.permute({0, 2, 1}).clone();
}

torch::Tensor loaded_bad(const char *file) {
  int width, height, channels;
  unsigned char *pixels = stbi_load(file, &width, &height, &channels, 3);
  auto type = torch::kUInt8;
  auto x = torch::from_blob(pixels, {1, 3, height, width}, type); // expect: ml-image-layout
  return x.to(torch::kFloat);
}

struct Dataset {
  std::vector<cv::Mat> images;
  torch::Tensor get_bad(size_t index) {
    auto options = torch::TensorOptions().dtype(torch::kUInt8);
    cv::Mat &image = images[index];
    return torch::from_blob(image.data, {3, 32, 32}, options).clone(); // expect: ml-image-layout
  }
};

// Right, or not known.

torch::Tensor channels_last_ok(cv::Mat image) {
  auto x = torch::from_blob(image.data, {image.rows, image.cols, 3}, torch::kUInt8);
  auto y = torch::from_blob(image.data, {1, image.rows, image.cols, 3}, torch::kUInt8);
  return x.permute({2, 0, 1}).clone() + y.permute({0, 3, 1, 2})[0];
}

torch::Tensor gray_ok(cv::Mat image) {
  auto x = torch::from_blob(image.data, {1, image.rows, image.cols}, torch::kUInt8);
  auto y = torch::from_blob(image.data, {image.rows, image.cols}, torch::kUInt8);
  return torch::from_blob(image.data, {image.channels(), image.rows, image.cols}, torch::kUInt8)
             .clone() +
         x + y;
}

torch::Tensor with_strides_ok(cv::Mat image) {
  int64_t width = image.cols;
  return torch::from_blob(image.data, {3, image.rows, image.cols}, {1, width * 3, 3}, torch::kUInt8)
      .clone();
}

torch::Tensor separated_ok(cv::Mat image) {
  cv::Mat blob = cv::dnn::blobFromImage(image);
  return torch::from_blob(blob.data, {1, 3, 224, 224}).clone();
}

torch::Tensor of_channels_ok(cv::Mat image) {
  std::vector<cv::Mat> channels;
  cv::split(image, channels);
  std::vector<float> planes(3 * 32 * 32);
  return torch::from_blob(planes.data(), {3, 32, 32}).clone();
}

torch::Tensor elsewhere_ok(std::vector<float> &values, float *memory) {
  return torch::from_blob(values.data(), {3, 32, 32}).clone() +
         torch::from_blob(memory, {3, 32, 32}).clone();
}

torch::Tensor small_ok(cv::Mat image) {
  return torch::from_blob(image.data, {3, 3, 3}, torch::kUInt8).clone();
}

// Whatever it is called first, it is a list of pixels then.
torch::Tensor pixels_ok(cv::Mat image) {
  torch::Tensor x = torch::from_blob(image.data, {3, image.rows, image.cols}, torch::kUInt8);
  x = x.view({3, image.rows * image.cols});
  x = x.view({-1, 3});
  return x.clone();
}
