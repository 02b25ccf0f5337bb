#include "Joins.h"
#include "../core/RecordFunction.h"
#include "../core/Shape.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Cumulative.h"
#include "Factories.h"
#include "Indexing.h"
#include "Reductions.h"
#include "Statistics.h"
#include "Views.h"

#include <algorithm>

namespace gradtidy::runtime {
namespace {

template <class F> std::vector<Tensor> each(TensorList tensors, F f) {
  std::vector<Tensor> results;
  for (const Tensor &tensor : tensors)
    results.push_back(f(tensor));
  return results;
}

std::vector<Tensor> equalParts(const char *name, const Tensor &self, int64_t sections,
                               int64_t dim) {
  TORCH_CHECK(sections > 0 && self.size(dim) % sections == 0, "torch.", name,
              " attempted to split along dimension ", dim, ", but the size of the dimension ",
              self.size(dim), " is not divisible by the split_size ", sections, "!");
  return tensor_split(self, sections, dim);
}

/// The positions of a matrix at which `inside`(column - row) holds.
template <class Inside>
Tensor positions(int64_t rows, int64_t columns, TensorOptions options, Inside inside) {
  Tensor row = arange(rows, options.device()).unsqueeze(1),
         column = arange(columns, options.device());
  return nonzero(inside(column - row)).t().contiguous().to(options);
}

} // namespace

Tensor atleast_1d(const Tensor &self) { return self.dim() == 0 ? self.reshape({1}) : self; }
Tensor atleast_2d(const Tensor &self) {
  return self.dim() < 2 ? atleast_1d(self).unsqueeze(0) : self;
}
Tensor atleast_3d(const Tensor &self) {
  return self.dim() < 3 ? atleast_2d(self).unsqueeze(-1) : self;
}

Tensor column_stack(TensorList tensors) {
  return hstack(each(tensors, [](const Tensor &x) {
    return x.dim() < 2 ? x.reshape({x.numel(), 1}) : x;
  }));
}

Tensor dstack(TensorList tensors) { return cat(each(tensors, atleast_3d), 2); }

Tensor block_diag(TensorList tensors) {
  std::vector<Tensor> blocks = each(tensors, atleast_2d), rows;
  int64_t width = 0, before = 0;
  for (const Tensor &block : blocks) {
    TORCH_CHECK(block.dim() == 2,
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. "
                "Got a tensor with ",
                block.dim(), " dimensions");
    width += block.size(1);
  }
  for (const Tensor &block : blocks) {
    int64_t behind = width - before - block.size(1);
    rows.push_back(cat(
        {block.new_zeros({block.size(0), before}), block, block.new_zeros({block.size(0), behind})},
        1));
    before += block.size(1);
  }
  return cat(rows);
}

Tensor cartesian_prod(TensorList tensors) {
  for (const Tensor &tensor : tensors)
    TORCH_CHECK(tensor.dim() == 1, "Expect a 1D vector, but got shape ", toText(tensor.sizes()));
  if (tensors.size() == 1)
    return tensors[0];
  return stack(each(meshgrid(tensors), [](const Tensor &x) { return x.flatten(); }), 1);
}

Tensor combinations(const Tensor &self, int64_t r, bool withReplacement) {
  TORCH_CHECK(self.dim() == 1, "Expect a 1D vector, but got shape ", toText(self.sizes()));
  TORCH_CHECK(r >= 0, "Expect a non-negative number, but got ", r);
  if (r == 0)
    return self.new_empty({0});
  // Positions that rise, or do not fall, from one to the next.
  std::vector<Tensor> grids = meshgrid(
      std::vector<Tensor>(static_cast<std::size_t>(r), arange(self.numel(), self.device())));
  Tensor wanted = ones_like(grids[0], kBool);
  for (std::size_t i = 1; i < grids.size(); ++i)
    wanted =
        wanted.logical_and(withReplacement ? grids[i - 1].le(grids[i]) : grids[i - 1].lt(grids[i]));
  return stack(
      each(grids,
           [&](const Tensor &grid) { return self.index_select(0, grid.masked_select(wanted)); }),
      1);
}

std::vector<Tensor> tensor_split(const Tensor &self, IntArrayRef positions, int64_t dim) {
  TORCH_CHECK(self.dim() > 0,
              "tensor_split expected at least a 1-dimensional tensor, but got a "
              "tensor with ",
              self.dim(), " dims");
  std::vector<Tensor> parts;
  int64_t start = 0;
  for (int64_t end : positions) {
    parts.push_back(self.slice(dim, start, end));
    start = end;
  }
  parts.push_back(self.slice(dim, start));
  return parts;
}

std::vector<Tensor> tensor_split(const Tensor &self, int64_t sections, int64_t dim) {
  TORCH_CHECK(self.dim() > 0,
              "tensor_split expected at least a 1-dimensional tensor, but got a "
              "tensor with ",
              self.dim(), " dims");
  TORCH_CHECK(sections > 0, "number of sections must be larger than 0, got ", sections);
  int64_t size = self.size(dim), small = size / sections, larger = size % sections;
  DimVector ends;
  for (int64_t i = 1; i < sections; ++i)
    ends.push_back(i * small + std::min(i, larger));
  return tensor_split(self, IntArrayRef(ends), dim);
}

std::vector<Tensor> hsplit(const Tensor &self, int64_t sections) {
  TORCH_CHECK(self.dim() >= 1,
              "torch.hsplit requires a tensor with at least 1 dimension, but got "
              "a tensor with ",
              self.dim(), " dimensions!");
  return equalParts("hsplit", self, sections, self.dim() == 1 ? 0 : 1);
}
std::vector<Tensor> vsplit(const Tensor &self, int64_t sections) {
  TORCH_CHECK(self.dim() >= 2,
              "torch.vsplit requires a tensor with at least 2 dimension, but got "
              "a tensor with ",
              self.dim(), " dimensions!");
  return equalParts("vsplit", self, sections, 0);
}
std::vector<Tensor> dsplit(const Tensor &self, int64_t sections) {
  TORCH_CHECK(self.dim() >= 3,
              "torch.dsplit requires a tensor with at least 3 dimension, but got "
              "a tensor with ",
              self.dim(), " dimensions!");
  return equalParts("dsplit", self, sections, 2);
}

Tensor fliplr(const Tensor &self) {
  TORCH_CHECK(self.dim() >= 2, "Input must be >= 2-d.");
  return flip(self, 1);
}
Tensor flipud(const Tensor &self) {
  TORCH_CHECK(self.dim() >= 1, "Input must be >= 1-d.");
  return flip(self, 0);
}

Tensor channel_shuffle(const Tensor &self, int64_t groups) {
  TORCH_CHECK(self.dim() > 2,
              "channel_shuffle expects input with > 2 dims, but got input with sizes ",
              toText(self.sizes()));
  TORCH_CHECK(groups > 0,
              "Number of groups to divide channels in must be positive. Value of "
              "groups:",
              groups);
  TORCH_CHECK(self.size(1) % groups == 0, "Number of channels must be divisible by groups. Got ",
              self.size(1), " channels and ", groups, " groups.");
  return self.unflatten(1, {groups, self.size(1) / groups}).transpose(1, 2).reshape(self.sizes());
}

Tensor tril_indices(int64_t rows, int64_t columns, int64_t offset, TensorOptions options) {
  return positions(rows, columns, options, [&](const Tensor &d) { return d.le(offset); });
}
Tensor triu_indices(int64_t rows, int64_t columns, int64_t offset, TensorOptions options) {
  return positions(rows, columns, options, [&](const Tensor &d) { return d.ge(offset); });
}

Tensor repeat_interleave(const Tensor &repeats) {
  OperationScope scope("repeat_interleave");
  TORCH_CHECK(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat");
  TORCH_CHECK(repeats.scalar_type() == kLong || repeats.scalar_type() == kInt,
              "repeats has to be Long or Int tensor");
  if (repeats.numel() == 0)
    return empty_like(repeats, kLong);
  TORCH_CHECK(repeats.ge(0).all().item<bool>(), "repeats can not be negative");
  // Position i belongs to the first element whose repetitions end behind it.
  Tensor ends = cumsum(repeats.to(kLong), 0);
  return searchsorted(ends, arange(ends[-1].item<int64_t>(), ends.device()), false, true);
}

Tensor repeat_interleave(const Tensor &self, const Tensor &repeats, optional<int64_t> dim) {
  if (!dim)
    return repeat_interleave(self.flatten(), repeats, 0);
  Tensor counts = repeats.dim() == 0 || (repeats.dim() == 1 && repeats.numel() == 1)
                      ? repeats.reshape({1}).expand({self.size(*dim)})
                      : repeats;
  TORCH_CHECK(counts.dim() != 1 || counts.numel() == self.size(*dim),
              "repeats must have the same size as input along dim, but got repeats.size(0) = ",
              counts.numel(), " and input.size(", *dim, ") = ", self.size(*dim));
  return self.index_select(*dim, repeat_interleave(counts));
}

std::vector<Tensor> Tensor::tensor_split(int64_t sections, int64_t dim) const {
  return runtime::tensor_split(*this, sections, dim);
}
std::vector<Tensor> Tensor::tensor_split(IntArrayRef positions, int64_t dim) const {
  return runtime::tensor_split(*this, positions, dim);
}
std::vector<Tensor> Tensor::hsplit(int64_t sections) const {
  return runtime::hsplit(*this, sections);
}
std::vector<Tensor> Tensor::vsplit(int64_t sections) const {
  return runtime::vsplit(*this, sections);
}
Tensor Tensor::fliplr() const { return runtime::fliplr(*this); }
Tensor Tensor::flipud() const { return runtime::flipud(*this); }
Tensor Tensor::repeat_interleave(const Tensor &repeats, optional<int64_t> dim) const {
  return runtime::repeat_interleave(*this, repeats, dim);
}

} // namespace gradtidy::runtime
