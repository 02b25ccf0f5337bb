// Indexing by integers, slices, masks and tensors of positions.
//
// Integers, slices, None and "..." give views. A mask or a tensor of positions gives a copy:
// writing to x.index({mask}) changes nothing, x.index_put_({mask}, v) does.
#pragma once

#include "../core/Tensor.h"

#include <string_view>

namespace gradtidy::runtime {

namespace indexing {

constexpr std::nullopt_t None = std::nullopt;

struct EllipsisIndexType {};
inline constexpr EllipsisIndexType Ellipsis{};

struct Slice {
  Slice(optional<int64_t> start = nullopt, optional<int64_t> stop = nullopt,
        optional<int64_t> step = nullopt)
      : first(start), last(stop), stride(step.value_or(1)) {}
  optional<int64_t> first, last;
  int64_t stride;
};

class TensorIndex {
public:
  enum class Kind { None, Ellipsis, Integer, Boolean, Slice, Tensor };

  TensorIndex(std::nullopt_t) : kind(Kind::None) {}
  TensorIndex(EllipsisIndexType) : kind(Kind::Ellipsis) {}
  /// "..." is the ellipsis; any other text throws.
  TensorIndex(const char *text);
  template <class T>
  TensorIndex(T value)
    requires std::integral<T>
      : kind(std::same_as<T, bool> ? Kind::Boolean : Kind::Integer),
        integer(static_cast<int64_t>(value)) {}
  TensorIndex(Slice slice) : kind(Kind::Slice), slice(slice) {}
  TensorIndex(Tensor tensor) : kind(Kind::Tensor), tensor(std::move(tensor)) {}

  Kind kind;
  int64_t integer = 0;
  Slice slice;
  Tensor tensor;
};

} // namespace indexing

Tensor index_select(const Tensor &self, int64_t dim, const Tensor &index);
/// out[i][j] = self[i][index[i][j]] for dim 1, and so on.
Tensor gather(const Tensor &self, int64_t dim, const Tensor &index);
/// self with `alpha` times the slices of `source` added to those along `dim` that `index` names.
Tensor index_add(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source,
                 const Scalar &alpha = 1);
/// Elements by their positions in the flattened tensor.
Tensor take(const Tensor &self, const Tensor &index);
/// `value` in the slices along `dim` that `index` names.
Tensor index_fill(const Tensor &self, int64_t dim, const Tensor &index, const Scalar &value);
/// The elements of `source`, one after the other, where `mask` holds.
Tensor masked_scatter(const Tensor &self, const Tensor &mask, const Tensor &source);
inline Tensor masked_fill(const Tensor &self, const Tensor &mask, const Scalar &value) {
  return self.masked_fill(mask, value);
}
inline Tensor scatter(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source) {
  return self.scatter(dim, index, source);
}
inline Tensor scatter(const Tensor &self, int64_t dim, const Tensor &index, const Scalar &value) {
  return self.scatter(dim, index, value);
}
inline Tensor scatter_add(const Tensor &self, int64_t dim, const Tensor &index,
                          const Tensor &source) {
  return self.scatter_add(dim, index, source);
}
/// self with the elements of `source` that go to the same place by `index` combined to one: "sum",
/// "prod", "mean", "amax" or "amin", together with self's own unless `includeSelf` is false.
Tensor scatter_reduce(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source,
                      std::string_view reduce, bool includeSelf = true);
inline Tensor scatter(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source,
                      std::string_view reduce) {
  return self.scatter(dim, index, source, reduce);
}
inline Tensor masked_fill(const Tensor &self, const Tensor &mask, const Tensor &value) {
  return self.masked_fill(mask, value);
}
inline Tensor index_put(const Tensor &self, const std::vector<optional<Tensor>> &indices,
                        const Tensor &values, bool accumulate = false) {
  return self.index_put(indices, values, accumulate);
}
/// `source` in the slices along `dim` that `index` names.
Tensor index_copy(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source);
/// gather() that broadcasts the other dimensions; without `dim` of the flattened tensor.
Tensor take_along_dim(const Tensor &self, const Tensor &index, optional<int64_t> dim = nullopt);
/// Which elements are among those of `test` (are not, if `invert`).
Tensor isin(const Tensor &elements, const Tensor &test, bool assumeUnique = false,
            bool invert = false);
Tensor masked_select(const Tensor &self, const Tensor &mask);
/// The positions of non-zero elements, one row each.
Tensor nonzero(const Tensor &self);
inline Tensor argwhere(const Tensor &self) { return nonzero(self); }
/// Rows of `weight`, one for each index.
/// No gradient goes to the row `paddingIndex`, unless that is negative.
Tensor embedding(const Tensor &weight, const Tensor &indices, int64_t paddingIndex = -1);
/// Shortens the rows that `indices` name to a norm of `maxNorm` at most; no graph sees it.
Tensor embedding_renorm_(const Tensor &weight, const Tensor &indices, double maxNorm,
                         double normType);
Tensor one_hot(const Tensor &classes, int64_t count = -1);

} // namespace gradtidy::runtime
