// Images over memory of a tensor, and the pointers that only newer versions of LibTorch have.
#include <torch/torch.h>

namespace cv {
class Mat {
public:
  Mat();
  Mat(const Mat &other);
  Mat(int rows, int cols, int type, void *data);
  ~Mat();
  Mat clone() const;
};
} // namespace cv

cv::Mat image_bad(torch::Tensor x) {
  auto y = x.mul(255).to(torch::kCUDA);
  cv::Mat image(10, 10, 5, y.data_ptr<float>()); // expect: ml-host-access (no fix): memory of 'y'
  return image.clone();
}

cv::Mat temporary_image_bad(torch::Tensor x, torch::Device device) {
  x = x.to(device);
  return cv::Mat(10, 10, 5, x.data_ptr()).clone(); // expect: ml-host-access: memory of 'x'
}

float const_pointer_bad(torch::Tensor x) {
  x = x.cuda();
  return *x.const_data_ptr<float>(); // expect: ml-host-access: memory of 'x'
}

float mutable_pointer_bad(torch::Tensor x, torch::Device device) {
  x = x.to(device);
  return x.mutable_data_ptr<float>()[1]; // expect: ml-host-access: memory of 'x'
}

cv::Mat image_ok(torch::Tensor x) {
  auto y = x.cuda().mul(255).cpu();
  return cv::Mat(10, 10, 5, y.data_ptr<float>()).clone();
}
