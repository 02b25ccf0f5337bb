#include "Padding.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "Copies.h"
#include "Factories.h"
#include "Indexing.h"

#include <algorithm>

namespace gradtidy::runtime {

Tensor constant_pad_nd(const Tensor &self, IntArrayRef pad, const Scalar &value) {
  OperationScope scope("constant_pad_nd");
  TORCH_CHECK(pad.size() % 2 == 0, "Length of pad must be even but instead it equals ", pad.size());
  auto dims = static_cast<int64_t>(pad.size() / 2);
  TORCH_CHECK(self.dim() >= dims,
              "Length of pad should be no more than twice the number of dimensions of the input. "
              "Pad length is ",
              pad.size(), " while the input has ", self.dim(), " dimensions.");
  DimVector sizes = self.sizes().vec(), inverse;
  Tensor kept = self.detach();
  for (int64_t i = 0; i < dims; ++i) {
    int64_t d = self.dim() - 1 - i, before = pad[2 * i], behind = pad[2 * i + 1];
    sizes[d] += before + behind;
    TORCH_CHECK(sizes[d] >= 0, "The input size ", self.size(d), ", plus negative padding ", before,
                " and ", behind,
                " resulted in a negative output size, which is invalid. Check "
                "dimension ",
                d, " of your input.");
    kept =
        kept.slice(d, std::max<int64_t>(-before, 0), kept.size(d) - std::max<int64_t>(-behind, 0));
    inverse.insert(inverse.end(), {-before, -behind});
  }
  Tensor result;
  if (kept.sizes() == IntArrayRef(sizes)) {
    result = kept.clone();
  } else {
    result = full(sizes, value, self.options());
    Tensor inside = result;
    for (int64_t i = 0; i < dims; ++i) {
      int64_t d = self.dim() - 1 - i;
      inside = inside.narrow(d, std::max<int64_t>(pad[2 * i], 0), kept.size(d));
    }
    copyInto(inside, kept);
  }
  return record(result, "ConstantPadNdBackward0", {self}, {},
                [inverse](const Tensor &g, const GradientContext &) -> Gradients {
                  return {constant_pad_nd(g, inverse, 0)};
                });
}

namespace {

/// Where element `i` of a padded dimension comes from.
int64_t sourceOf(int64_t i, int64_t size, std::string_view mode) {
  if (mode == "circular")
    return (i % size + size) % size;
  if (mode == "replicate")
    return std::clamp<int64_t>(i, 0, size - 1);
  return i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
}

void checkSource(const Tensor &self, int64_t dim, int64_t before, int64_t behind,
                 std::string_view mode) {
  int64_t size = self.size(dim);
  if (mode == "reflect")
    TORCH_CHECK(before < size && behind < size,
                "Argument #4: Padding size should be less than the corresponding input dimension, "
                "but got: padding (",
                before, ", ", behind, ") at dimension ", dim, " of input ", toText(self.sizes()));
  if (mode == "circular")
    TORCH_CHECK(before <= size && behind <= size,
                "Padding value causes wrapping around more than once.");
  TORCH_CHECK(size > 0, "Expected a non-empty dimension ", dim, " to pad, but got ",
              toText(self.sizes()));
}

} // namespace

Tensor pad(const Tensor &self, IntArrayRef pad, std::string_view mode, optional<double> value) {
  TORCH_CHECK(pad.size() % 2 == 0, "Padding length must be divisible by 2");
  TORCH_CHECK(
      static_cast<int64_t>(pad.size() / 2) <= self.dim(),
      "Padding length should be less than or equal to two times the input dimension but got "
      "padding length ",
      pad.size(), " and input of dimension ", self.dim());
  if (mode == "constant")
    return constant_pad_nd(self, pad, value.value_or(0));
  TORCH_CHECK(!value || *value == 0, "Padding mode \"", std::string(mode),
              "\" doesn't take in value argument");
  TORCH_CHECK(mode == "reflect" || mode == "replicate" || mode == "circular",
              "Unrecognised padding mode ", std::string(mode));
  int64_t channels = self.dim() - 1 - static_cast<int64_t>(pad.size() / 2);
  TORCH_CHECK(mode == "circular" || channels < 0 || self.size(channels) > 0,
              "Expected a tensor with possibly 0 batch size and other non-zero dimensions for "
              "input, but got: ",
              toText(self.sizes()));
  bool onList = mode == "replicate" || (mode == "reflect" && pad.size() <= 4);
  Casting cast = autocast::widen(self, onList ? autocast::onHost : 0);
  Tensor result = cast(self);
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    int64_t dim = self.dim() - 1 - static_cast<int64_t>(i), before = pad[2 * i],
            behind = pad[2 * i + 1];
    checkSource(self, dim, before, behind, mode);
    std::vector<int64_t> source;
    for (int64_t k = -before; k < self.size(dim) + behind; ++k)
      source.push_back(sourceOf(k, self.size(dim), mode));
    result = index_select(result, dim, table(source, self.device()));
  }
  return result;
}

namespace {

void checkLength(IntArrayRef padding, std::size_t dims) {
  TORCH_CHECK(padding.size() == 2 * dims, "padding size is expected to be ", 2 * dims,
              ", but got: ", padding.size());
}

} // namespace

#define GRADTIDY_PADDING(D)                                                                        \
  Tensor reflection_pad##D##d(const Tensor &self, IntArrayRef padding) {                           \
    checkLength(padding, D);                                                                       \
    return pad(self, padding, "reflect");                                                          \
  }                                                                                                \
  Tensor replication_pad##D##d(const Tensor &self, IntArrayRef padding) {                          \
    checkLength(padding, D);                                                                       \
    return pad(self, padding, "replicate");                                                        \
  }
GRADTIDY_PADDING(1)
GRADTIDY_PADDING(2)
GRADTIDY_PADDING(3)
#undef GRADTIDY_PADDING

} // namespace gradtidy::runtime
