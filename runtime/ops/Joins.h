// More ways to put tensors together and to take them apart, made of those of Views.h.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

/// With dimensions of size one so that there are at least so many.
Tensor atleast_1d(const Tensor &self);
Tensor atleast_2d(const Tensor &self);
Tensor atleast_3d(const Tensor &self);
/// Vectors as the columns of a matrix.
Tensor column_stack(TensorList tensors);
/// One behind the other along the third dimension.
Tensor dstack(TensorList tensors);
/// Matrices along the diagonal of one that is zeros elsewhere.
Tensor block_diag(TensorList tensors);
/// All combinations of one element of each vector, as rows.
Tensor cartesian_prod(TensorList tensors);
/// All choices of r elements of a vector, as rows.
Tensor combinations(const Tensor &self, int64_t r = 2, bool withReplacement = false);
/// So many parts of nearly equal size, the larger ones first; or the parts between some positions.
std::vector<Tensor> tensor_split(const Tensor &self, int64_t sections, int64_t dim = 0);
std::vector<Tensor> tensor_split(const Tensor &self, IntArrayRef positions, int64_t dim = 0);
/// Equal parts along the second (of a vector the only), first and third dimension.
std::vector<Tensor> hsplit(const Tensor &self, int64_t sections);
std::vector<Tensor> vsplit(const Tensor &self, int64_t sections);
std::vector<Tensor> dsplit(const Tensor &self, int64_t sections);
Tensor fliplr(const Tensor &self);
Tensor flipud(const Tensor &self);
/// Channels (N, C, ...) dealt out to `groups` and read across them.
Tensor channel_shuffle(const Tensor &self, int64_t groups);
/// Row and column of each element of a triangle of a matrix, int64.
Tensor tril_indices(int64_t rows, int64_t columns, int64_t offset = 0,
                    TensorOptions options = kLong);
Tensor triu_indices(int64_t rows, int64_t columns, int64_t offset = 0,
                    TensorOptions options = kLong);
/// Each element (slice along `dim`) as often as `repeats` says; without self the positions.
Tensor repeat_interleave(const Tensor &self, const Tensor &repeats,
                         optional<int64_t> dim = nullopt);
Tensor repeat_interleave(const Tensor &repeats);

inline Tensor broadcast_to(const Tensor &self, IntArrayRef size) { return self.expand(size); }

} // namespace gradtidy::runtime
