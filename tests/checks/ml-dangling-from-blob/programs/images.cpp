// Images of another library: who copies one shares its memory.
#include <torch/torch.h>

namespace cv {
class Mat {
public:
  Mat();
  Mat(const Mat &other);
  ~Mat();
  unsigned char *data;
  int rows, cols;
  template <typename Value> Value *ptr();
  Mat clone() const;
  Mat row(int y) const;
};
Mat imread(const std::string &file);
} // namespace cv

torch::Tensor read_bad(const std::string &file) {
  cv::Mat image = cv::imread(file);
  return torch::from_blob(image.data, {image.rows, image.cols}).permute({1, 0}); // expect: ml-dangling-from-blob
}

torch::Tensor by_pointer_bad(const std::string &file) {
  cv::Mat image = cv::imread(file);
  return torch::from_blob(image.ptr<float>(), {image.rows, image.cols}); // expect: ml-dangling-from-blob
}

float copied_bad(cv::Mat image) {
  auto x = torch::from_blob(image.clone().data, {image.rows, image.cols}); // expect: ml-dangling-from-blob: of a temporary object
  return x.sum().item<float>();
}

float part_ok(cv::Mat image) {
  auto x = torch::from_blob(image.row(0).data, {image.cols});
  return x.sum().item<float>();
}

struct Images {
  torch::Tensor shared_ok(size_t index) {
    cv::Mat image = images[index];
    return torch::from_blob(image.data, {image.rows, image.cols});
  }
  torch::Tensor referred_ok(size_t index) {
    cv::Mat &image = images[index];
    return torch::from_blob(image.data, {image.rows, image.cols});
  }
  std::vector<cv::Mat> images;
};

torch::Tensor of_the_caller_ok(cv::Mat image) {
  return torch::from_blob(image.data, {image.rows, image.cols});
}
