// What from_blob() reads, and what is there.
#include <torch/torch.h>

#include <array>

torch::Tensor doubles_bad(std::vector<double> &values) {
  auto x = torch::from_blob(values.data(), {4}); // expect: ml-dtype-mismatch: holds float64, and
  return x.clone();
}

torch::Tensor integers_bad(std::vector<int> &values) {
  auto x = torch::from_blob(values.data(), {2, 2}); // expect: ml-dtype-mismatch: holds int32
  return x.clone();
}

torch::Tensor long_bad(int64_t *values, int64_t count) {
  auto x = torch::from_blob(values, {count}); // expect: ml-dtype-mismatch: holds int64
  return x.clone();
}

torch::Tensor array_bad() {
  double values[] = {1, 2, 3};
  return torch::from_blob(values, {3}).clone(); // expect: ml-dtype-mismatch
}

torch::Tensor rows_bad() {
  std::array<double, 4> values{};
  double table[2][2] = {{1, 2}, {3, 4}};
  auto x = torch::from_blob(values.data(), {4}).clone();         // expect: ml-dtype-mismatch
  return x + torch::from_blob(table, {2, 2}).reshape({4}).sum(); // expect: ml-dtype-mismatch
}

torch::Tensor told_bad(std::vector<float> &values) {
  auto type = torch::kFloat64;
  auto x = torch::from_blob(values.data(), {4}, type); // expect: ml-dtype-mismatch (no fix)
  return x.clone();
}

torch::Tensor labels_bad(std::vector<int> &values) {
  auto options = torch::TensorOptions().dtype(torch::kInt64);
  auto x = torch::from_blob(values.data(), {4}, options); // expect: ml-dtype-mismatch (no fix)
  return x.clone();
}

torch::Tensor with_device_bad(std::vector<double> &values) {
  auto options = torch::TensorOptions().requires_grad(false);
  auto x = torch::from_blob(values.data(), {4}, options); // expect: ml-dtype-mismatch (no fix)
  return x.clone();
}

torch::Tensor cast_bad(const std::vector<double> &values) {
  return torch::from_blob((void *)values.data(), {4}).clone(); // expect: ml-dtype-mismatch
}

torch::Tensor static_bad(const std::vector<double> &values) {
  auto *memory = const_cast<double *>(values.data());
  auto x = torch::from_blob(memory, {4}); // expect: ml-dtype-mismatch
  return x.clone();
}

torch::Tensor nested_bad(std::vector<std::vector<float>> &rows, float **matrix) {
  auto x = torch::from_blob(rows.data(), {4, 4}); // expect: ml-dtype-mismatch (no fix): addresses
  auto y = torch::from_blob((float *)rows.data(), {4, 4}); // expect: ml-dtype-mismatch (no fix)
  auto z = torch::from_blob(matrix, {4, 4});               // expect: ml-dtype-mismatch (no fix)
  return x + y + z;
}

struct Position {
  double x, y, z;
};

torch::Tensor structures_bad(std::vector<Position> &points) {
  std::vector<std::array<double, 3>> arrays;
  auto x = torch::from_blob(points.data(), {4, 3}); // expect: ml-dtype-mismatch
  auto y = torch::from_blob(arrays.data(), {4, 3}); // expect: ml-dtype-mismatch
  return x + y;
}

// Right, or not known.

torch::Tensor addresses_ok(std::vector<float *> &pointers, std::vector<std::vector<float>> &rows,
                           std::vector<std::array<float, 3>> &arrays,
                           std::vector<Position> &points) {
  auto sum = torch::from_blob(rows[0].data(), {4}) + torch::from_blob(arrays.data(), {4, 3}).sum();
  sum += torch::from_blob(points.data(), {4, 3}, torch::kFloat64).sum();
  return sum + torch::from_blob(pointers.data(), {4}, torch::kInt64); // For a kernel.
}

struct Point {
  float x, y;
};

torch::Tensor right_ok(std::vector<float> &floats, std::vector<double> &doubles,
                       std::vector<int> &ints, std::vector<int64_t> &longs,
                       std::vector<Point> &points) {
  auto sum = torch::from_blob(floats.data(), {4}).sum();
  sum += torch::from_blob(doubles.data(), {4}, torch::kFloat64).sum();
  sum += torch::from_blob(doubles.data(), {4}, torch::TensorOptions().dtype(torch::kDouble)).sum();
  sum += torch::from_blob(ints.data(), {4}, torch::kInt).sum();
  sum += torch::from_blob(longs.data(), {4}, torch::kLong).sum();
  sum += torch::from_blob(points.data(), {4, 2}).sum();
  return sum;
}

torch::Tensor bytes(std::vector<unsigned char> &bytes, void *memory, char *text, uint16_t *halves,
                    uint32_t *words) {
  auto sum = torch::from_blob(bytes.data(), {4}).sum();
  sum += torch::from_blob(bytes.data(), {4}, torch::kUInt8).sum();
  sum += torch::from_blob(memory, {4}, torch::kFloat64).sum();
  sum += torch::from_blob(text, {4}, torch::kInt64).sum();
  sum += torch::from_blob(halves, {4}, torch::kHalf).sum();
  sum += torch::from_blob(words, {4}, torch::kInt32).sum();
  return sum;
}

torch::Tensor casts_ok(double *values, unsigned char *bytes) {
  auto sum = torch::from_blob(reinterpret_cast<float *>(bytes), {4}).sum();
  return sum + torch::from_blob(reinterpret_cast<double *>(bytes), {4}, torch::kDouble).sum();
}

torch::Tensor told_elsewhere_ok(std::vector<double> &values, torch::TensorOptions options,
                                torch::ScalarType type) {
  auto sum = torch::from_blob(values.data(), {4}, options).sum();
  return sum + torch::from_blob(values.data(), {4}, type).sum();
}
