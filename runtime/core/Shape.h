// Arithmetic on shapes and strides (in elements): no memory, no tensors.
#pragma once

#include "ArrayRef.h"

namespace gradtidy::runtime {

using DimVector = std::vector<int64_t>;

/// The product of the sizes; throws where it is negative or does not fit.
int64_t elementCount(IntArrayRef sizes);
/// Row-major strides.
DimVector contiguousStrides(IntArrayRef sizes);
bool isContiguous(IntArrayRef sizes, IntArrayRef strides);
/// Whether no two elements lie in one place; false also for some shapes where that is hard to know.
bool isNonOverlapping(IntArrayRef sizes, IntArrayRef strides);
/// Whether the elements fill one block without gap or overlap, in whatever order.
bool isNonOverlappingAndDense(IntArrayRef sizes, IntArrayRef strides);
/// The strides of a new array of `sizes`, without gaps, whose dimensions follow each other in
/// memory as in the first of `operands` (strides with which others are read as `sizes`; 0 where
/// they do not move) that tells them apart.
DimVector denseStrides(IntArrayRef sizes, const std::vector<DimVector> &operands);
/// Whether two indices reach the same element, as in an expanded tensor.
bool hasInternalOverlap(IntArrayRef sizes, IntArrayRef strides);
/// `dim` counted from the front; throws LibTorch's "Dimension out of range" otherwise.
int64_t wrapDim(int64_t dim, int64_t dims, bool scalarHasOne = true);
/// The shape both broadcast to.
DimVector broadcastShapes(IntArrayRef a, IntArrayRef b);
bool isExpandableTo(IntArrayRef from, IntArrayRef to);
/// `sizes` with a -1 replaced such that `count` elements fill it.
DimVector inferSize(IntArrayRef sizes, int64_t count);
/// The strides with which memory of (sizes, strides) can be seen as `newSizes`, if it can.
std::optional<DimVector> viewStrides(IntArrayRef sizes, IntArrayRef strides, IntArrayRef newSizes);

} // namespace gradtidy::runtime
