// Images over memory of a tensor: their rows are expected one after the other.
#include <torch/torch.h>

#include <string>

namespace cv {
class Mat {
public:
  Mat();
  Mat(const Mat &other);
  Mat(int rows, int cols, int type, void *data);
  ~Mat();
  Mat clone() const;
};
void imwrite(const std::string &file, const Mat &image);
} // namespace cv
void show(const cv::Mat &image);

void saved_bad(torch::Tensor x) {
  auto y = x.detach().cpu().permute({1, 2, 0}).mul(255); // note: rearranged here
  cv::Mat image(10, 10, 21, y.data_ptr<float>()); // expect: ml-noncontiguous-data-ptr (no fix): 'y'
  cv::imwrite("image.png", image);
}

void saved_at_once_bad(torch::Tensor x) {
  auto y = x.permute({1, 2, 0}); // note: rearranged here
  show(cv::Mat(10, 10, 21, y.data_ptr())); // expect: ml-noncontiguous-data-ptr: permute()
}

cv::Mat mutable_pointer_bad(torch::Tensor x) {
  auto y = x.transpose(0, 1); // note: rearranged here
  return cv::Mat(9, 9, 5, y.mutable_data_ptr()).clone(); // expect: ml-noncontiguous-data-ptr
}

void saved_ok(torch::Tensor x) {
  auto y = x.detach().permute({1, 2, 0}).contiguous();
  cv::imwrite("image.png", cv::Mat(10, 10, 21, y.data_ptr<float>()));
}

void gray_ok(torch::Tensor x) {
  auto y = x.squeeze(0).mul(255);
  cv::imwrite("image.png", cv::Mat(10, 10, 5, y.data_ptr<float>()));
}
