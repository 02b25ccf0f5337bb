// Factories: tensors from sizes, numbers and memory.
#pragma once

#include "../core/Tensor.h"

#include <type_traits>

namespace gradtidy::runtime {

Tensor empty(IntArrayRef size, TensorOptions options = {});
Tensor empty_strided(IntArrayRef size, IntArrayRef stride, TensorOptions options = {});
Tensor zeros(IntArrayRef size, TensorOptions options = {});
Tensor ones(IntArrayRef size, TensorOptions options = {});
/// Of the type of `value` (an integer gives int64) unless the options name one.
Tensor full(IntArrayRef size, const Scalar &value, TensorOptions options = {});
Tensor eye(int64_t n, TensorOptions options = {});
/// int64 where all bounds are integers, else the default floating type.
Tensor arange(const Scalar &end, TensorOptions options = {});
Tensor arange(const Scalar &start, const Scalar &end, TensorOptions options = {});
Tensor arange(const Scalar &start, const Scalar &end, const Scalar &step,
              TensorOptions options = {});
Tensor linspace(const Scalar &start, const Scalar &end, int64_t steps, TensorOptions options = {});
Tensor scalar_tensor(const Scalar &value, TensorOptions options = {});

Tensor empty_like(const Tensor &self, TensorOptions options = {});
Tensor zeros_like(const Tensor &self, TensorOptions options = {});
Tensor ones_like(const Tensor &self, TensorOptions options = {});
Tensor full_like(const Tensor &self, const Scalar &value, TensorOptions options = {});

/// A tensor over memory it does not own and does not copy: float32 unless the options say
/// otherwise, whatever the pointer. The memory must outlive the tensor and all its views.
Tensor from_blob(void *data, IntArrayRef sizes, const TensorOptions &options = {});
Tensor from_blob(void *data, IntArrayRef sizes, IntArrayRef strides,
                 const TensorOptions &options = {});
/// `deleter` is called with `data` when the last tensor over it is gone.
Tensor from_blob(void *data, IntArrayRef sizes, std::function<void(void *)> deleter,
                 const TensorOptions &options = {});

/// The argument of tensor(): a number, a vector of numbers, or a nest of braced lists.
class TensorData {
public:
  template <class T>
  TensorData(T value)
    requires std::is_arithmetic_v<T>
      : type(typeOf<T>()), values{Scalar(value)} {}
  TensorData(std::initializer_list<TensorData> list);
  template <class T>
  TensorData(const std::vector<T> &list)
    requires std::is_arithmetic_v<T>
      : TensorData(list.begin(), list.end()) {}
  template <class T> TensorData(ArrayRef<T> list) : TensorData(list.begin(), list.end()) {}

  Tensor toTensor(const TensorOptions &options) const;

private:
  template <class Iterator> TensorData(Iterator begin, Iterator end) {
    type = typeOf<typename std::iterator_traits<Iterator>::value_type>();
    for (Iterator i = begin; i != end; ++i)
      values.push_back(Scalar(static_cast<std::iter_value_t<Iterator>>(*i)));
    sizes = {static_cast<int64_t>(values.size())};
  }
  template <class T> static ScalarType typeOf() {
    return std::is_floating_point_v<T> ? get_default_dtype_as_scalartype()
           : std::is_same_v<T, bool>   ? ScalarType::Bool
                                       : ScalarType::Long;
  }

  ScalarType type;
  std::vector<int64_t> sizes;
  std::vector<Scalar> values;
};

/// The given numbers: doubles and floats become the default floating type, integers int64.
Tensor tensor(const TensorData &data, const TensorOptions &options = {});
/// The same for a table that an operation needs: on CUDA devices the host does not wait for the copy,
/// since the numbers come as arguments of a kernel. `options` name a device.
Tensor table(const TensorData &data, const TensorOptions &options);

} // namespace gradtidy::runtime
