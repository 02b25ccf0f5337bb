#include "Datasets.h"
#include "../ops/Arithmetic.h"
#include "../ops/Factories.h"

#include <fstream>

namespace gradtidy::runtime::data::datasets {
namespace {

/// Numbers in idx files have their most significant byte first.
uint32_t readNumber(std::istream &file) {
  unsigned char bytes[4] = {};
  file.read(reinterpret_cast<char *>(bytes), 4);
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

void expect(uint32_t value, uint32_t expected) {
  TORCH_CHECK(value == expected, "Expected to read number ", expected, " but found ", value,
              " instead");
}

/// The bytes of an idx file whose header is `magic` and then `sizes`.
Tensor readIdx(const std::string &path, const char *what, uint32_t magic, IntArrayRef sizes) {
  std::ifstream file(path, std::ios::binary);
  TORCH_CHECK(file, "Error opening ", what, " file at ", path);
  expect(readNumber(file), magic);
  for (int64_t size : sizes)
    expect(readNumber(file), static_cast<uint32_t>(size));
  Tensor values = empty(sizes, TensorOptions(kCPU).dtype(kByte));
  file.read(static_cast<char *>(values.data_ptr()), static_cast<std::streamsize>(values.nbytes()));
  TORCH_CHECK(file.good(), "the ", what, " file at ", path, " ends too early");
  return values;
}

std::string inFolder(const std::string &folder, const std::string &name) {
  return folder.empty() || folder.back() == '/' ? folder + name : folder + "/" + name;
}

} // namespace

MNIST::MNIST(const std::string &root, Mode mode) : mode(mode) {
  int64_t count = is_train() ? 60000 : 10000;
  std::string start = is_train() ? "train" : "t10k";
  Tensor pixels =
      readIdx(inFolder(root, start + "-images-idx3-ubyte"), "images", 2051, {count, 28, 28});
  allImages = pixels.view({count, 1, 28, 28}).to(kFloat32).div_(255);
  allTargets =
      readIdx(inFolder(root, start + "-labels-idx1-ubyte"), "targets", 2049, {count}).to(kInt64);
}

Example<> MNIST::get(std::size_t index) {
  auto i = static_cast<int64_t>(index);
  return {allImages[i], allTargets[i]};
}

optional<std::size_t> MNIST::size() const { return static_cast<std::size_t>(allImages.size(0)); }

} // namespace gradtidy::runtime::data::datasets
