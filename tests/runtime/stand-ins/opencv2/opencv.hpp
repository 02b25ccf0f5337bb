// What custom-dataset uses of OpenCV: pictures of three bytes a pixel, whose files need not be there.
#pragma once

#include "../Picture.h"

namespace cv {

struct Size {
  Size(int width, int height) : width(width), height(height) {}
  int width, height;
};

struct Mat {
  unsigned char *ptr() { return bytes.data(); }
  bool empty() const { return bytes.empty(); }

  std::string path;
  std::vector<unsigned char> bytes;
};

inline Mat imread(const std::string &path) { return {path, pictureOf(path, 1)}; }
inline void resize(const Mat &from, Mat &to, Size size) {
  to = {from.path, pictureOf(from.path, size.width)};
}
inline void split(const Mat &picture, std::vector<Mat> &channels) {
  for (std::size_t c = 0; c < channels.size(); ++c) {
    channels[c].bytes.clear();
    for (std::size_t i = c; i < picture.bytes.size(); i += channels.size())
      channels[c].bytes.push_back(picture.bytes[i]);
  }
}

} // namespace cv
