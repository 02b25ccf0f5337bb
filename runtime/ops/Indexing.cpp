#include "Indexing.h"
#include "../autograd/Record.h"
#include "../core/Generator.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Copies.h"
#include "Cumulative.h"
#include "Factories.h"
#include "Reductions.h"
#include "Sorting.h"
#include "Views.h"
#include "kernels/Elementwise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <type_traits>
#if defined(__CUDACC__)
#include <cuda/atomic>
#endif

namespace gradtidy::runtime {
namespace {

using indexing::TensorIndex;
using C = const GradientContext &;
using G = const Tensor &;

// All access by position goes through two tensors of offsets, in elements from the first one of
// the indexed tensor: `picked` for the indexed dimensions, `rest` for the others. Both broadcast
// to the shape of the result.

template <class T> struct Take {
  const T *data;
  GRADTIDY_HOST_DEVICE T operator()(int64_t picked, int64_t rest) const {
    return data[picked + rest];
  }
};

/// How a value that is put meets the element at its position.
enum class Combine { Replace, Sum, Product, Largest, Smallest };

template <class T> struct Replace {
  T *data;
  GRADTIDY_HOST_DEVICE void operator()(T value, int64_t picked, int64_t rest) const {
    data[picked + rest] = value;
  }
};

struct Plus {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct Times {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(a * b);
  }
};
struct Larger { // keeps NaN
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    return b > a || b != b ? b : a;
  }
};
struct Smaller {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    return b < a || b != b ? b : a;
  }
};

template <class T, class Op> struct Accumulate {
  T *data;
  Op op;
  GRADTIDY_HOST_DEVICE void operator()(T value, int64_t picked, int64_t rest) const {
    T &element = data[picked + rest];
#if defined(__CUDA_ARCH__) // where other threads may change the same element
    constexpr bool isSum = std::is_same_v<Op, Plus>;
    if constexpr (isSum && (std::is_same_v<T, float> || std::is_same_v<T, double> ||
                            std::is_same_v<T, int32_t>)) {
      atomicAdd(&element, value);
    } else if constexpr (isSum && std::is_same_v<T, int64_t>) { // the same bits
      using Bits = unsigned long long;
      atomicAdd(reinterpret_cast<Bits *>(&element), static_cast<Bits>(value));
    } else {
      ::cuda::atomic_ref<T, ::cuda::thread_scope_device> shared(element);
      T before = shared.load(::cuda::memory_order_relaxed);
      while (
          !shared.compare_exchange_weak(before, op(before, value), ::cuda::memory_order_relaxed)) {
      }
    }
#else
    element = op(element, value);
#endif
  }
};

/// Lets `op` put the values of equal positions, which lie side by side, in their order.
template <class T, class Op> struct PutInOrder {
  Op op;
  const int64_t *positions, *order;
  const T *values;
  int64_t count;
  GRADTIDY_HOST_DEVICE void operator()(int64_t first) const {
    if (first > 0 && positions[first - 1] == positions[first])
      return;
    for (int64_t i = first; i < count && positions[i] == positions[first]; ++i)
      op(values[order[i]], positions[i], 0);
  }
};

/// A position with negative ones counted from the end.
template <class Failure> struct Wrap {
  int64_t size, dim, least;
  GRADTIDY_HOST_DEVICE int64_t operator()(int64_t i) const {
    GRADTIDY_FORMULA_CHECK(
        i >= least && i < size,
        Failure(concat("index ", i, " is out of bounds for dimension ", dim, " with size ", size)));
    return i < 0 ? i + size : i;
  }
};

struct CheckPosition {
  int64_t size;
  GRADTIDY_HOST_DEVICE void operator()(int64_t i) const {
    GRADTIDY_FORMULA_CHECK(i >= 0 && i < size, IndexError("index out of range in self"));
  }
};

struct Places {
  Tensor picked, rest;
  DimVector shape;
};

Tensor take(const Tensor &self, const Places &places) {
  Tensor out = makeEmpty(places.shape, self.scalar_type(), self.device());
  dispatchAll(self.scalar_type(), "index", [&]<class T>() {
    elementwise<T, int64_t, int64_t>(Take<T>{kernelData<T>(self)}, out, places.picked, places.rest);
  });
  return out;
}

/// Whether many sums in `self` are better made in float32: the threads of a CUDA device can add to
/// one of those at once, while they wait for each other at numbers of 16 bits.
bool sumsInFloat(const Tensor &self) {
  return isReducedFloatingType(self.scalar_type()) && cudaStreamOf(self.device()) &&
         !globalContext().deterministicAlgorithms();
}

/// Adds numbers of 16 bits to `sums` in float32.
void addInFloat(const Tensor &sums, const Places &places, const Tensor &values) {
  dispatchFloating(values.scalar_type(), "index_put_", [&]<class T>() {
    if constexpr (!std::is_same_v<T, MathType<T>>)
      visitElements<T, int64_t, int64_t>(sums.device(),
                                         Accumulate<float, Plus>{kernelData<float>(sums), {}},
                                         values, places.picked, places.rest);
  });
}

void put(const Tensor &self, const Places &places, const Tensor &values, Combine combine) {
  TORCH_CHECK(isExpandableTo(values.sizes(), places.shape),
              "shape mismatch: value tensor of shape ", toText(values.sizes()),
              " cannot be broadcast to indexing result of shape ", toText(places.shape));
  NoGradGuard guard;
  Tensor source = values.dim() == 0 ? values.to(self.device()) : values;
  commonDevice({&self, &source});
  source = castValues(source, self.scalar_type()).expand(places.shape);
  // Few values are not worth two copies of all.
  if (combine == Combine::Sum && sumsInFloat(self) && source.numel() >= self.numel() &&
      isNonOverlappingAndDense(self.sizes(), self.strides())) {
    Tensor sums = makeEmptyStrided(self.sizes(), self.strides(), kFloat, self.device());
    copyInto(sums, self);
    addInFloat(sums, places, source);
    return copyInto(self, sums);
  }
  // On the host and simulated devices the order is the same each time.
  const bool inOrder = globalContext().deterministicAlgorithms() && cudaStreamOf(self.device()) &&
                       source.numel() > 0;
  Tensor positions, order, numbers;
  if (inOrder) {
    source = source.reshape({-1});
    std::tie(positions, order) =
        sort((places.picked + places.rest).to(self.device()).expand(places.shape).reshape({-1}));
    numbers = arange(source.numel(), self.device());
  }
  dispatchAll(self.scalar_type(), "index_put_", [&]<class T>() {
    auto write = [&]<class Op>(const Op &op) {
#if defined(GRADTIDY_KERNELS)
      if (inOrder)
        return visitElements<int64_t>(self.device(),
                                      PutInOrder<T, Op>{op, kernelData<int64_t>(positions),
                                                        kernelData<int64_t>(order),
                                                        kernelData<T>(source), source.numel()},
                                      numbers);
#endif
      visitElements<T, int64_t, int64_t>(self.device(), op, source, places.picked, places.rest);
    };
    T *data = kernelData<T>(self);
    switch (combine) {
    case Combine::Replace:
      return write(Replace<T>{data});
    case Combine::Sum:
      return write(Accumulate<T, Plus>{data, {}});
    case Combine::Product:
      return write(Accumulate<T, Times>{data, {}});
    case Combine::Largest:
      return write(Accumulate<T, Larger>{data, {}});
    case Combine::Smallest:
      return write(Accumulate<T, Smaller>{data, {}});
    }
  });
}

/// Positions on the host, which go with every device.
Tensor zerosOnHost(IntArrayRef size = {}) { return zeros(size, TensorOptions(kCPU).dtype(kLong)); }

/// Offsets of all positions of `dims` dimensions given by sizes and strides.
Tensor offsetsOf(IntArrayRef sizes, IntArrayRef strides, Device device) {
  Tensor offsets = zerosOnHost();
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (strides[d] == 0 || sizes[d] == 1)
      continue;
    DimVector shape(sizes.size(), 1);
    shape[d] = sizes[d];
    offsets = offsets + (arange(sizes[d], device) * strides[d]).view(shape);
  }
  return offsets;
}

/// `index` with negative positions counted from the end, where that may be; throws where one is out
/// of range.
template <class Failure = IndexError>
Tensor checked(const Tensor &index, int64_t size, int64_t dim, bool fromEnd = true) {
  Tensor positions = castValues(index.detach(), ScalarType::Long);
  Tensor result = makeResult(positions.sizes(), ScalarType::Long, {&positions});
  elementwise<int64_t, int64_t>(Wrap<Failure>{size, dim, fromEnd ? -size : 0}, result, positions);
  return result;
}

/// Throws unless all positions along `dim` of self exist; on a device its kernel does, later.
void checkRange(const Tensor &positions, const Tensor &self, int64_t dim) {
  int64_t size = self.dim() == 0 ? 1 : self.size(dim);
  TORCH_CHECK(size > 0 || self.dim() == 1 || positions.numel() == 0,
              "index_select(): self indexing axis dim should be positive");
  visitElements<int64_t>(positions.device(), CheckPosition{size},
                         castValues(positions.detach(), ScalarType::Long));
}

/// One index tensor for some of the dimensions of a tensor.
using IndexTensors = std::vector<Tensor>;

Places placesOf(const Tensor &self, const IndexTensors &indices, bool fromEnd = true) {
  NoGradGuard guard;
  Tensor picked = zerosOnHost();
  int64_t first = -1, last = -1, used = 0;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (!indices[d].defined())
      continue;
    const Tensor &index = indices[d];
    TORCH_CHECK(index.is_cpu() || index.device() == self.device(),
                "indices should be either on cpu or on the same device as the indexed tensor (",
                self.device(), ")");
    Tensor offsets = checked(index.to(self.device()), self.size(d), d, fromEnd) * self.stride(d);
    try {
      picked = picked + offsets;
    } catch (const Error &) {
      throw IndexError(
          concat("shape mismatch: indexing tensors could not be broadcast together with shapes ",
                 toText(picked.sizes()), ", ", toText(offsets.sizes())));
    }
    first = first < 0 ? d : first;
    last = d;
    ++used;
  }
  // The dimensions of the indices stand where the indexed ones stood, or in front where these
  // were apart.
  bool together = last - first + 1 == used;
  DimVector before, beforeStrides, after, afterStrides;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (indices[d].defined())
      continue;
    bool front = together && d < first;
    (front ? before : after).push_back(self.size(d));
    (front ? beforeStrides : afterStrides).push_back(self.stride(d));
  }
  Places places;
  places.shape = before;
  DimVector pickedShape(before.size(), 1), restSizes = before, restStrides = beforeStrides;
  for (int64_t size : picked.sizes()) {
    places.shape.push_back(size);
    pickedShape.push_back(size);
    restSizes.push_back(1);
    restStrides.push_back(0);
  }
  for (std::size_t d = 0; d < after.size(); ++d) {
    places.shape.push_back(after[d]);
    pickedShape.push_back(1);
    restSizes.push_back(after[d]);
    restStrides.push_back(afterStrides[d]);
  }
  places.picked = picked.reshape(pickedShape);
  places.rest = offsetsOf(restSizes, restStrides, self.device());
  return places;
}

/// Positions along dim by index, all other coordinates equal to those of the result (gather).
Places placesAlong(const Tensor &self, int64_t dim, const Tensor &index) {
  NoGradGuard guard;
  DimVector sizes = index.sizes().vec(), strides = self.strides().vec();
  if (self.dim() == 0)
    return {checked<Error>(index, 1, 0, false) * 0, zerosOnHost(), sizes};
  Tensor picked = checked<Error>(index, self.size(dim), dim, false) * self.stride(dim);
  strides[dim] = 0;
  return {picked, offsetsOf(sizes, strides, self.device()), sizes};
}

Tensor indexTensors(const Tensor &self, const IndexTensors &indices) {
  Tensor out = take(self, placesOf(self, indices));
  if (!isFloatingType(self.scalar_type()) || !mustRecord(self))
    return out;
  return recordAlways(out, "IndexBackward0", self, indices,
                      [count = indices.size(), sizes = self.sizes().vec()](G g, C c) -> Gradients {
                        IndexTensors indices;
                        for (std::size_t i = 0; i < count; ++i)
                          indices.push_back(c.saved(i));
                        if (!GradMode::is_enabled() && sumsInFloat(g)) {
                          Tensor sums = zeros(sizes, g.options().dtype(kFloat));
                          Places places = placesOf(sums, indices);
                          addInFloat(sums, places, g);
                          return {sums.to(g.scalar_type())};
                        }
                        Tensor whole = zeros(sizes, g.options());
                        Places places = placesOf(whole, indices);
                        return {changeInPlace(
                            whole, g, [&] { put(whole, places, g, Combine::Sum); },
                            [&](const Tensor &self) {
                              Tensor sum = self.detach().clone();
                              put(sum, places, g, Combine::Sum);
                              return record(sum, "IndexPutBackward0", {self, g}, {},
                                            [indices](G outer, C) -> Gradients {
                                              return {outer, indexTensors(outer, indices)};
                                            });
                            })};
                      });
}

/// The result of the views among the indices, and the tensors among them by its dimensions.
struct Applied {
  Tensor view;
  IndexTensors tensors;
  bool anyTensor = false, onlyMasks = true;
};

bool isMask(const Tensor &index) {
  return index.scalar_type() == ScalarType::Bool || index.scalar_type() == ScalarType::Byte;
}

Applied applyViews(const Tensor &self, ArrayRef<TensorIndex> indices) {
  using Kind = TensorIndex::Kind;
  int64_t consumed = 0;
  for (const TensorIndex &index : indices) {
    if (index.kind == Kind::Integer || index.kind == Kind::Slice)
      ++consumed;
    else if (index.kind == Kind::Tensor)
      consumed += isMask(index.tensor) ? index.tensor.dim() : 1;
  }
  if (consumed > self.dim())
    throw IndexError(concat("too many indices for tensor of dimension ", self.dim()));
  Applied result{self, {}};
  int64_t dim = 0;
  auto select = [&](int64_t at) {
    if (int64_t size = result.view.size(dim); at < -size || at >= size)
      throw IndexError(
          concat("index ", at, " is out of bounds for dimension ", dim, " with size ", size));
    result.view = result.view.select(dim, at);
  };
  auto boolean = [&](bool all) {
    result.view = result.view.unsqueeze(dim++);
    result.tensors.push_back(zerosOnHost({all ? 1 : 0}));
    result.anyTensor = true;
  };
  for (const TensorIndex &index : indices) {
    switch (index.kind) {
    case Kind::None:
      result.view = result.view.unsqueeze(dim++);
      result.tensors.emplace_back();
      break;
    case Kind::Ellipsis:
      for (int64_t skip = self.dim() - consumed; skip > 0; --skip, ++dim)
        result.tensors.emplace_back();
      break;
    case Kind::Integer:
      select(index.integer);
      break;
    case Kind::Slice:
      result.view =
          result.view.slice(dim++, index.slice.first, index.slice.last, index.slice.stride);
      result.tensors.emplace_back();
      break;
    case Kind::Boolean:
      boolean(index.integer);
      break;
    case Kind::Tensor: {
      const Tensor &t = index.tensor;
      TORCH_CHECK_INDEX(isIntegralType(t.scalar_type(), true),
                        "tensors used as indices must be long, int, byte or bool tensors");
      if (t.dim() == 0) {
        isMask(t) ? boolean(t.item<bool>()) : select(t.item<int64_t>());
        break;
      }
      result.anyTensor = true;
      if (!isMask(t)) {
        result.onlyMasks = false;
        result.tensors.push_back(t);
        ++dim;
        break;
      }
      for (int64_t d = 0; d < t.dim(); ++d)
        if (t.size(d) != result.view.size(dim + d))
          throw IndexError(concat("The shape of the mask ", toText(t.sizes()), " at index ", d,
                                  " does not match the shape of the indexed tensor ",
                                  toText(result.view.sizes()), " at index ", dim + d));
      Tensor positions = nonzero(t);
      for (int64_t d = 0; d < t.dim(); ++d, ++dim)
        result.tensors.push_back(positions.select(1, d));
      break;
    }
    }
  }
  result.tensors.resize(static_cast<std::size_t>(result.view.dim()));
  return result;
}

} // namespace

indexing::TensorIndex::TensorIndex(const char *text) : kind(Kind::Ellipsis) {
  TORCH_CHECK(std::string_view(text) == "...",
              "Expected \"...\" to represent an ellipsis index, but got \"", text, "\"");
}

Tensor Tensor::index(ArrayRef<TensorIndex> indices) const {
  OperationScope scope("index");
  Applied applied = applyViews(*this, indices);
  return applied.anyTensor ? indexTensors(applied.view, applied.tensors) : applied.view;
}
Tensor Tensor::index(std::initializer_list<TensorIndex> indices) const {
  return index(ArrayRef<TensorIndex>(indices));
}

namespace {

/// index_put_, which adds to what is there if `accumulate`.
Tensor &putAt(const Tensor &self, ArrayRef<TensorIndex> indices, const Tensor &given,
              bool accumulate) {
  OperationScope scope("index_put_");
  Applied applied = applyViews(self, indices);
  // Dimensions of size one in front do not count.
  auto lead =
      std::find_if(given.sizes().begin(), given.sizes().end(), [](int64_t n) { return n != 1; });
  Tensor values = given.sizes() == applied.view.sizes() || given.dim() == 0
                      ? given
                      : given.view({lead, given.sizes().end()});
  if (!applied.anyTensor) {
    accumulate ? applied.view.add_(values) : applied.view.copy_(values);
    return const_cast<Tensor &>(self);
  }
  bool fills = values.numel() == 1 && applied.onlyMasks && !accumulate;
  TORCH_CHECK(fills || self.scalar_type() == values.scalar_type(),
              "Index put requires the source and destination dtypes match, got ",
              self.scalar_type(), " for the destination and ", values.scalar_type(),
              " for the source.");
  Combine combine = accumulate ? Combine::Sum : Combine::Replace;
  Tensor target = applied.view;
  changeInPlace(
      target, values, [&] { put(target, placesOf(target, applied.tensors), values, combine); },
      [&](const Tensor &self) {
        Tensor result = self.detach().clone();
        put(result, placesOf(result, applied.tensors), values, combine);
        return record(result, "IndexPutBackward0", {self, values}, {},
                      [tensors = applied.tensors, accumulate](G g, C c) -> Gradients {
                        Tensor kept = g;
                        if (c.needs(0) && !accumulate) {
                          kept = g.clone();
                          Tensor gone = zeros({}, g.options());
                          put(kept, placesOf(kept, tensors), gone, Combine::Replace);
                        }
                        return {kept, c.needs(1) ? indexTensors(g, tensors) : Tensor()};
                      });
      });
  return const_cast<Tensor &>(self);
}

/// Whole dimensions where there is no tensor.
std::vector<TensorIndex> indicesOf(const std::vector<optional<Tensor>> &tensors) {
  std::vector<TensorIndex> indices;
  for (const optional<Tensor> &tensor : tensors)
    indices.push_back(tensor && tensor->defined() ? TensorIndex(*tensor)
                                                  : TensorIndex(indexing::Slice()));
  return indices;
}

} // namespace

Tensor &Tensor::index_put_(ArrayRef<TensorIndex> indices, const Tensor &values) const {
  return putAt(*this, indices, values, false);
}
Tensor &Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Tensor &values) const {
  return putAt(*this, indices, values, false);
}
Tensor &Tensor::index_put_(ArrayRef<TensorIndex> indices, const Scalar &value) const {
  return putAt(*this, indices, full({}, value, options()), false);
}
Tensor &Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Scalar &value) const {
  return index_put_(ArrayRef<TensorIndex>(indices), value);
}
Tensor &Tensor::index_put_(const std::vector<optional<Tensor>> &indices, const Tensor &values,
                           bool accumulate) const {
  return putAt(*this, indicesOf(indices), values, accumulate);
}
Tensor Tensor::index_put(const std::vector<optional<Tensor>> &indices, const Tensor &values,
                         bool accumulate) const {
  return clone().index_put_(indices, values, accumulate);
}

Tensor Tensor::operator[](int64_t index) const { return select(0, index); }
Tensor Tensor::operator[](const Tensor &index) const { return this->index({index}); }

Tensor index_select(const Tensor &self, int64_t dim, const Tensor &index) {
  OperationScope scope("index_select");
  dim = wrapDim(dim, self.dim());
  commonDevice("_index_select", {{"self", &self}, {"index", &index}});
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_select(): Index is supposed to be a vector");
  TORCH_CHECK(self.dim() > 0 || index.numel() == 1,
              "index_select(): Index to scalar can have only 1 value, got ", index.numel(),
              " value(s)");
  TORCH_CHECK(index.scalar_type() == kLong || index.scalar_type() == kInt,
              "index_select(): Expected dtype int32 or int64 for index");
  checkRange(index, self, dim);
  if (self.dim() == 0)
    return self.clone();
  IndexTensors indices(static_cast<std::size_t>(self.dim()));
  indices[dim] = index.dim() == 0 ? index.unsqueeze(0) : index;
  return indexTensors(self, indices);
}

namespace {

/// self with `values` put along dim, without a graph.
Tensor scattered(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &values,
                 Combine combine) {
  Tensor result = packed(self.detach());
  if (index.numel() > 0)
    put(result, placesAlong(result, dim, index), values, combine);
  return result;
}

/// Throws where `target` is written while its memory is read through one of `sources`.
void checkNoOverlap(const Tensor &target, std::initializer_list<Tensor> sources) {
  for (const Tensor &source : sources) {
    TORCH_CHECK(
        !target.is_same(source) || target.dim() == 0,
        "unsupported operation: some elements of the input tensor and the written-to tensor "
        "refer to a single memory location. Please clone() the tensor before performing the "
        "operation.");
    checkNoPartialOverlap(target, source);
  }
}

void checkScatter(const char *name, const Tensor &self, const Tensor &index,
                  const Tensor &source = {}) {
  commonDevice(name, {{"self", &self}, {"index", &index}, {"src", &source}});
  bool gathers = std::string_view(name) == "gather";
  TORCH_CHECK(!source.defined() || self.scalar_type() == source.scalar_type(),
              "scatter(): Expected self.dtype to be equal to src.dtype");
  TORCH_CHECK(index.numel() == 0 || index.scalar_type() == kLong || index.scalar_type() == kInt,
              gathers ? "gather" : "scatter", "(): Expected dtype int32/int64 for index");
  TORCH_CHECK(index.numel() == 0 || index.dim() == self.dim() || index.dim() == 0 ||
                  self.dim() == 0,
              "Index tensor must have the same number of dimensions as ",
              gathers ? "input" : "self", " tensor");
}

Tensor scatterValues(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source) {
  OperationScope scope("scatter");
  checkScatter("scatter", self, index, source);
  dim = wrapDim(dim, self.dim());
  // The elements of the source that an index, which may be smaller, has.
  auto used = [](Tensor source, const Tensor &index) {
    for (int64_t d = 0; d < index.dim() && source.dim() > 0 && index.numel() > 0; ++d)
      source = source.narrow(d, 0, index.size(d));
    return source;
  };
  return record(scattered(self, dim, index, used(source, index), Combine::Replace),
                "ScatterBackward0", {self, source}, {index},
                [dim, used, sizes = source.sizes().vec()](G g, C c) -> Gradients {
                  Tensor index = c.saved(0), kept, source;
                  if (c.needs(0))
                    kept = g.scatter(dim, index, 0);
                  if (c.needs(1)) {
                    source = zeros(sizes, g.options());
                    if (index.numel() > 0)
                      used(source, index).copy_(gather(g, dim, index));
                  }
                  return {kept, source};
                });
}

Tensor scatterSum(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source) {
  OperationScope scope("scatter_add");
  checkScatter("scatter_add", self, index, source);
  dim = wrapDim(dim, self.dim());
  return record(scattered(self, dim, index, source, Combine::Sum), "ScatterAddBackward0",
                {self, source}, {index}, [dim](G g, C c) -> Gradients {
                  return {g, c.needs(1) ? gather(g, dim, c.saved(0)) : Tensor()};
                });
}

/// LibTorch's older way to combine, which has no gradient.
Tensor scatterCombined(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source,
                       std::string_view reduce) {
  OperationScope scope("scatter");
  checkScatter("scatter", self, index, source);
  TORCH_CHECK(reduce == "add" || reduce == "multiply",
              "reduce argument must be either add or multiply.");
  Combine combine = reduce == "add" ? Combine::Sum : Combine::Product;
  return record(scattered(self, wrapDim(dim, self.dim()), index, source, combine), "NotImplemented",
                {self, source}, {}, [](G, C) -> Gradients {
                  throw std::runtime_error("derivative for aten::scatter is not implemented");
                });
}

Combine combineOf(std::string_view reduce) {
  if (reduce == "sum" || reduce == "mean")
    return Combine::Sum;
  if (reduce == "prod")
    return Combine::Product;
  if (reduce == "amax")
    return Combine::Largest;
  TORCH_CHECK(reduce == "amin",
              "reduce argument must be either sum, prod, mean, amax or amin, got ",
              std::string(reduce));
  return Combine::Smallest;
}

/// What changes nothing that it is combined with.
Tensor neutralFor(Combine combine, const Tensor &self) {
  bool largest = combine == Combine::Largest;
  Scalar value = largest ? -HUGE_VAL : HUGE_VAL;
  if (combine == Combine::Sum || combine == Combine::Product)
    value = combine == Combine::Sum ? 0 : 1;
  else
    dispatchAll(self.scalar_type(), "scatter_reduce", [&]<class T>() {
      using Limits = std::numeric_limits<T>;
      if constexpr (std::is_integral_v<T>)
        value = static_cast<int64_t>(largest ? Limits::lowest() : Limits::max());
    });
  return full({}, value, self.options().requires_grad(false));
}

} // namespace

Tensor scatter_reduce(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source,
                      std::string_view reduce, bool includeSelf) {
  OperationScope scope("scatter_reduce");
  checkScatter("scatter", self, index, source);
  dim = wrapDim(dim, self.dim());
  Combine combine = combineOf(reduce);
  TORCH_CHECK_NOT_IMPLEMENTED(combine != Combine::Product || !mustRecord({self, source}),
                              "scatter_reduce(): the runtime has no gradient of reduce=\"prod\"; "
                              "use \"sum\" of logarithms");
  Tensor start = self.detach();
  Tensor touched =
      zeros(self.sizes(), TensorOptions(kBool).device(self.device())).scatter(dim, index, true);
  if (!includeSelf)
    start = where(touched, neutralFor(combine, self), start);
  Tensor result = scattered(start, dim, index, source, combine);
  Tensor counts;
  if (reduce == "mean") {
    Tensor first = includeSelf ? ones_like(start) : where(touched, 0, ones_like(start));
    counts = scattered(first, dim, index, ones_like(source.detach()), Combine::Sum);
    result = isFloatingType(result.scalar_type()) ? result / counts : result.div(counts, "floor");
  }
  bool extremum = combine == Combine::Largest || combine == Combine::Smallest;
  return record(result, "ScatterReduceBackward0", {self, source},
                {index, self, source, result, touched, counts}, [=](G g, C c) -> Gradients {
                  Tensor index = c.saved(0), share = g;
                  Tensor ofSelf = includeSelf ? Tensor() : c.saved(4).logical_not();
                  if (c.saved(5).defined())
                    share = g / c.saved(5);
                  if (!extremum)
                    return {ofSelf.defined() ? g * ofSelf : share, gather(share, dim, index)};
                  // Equal extrema share.
                  Tensor result = c.saved(3).detach();
                  Tensor mine = c.saved(1).detach().eq(result).to(g.scalar_type());
                  if (ofSelf.defined())
                    mine = mine * ofSelf;
                  Tensor theirs =
                      c.saved(2).detach().eq(gather(result, dim, index)).to(g.scalar_type());
                  share = g / mine.scatter_add(dim, index, theirs);
                  return {share * mine, gather(share, dim, index) * theirs};
                });
}

Tensor index_copy(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source) {
  return self.clone(MemoryFormat::Contiguous).index_copy_(dim, index, source);
}

Tensor take_along_dim(const Tensor &self, const Tensor &index, optional<int64_t> dim) {
  TORCH_CHECK(index.scalar_type() == kLong,
              "torch.take_along_dim(): dtype of indices should be Long but got ",
              index.scalar_type());
  if (!dim)
    return gather(self.reshape({-1}), 0, index.reshape({-1}));
  TORCH_CHECK(self.dim() == index.dim(),
              "torch.take_along_dim(): input and indices should have "
              "the same number of dimensions, but got ",
              self.dim(), " dimensions for input, and ", index.dim(), " dimensions for indices");
  int64_t along = wrapDim(*dim, self.dim());
  DimVector from = self.sizes().vec(), to = index.sizes().vec();
  from[along] = 1;
  to[along] = 1;
  from = to = broadcastShapes(from, to);
  from[along] = self.size(along);
  to[along] = index.size(along);
  return gather(self.expand(from), along, index.expand(to));
}

Tensor isin(const Tensor &elements, const Tensor &test, bool, bool invert) {
  if (elements.scalar_type() == kBool)
    throw NotImplementedError("Unsupported input type encountered for isin(): Bool");
  Tensor found = elements.unsqueeze(-1).eq(test.reshape({-1})).any(-1);
  return invert ? found.logical_not() : found;
}

Tensor gather(const Tensor &self, int64_t dim, const Tensor &index) {
  OperationScope scope("gather");
  checkScatter("gather", self, index);
  dim = wrapDim(dim, self.dim());
  for (int64_t d = 0; d < index.dim() && self.dim() > 0; ++d)
    TORCH_CHECK(index.numel() == 0 || d == dim || index.size(d) <= self.size(d),
                "Size does not match at dimension ", d, " expected index ", toText(index.sizes()),
                " to be no larger than self ", toText(self.sizes()), " apart from dimension ", dim);
  return record(take(self, placesAlong(self, dim, index)), "GatherBackward0", {self}, {index},
                [dim, sizes = self.sizes().vec()](G g, C c) -> Gradients {
                  return {zeros(sizes, g.options()).scatter_add_(dim, c.saved(0), g)};
                });
}

namespace {

void checkIndexAdd(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source) {
  TORCH_CHECK_INDEX(index.dim() <= 1,
                    "index_add_(): Index is supposed to be a vector, but got dim: ", index.dim(),
                    " with type: ", index.scalar_type(), " and size: ", toText(index.sizes()));
  TORCH_CHECK(index.scalar_type() == kLong || index.scalar_type() == kInt,
              "index_add_(): Expected dtype int32/int64 for index but got: ", index.scalar_type());
  TORCH_CHECK(self.scalar_type() == source.scalar_type(), "index_add_(): self (",
              self.scalar_type(), ") and source (", source.scalar_type(),
              ") must have the same scalar type");
  TORCH_CHECK(dim == 0 || dim < source.dim(), "index_add_(): Indexing dim ", dim,
              " is out of bounds of the source tensor with dim ", source.dim());
  int64_t count = source.dim() == 0 ? 1 : source.size(dim);
  TORCH_CHECK(index.numel() == count, "index_add_(): Number of indices (", index.numel(),
              ") should be equal to source.size(dim): (", count, "), for dim: ", dim);
  DimVector wanted = self.sizes().vec();
  if (self.dim() > 0)
    wanted[dim] = count;
  TORCH_CHECK(source.sizes() == IntArrayRef(wanted),
              "source tensor shape must match self tensor shape, excluding the specified "
              "dimension. Got self.shape = ",
              toText(self.sizes()), " source.shape = ", toText(source.sizes()));
}

Tensor scaled(const Tensor &x, const Scalar &factor) {
  return factor.toDouble() == 1 ? x : x * full({}, factor, x.options());
}

/// index_add_ without a graph.
void addAt(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source,
           const Scalar &alpha) {
  NoGradGuard guard;
  Tensor whole = self.dim() == 0 ? self.view({1}) : self;
  IndexTensors indices(static_cast<std::size_t>(whole.dim()));
  indices[dim] = index.reshape({-1});
  put(whole, placesOf(whole, indices, false), scaled(source, alpha), Combine::Sum);
}

} // namespace

Tensor index_add(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source,
                 const Scalar &alpha) {
  OperationScope scope("index_add");
  dim = wrapDim(dim, self.dim());
  checkIndexAdd(self, dim, index, source);
  Tensor result = packed(self.detach());
  addAt(result, dim, index, source, alpha);
  return record(
      result, "IndexAddBackward0", {self, source}, {index}, [dim, alpha](G g, C c) -> Gradients {
        return {g, c.needs(1) ? scaled(g.index_select(dim, c.saved(0)), alpha) : Tensor()};
      });
}

Tensor take(const Tensor &self, const Tensor &index) {
  OperationScope scope("take");
  TORCH_CHECK(index.scalar_type() == kLong, "take(): Expected a long tensor for index, but got ",
              index.scalar_type());
  TORCH_CHECK_INDEX(self.numel() > 0 || index.numel() == 0,
                    "take(): tried to take from an empty tensor");
  return indexTensors(self.reshape({-1}), {index});
}

Tensor index_fill(const Tensor &self, int64_t dim, const Tensor &index, const Scalar &value) {
  OperationScope scope("index_fill");
  dim = wrapDim(dim, self.dim());
  TORCH_CHECK_INDEX(index.scalar_type() == kLong || index.scalar_type() == kInt,
                    "index_fill_(): Expected dtype int32 or int64 for index.");
  TORCH_CHECK(index.dim() <= 1, "Index has to be a vector/scalar");
  // The positions to fill, seen in the shape of self.
  int64_t length = self.dim() == 0 ? 1 : self.size(dim);
  Tensor filled = zeros({length}, TensorOptions(kBool).device(self.device()));
  filled.index_put_({checked(index, length, dim)}, true);
  DimVector shape(static_cast<std::size_t>(self.dim()), 1);
  if (self.dim() > 0)
    shape[dim] = length;
  return where(filled.view(shape), full({}, value, self.options()), self);
}

Tensor masked_scatter(const Tensor &self, const Tensor &mask, const Tensor &source) {
  OperationScope scope("masked_scatter");
  TORCH_CHECK(self.scalar_type() == source.scalar_type(),
              "masked_scatter: expected self and source to have same dtypes but got",
              self.scalar_type(), " and ", source.scalar_type());
  TORCH_CHECK(mask.scalar_type() == ScalarType::Bool,
              "masked_scatter_ only supports boolean masks, but got mask with dtype ",
              mask.scalar_type());
  DimVector shape = broadcastShapes(mask.sizes(), self.sizes());
  Tensor chosen = mask.expand(shape), whole = self.expand(shape);
  // Each position that is chosen takes the next element of the source.
  Tensor next = chosen.reshape({-1}).cumsum(0) - 1;
  TORCH_CHECK(next.numel() == 0 || next[-1].item<int64_t>() < source.numel(),
              "Number of elements of source < number of ones in mask");
  if (source.numel() == 0)
    return whole.clone();
  return where(chosen, take(source, next.clamp_min(0)).view(shape), whole);
}

Tensor masked_select(const Tensor &self, const Tensor &mask) {
  OperationScope scope("masked_select");
  TORCH_CHECK(mask.scalar_type() == ScalarType::Bool,
              "masked_select: expected BoolTensor for mask");
  DimVector shape = broadcastShapes(mask.sizes(), self.sizes());
  if (shape.empty())
    shape = {1};
  return self.expand(shape).index({mask.expand(shape)});
}

Tensor nonzero(const Tensor &self) {
  OperationScope scope("nonzero");
  std::vector<int64_t> flat; // the host must know how many there are, so it looks itself
  Tensor dense = self.detach().to(kCPU).contiguous();
  dispatchAll(dense.scalar_type(), "nonzero", [&]<class T>() {
    const T *data = dense.data_ptr<T>();
    for (int64_t i = 0, n = dense.numel(); i < n; ++i)
      if (data[i] != T(0))
        flat.push_back(i);
  });
  // One row for each element, one dimension after the other in memory.
  auto count = static_cast<int64_t>(flat.size());
  Tensor result = makeEmptyStrided({count, self.dim()}, {1, count}, ScalarType::Long, kCPU);
  auto *out = result.data_ptr<int64_t>();
  DimVector strides = contiguousStrides(self.sizes());
  for (int64_t i : flat) {
    for (std::size_t d = 0; d < strides.size(); ++d) {
      out[static_cast<int64_t>(d) * count] = i / strides[d];
      i %= strides[d];
    }
    ++out;
  }
  return result.to(self.device());
}

Tensor embedding(const Tensor &weight, const Tensor &indices, int64_t paddingIndex) {
  OperationScope scope("embedding");
  TORCH_CHECK(weight.dim() == 2, "'weight' must be 2-D");
  TORCH_CHECK(indices.scalar_type() == kLong || indices.scalar_type() == kInt,
              "Expected tensor for argument #1 'indices' to have one of the following scalar "
              "types: Long, Int; but got ",
              indices.toString(), " instead (while checking arguments for embedding)");
  commonDevice("_index_select", {{"self", &weight}, {"index", &indices}});
  checkRange(indices, weight, 0);
  Tensor rows = indexTensors(weight, {indices, Tensor()}); // never a view
  if (paddingIndex < 0 || !rows.requires_grad())
    return rows;
  return where(indices.eq(paddingIndex).unsqueeze(-1), rows.detach(), rows);
}

Tensor embedding_renorm_(const Tensor &weight, const Tensor &indices, double maxNorm,
                         double normType) {
  NoGradGuard guard;
  Tensor norms = norm(weight, normType, 1, true);
  Tensor named = zeros({weight.size(0), 1}, weight.options().dtype(kBool).requires_grad(false));
  named.index_put_({indices}, true);
  Tensor factors = where(named.logical_and(norms.gt(maxNorm)), maxNorm / (norms + 1e-7), 1);
  return weight.mul_(factors);
}

Tensor one_hot(const Tensor &classes, int64_t count) {
  OperationScope scope("one_hot");
  TORCH_CHECK(classes.scalar_type() == kLong,
              "one_hot is only applicable to index tensor of type LongTensor.");
  if (count == -1)
    count = classes.max().item<int64_t>() + 1;
  else if (classes.is_cpu()) // a device is not waited for
    TORCH_CHECK(classes.numel() == 0 || classes.max().item<int64_t>() < count,
                "Class values must be smaller than num_classes.");
  TORCH_CHECK(!classes.is_cpu() || classes.numel() == 0 || classes.min().item<int64_t>() >= 0,
              "Class values must be non-negative.");
  DimVector shape = classes.sizes().vec();
  shape.push_back(count);
  return zeros(shape, classes.options()).scatter_(-1, classes.unsqueeze(-1), 1);
}

Tensor Tensor::index_select(int64_t dim, const Tensor &index) const {
  return runtime::index_select(*this, dim, index);
}
Tensor Tensor::gather(int64_t dim, const Tensor &index) const {
  return runtime::gather(*this, dim, index);
}
Tensor Tensor::scatter(int64_t dim, const Tensor &index, const Tensor &source) const {
  return scatterValues(*this, dim, index, source);
}
Tensor Tensor::scatter(int64_t dim, const Tensor &index, const Scalar &value) const {
  return scatterValues(*this, dim, index, full({}, value, options()));
}
Tensor &Tensor::scatter_(int64_t dim, const Tensor &index, const Tensor &source) const {
  checkNoOverlap(*this, {index, source});
  return changeInPlace(*this, source,
                       [&](const Tensor &self) { return self.scatter(dim, index, source); });
}
Tensor &Tensor::scatter_(int64_t dim, const Tensor &index, const Scalar &value) const {
  checkNoOverlap(*this, {index});
  return changeInPlace(*this, {},
                       [&](const Tensor &self) { return self.scatter(dim, index, value); });
}
Tensor &Tensor::scatter_add_(int64_t dim, const Tensor &index, const Tensor &source) const {
  OperationScope scope("scatter_add_");
  checkNoOverlap(*this, {index, source});
  checkScatter("scatter_add", *this, index, source);
  int64_t along = wrapDim(dim, this->dim());
  return changeInPlace(
      *this, source,
      [&] {
        if (index.numel() > 0)
          put(*this, placesAlong(*this, along, index), source, Combine::Sum);
      },
      [&](const Tensor &self) { return scatterSum(self, along, index, source); });
}
Tensor Tensor::scatter_add(int64_t dim, const Tensor &index, const Tensor &source) const {
  return scatterSum(*this, dim, index, source);
}
Tensor Tensor::scatter(int64_t dim, const Tensor &index, const Tensor &source,
                       std::string_view reduce) const {
  return scatterCombined(*this, dim, index, source, reduce);
}
Tensor &Tensor::scatter_(int64_t dim, const Tensor &index, const Tensor &source,
                         std::string_view reduce) const {
  checkNoOverlap(*this, {index, source});
  return changeInPlace(
      *this, source, [&](const Tensor &self) { return self.scatter(dim, index, source, reduce); });
}
Tensor &Tensor::scatter_(int64_t dim, const Tensor &index, const Scalar &value,
                         std::string_view reduce) const {
  return scatter_(dim, index, full(index.sizes(), value, options().requires_grad(false)), reduce);
}
Tensor Tensor::scatter_reduce(int64_t dim, const Tensor &index, const Tensor &source,
                              std::string_view reduce, bool includeSelf) const {
  return runtime::scatter_reduce(*this, dim, index, source, reduce, includeSelf);
}
Tensor &Tensor::scatter_reduce_(int64_t dim, const Tensor &index, const Tensor &source,
                                std::string_view reduce, bool includeSelf) const {
  checkNoOverlap(*this, {index, source});
  return changeInPlace(*this, source, [&](const Tensor &self) {
    return self.scatter_reduce(dim, index, source, reduce, includeSelf);
  });
}
Tensor Tensor::index_copy(int64_t dim, const Tensor &index, const Tensor &source) const {
  return runtime::index_copy(*this, dim, index, source);
}
Tensor &Tensor::index_copy_(int64_t dim, const Tensor &index, const Tensor &source) const {
  dim = wrapDim(dim, this->dim());
  TORCH_CHECK_INDEX(index.dim() < 2, "index_copy_(): Index should have dimension 1 or 0 (got ",
                    index.dim(), ")");
  TORCH_CHECK(scalar_type() == source.scalar_type(),
              "index_copy_(): self and source expected to have the same dtype, but got (self) ",
              scalar_type(), " and (source) ", source.scalar_type());
  TORCH_CHECK_INDEX(index.scalar_type() == kLong,
                    "index_copy_(): Expected a long tensor for index, but got ",
                    index.scalar_type());
  int64_t count = source.dim() == 0 ? 1 : source.size(dim);
  TORCH_CHECK_INDEX(index.numel() == count, "index_copy_(): Number of indices (", index.numel(),
                    ") should be equal to source.size(dim) (", count, ")");
  if (this->dim() == 0)
    return copy_(source.reshape({}));
  std::vector<TensorIndex> indices(static_cast<std::size_t>(dim), indexing::Slice());
  indices.push_back(index.reshape({-1}));
  return index_put_(indices, source);
}
Tensor Tensor::take_along_dim(const Tensor &index, optional<int64_t> dim) const {
  return runtime::take_along_dim(*this, index, dim);
}
Tensor Tensor::index_fill(int64_t dim, const Tensor &index, const Scalar &value) const {
  return runtime::index_fill(*this, dim, index, value);
}
Tensor &Tensor::index_fill_(int64_t dim, const Tensor &index, const Scalar &value) const {
  return changeInPlace(*this, {},
                       [&](const Tensor &self) { return self.index_fill(dim, index, value); });
}
Tensor Tensor::masked_scatter(const Tensor &mask, const Tensor &source) const {
  return runtime::masked_scatter(*this, mask, source);
}
Tensor &Tensor::masked_scatter_(const Tensor &mask, const Tensor &source) const {
  return changeInPlace(*this, source, [&](const Tensor &self) {
    Tensor result = self.masked_scatter(mask, source);
    TORCH_CHECK(result.sizes() == sizes(),
                "The expanded size of the tensor must match the size of "
                "the mask, which is ",
                toText(mask.sizes()));
    return result;
  });
}
Tensor Tensor::index_add(int64_t dim, const Tensor &index, const Tensor &source,
                         const Scalar &alpha) const {
  return runtime::index_add(*this, dim, index, source, alpha);
}
Tensor &Tensor::index_add_(int64_t dim, const Tensor &index, const Tensor &source,
                           const Scalar &alpha) const {
  OperationScope scope("index_add_");
  int64_t along = wrapDim(dim, this->dim());
  checkIndexAdd(*this, along, index, source);
  checkNoOverlap(*this, {index, source});
  return changeInPlace(
      *this, source, [&] { addAt(*this, along, index, source, alpha); },
      [&](const Tensor &self) { return self.index_add(along, index, source, alpha); });
}
Tensor Tensor::take(const Tensor &index) const { return runtime::take(*this, index); }
Tensor Tensor::masked_select(const Tensor &mask) const {
  return runtime::masked_select(*this, mask);
}
namespace {

Tensor filled(const Tensor &self, const Tensor &mask, const Tensor &value) {
  TORCH_CHECK(value.dim() == 0,
              "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
              value.dim(), " dimension(s).");
  TORCH_CHECK(mask.scalar_type() == ScalarType::Bool,
              "masked_fill_ only supports boolean masks, but got mask with dtype ",
              cppName(mask.scalar_type()));
  return runtime::where(mask, value.to(self.options().requires_grad(false)), self).contiguous();
}

} // namespace

Tensor Tensor::masked_fill(const Tensor &mask, const Scalar &value) const {
  return filled(*this, mask, full({}, value, options()));
}
Tensor &Tensor::masked_fill_(const Tensor &mask, const Scalar &value) const {
  return changeInPlace(*this, {},
                       [&](const Tensor &self) { return self.masked_fill(mask, value); });
}
Tensor Tensor::masked_fill(const Tensor &mask, const Tensor &value) const {
  return filled(*this, mask, value);
}
Tensor &Tensor::masked_fill_(const Tensor &mask, const Tensor &value) const {
  return changeInPlace(*this, value, [&](const Tensor &self) { return filled(self, mask, value); });
}
Tensor Tensor::nonzero() const { return runtime::nonzero(*this); }

} // namespace gradtidy::runtime
