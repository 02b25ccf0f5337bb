#include "Views.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Copies.h"
#include "Factories.h"
#include "Indexing.h"
#include "kernels/Elementwise.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace gradtidy::runtime {
namespace {

using C = const GradientContext &;
using G = const Tensor &;

/// The gradient of a view of part of a tensor: zeros of `sizes`, with `part` of them set.
template <class Part> Tensor zerosExcept(G gradient, IntArrayRef sizes, Part part) {
  Tensor whole = zeros(sizes, gradient.options());
  part(whole).copy_(gradient);
  return whole;
}

} // namespace

Tensor Tensor::view(IntArrayRef size) const {
  DimVector sizes = inferSize(size, numel());
  auto newStrides = viewStrides(this->sizes(), strides(), sizes);
  TORCH_CHECK(newStrides, "view size is not compatible with input tensor's size and stride (at "
                          "least one dimension spans across two contiguous subspaces). Use "
                          ".reshape(...) instead.");
  return recordView(
      *this, makeAlias(*this, sizes, *newStrides, storage_offset()), "ViewBackward0",
      [from = this->sizes().vec()](G g, C) -> Gradients { return {g.reshape(from)}; });
}

Tensor unsafe_view(const Tensor &self, IntArrayRef size) {
  DimVector sizes = inferSize(size, self.numel());
  auto strides = viewStrides(self.sizes(), self.strides(), sizes);
  Tensor dense = strides ? self : self.contiguous();
  return record(makeAlias(dense, sizes, strides ? *strides : contiguousStrides(sizes),
                          dense.storage_offset()),
                "UnsafeViewBackward0", {dense}, {},
                [from = self.sizes().vec()](G g, C) -> Gradients { return {g.reshape(from)}; });
}

Tensor reshape(const Tensor &self, IntArrayRef size) {
  DimVector sizes = inferSize(size, self.numel());
  if (viewStrides(self.sizes(), self.strides(), sizes))
    return self.view(sizes);
  return self.contiguous().view(sizes);
}

Tensor flatten(const Tensor &self, int64_t startDim, int64_t endDim) {
  int64_t start = wrapDim(startDim, self.dim()), end = wrapDim(endDim, self.dim());
  TORCH_CHECK(start <= end, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (self.dim() == 0)
    return self.reshape({1});
  if (start == end)
    return self;
  DimVector sizes(self.sizes().begin(), self.sizes().begin() + start);
  int64_t run = 1;
  for (int64_t d = start; d <= end; ++d)
    run *= self.size(d);
  sizes.push_back(run);
  sizes.insert(sizes.end(), self.sizes().begin() + end + 1, self.sizes().end());
  return self.reshape(sizes);
}

Tensor permute(const Tensor &self, IntArrayRef dims) {
  TORCH_CHECK(static_cast<int64_t>(dims.size()) == self.dim(),
              "permute(sparse_coo): number of dimensions in the tensor input does not match the "
              "length of the desired ordering of dimensions i.e. input.dim() = ",
              self.dim(), " is not equal to len(dims) = ", dims.size());
  DimVector sizes, strides, inverse(dims.size());
  std::vector<bool> seen(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    int64_t d = wrapDim(dims[i], self.dim());
    TORCH_CHECK(!seen[d], "permute(): duplicate dims are not allowed.");
    seen[d] = true;
    inverse[d] = static_cast<int64_t>(i);
    sizes.push_back(self.sizes()[d]);
    strides.push_back(self.strides()[d]);
  }
  return recordView(self, makeAlias(self, sizes, strides, self.storage_offset()),
                    "PermuteBackward0",
                    [inverse](G g, C) -> Gradients { return {permute(g, inverse)}; });
}

Tensor transpose(const Tensor &self, int64_t dim0, int64_t dim1) {
  dim0 = wrapDim(dim0, self.dim());
  dim1 = wrapDim(dim1, self.dim());
  DimVector sizes = self.sizes().vec(), strides = self.strides().vec();
  if (self.dim() > 0) {
    std::swap(sizes[dim0], sizes[dim1]);
    std::swap(strides[dim0], strides[dim1]);
  }
  return recordView(self, makeAlias(self, sizes, strides, self.storage_offset()),
                    "TransposeBackward0",
                    [dim0, dim1](G g, C) -> Gradients { return {transpose(g, dim0, dim1)}; });
}

Tensor t(const Tensor &self) {
  TORCH_CHECK(self.dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is ",
              self.dim(), "D");
  DimVector sizes = self.sizes().vec(), strides = self.strides().vec();
  std::reverse(sizes.begin(), sizes.end());
  std::reverse(strides.begin(), strides.end());
  return recordView(self, makeAlias(self, sizes, strides, self.storage_offset()), "TBackward0",
                    [](G g, C) -> Gradients { return {t(g)}; });
}

namespace {

Tensor squeezeIf(const Tensor &self, const std::function<bool(int64_t)> &drop) {
  DimVector sizes, strides;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (self.size(d) == 1 && drop(d))
      continue;
    sizes.push_back(self.size(d));
    strides.push_back(self.stride(d));
  }
  return recordView(self, makeAlias(self, sizes, strides, self.storage_offset()),
                    "SqueezeBackward0",
                    [from = self.sizes().vec()](G g, C) -> Gradients { return {g.reshape(from)}; });
}

} // namespace

Tensor squeeze(const Tensor &self) {
  return squeezeIf(self, [](int64_t) { return true; });
}
Tensor squeeze(const Tensor &self, int64_t dim) {
  dim = wrapDim(dim, self.dim());
  return squeezeIf(self, [dim](int64_t d) { return d == dim; });
}

Tensor unsqueeze(const Tensor &self, int64_t dim) {
  dim = wrapDim(dim, self.dim() + 1);
  DimVector sizes = self.sizes().vec(), strides = self.strides().vec();
  int64_t stride = dim < self.dim() ? sizes[dim] * strides[dim] : 1;
  sizes.insert(sizes.begin() + dim, 1);
  strides.insert(strides.begin() + dim, stride);
  return recordView(self, makeAlias(self, sizes, strides, self.storage_offset()),
                    "UnsqueezeBackward0", [dim](G g, C) -> Gradients { return {squeeze(g, dim)}; });
}

Tensor Tensor::expand(IntArrayRef size) const {
  TORCH_CHECK(static_cast<int64_t>(size.size()) >= dim(), "expand(", toString(), "{",
              toText(sizes()), "}, size=", toText(size), "): the number of sizes provided (",
              size.size(), ") must be greater or equal to the number of dimensions in the tensor (",
              dim(), ")");
  DimVector newSizes = size.vec(), newStrides(size.size(), 0);
  int64_t lead = static_cast<int64_t>(size.size()) - dim();
  for (int64_t d = 0; d < static_cast<int64_t>(size.size()); ++d) {
    if (d < lead) {
      TORCH_CHECK(newSizes[d] >= 0, "The expanded size of the tensor (", newSizes[d],
                  ") isn't allowed in a leading, non-existing dimension ", d);
      continue;
    }
    int64_t own = this->size(d - lead);
    if (newSizes[d] == -1)
      newSizes[d] = own;
    if (own == newSizes[d])
      newStrides[d] = stride(d - lead);
    else
      TORCH_CHECK(own == 1, "The expanded size of the tensor (", newSizes[d],
                  ") must match the existing size (", own, ") at non-singleton dimension ", d,
                  ".  Target sizes: ", toText(size), ".  Tensor sizes: ", toText(sizes()));
  }
  // The engine sums the gradient back to this shape.
  return recordView(*this, makeAlias(*this, newSizes, newStrides, storage_offset()),
                    "ExpandBackward0", [](G g, C) -> Gradients { return {g}; });
}

Tensor select(const Tensor &self, int64_t dim, int64_t index) {
  if (self.dim() == 0)
    throw IndexError("select() cannot be applied to a 0-dim tensor.");
  dim = wrapDim(dim, self.dim());
  int64_t size = self.size(dim);
  if (index < -size || index >= size)
    throw IndexError(concat("select(): index ", index, " out of range for tensor of size ",
                            toText(self.sizes()), " at dimension ", dim));
  index = index < 0 ? index + size : index;
  DimVector sizes = self.sizes().vec(), strides = self.strides().vec();
  int64_t offset = self.storage_offset() + index * strides[dim];
  sizes.erase(sizes.begin() + dim);
  strides.erase(strides.begin() + dim);
  return recordView(
      self, makeAlias(self, sizes, strides, offset), "SelectBackward0",
      [dim, index, from = self.sizes().vec()](G g, C) -> Gradients {
        return {zerosExcept(g, from, [&](const Tensor &w) { return select(w, dim, index); })};
      });
}

Tensor slice(const Tensor &self, int64_t dim, optional<int64_t> start, optional<int64_t> end,
             int64_t step) {
  TORCH_CHECK_INDEX(self.dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
  TORCH_CHECK(step > 0, "slice step must be positive");
  dim = wrapDim(dim, self.dim());
  int64_t size = self.size(dim);
  int64_t from = start.value_or(0), to = end.value_or(size);
  from = std::clamp<int64_t>(from < 0 ? from + size : from, 0, size);
  to = std::clamp<int64_t>(to < 0 ? to + size : to, from, size);
  DimVector sizes = self.sizes().vec(), strides = self.strides().vec();
  int64_t offset = self.storage_offset() + from * strides[dim];
  sizes[dim] = (to - from + step - 1) / step;
  strides[dim] *= step;
  return recordView(self, makeAlias(self, sizes, strides, offset), "SliceBackward0",
                    [dim, from, to, step, whole = self.sizes().vec()](G g, C) -> Gradients {
                      return {zerosExcept(g, whole, [&](const Tensor &w) {
                        return slice(w, dim, from, to, step);
                      })};
                    });
}

Tensor narrow(const Tensor &self, int64_t dim, int64_t start, int64_t length) {
  TORCH_CHECK(self.dim() > 0, "narrow() cannot be applied to a 0-dim tensor.");
  TORCH_CHECK(length >= 0, "narrow(): length must be non-negative.");
  int64_t size = self.size(dim);
  TORCH_CHECK_INDEX(-size <= start && start <= size,
                    "start out of range (expected to be in range of [", -size, ", ", size,
                    "], but got ", start, ")");
  if (start < 0)
    start += size;
  TORCH_CHECK(start + length <= size, "start (", start, ") + length (", length,
              ") exceeds dimension size (", size, ").");
  return slice(self, dim, start, start + length);
}

Tensor Tensor::as_strided(IntArrayRef size, IntArrayRef stride, optional<int64_t> offset) const {
  TORCH_CHECK(size.size() == stride.size(), "mismatch in length of strides and shape");
  const TensorImpl &self = implOf(*this);
  int64_t start = offset.value_or(self.offset);
  int64_t last = start;
  for (std::size_t d = 0; d < size.size(); ++d) {
    TORCH_CHECK(stride[d] >= 0,
                "as_strided: Negative strides are not supported at the moment, got "
                "strides: ",
                toText(stride));
    last += (size[d] - 1) * stride[d];
  }
  TORCH_CHECK(elementCount(size) == 0 ||
                  static_cast<std::size_t>(last + 1) * itemsize() <= self.storage->nbytes(),
              "setStorage: sizes ", toText(size), ", strides ", toText(stride), ", storage offset ",
              start, ", and itemsize ", itemsize(), " requiring a storage size of ",
              static_cast<std::size_t>(last + 1) * itemsize(),
              " are out of bounds for storage of size ", self.storage->nbytes());
  return recordView(
      *this, makeAlias(*this, size, stride, start), "AsStridedBackward0",
      [window = DimVector(size.vec()), steps = DimVector(stride.vec()), start = start - self.offset,
       sizes = self.sizes, strides = self.strides](G g, C) -> Gradients {
        NoGradGuard guard;
        Tensor whole = makeEmptyStrided(sizes, strides, g.scalar_type(), g.device()).zero_();
        if (!cudaStreamOf(g.device()) || isNonOverlapping(window, steps)) {
          addInto(makeAlias(whole, window, steps, start), g);
          return {whole};
        }
        // Several elements add to one, which threads must not do side by side by plain additions.
        const auto size = static_cast<int64_t>(implOf(whole).storage->nbytes() / whole.itemsize());
        Tensor flat = makeAlias(whole, {size}, {1}, 0);
        Tensor places = makeAlias(arange(flat.numel(), g.device()), window, steps, start);
        flat.index_add_(0, places.reshape(-1), g.reshape(-1));
        return {whole};
      });
}

Tensor Tensor::unfold(int64_t dim, int64_t size, int64_t step) const {
  dim = wrapDim(dim, this->dim());
  int64_t most = this->dim() == 0 ? 1 : this->size(dim);
  TORCH_CHECK(size >= 0, "size is ", size, " but must be >= 0");
  TORCH_CHECK(size <= most, "maximum size for tensor at dimension ", dim, " is ", most,
              " but size is ", size);
  TORCH_CHECK(step > 0, "step is ", step, " but must be > 0");
  if (this->dim() == 0)
    return as_strided(size, 1, storage_offset());
  DimVector newSizes = sizes().vec(), newStrides = strides().vec();
  newSizes[dim] = (newSizes[dim] - size) / step + 1;
  newSizes.push_back(size);
  newStrides.push_back(newStrides[dim]);
  newStrides[dim] *= step;
  return as_strided(newSizes, newStrides, storage_offset());
}

namespace {

/// Parts of one tensor: autograd allows no changes in place of them.
std::vector<Tensor> marked(std::vector<Tensor> parts) {
  for (const Tensor &part : parts)
    implOf(part).autograd.view->oneOfMany = true;
  return parts;
}

} // namespace

std::vector<Tensor> split(const Tensor &self, int64_t splitSize, int64_t dim) {
  TORCH_CHECK(self.dim() > 0, "split expects at least a 1-dimensional tensor");
  TORCH_CHECK(splitSize >= 0,
              "split expects split_size be non-negative, but got split_size=", splitSize);
  std::vector<Tensor> parts;
  int64_t size = self.size(dim);
  TORCH_CHECK(splitSize > 0 || size == 0,
              "split_size can only be 0 if dimension size is 0, but got dimension size of ", size);
  for (int64_t start = 0; start < std::max<int64_t>(size, 1);
       start += std::max<int64_t>(splitSize, 1))
    parts.push_back(narrow(self, dim, start, std::min(splitSize, size - start)));
  return marked(std::move(parts));
}

std::vector<Tensor> split(const Tensor &self, IntArrayRef sizes, int64_t dim) {
  TORCH_CHECK(self.dim() > 0, "split expects at least a 1-dimensional tensor");
  int64_t total = 0;
  for (int64_t size : sizes)
    total += size;
  TORCH_CHECK(total == self.size(dim), "split_with_sizes expects split_sizes to sum exactly to ",
              self.size(dim), " (input tensor's size at dimension ", dim,
              "), but got split_sizes=", toText(sizes));
  std::vector<Tensor> parts;
  int64_t start = 0;
  for (int64_t size : sizes) {
    parts.push_back(narrow(self, dim, start, size));
    start += size;
  }
  return marked(std::move(parts));
}

Tensor repeat_interleave(const Tensor &self, int64_t repeats, optional<int64_t> dim) {
  TORCH_CHECK(repeats >= 0, "Repeats must be non-negative");
  if (!dim)
    return repeat_interleave(self.reshape({-1}), repeats, 0);
  int64_t d = wrapDim(*dim, self.dim());
  if (self.dim() == 0)
    return repeat_interleave(self.reshape({1}), repeats, 0);
  DimVector sizes = self.sizes().vec();
  sizes.insert(sizes.begin() + d + 1, repeats);
  Tensor repeated = self.unsqueeze(d + 1).expand(sizes);
  sizes.erase(sizes.begin() + d + 1);
  sizes[d] *= repeats;
  return packed(repeated).view(sizes);
}

std::vector<Tensor> chunk(const Tensor &self, int64_t chunks, int64_t dim) {
  TORCH_CHECK(self.dim() > 0, "chunk expects at least a 1-dimensional tensor");
  TORCH_CHECK(chunks > 0, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  if (self.size(dim) == 0)
    return split(self, DimVector(static_cast<std::size_t>(chunks), 0), dim);
  return split(self, (self.size(dim) + chunks - 1) / chunks, dim);
}

std::vector<Tensor> unbind(const Tensor &self, int64_t dim) {
  dim = wrapDim(dim, self.dim());
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < self.size(dim); ++i)
    parts.push_back(select(self, dim, i));
  return marked(std::move(parts));
}

Tensor cat(TensorList tensors, int64_t dim) {
  OperationScope scope("cat");
  TORCH_CHECK(!tensors.empty(), "torch.cat(): expected a non-empty list of Tensors");
  // An empty 1-d tensor goes with everything, by tradition.
  auto skipped = [](const Tensor &x) { return x.dim() == 1 && x.size(0) == 0; };
  const Tensor *first = nullptr;
  ScalarType type = tensors[0].scalar_type();
  for (const Tensor &x : tensors) {
    TORCH_CHECK(x.dim() > 0, "zero-dimensional tensor (at position ", &x - tensors.begin(),
                ") cannot be concatenated");
    type = promoteTypes(type, x.scalar_type());
    if (!first && !skipped(x))
      first = &x;
  }
  if (!first)
    first = &tensors[0];
  dim = wrapDim(dim, first->dim());
  DimVector sizes = first->sizes().vec();
  sizes[dim] = 0;
  for (const Tensor &x : tensors) {
    if (skipped(x))
      continue;
    commonDevice("cat", {{"tensors", first}, {"tensors", &x}});
    TORCH_CHECK(x.dim() == first->dim(), "Tensors must have same number of dimensions: got ",
                first->dim(), " and ", x.dim());
    for (int64_t d = 0; d < x.dim(); ++d)
      TORCH_CHECK(d == dim || x.size(d) == first->size(d),
                  "Sizes of tensors must match except in dimension ", dim, ". Expected size ",
                  first->size(d), " but got size ", x.size(d), " for tensor number ",
                  &x - tensors.begin(), " in the list.");
    sizes[dim] += x.size(dim);
  }
  Tensor out = makeEmpty(sizes, type, first->device());
  DimVector lengths;
  int64_t start = 0;
  for (const Tensor &x : tensors) {
    int64_t length = skipped(x) ? 0 : x.size(dim);
    if (length > 0) {
      DimVector part = sizes;
      part[dim] = length;
      copyInto(makeAlias(out, part, out.strides(), start * out.stride(dim)), x);
    }
    lengths.push_back(skipped(x) ? -1 : length);
    start += length;
  }
  if (!mustRecord(tensors))
    return out;
  return recordAlways(out, "CatBackward0", tensors, {}, [dim, lengths](G g, C c) -> Gradients {
    Gradients parts;
    int64_t start = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      bool wanted = lengths[i] >= 0 && c.needs(i);
      parts.push_back(wanted ? narrow(g, dim, start, lengths[i]) : Tensor());
      start += std::max<int64_t>(lengths[i], 0);
    }
    return parts;
  });
}

Tensor stack(TensorList tensors, int64_t dim) {
  OperationScope scope("stack");
  TORCH_CHECK(!tensors.empty(), "stack expects a non-empty TensorList");
  dim = wrapDim(dim, tensors[0].dim() + 1);
  std::vector<Tensor> expanded;
  for (const Tensor &x : tensors) {
    TORCH_CHECK(x.sizes() == tensors[0].sizes(),
                "stack expects each tensor to be equal size, but "
                "got ",
                toText(tensors[0].sizes()), " at entry 0 and ", toText(x.sizes()), " at entry ",
                &x - tensors.begin());
    expanded.push_back(unsqueeze(x, dim));
  }
  return cat(expanded, dim);
}

Tensor Tensor::repeat(IntArrayRef repeats) const {
  TORCH_CHECK(static_cast<int64_t>(repeats.size()) >= dim(),
              "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
              "tensor");
  // (a, b) as (1, a, 1, b), expanded to (r, a, s, b).
  int64_t lead = static_cast<int64_t>(repeats.size()) - dim();
  DimVector apart, expanded, joined;
  for (int64_t d = 0; d < static_cast<int64_t>(repeats.size()); ++d) {
    int64_t own = d < lead ? 1 : size(d - lead);
    apart.insert(apart.end(), {1, own});
    expanded.insert(expanded.end(), {repeats[d], own});
    joined.push_back(repeats[d] * own);
  }
  return packed(reshape(apart).expand(expanded)).view(joined);
}

std::vector<Tensor> broadcast_tensors(TensorList tensors) {
  DimVector shape;
  for (const Tensor &tensor : tensors)
    shape = broadcastShapes(shape, tensor.sizes());
  std::vector<Tensor> views;
  for (const Tensor &tensor : tensors)
    views.push_back(tensor.sizes() == IntArrayRef(shape) ? tensor : tensor.expand(shape));
  return views;
}

std::vector<Tensor> meshgrid(TensorList tensors, std::string_view indexing) {
  TORCH_CHECK(!tensors.empty(), "meshgrid expects a non-empty TensorList");
  TORCH_CHECK(indexing == "ij" || indexing == "xy",
              "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: ",
              std::string(indexing));
  bool swaps = indexing == "xy" && tensors.size() > 1;
  DimVector shape;
  for (const Tensor &tensor : tensors) {
    TORCH_CHECK(tensor.dim() <= 1,
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but "
                "got: ",
                tensor.dim());
    TORCH_CHECK(tensor.scalar_type() == tensors[0].scalar_type(),
                "meshgrid expects all tensors to have the same dtype");
    shape.push_back(tensor.numel());
  }
  if (swaps)
    std::swap(shape[0], shape[1]);
  std::vector<Tensor> grids;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    DimVector own(shape.size(), 1);
    own[swaps && i < 2 ? 1 - i : i] = tensors[i].numel();
    grids.push_back(tensors[i].view(own).expand(shape));
  }
  return grids;
}

Tensor flip(const Tensor &self, IntArrayRef dims) {
  DimVector seen;
  Tensor flipped = self.detach();
  for (int64_t dim : dims) {
    seen.push_back(wrapDim(dim, self.dim()));
    TORCH_CHECK(std::count(seen.begin(), seen.end(), seen.back()) == 1, "dim ", seen.back(),
                " appears multiple times in the list of dims");
    if (self.dim() > 0)
      flipped = flipped.index_select(dim, arange(self.size(dim) - 1, -1, -1, self.device()));
  }
  Tensor result = empty_like(self);
  copyInto(result, flipped);
  return record(result, "FlipBackward0", {self}, {},
                [seen](G g, C) -> Gradients { return {flip(g, seen)}; });
}

Tensor roll(const Tensor &self, IntArrayRef shifts, IntArrayRef dims) {
  OperationScope scope("roll");
  TORCH_CHECK(!shifts.empty(), "`shifts` required");
  bool flat = dims.empty() && shifts.size() == 1;
  TORCH_CHECK(flat || shifts.size() == dims.size(),
              "shifts and dimensions must align. shifts: ", shifts.size(), ", dims:", dims.size());
  Tensor rolled = flat ? self.detach().reshape({-1}) : self.detach().clone();
  for (std::size_t i = 0; i < shifts.size() && self.numel() > 0; ++i) {
    int64_t dim = flat ? 0 : dims[i], size = rolled.size(dim);
    int64_t start = ((size - shifts[i]) % size + size) % size;
    rolled = cat({rolled.narrow(dim, start, size - start), rolled.narrow(dim, 0, start)}, dim);
  }
  DimVector back;
  for (int64_t shift : shifts)
    back.push_back(-shift);
  return record(unsafe_view(rolled, self.sizes()), "RollBackward0", {self}, {},
                [back, dims = dims.vec()](G g, C) -> Gradients { return {roll(g, back, dims)}; });
}

void checkRotation(const Tensor &self, IntArrayRef dims) {
  TORCH_CHECK(dims.size() == 2, "expected total rotation dims == 2, but got dims = ", dims.size());
  TORCH_CHECK(self.dim() >= 2, "expected total dims >= 2, but got total dims = ", self.dim());
  TORCH_CHECK(dims[0] != dims[1] && std::abs(dims[0] - dims[1]) != self.dim(),
              "expected rotation dims to be different, but got dim0 = ", dims[0],
              " and dim1 = ", dims[1]);
}

Tensor rot90(const Tensor &self, int64_t k, IntArrayRef dims) {
  checkRotation(self, dims);
  switch (((k % 4) + 4) % 4) {
  case 1:
    return flip(self, dims[1]).transpose(dims[0], dims[1]);
  case 2:
    return flip(self, dims);
  case 3:
    return flip(self, dims[0]).transpose(dims[0], dims[1]);
  default:
    return packed(self);
  }
}

Tensor movedim(const Tensor &self, IntArrayRef source, IntArrayRef destination) {
  TORCH_CHECK(source.size() == destination.size(),
              "movedim: Invalid source or destination dims: source (", toText(source),
              " dims) should contain the same number of dims as destination (", toText(destination),
              " dims)");
  constexpr int64_t none = -1;
  DimVector order(static_cast<std::size_t>(self.dim()), none);
  std::vector<bool> moved(order.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    int64_t from = wrapDim(source[i], self.dim()), to = wrapDim(destination[i], self.dim());
    if (self.dim() == 0)
      return permute(self, {});
    TORCH_CHECK(!moved[from], "movedim: repeated dim in `source` (", toText(source), ")");
    TORCH_CHECK(order[to] == none, "movedim: repeated dim in `destination` (", toText(destination),
                ")");
    moved[from] = true;
    order[to] = from;
  }
  int64_t next = 0; // the others keep their order
  for (int64_t &dim : order) {
    if (dim != none)
      continue;
    while (moved[next])
      ++next;
    dim = next++;
  }
  return permute(self, order);
}

Tensor unflatten(const Tensor &self, int64_t dim, IntArrayRef sizes) {
  dim = wrapDim(dim, self.dim());
  TORCH_CHECK(!sizes.empty(), "unflatten: sizes must be non-empty");
  int64_t length = self.dim() == 0 ? 1 : self.size(dim), known = 1, unknown = 0;
  for (int64_t size : sizes)
    size == -1 ? ++unknown : known *= size;
  TORCH_CHECK(unknown <= 1, "only one dimension can be inferred");
  TORCH_CHECK(unknown == 0 ? known == length : known > 0 && length % known == 0,
              "unflatten: Provided sizes ", toText(sizes), " don't multiply up to the size of dim ",
              dim, " (", length, ") in the input tensor");
  DimVector shape = self.sizes().vec(), parts = sizes.vec();
  for (int64_t &part : parts)
    part = part == -1 ? length / known : part;
  if (self.dim() > 0)
    shape.erase(shape.begin() + dim);
  shape.insert(shape.begin() + dim, parts.begin(), parts.end());
  return self.view(shape);
}

Tensor tile(const Tensor &self, IntArrayRef repeats) {
  DimVector all = repeats.vec();
  if (static_cast<int64_t>(all.size()) < self.dim())
    all.insert(all.begin(), static_cast<std::size_t>(self.dim()) - all.size(), 1);
  return self.repeat(all);
}

namespace {

/// Vectors as they are and numbers as vectors, or, with two dimensions, as rows.
std::vector<Tensor> withDims(TensorList tensors, int64_t dims) {
  std::vector<Tensor> result;
  for (Tensor x : tensors) {
    while (x.dim() < dims)
      x = x.unsqueeze(0);
    result.push_back(x);
  }
  return result;
}

} // namespace

Tensor hstack(TensorList tensors) {
  TORCH_CHECK(!tensors.empty(), "hstack expects a non-empty TensorList");
  std::vector<Tensor> parts = withDims(tensors, 1);
  return cat(parts, parts[0].dim() == 1 ? 0 : 1);
}

Tensor vstack(TensorList tensors) {
  TORCH_CHECK(!tensors.empty(), "vstack expects a non-empty TensorList");
  return cat(withDims(tensors, 2), 0);
}

Tensor Tensor::reshape(IntArrayRef size) const { return runtime::reshape(*this, size); }
Tensor Tensor::flatten(int64_t startDim, int64_t endDim) const {
  return runtime::flatten(*this, startDim, endDim);
}
Tensor Tensor::permute(IntArrayRef dims) const { return runtime::permute(*this, dims); }
Tensor Tensor::transpose(int64_t dim0, int64_t dim1) const {
  return runtime::transpose(*this, dim0, dim1);
}
Tensor Tensor::t() const { return runtime::t(*this); }
Tensor Tensor::squeeze() const { return runtime::squeeze(*this); }
Tensor Tensor::squeeze(int64_t dim) const { return runtime::squeeze(*this, dim); }
Tensor Tensor::unsqueeze(int64_t dim) const { return runtime::unsqueeze(*this, dim); }
Tensor Tensor::select(int64_t dim, int64_t index) const {
  return runtime::select(*this, dim, index);
}
Tensor Tensor::slice(int64_t dim, optional<int64_t> start, optional<int64_t> end,
                     int64_t step) const {
  return runtime::slice(*this, dim, start, end, step);
}
Tensor Tensor::narrow(int64_t dim, int64_t start, int64_t length) const {
  return runtime::narrow(*this, dim, start, length);
}
std::vector<Tensor> Tensor::chunk(int64_t chunks, int64_t dim) const {
  return runtime::chunk(*this, chunks, dim);
}
std::vector<Tensor> Tensor::split(int64_t splitSize, int64_t dim) const {
  return runtime::split(*this, splitSize, dim);
}
std::vector<Tensor> Tensor::unbind(int64_t dim) const { return runtime::unbind(*this, dim); }
Tensor Tensor::flip(IntArrayRef dims) const { return runtime::flip(*this, dims); }
Tensor Tensor::roll(IntArrayRef shifts, IntArrayRef dims) const {
  return runtime::roll(*this, shifts, dims);
}
Tensor Tensor::movedim(int64_t source, int64_t destination) const {
  return runtime::movedim(*this, source, destination);
}
Tensor Tensor::movedim(IntArrayRef source, IntArrayRef destination) const {
  return runtime::movedim(*this, source, destination);
}
Tensor Tensor::unflatten(int64_t dim, IntArrayRef sizes) const {
  return runtime::unflatten(*this, dim, sizes);
}
Tensor Tensor::tile(IntArrayRef repeats) const { return runtime::tile(*this, repeats); }
Tensor Tensor::rot90(int64_t k, IntArrayRef dims) const { return runtime::rot90(*this, k, dims); }

namespace {

/// Gives `self` the geometry and the history of the view of it that `makeView` makes.
template <class MakeView> Tensor &becomeView(const Tensor &self, MakeView makeView) {
  checkChangeable(self, mustRecord(self));
  Tensor view = makeView();
  TensorImpl &to = implOf(self), &from = implOf(view);
  to.sizes = from.sizes;
  to.strides = from.strides;
  if (from.autograd.gradFn) {
    to.autograd.gradFn = from.autograd.gradFn;
    to.autograd.outputNr = 0;
  }
  to.countChange();
  return const_cast<Tensor &>(self);
}

} // namespace

Tensor &Tensor::squeeze_() const {
  return becomeView(*this, [&] { return squeeze(); });
}
Tensor &Tensor::squeeze_(int64_t dim) const {
  return becomeView(*this, [&] { return squeeze(dim); });
}
Tensor &Tensor::unsqueeze_(int64_t dim) const {
  return becomeView(*this, [&] { return unsqueeze(dim); });
}
Tensor &Tensor::transpose_(int64_t dim0, int64_t dim1) const {
  return becomeView(*this, [&] { return transpose(dim0, dim1); });
}
Tensor &Tensor::t_() const {
  return becomeView(*this, [&] { return t(); });
}
std::vector<Tensor> Tensor::split(IntArrayRef sizes, int64_t dim) const {
  return runtime::split(*this, sizes, dim);
}
Tensor Tensor::repeat_interleave(int64_t repeats, optional<int64_t> dim) const {
  return runtime::repeat_interleave(*this, repeats, dim);
}

Tensor Tensor::numpy_T() const {
  DimVector dims;
  for (int64_t d = dim() - 1; d >= 0; --d)
    dims.push_back(d);
  return permute(dims);
}

Tensor Tensor::sum_to_size(IntArrayRef size) const {
  TORCH_CHECK(isExpandableTo(size, sizes()), "size {", toText(size),
              "} is not expandable to size {", toText(sizes()), "}.");
  return sumTo(*this, size);
}

const Tensor &Tensor::resize_(IntArrayRef size) const {
  TORCH_CHECK(!requires_grad(), "cannot resize variables that require grad");
  TensorImpl &self = implOf(*this);
  int64_t needed = self.offset + elementCount(size);
  if (auto room = static_cast<int64_t>(self.storage->nbytes() / itemsize()); needed > room) {
    Tensor larger = makeEmpty({needed}, scalar_type(), device());
    copyInto(larger.narrow(0, 0, room), makeAlias(*this, {room}, {1}, 0));
    self.storage = implOf(larger).storage;
  }
  self.sizes = size.vec();
  self.strides = contiguousStrides(size);
  self.countChange();
  return *this;
}

Tensor &Tensor::set_(const Tensor &source) const {
  TORCH_CHECK(scalar_type() == source.scalar_type(), "Could not set tensor of type ",
              cppName(source.scalar_type()), " to a tensor of type ", cppName(scalar_type()));
  checkChangeable(*this, false);
  set_data(source);
  implOf(*this).countChange();
  return const_cast<Tensor &>(*this);
}

} // namespace gradtidy::runtime
