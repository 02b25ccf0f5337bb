// Views: other geometries over the same memory; and the joins (cat, stack) and copies that go with
// them.
#pragma once

#include "../core/Tensor.h"

#include <string_view>

namespace gradtidy::runtime {

Tensor reshape(const Tensor &self, IntArrayRef size);
/// view() of a temporary tensor: the result is a tensor of its own, not a view.
Tensor unsafe_view(const Tensor &self, IntArrayRef size);
Tensor flatten(const Tensor &self, int64_t startDim = 0, int64_t endDim = -1);
Tensor permute(const Tensor &self, IntArrayRef dims);
Tensor transpose(const Tensor &self, int64_t dim0, int64_t dim1);
Tensor t(const Tensor &self);
Tensor squeeze(const Tensor &self);
Tensor squeeze(const Tensor &self, int64_t dim);
Tensor unsqueeze(const Tensor &self, int64_t dim);
Tensor select(const Tensor &self, int64_t dim, int64_t index);
Tensor slice(const Tensor &self, int64_t dim = 0, optional<int64_t> start = nullopt,
             optional<int64_t> end = nullopt, int64_t step = 1);
Tensor narrow(const Tensor &self, int64_t dim, int64_t start, int64_t length);
std::vector<Tensor> chunk(const Tensor &self, int64_t chunks, int64_t dim = 0);
std::vector<Tensor> split(const Tensor &self, int64_t splitSize, int64_t dim = 0);
std::vector<Tensor> split(const Tensor &self, IntArrayRef sizes, int64_t dim = 0);
std::vector<Tensor> unbind(const Tensor &self, int64_t dim = 0);
/// Each element (or, with a dimension, each slice) `repeats` times in a row.
Tensor repeat_interleave(const Tensor &self, int64_t repeats, optional<int64_t> dim = nullopt);

Tensor cat(TensorList tensors, int64_t dim = 0);
Tensor stack(TensorList tensors, int64_t dim = 0);
/// The tensors, or views of them, in the shape to which all broadcast.
std::vector<Tensor> broadcast_tensors(TensorList tensors);
/// Views of the grid that vectors span; with the indexing "xy" the second one runs along its rows.
std::vector<Tensor> meshgrid(TensorList tensors, std::string_view indexing = "ij");
Tensor flip(const Tensor &self, IntArrayRef dims);
/// Moves elements by `shifts` along `dims` (along the flattened tensor without any), those that
/// leave at the end to the start.
Tensor roll(const Tensor &self, IntArrayRef shifts, IntArrayRef dims = {});
/// The rotation in the plane of two dimensions, k times by a right angle from the first of them
/// towards the second.
Tensor rot90(const Tensor &self, int64_t k = 1, IntArrayRef dims = {0, 1});

/// Some dimensions at other places; the others keep their order.
Tensor movedim(const Tensor &self, IntArrayRef source, IntArrayRef destination);
inline Tensor moveaxis(const Tensor &self, IntArrayRef source, IntArrayRef destination) {
  return movedim(self, source, destination);
}
inline Tensor adjoint(const Tensor &self) { return self.mT(); }
inline Tensor swapaxes(const Tensor &self, int64_t dim0, int64_t dim1) {
  return transpose(self, dim0, dim1);
}
inline Tensor swapdims(const Tensor &self, int64_t dim0, int64_t dim1) {
  return transpose(self, dim0, dim1);
}
inline Tensor ravel(const Tensor &self) { return self.contiguous().view(-1); }
/// One dimension as several, of `sizes`, one of which may be -1.
Tensor unflatten(const Tensor &self, int64_t dim, IntArrayRef sizes);
/// repeat() that takes fewer counts than there are dimensions.
Tensor tile(const Tensor &self, IntArrayRef repeats);
inline Tensor concat(TensorList tensors, int64_t dim = 0) { return cat(tensors, dim); }
inline Tensor concatenate(TensorList tensors, int64_t dim = 0) { return cat(tensors, dim); }
/// Side by side, vectors one behind the other.
Tensor hstack(TensorList tensors);
/// On top of each other, vectors as rows.
Tensor vstack(TensorList tensors);

} // namespace gradtidy::runtime
