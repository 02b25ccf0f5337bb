// Tensor: a shared handle to an n-dimensional array and to its place in the autograd graph.
//
// Copying a Tensor copies the handle: both name the same array. Methods whose names end in '_'
// and the compound assignments change the array in place; all others return a new handle, which
// shares memory with this one only where the method is a view (select, transpose, view, ...).
// Handles may be copied between threads; an array must not be written by two threads at once.
//
// Each family of operations is declared here and in ops/FAMILY.h, and defined, forward and
// gradient beside each other, in ops/FAMILY.cpp. Names and meanings are LibTorch's.
#pragma once

#include "ArrayRef.h"
#include "Scalar.h"
#include "TensorOptions.h"

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace gradtidy::runtime {

class Node;
class Storage;
class Tensor;
class TensorImpl;
namespace cuda {
class CUDAStream;
} // namespace cuda
namespace indexing {
class TensorIndex;
}

using TensorList = ArrayRef<Tensor>;
using std::nullopt;
using std::optional;

/// Direct access to the elements of a CPU tensor of `N` dimensions.
template <class T, std::size_t N> class TensorAccessor {
public:
  TensorAccessor(T *data, const int64_t *sizes, const int64_t *strides)
      : memory(data), extents(sizes), steps(strides) {}
  TensorAccessor<T, N - 1> operator[](int64_t i) const {
    return {memory + i * steps[0], extents + 1, steps + 1};
  }
  int64_t size(int64_t dim) const { return extents[dim]; }
  int64_t stride(int64_t dim) const { return steps[dim]; }
  IntArrayRef sizes() const { return {extents, N}; }
  IntArrayRef strides() const { return {steps, N}; }
  T *data() const { return memory; }

private:
  T *memory;
  const int64_t *extents;
  const int64_t *steps;
};

template <class T> class TensorAccessor<T, 1> {
public:
  TensorAccessor(T *data, const int64_t *sizes, const int64_t *strides)
      : memory(data), extents(sizes), steps(strides) {}
  T &operator[](int64_t i) const { return memory[i * steps[0]]; }
  int64_t size(int64_t dim) const { return extents[dim]; }
  int64_t stride(int64_t dim) const { return steps[dim]; }
  IntArrayRef sizes() const { return {extents, 1}; }
  IntArrayRef strides() const { return {steps, 1}; }
  T *data() const { return memory; }

private:
  T *memory;
  const int64_t *extents;
  const int64_t *steps;
};

class Tensor {
public:
  Tensor() = default;
  explicit Tensor(std::shared_ptr<TensorImpl> impl) : impl(std::move(impl)) {}
  Tensor(const Tensor &) = default;
  Tensor(Tensor &&) = default;

  // Assignment to a named tensor lets it name another array; assignment to an unnamed one
  // (x[i] = v) writes into the array.
  Tensor &operator=(const Tensor &other) & = default;
  Tensor &operator=(Tensor &&other) & = default;
  Tensor &operator=(const Tensor &values) &&;
  Tensor &operator=(Tensor &&values) &&;
  Tensor &operator=(const Scalar &value) &&;

  // What it is
  bool defined() const { return impl != nullptr; }
  void reset() { impl.reset(); }
  bool is_same(const Tensor &other) const { return impl == other.impl; }
  std::size_t use_count() const { return static_cast<std::size_t>(impl.use_count()); }
  TensorImpl *unsafeGetTensorImpl() const { return impl.get(); }
  int64_t dim() const;
  int64_t ndimension() const { return dim(); }
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  int64_t size(int64_t dim) const;
  int64_t stride(int64_t dim) const;
  int64_t numel() const;
  int64_t storage_offset() const;
  std::size_t nbytes() const;
  std::size_t itemsize() const { return elementSize(scalar_type()); }
  int64_t element_size() const { return static_cast<int64_t>(itemsize()); }
  ScalarType scalar_type() const;
  TypeMeta dtype() const { return scalar_type(); }
  Device device() const;
  TensorOptions options() const;
  Layout layout() const { return kStrided; }
  bool is_sparse() const { return false; }
  /// The index of its device, -1 on the host.
  int64_t get_device() const { return device().index(); }
  bool is_cpu() const { return device().is_cpu(); }
  bool is_cuda() const { return device().is_cuda(); }
  /// Whether it is on the host, in page-locked memory.
  bool is_pinned() const;
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  bool is_floating_point() const { return isFloatingType(scalar_type()); }
  bool is_complex() const { return false; }
  bool is_signed() const { return isSignedType(scalar_type()); }
  bool is_quantized() const { return false; }
  bool is_inference() const;
  bool is_same_size(const Tensor &other) const { return sizes() == other.sizes(); }
  /// Whether both are views of one memory.
  bool is_alias_of(const Tensor &other) const;
  MemoryFormat suggest_memory_format() const;
  bool is_view() const;
  /// What a view is a view of.
  const Tensor &_base() const;
  DeprecatedTypeProperties type() const { return {device().type(), scalar_type()}; }
  std::string toString() const { return type().toString(); }
  void print() const;

  // Access from the host
  void *data_ptr() const;
  template <class T> T *data_ptr() const;
  const void *const_data_ptr() const { return data_ptr(); }
  template <class T> const T *const_data_ptr() const { return data_ptr<T>(); }
  template <class T> T *mutable_data_ptr() const { return data_ptr<T>(); }
  template <class T, std::size_t N> TensorAccessor<T, N> accessor() const & {
    TORCH_CHECK(dim() == static_cast<int64_t>(N), "TensorAccessor expected ", N,
                " dims but tensor has ", dim());
    return {data_ptr<T>(), sizes().data(), strides().data()};
  }
  Scalar item() const;
  template <class T> T item() const { return item().to<T>(); }
  bool is_nonzero() const;
  bool equal(const Tensor &other) const;
  bool allclose(const Tensor &other, double rtol = 1e-5, double atol = 1e-8,
                bool equalNan = false) const;

  // Autograd
  bool requires_grad() const;
  const Tensor &set_requires_grad(bool requiresGrad) const;
  Tensor &requires_grad_(bool requiresGrad = true) const;
  bool is_leaf() const;
  int64_t output_nr() const;
  uint32_t _version() const;
  std::shared_ptr<Node> grad_fn() const;
  const Tensor &grad() const;
  Tensor &mutable_grad() const;
  void retain_grad() const;
  bool retains_grad() const;
  void backward(const Tensor &gradient = {}, optional<bool> retainGraph = nullopt,
                bool createGraph = false, optional<TensorList> inputs = nullopt) const;
  Tensor detach() const;
  Tensor &detach_() const;
  Tensor data() const;
  Tensor variable_data() const { return data(); }
  Tensor tensor_data() const { return data(); }
  void set_data(const Tensor &values) const;
  /// Calls `hook` with every gradient that reaches this tensor; what it returns, if defined,
  /// takes the gradient's place. Returns the position of the hook.
  template <class Hook> unsigned register_hook(Hook hook) const {
    if constexpr (std::is_void_v<decltype(hook(std::declval<Tensor>()))>)
      return registerHook([hook](const Tensor &grad) {
        hook(grad);
        return Tensor();
      });
    else
      return registerHook(hook);
  }
  /// Takes away the hook that register_hook() put at this position.
  void remove_hook(unsigned position) const;

  // Copies and conversions (ops/Copies.h)
  Tensor &copy_(const Tensor &source, bool nonBlocking = false) const;
  Tensor clone(optional<MemoryFormat> format = nullopt) const;
  Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  Tensor to(ScalarType type, bool nonBlocking = false, bool copy = false,
            optional<MemoryFormat> format = nullopt) const;
  Tensor to(TypeMeta type, bool nonBlocking = false, bool copy = false,
            optional<MemoryFormat> format = nullopt) const;
  Tensor to(Device device, bool nonBlocking = false, bool copy = false,
            optional<MemoryFormat> format = nullopt) const;
  Tensor to(DeviceType device, bool nonBlocking = false, bool copy = false,
            optional<MemoryFormat> format = nullopt) const;
  Tensor to(Device device, ScalarType type, bool nonBlocking = false, bool copy = false,
            optional<MemoryFormat> format = nullopt) const;
  Tensor to(const TensorOptions &options, bool nonBlocking = false, bool copy = false,
            optional<MemoryFormat> format = nullopt) const;
  Tensor to(const Tensor &other, bool nonBlocking = false, bool copy = false,
            optional<MemoryFormat> format = nullopt) const;
  Tensor to(MemoryFormat format) const { return contiguous(format); }
  Tensor toType(ScalarType type) const { return to(type); }
  Tensor toType(const DeprecatedTypeProperties &type) const { return to(type.options()); }
  Tensor type_as(const Tensor &other) const { return to(other); }
  Tensor cpu() const { return to(kCPU); }
  Tensor cuda() const { return to(kCUDA); }
  /// A copy in page-locked memory, from which and to which devices copy while the host goes on.
  Tensor pin_memory() const;
  /// Says that work of `stream`, which is not the one the memory was got for, uses it: the block is
  /// not given to another tensor before that work is done.
  void record_stream(cuda::CUDAStream stream) const;
  Tensor &fill_(const Scalar &value) const;
  Tensor &fill_(const Tensor &value) const;
  Tensor &zero_() const;

  // New tensors like this one (ops/Factories.h)
  Tensor new_empty(IntArrayRef size, TensorOptions options = {}) const;
  Tensor new_zeros(IntArrayRef size, TensorOptions options = {}) const;
  Tensor new_ones(IntArrayRef size, TensorOptions options = {}) const;
  Tensor new_full(IntArrayRef size, const Scalar &value, TensorOptions options = {}) const;

  // Random values (ops/Random.h)
  Tensor &uniform_(double from = 0, double to = 1) const;
  Tensor &normal_(double mean = 0, double std = 1) const;
  Tensor &bernoulli_(double p = 0.5) const;
  Tensor bernoulli() const;
  Tensor &random_(int64_t from, int64_t to) const;
  Tensor &random_(int64_t to) const;
  /// Every integer from 0 on that the type holds, up to its largest.
  Tensor &random_() const;
  Tensor &bernoulli_(const Tensor &p) const;
  Tensor &exponential_(double rate = 1) const;
  Tensor &geometric_(double p) const;
  Tensor &cauchy_(double median = 0, double sigma = 1) const;
  Tensor &log_normal_(double mean = 1, double std = 2) const;
  Tensor multinomial(int64_t samples, bool replacement = false) const;

  // Views (ops/Views.h)
  Tensor view(IntArrayRef size) const;
  Tensor view_as(const Tensor &other) const { return view(other.sizes()); }
  Tensor reshape(IntArrayRef size) const;
  Tensor reshape_as(const Tensor &other) const { return reshape(other.sizes()); }
  Tensor flatten(int64_t startDim = 0, int64_t endDim = -1) const;
  Tensor permute(IntArrayRef dims) const;
  Tensor transpose(int64_t dim0, int64_t dim1) const;
  Tensor t() const;
  Tensor mT() const { return transpose(-2, -1); }
  Tensor swapaxes(int64_t dim0, int64_t dim1) const { return transpose(dim0, dim1); }
  Tensor swapdims(int64_t dim0, int64_t dim1) const { return transpose(dim0, dim1); }
  Tensor movedim(int64_t source, int64_t destination) const;
  Tensor movedim(IntArrayRef source, IntArrayRef destination) const;
  Tensor moveaxis(int64_t source, int64_t destination) const {
    return movedim(source, destination);
  }
  Tensor mH() const { return mT(); }
  Tensor adjoint() const { return mT(); }
  /// With all dimensions in reverse order.
  Tensor numpy_T() const;
  Tensor ravel() const { return contiguous().view(-1); }
  Tensor unflatten(int64_t dim, IntArrayRef sizes) const;
  Tensor squeeze() const;
  Tensor squeeze(int64_t dim) const;
  Tensor unsqueeze(int64_t dim) const;
  Tensor &squeeze_() const;
  Tensor &squeeze_(int64_t dim) const;
  Tensor &unsqueeze_(int64_t dim) const;
  Tensor &transpose_(int64_t dim0, int64_t dim1) const;
  Tensor &t_() const;
  Tensor &swapaxes_(int64_t dim0, int64_t dim1) const { return transpose_(dim0, dim1); }
  Tensor &swapdims_(int64_t dim0, int64_t dim1) const { return transpose_(dim0, dim1); }
  /// Another shape, over more memory where there is not enough; what is new is not initialised.
  const Tensor &resize_(IntArrayRef size) const;
  const Tensor &resize_as_(const Tensor &other) const { return resize_(other.sizes()); }
  /// Lets this tensor be a view of the memory of another one.
  Tensor &set_(const Tensor &source) const;
  Tensor expand(IntArrayRef size) const;
  Tensor expand_as(const Tensor &other) const { return expand(other.sizes()); }
  Tensor broadcast_to(IntArrayRef size) const { return expand(size); }
  Tensor sum_to_size(IntArrayRef size) const;
  Tensor select(int64_t dim, int64_t index) const;
  Tensor slice(int64_t dim = 0, optional<int64_t> start = nullopt, optional<int64_t> end = nullopt,
               int64_t step = 1) const;
  Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
  Tensor as_strided(IntArrayRef size, IntArrayRef stride, optional<int64_t> offset = nullopt) const;
  Tensor unfold(int64_t dim, int64_t size, int64_t step) const;
  std::vector<Tensor> chunk(int64_t chunks, int64_t dim = 0) const;
  std::vector<Tensor> split(int64_t splitSize, int64_t dim = 0) const;
  std::vector<Tensor> split(IntArrayRef sizes, int64_t dim = 0) const;
  std::vector<Tensor> split_with_sizes(IntArrayRef sizes, int64_t dim = 0) const {
    return split(sizes, dim);
  }
  std::vector<Tensor> unbind(int64_t dim = 0) const;
  std::vector<Tensor> tensor_split(int64_t sections, int64_t dim = 0) const;
  std::vector<Tensor> tensor_split(IntArrayRef positions, int64_t dim = 0) const;
  std::vector<Tensor> hsplit(int64_t sections) const;
  std::vector<Tensor> vsplit(int64_t sections) const;
  Tensor fliplr() const;
  Tensor flipud() const;
  Tensor repeat_interleave(int64_t repeats, optional<int64_t> dim = nullopt) const;
  Tensor repeat_interleave(const Tensor &repeats, optional<int64_t> dim = nullopt) const;
  Tensor repeat(IntArrayRef repeats) const;
  Tensor tile(IntArrayRef repeats) const;
  Tensor flip(IntArrayRef dims) const;
  Tensor roll(IntArrayRef shifts, IntArrayRef dims = {}) const;
  Tensor rot90(int64_t k = 1, IntArrayRef dims = {0, 1}) const;

  // Diagonals and triangles (ops/Diagonals.h)
  Tensor diagonal(int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) const;
  Tensor diag_embed(int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1) const;
  Tensor diag(int64_t offset = 0) const;
  Tensor trace() const;
  Tensor tril(int64_t diagonal = 0) const;
  Tensor triu(int64_t diagonal = 0) const;
  Tensor &tril_(int64_t diagonal = 0) const;
  Tensor &triu_(int64_t diagonal = 0) const;
  Tensor &fill_diagonal_(const Scalar &value) const;

  // Indexing (ops/Indexing.h)
  Tensor operator[](int64_t index) const;
  Tensor operator[](const Tensor &index) const;
  Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
  Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;
  Tensor &index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor &values) const;
  Tensor &index_put_(std::initializer_list<indexing::TensorIndex> indices,
                     const Tensor &values) const;
  Tensor &index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar &value) const;
  Tensor &index_put_(std::initializer_list<indexing::TensorIndex> indices,
                     const Scalar &value) const;
  /// One tensor for each dimension, nullopt for a whole one; adds the values if `accumulate`.
  Tensor &index_put_(const std::vector<optional<Tensor>> &indices, const Tensor &values,
                     bool accumulate = false) const;
  Tensor index_put(const std::vector<optional<Tensor>> &indices, const Tensor &values,
                   bool accumulate = false) const;
  Tensor index_select(int64_t dim, const Tensor &index) const;
  Tensor gather(int64_t dim, const Tensor &index) const;
  Tensor scatter(int64_t dim, const Tensor &index, const Tensor &source) const;
  Tensor scatter(int64_t dim, const Tensor &index, const Scalar &value) const;
  Tensor &scatter_(int64_t dim, const Tensor &index, const Tensor &source) const;
  Tensor &scatter_(int64_t dim, const Tensor &index, const Scalar &value) const;
  Tensor scatter(int64_t dim, const Tensor &index, const Tensor &source,
                 std::string_view reduce) const;
  Tensor &scatter_(int64_t dim, const Tensor &index, const Tensor &source,
                   std::string_view reduce) const;
  Tensor &scatter_(int64_t dim, const Tensor &index, const Scalar &value,
                   std::string_view reduce) const;
  Tensor scatter_reduce(int64_t dim, const Tensor &index, const Tensor &source,
                        std::string_view reduce, bool includeSelf = true) const;
  Tensor &scatter_reduce_(int64_t dim, const Tensor &index, const Tensor &source,
                          std::string_view reduce, bool includeSelf = true) const;
  Tensor scatter_add(int64_t dim, const Tensor &index, const Tensor &source) const;
  Tensor &scatter_add_(int64_t dim, const Tensor &index, const Tensor &source) const;
  Tensor index_copy(int64_t dim, const Tensor &index, const Tensor &source) const;
  Tensor &index_copy_(int64_t dim, const Tensor &index, const Tensor &source) const;
  Tensor take_along_dim(const Tensor &index, optional<int64_t> dim = nullopt) const;
  Tensor index_fill(int64_t dim, const Tensor &index, const Scalar &value) const;
  Tensor &index_fill_(int64_t dim, const Tensor &index, const Scalar &value) const;
  Tensor index_add(int64_t dim, const Tensor &index, const Tensor &source,
                   const Scalar &alpha = 1) const;
  Tensor &index_add_(int64_t dim, const Tensor &index, const Tensor &source,
                     const Scalar &alpha = 1) const;
  Tensor take(const Tensor &index) const;
  Tensor masked_select(const Tensor &mask) const;
  Tensor masked_fill(const Tensor &mask, const Scalar &value) const;
  Tensor &masked_fill_(const Tensor &mask, const Scalar &value) const;
  Tensor masked_fill(const Tensor &mask, const Tensor &value) const;
  Tensor &masked_fill_(const Tensor &mask, const Tensor &value) const;
  Tensor masked_scatter(const Tensor &mask, const Tensor &source) const;
  Tensor &masked_scatter_(const Tensor &mask, const Tensor &source) const;
  Tensor nonzero() const;
  Tensor argwhere() const { return nonzero(); }

  // Arithmetic (ops/Arithmetic.h)
  Tensor add(const Tensor &other, const Scalar &alpha = 1) const;
  Tensor add(const Scalar &other, const Scalar &alpha = 1) const;
  Tensor &add_(const Tensor &other, const Scalar &alpha = 1) const;
  Tensor &add_(const Scalar &other, const Scalar &alpha = 1) const;
  Tensor sub(const Tensor &other, const Scalar &alpha = 1) const;
  Tensor sub(const Scalar &other, const Scalar &alpha = 1) const;
  Tensor &sub_(const Tensor &other, const Scalar &alpha = 1) const;
  Tensor &sub_(const Scalar &other, const Scalar &alpha = 1) const;
  Tensor mul(const Tensor &other) const;
  Tensor mul(const Scalar &other) const;
  Tensor &mul_(const Tensor &other) const;
  Tensor &mul_(const Scalar &other) const;
  Tensor div(const Tensor &other) const;
  Tensor div(const Scalar &other) const;
  Tensor &div_(const Tensor &other) const;
  Tensor &div_(const Scalar &other) const;
  Tensor div(const Tensor &other, optional<std::string_view> rounding) const;
  Tensor div(const Scalar &other, optional<std::string_view> rounding) const;
  Tensor &div_(const Tensor &other, optional<std::string_view> rounding) const;
  Tensor &div_(const Scalar &other, optional<std::string_view> rounding) const;
  Tensor floor_divide(const Tensor &other) const;
  Tensor floor_divide(const Scalar &other) const;
  Tensor &floor_divide_(const Tensor &other) const;
  Tensor &floor_divide_(const Scalar &other) const;
  Tensor remainder(const Tensor &other) const;
  Tensor remainder(const Scalar &other) const;
  Tensor &remainder_(const Tensor &other) const;
  Tensor &remainder_(const Scalar &other) const;
  Tensor fmod(const Tensor &other) const;
  Tensor fmod(const Scalar &other) const;
  Tensor &fmod_(const Tensor &other) const;
  Tensor &fmod_(const Scalar &other) const;
  Tensor pow(const Scalar &exponent) const;
  Tensor pow(const Tensor &exponent) const;
  Tensor &pow_(const Scalar &exponent) const;
  Tensor &pow_(const Tensor &exponent) const;
  Tensor addcmul(const Tensor &a, const Tensor &b, const Scalar &value = 1) const;
  Tensor &addcmul_(const Tensor &a, const Tensor &b, const Scalar &value = 1) const;
  Tensor addcdiv(const Tensor &a, const Tensor &b, const Scalar &value = 1) const;
  Tensor &addcdiv_(const Tensor &a, const Tensor &b, const Scalar &value = 1) const;
  Tensor lerp(const Tensor &end, const Scalar &weight) const;
  Tensor &lerp_(const Tensor &end, const Scalar &weight) const;
  Tensor lerp(const Tensor &end, const Tensor &weight) const;
  Tensor &lerp_(const Tensor &end, const Tensor &weight) const;
  Tensor maximum(const Tensor &other) const;
  Tensor minimum(const Tensor &other) const;
  Tensor subtract(const Tensor &other) const { return sub(other); }
  Tensor multiply(const Tensor &other) const { return mul(other); }
  Tensor multiply(const Scalar &other) const { return mul(other); }
  Tensor divide(const Tensor &other) const { return div(other); }
  Tensor divide(const Scalar &other) const { return div(other); }
  Tensor true_divide(const Tensor &other) const { return div(other); }
  Tensor &multiply_(const Tensor &other) const { return mul_(other); }
  Tensor &divide_(const Tensor &other) const { return div_(other); }
  Tensor &operator+=(const Tensor &other) { return add_(other); }
  Tensor &operator+=(const Scalar &other) { return add_(other); }
  Tensor &operator-=(const Tensor &other) { return sub_(other); }
  Tensor &operator-=(const Scalar &other) { return sub_(other); }
  Tensor &operator*=(const Tensor &other) { return mul_(other); }
  Tensor &operator*=(const Scalar &other) { return mul_(other); }
  Tensor &operator/=(const Tensor &other) { return div_(other); }
  Tensor &operator/=(const Scalar &other) { return div_(other); }
  Tensor operator-() const { return neg(); }

  // Functions of each element (ops/Pointwise.h)
  Tensor neg() const;
  Tensor &neg_() const;
  Tensor abs() const;
  Tensor &abs_() const;
  Tensor exp() const;
  Tensor &exp_() const;
  Tensor exp2() const;
  Tensor &exp2_() const;
  Tensor log() const;
  Tensor &log_() const;
  Tensor log2() const;
  Tensor &log2_() const;
  Tensor log10() const;
  Tensor &log10_() const;
  Tensor log1p() const;
  Tensor &log1p_() const;
  Tensor expm1() const;
  Tensor &expm1_() const;
  Tensor sqrt() const;
  Tensor &sqrt_() const;
  Tensor rsqrt() const;
  Tensor &rsqrt_() const;
  Tensor square() const;
  Tensor &square_() const;
  Tensor reciprocal() const;
  Tensor &reciprocal_() const;
  Tensor tanh() const;
  Tensor &tanh_() const;
  Tensor sigmoid() const;
  Tensor &sigmoid_() const;
  Tensor relu() const;
  Tensor &relu_() const;
  Tensor erf() const;
  Tensor &erf_() const;
  Tensor erfc() const;
  Tensor &erfc_() const;
  Tensor erfinv() const;
  Tensor &erfinv_() const;
  Tensor sign() const;
  Tensor &sign_() const;
  Tensor floor() const;
  Tensor &floor_() const;
  Tensor trunc() const;
  Tensor &trunc_() const;
  Tensor frac() const;
  Tensor &frac_() const;
  Tensor ceil() const;
  Tensor &ceil_() const;
  Tensor round() const;
  Tensor &round_() const;
  Tensor clamp(const optional<Scalar> &min = nullopt, const optional<Scalar> &max = nullopt) const;
  Tensor &clamp_(const optional<Scalar> &min = nullopt,
                 const optional<Scalar> &max = nullopt) const;
  Tensor clamp(const optional<Tensor> &min, const optional<Tensor> &max = nullopt) const;
  Tensor &clamp_(const optional<Tensor> &min, const optional<Tensor> &max = nullopt) const;
  Tensor &clip_(const optional<Scalar> &min = nullopt,
                const optional<Scalar> &max = nullopt) const {
    return clamp_(min, max);
  }
  Tensor clip(const optional<Scalar> &min = nullopt, const optional<Scalar> &max = nullopt) const {
    return clamp(min, max);
  }
  Tensor clamp_min(const Scalar &min) const;
  Tensor &clamp_min_(const Scalar &min) const;
  Tensor clamp_max(const Scalar &max) const;
  Tensor &clamp_max_(const Scalar &max) const;
  Tensor nan_to_num(optional<double> nan = nullopt, optional<double> posinf = nullopt,
                    optional<double> neginf = nullopt) const;
  Tensor &nan_to_num_(optional<double> nan = nullopt, optional<double> posinf = nullopt,
                      optional<double> neginf = nullopt) const;
  Tensor isnan() const;
  Tensor isinf() const;
  Tensor isfinite() const;
  Tensor logical_not() const;
  Tensor &logical_not_() const;

  // Gamma functions, angles, sums of exponentials (ops/Special.h)
  Tensor atan2(const Tensor &x) const;
  Tensor hypot(const Tensor &other) const;
  Tensor logaddexp(const Tensor &other) const;
  Tensor xlogy(const Tensor &other) const;
  Tensor copysign(const Tensor &other) const;
  Tensor fmax(const Tensor &other) const;
  Tensor fmin(const Tensor &other) const;
  Tensor float_power(const Tensor &exponent) const;
  Tensor float_power(const Scalar &exponent) const;
  Tensor logit(optional<double> eps = nullopt) const;
  Tensor sinc() const;
  Tensor lgamma() const;
  Tensor digamma() const;
  Tensor polygamma(int64_t n) const;
  Tensor deg2rad() const;
  Tensor rad2deg() const;
  Tensor signbit() const;

  // Counts, quantiles, covariances (ops/Statistics.h)
  Tensor quantile(const Tensor &q, optional<int64_t> dim = nullopt, bool keepdim = false,
                  std::string_view interpolation = "linear") const;
  Tensor quantile(double q, optional<int64_t> dim = nullopt, bool keepdim = false,
                  std::string_view interpolation = "linear") const;
  std::tuple<Tensor, Tensor> kthvalue(int64_t k, int64_t dim = -1, bool keepdim = false) const;
  std::tuple<Tensor, Tensor> aminmax(optional<int64_t> dim = nullopt, bool keepdim = false) const;
  Tensor bincount(const optional<Tensor> &weights = nullopt, int64_t minlength = 0) const;
  Tensor histc(int64_t bins = 100, const Scalar &min = 0, const Scalar &max = 0) const;
  Tensor nansum(IntArrayRef dims = {}, bool keepdim = false,
                optional<ScalarType> type = nullopt) const;
  Tensor nanmean(IntArrayRef dims = {}, bool keepdim = false,
                 optional<ScalarType> type = nullopt) const;
  Tensor diff(int64_t n = 1, int64_t dim = -1, const optional<Tensor> &prepend = nullopt,
              const optional<Tensor> &append = nullopt) const;
  Tensor cov(int64_t correction = 1) const;
  Tensor corrcoef() const;

  // Trigonometry (ops/Trigonometry.h)
  Tensor sin() const;
  Tensor &sin_() const;
  Tensor cos() const;
  Tensor &cos_() const;
  Tensor tan() const;
  Tensor &tan_() const;
  Tensor asin() const;
  Tensor &asin_() const;
  Tensor acos() const;
  Tensor &acos_() const;
  Tensor atan() const;
  Tensor &atan_() const;
  Tensor sinh() const;
  Tensor &sinh_() const;
  Tensor cosh() const;
  Tensor &cosh_() const;
  Tensor asinh() const;
  Tensor &asinh_() const;
  Tensor acosh() const;
  Tensor &acosh_() const;
  Tensor atanh() const;
  Tensor &atanh_() const;

  // Bits of integers, truth values (ops/Bitwise.h)
  Tensor bitwise_and(const Tensor &other) const;
  Tensor bitwise_or(const Tensor &other) const;
  Tensor bitwise_xor(const Tensor &other) const;
  Tensor bitwise_not() const;
  Tensor operator~() const { return bitwise_not(); }
  Tensor &operator&=(const Tensor &other);
  Tensor &operator|=(const Tensor &other);
  Tensor &operator^=(const Tensor &other);

  // Comparisons (ops/Comparisons.h)
  Tensor eq(const Tensor &other) const;
  Tensor eq(const Scalar &other) const;
  Tensor &eq_(const Tensor &other) const;
  Tensor &eq_(const Scalar &other) const;
  Tensor ne(const Tensor &other) const;
  Tensor ne(const Scalar &other) const;
  Tensor &ne_(const Tensor &other) const;
  Tensor &ne_(const Scalar &other) const;
  Tensor lt(const Tensor &other) const;
  Tensor lt(const Scalar &other) const;
  Tensor &lt_(const Tensor &other) const;
  Tensor &lt_(const Scalar &other) const;
  Tensor le(const Tensor &other) const;
  Tensor le(const Scalar &other) const;
  Tensor &le_(const Tensor &other) const;
  Tensor &le_(const Scalar &other) const;
  Tensor gt(const Tensor &other) const;
  Tensor gt(const Scalar &other) const;
  Tensor &gt_(const Tensor &other) const;
  Tensor &gt_(const Scalar &other) const;
  Tensor ge(const Tensor &other) const;
  Tensor ge(const Scalar &other) const;
  Tensor &ge_(const Tensor &other) const;
  Tensor &ge_(const Scalar &other) const;
  Tensor logical_and(const Tensor &other) const;
  Tensor &logical_and_(const Tensor &other) const;
  Tensor logical_or(const Tensor &other) const;
  Tensor &logical_or_(const Tensor &other) const;
  Tensor logical_xor(const Tensor &other) const;
  Tensor &logical_xor_(const Tensor &other) const;
  Tensor where(const Tensor &condition, const Tensor &other) const;

  // Reductions (ops/Reductions.h)
  Tensor sum(optional<ScalarType> type = nullopt) const;
  Tensor sum(IntArrayRef dims, bool keepdim = false, optional<ScalarType> type = nullopt) const;
  Tensor mean(optional<ScalarType> type = nullopt) const;
  Tensor mean(IntArrayRef dims, bool keepdim = false, optional<ScalarType> type = nullopt) const;
  Tensor var(bool unbiased = true) const;
  Tensor var(IntArrayRef dims, bool unbiased = true, bool keepdim = false) const;
  Tensor std(bool unbiased = true) const;
  Tensor std(IntArrayRef dims, bool unbiased = true, bool keepdim = false) const;
  Tensor prod(optional<ScalarType> type = nullopt) const;
  Tensor prod(int64_t dim, bool keepdim = false, optional<ScalarType> type = nullopt) const;
  Tensor count_nonzero(IntArrayRef dims) const;
  Tensor count_nonzero(optional<int64_t> dim = nullopt) const;
  Tensor max() const;
  std::tuple<Tensor, Tensor> max(int64_t dim, bool keepdim = false) const;
  Tensor min() const;
  std::tuple<Tensor, Tensor> min(int64_t dim, bool keepdim = false) const;
  Tensor max(const Tensor &other) const { return maximum(other); }
  Tensor min(const Tensor &other) const { return minimum(other); }
  Tensor amax(IntArrayRef dims = {}, bool keepdim = false) const;
  Tensor amin(IntArrayRef dims = {}, bool keepdim = false) const;
  Tensor argmax(optional<int64_t> dim = nullopt, bool keepdim = false) const;
  Tensor argmin(optional<int64_t> dim = nullopt, bool keepdim = false) const;
  Tensor norm(const Scalar &p = 2) const;
  Tensor norm(const Scalar &p, IntArrayRef dims, bool keepdim = false) const;
  Tensor all() const;
  Tensor any() const;
  Tensor all(int64_t dim, bool keepdim = false) const;
  Tensor any(int64_t dim, bool keepdim = false) const;
  Tensor median() const;
  std::tuple<Tensor, Tensor> median(int64_t dim, bool keepdim = false) const;
  Tensor logsumexp(IntArrayRef dims, bool keepdim = false) const;
  std::tuple<Tensor, Tensor> topk(int64_t k, int64_t dim = -1, bool largest = true,
                                  bool sorted = true) const;
  std::tuple<Tensor, Tensor> sort(int64_t dim = -1, bool descending = false) const;
  Tensor argsort(int64_t dim = -1, bool descending = false) const;

  // What comes together along a dimension (ops/Cumulative.h)
  Tensor cumsum(int64_t dim, optional<ScalarType> type = nullopt) const;
  Tensor cumprod(int64_t dim, optional<ScalarType> type = nullopt) const;
  Tensor &cumsum_(int64_t dim) const;
  Tensor &cumprod_(int64_t dim) const;
  std::tuple<Tensor, Tensor> cummax(int64_t dim) const;
  std::tuple<Tensor, Tensor> cummin(int64_t dim) const;

  // Softmax family (ops/Softmax.h)
  Tensor softmax(int64_t dim, optional<ScalarType> type = nullopt) const;
  Tensor log_softmax(int64_t dim, optional<ScalarType> type = nullopt) const;

  // Products of matrices (ops/Linear.h)
  Tensor matmul(const Tensor &other) const;
  Tensor mm(const Tensor &other) const;
  Tensor bmm(const Tensor &other) const;
  Tensor mv(const Tensor &other) const;
  Tensor dot(const Tensor &other) const;
  Tensor outer(const Tensor &other) const;
  Tensor ger(const Tensor &other) const { return outer(other); }
  Tensor cross(const Tensor &other, optional<int64_t> dim = nullopt) const;
  Tensor addmm(const Tensor &a, const Tensor &b, const Scalar &beta = 1,
               const Scalar &alpha = 1) const;
  Tensor &addmm_(const Tensor &a, const Tensor &b, const Scalar &beta = 1,
                 const Scalar &alpha = 1) const;
  Tensor addmv(const Tensor &a, const Tensor &b, const Scalar &beta = 1,
               const Scalar &alpha = 1) const;
  Tensor baddbmm(const Tensor &a, const Tensor &b, const Scalar &beta = 1,
                 const Scalar &alpha = 1) const;

  Tensor inner(const Tensor &other) const;
  Tensor vdot(const Tensor &other) const;
  Tensor kron(const Tensor &other) const;
  Tensor matrix_power(int64_t n) const;
  Tensor dist(const Tensor &other, const Scalar &p = 2) const;

  // Linear algebra (ops/LinearAlgebra.h)
  Tensor det() const;
  std::tuple<Tensor, Tensor> slogdet() const;
  Tensor logdet() const;
  Tensor inverse() const;
  Tensor cholesky(bool upper = false) const;

private:
  unsigned registerHook(std::function<Tensor(const Tensor &)> hook) const;

  std::shared_ptr<TensorImpl> impl;
};

using Variable = Tensor;

std::ostream &operator<<(std::ostream &out, const Tensor &tensor);

} // namespace gradtidy::runtime
