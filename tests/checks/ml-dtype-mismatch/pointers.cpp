// Pointers that take the elements of a tensor for others than they are.
#include <torch/torch.h>

#include <cstdint>
#include <cstring>

using torch::Tensor;

void cast_bad(Tensor x) {
  auto latent = x.to(torch::kHalf).clone();
  auto *values = static_cast<float *>(latent.data_ptr()); // expect: ml-dtype-mismatch (no fix)
  for (int i = 0; i < latent.numel(); ++i)
    values[i] *= 2;
}

void template_bad(Tensor logits) {
  auto best = logits.argmax(1);
  const float *indices = best.data_ptr<float>(); // expect: ml-dtype-mismatch (no fix)
  std::printf("%f\n", indices[0]);
}

void other_bad(Tensor x) {
  auto wide = x.to(torch::kFloat64);
  std::printf("%f\n", reinterpret_cast<const float *>(wide.data_ptr())[0]); // expect: ml-dtype-mismatch (no fix)
}

// The type of the pointer follows that of the tensor, whichever this is here.
template <typename Element> float firstOf(Tensor x) {
  return static_cast<float>(x.data_ptr<Element>()[0] + static_cast<Element *>(x.data_ptr())[1]);
}

void chosen_ok() {
  auto x = torch::ones({4});
  std::printf("%f\n", x.scalar_type() == torch::kFloat64 ? firstOf<double>(x) : firstOf<float>(x));
  if (x.scalar_type() == torch::kFloat64) {
    using scalar_t = double;
    std::printf("%f\n", x.data_ptr<scalar_t>()[0]);
  }
}

// What becomes options may say anything.
struct Kind {
  operator torch::TensorOptions() const;
};

void converted_ok(Kind kind) {
  std::printf("%f\n", torch::zeros({4}, kind).data_ptr<double>()[0]);
}

void same_ok(Tensor x) {
  auto wide = x.to(torch::kFloat64);
  std::printf("%f\n", wide.data_ptr<double>()[0]);
  auto latent = x.to(torch::kHalf);
  std::printf("%d\n", static_cast<const std::uint16_t *>(latent.data_ptr())[0]);
}

void bytes_ok(Tensor x, char *target) {
  auto wide = x.to(torch::kFloat64);
  std::memcpy(target, wide.data_ptr(), 8);
  auto *bytes = static_cast<unsigned char *>(wide.data_ptr());
  std::printf("%d\n", bytes[0]);
}

void unknown_ok(Tensor x) {
  std::printf("%f\n", x.data_ptr<float>()[0]);
  std::printf("%f\n", static_cast<double *>(x.data_ptr())[0]);
}

// Bytes may be the parts of larger integers, packed.
void packed_ok(Tensor x) {
  auto packed = torch::zeros({8, 8}, torch::kUInt8);
  static_cast<std::int64_t *>(packed.data_ptr())[0] = 1;
}

// An address may be a number.
bool number_ok(Tensor x) { return reinterpret_cast<std::uintptr_t>(x.data_ptr()) % 16 == 0; }
