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
Tensor tril(const Tensor &self, int64_t diagonal = 0);
Tensor triu(const Tensor &self, int64_t diagonal = 0);

} // namespace gradtidy::runtime
