#include "Shape.h"

#include <algorithm>
#include <numeric>

namespace gradtidy::runtime {

std::string toText(IntArrayRef values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

int64_t elementCount(IntArrayRef sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) {
    TORCH_CHECK(size >= 0, "Trying to create tensor with negative dimension ", size, ": ",
                toText(sizes));
    TORCH_CHECK(!__builtin_mul_overflow(count, size, &count),
                "numel: integer multiplication overflow for a tensor of size ", toText(sizes));
  }
  return count;
}

DimVector contiguousStrides(IntArrayRef sizes) {
  DimVector strides(sizes.size());
  int64_t stride = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    strides[d] = stride;
    TORCH_CHECK(!__builtin_mul_overflow(stride, std::max<int64_t>(sizes[d], 1), &stride),
                "Stride calculation overflowed for sizes ", toText(sizes));
  }
  return strides;
}

bool isContiguous(IntArrayRef sizes, IntArrayRef strides) {
  int64_t expected = 1;
  bool inOrder = true;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 0)
      return true;
    inOrder = inOrder && (sizes[d] == 1 || strides[d] == expected);
    expected *= sizes[d];
  }
  return inOrder;
}

namespace {

/// The dimensions of more than one element, those with the shortest strides first.
std::vector<std::size_t> byStride(IntArrayRef sizes, IntArrayRef strides) {
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] > 1)
      order.push_back(d);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
  return order;
}

} // namespace

bool isNonOverlapping(IntArrayRef sizes, IntArrayRef strides) {
  int64_t last = 0; // of the dimensions before
  for (std::size_t d : byStride(sizes, strides)) {
    if (strides[d] <= last)
      return false;
    last += (sizes[d] - 1) * strides[d];
  }
  return true;
}

bool isNonOverlappingAndDense(IntArrayRef sizes, IntArrayRef strides) {
  int64_t expected = 1;
  for (std::size_t d : byStride(sizes, strides)) {
    if (strides[d] != expected)
      return false;
    expected *= sizes[d];
  }
  return true;
}

DimVector denseStrides(IntArrayRef sizes, const std::vector<DimVector> &operands) {
  // 1 if dimension a belongs outside b, -1 if inside, 0 if no operand says.
  auto compare = [&](std::size_t a, std::size_t b) {
    for (const DimVector &strides : operands) {
      if (strides[a] == 0 || strides[b] == 0)
        continue;
      if (strides[a] != strides[b])
        return strides[a] < strides[b] ? -1 : 1;
      if (sizes[a] > sizes[b])
        return 1;
    }
    return 0;
  };
  // From the innermost on. The relation is no order, so the result depends on the method: this is
  // LibTorch's insertion sort.
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.rbegin(), order.rend(), 0);
  for (std::size_t i = 1; i < order.size(); ++i)
    for (std::size_t at = i, below = i; below-- > 0;) {
      int relation = compare(order[below], order[at]);
      if (relation < 0)
        break;
      if (relation > 0) {
        std::swap(order[below], order[at]);
        at = below;
      }
    }
  DimVector strides(sizes.size());
  int64_t stride = 1;
  for (std::size_t d : order) {
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
  }
  return strides;
}

bool hasInternalOverlap(IntArrayRef sizes, IntArrayRef strides) {
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (strides[d] == 0 && sizes[d] > 1)
      return true;
  return false;
}

int64_t wrapDim(int64_t dim, int64_t dims, bool scalarHasOne) {
  if (dims == 0) {
    if (!scalarHasOne)
      throw IndexError("Dimension specified as " + std::to_string(dim) +
                       " but tensor has no dimensions");
    dims = 1;
  }
  if (dim < -dims || dim >= dims)
    throw IndexError(concat("Dimension out of range (expected to be in range of [", -dims, ", ",
                            dims - 1, "], but got ", dim, ")"));
  return dim < 0 ? dim + dims : dim;
}

DimVector broadcastShapes(IntArrayRef a, IntArrayRef b) {
  std::size_t dims = std::max(a.size(), b.size());
  DimVector shape(dims);
  for (std::size_t back = 1; back <= dims; ++back) {
    int64_t sizeA = back <= a.size() ? a[a.size() - back] : 1;
    int64_t sizeB = back <= b.size() ? b[b.size() - back] : 1;
    TORCH_CHECK(sizeA == sizeB || sizeA == 1 || sizeB == 1, "The size of tensor a (", sizeA,
                ") must match the size of tensor b (", sizeB, ") at non-singleton dimension ",
                dims - back);
    shape[dims - back] = sizeA == 1 ? sizeB : sizeA;
  }
  return shape;
}

bool isExpandableTo(IntArrayRef from, IntArrayRef to) {
  if (from.size() > to.size())
    return false;
  for (std::size_t back = 1; back <= from.size(); ++back) {
    int64_t size = from[from.size() - back];
    if (size != 1 && size != to[to.size() - back])
      return false;
  }
  return true;
}

DimVector inferSize(IntArrayRef sizes, int64_t count) {
  DimVector result = sizes.vec();
  int64_t known = 1;
  std::optional<std::size_t> unknown;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1) {
      TORCH_CHECK(!unknown, "only one dimension can be inferred");
      unknown = d;
    } else {
      TORCH_CHECK(sizes[d] >= 0, "invalid shape dimension ", sizes[d]);
      known *= sizes[d];
    }
  }
  bool fits = unknown ? known > 0 && count % known == 0 : known == count;
  if (unknown && known == 0 && count == 0)
    fail("cannot reshape tensor of 0 elements into shape ", toText(sizes),
         " because the unspecified dimension size -1 can be any value and is ambiguous");
  TORCH_CHECK(fits, "shape '", toText(sizes), "' is invalid for input of size ", count);
  if (unknown)
    result[*unknown] = count / known;
  return result;
}

std::optional<DimVector> viewStrides(IntArrayRef sizes, IntArrayRef strides, IntArrayRef newSizes) {
  if (elementCount(sizes) == 0)
    return sizes == newSizes ? strides.vec() : contiguousStrides(newSizes);
  DimVector newStrides(newSizes.size());
  // Walk both shapes from the back. A chunk is a run of old dimensions that is contiguous in
  // itself; each chunk must be covered exactly by a run of new dimensions.
  auto next = static_cast<int64_t>(newSizes.size()) - 1;
  int64_t chunkBase = strides.empty() ? 1 : strides.back();
  int64_t oldCount = 1, newCount = 1;
  for (auto d = static_cast<int64_t>(sizes.size()) - 1; d >= 0; --d) {
    oldCount *= sizes[d];
    bool chunkEnds = d == 0 || (sizes[d - 1] != 1 && strides[d - 1] != oldCount * chunkBase);
    if (!chunkEnds)
      continue;
    while (next >= 0 && (newCount < oldCount || newSizes[next] == 1)) {
      newStrides[next] = newCount * chunkBase;
      newCount *= newSizes[next--];
    }
    if (newCount != oldCount)
      return std::nullopt;
    if (d > 0) {
      chunkBase = strides[d - 1];
      oldCount = newCount = 1;
    }
  }
  for (; next >= 0; --next)
    newStrides[next] = newCount * chunkBase;
  return newStrides;
}

} // namespace gradtidy::runtime
