#include "Factories.h"
#include "../core/DefaultDevice.h"
#include "Copies.h"
#include "kernels/Elementwise.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gradtidy::runtime {
namespace {

/// Gives a new tensor what the options ask for; filling it was no change.
Tensor finish(Tensor tensor, const TensorOptions &options) {
  if (const auto &version = implOf(tensor).version)
    *version = 0;
  return options.requires_grad() ? tensor.set_requires_grad(true) : tensor;
}

TensorOptions merged(const Tensor &like, const TensorOptions &options) {
  TensorOptions result = like.options();
  if (options.has_dtype())
    result = result.dtype(options.dtype().toScalarType());
  if (options.has_device())
    result = result.device(options.device());
  return result.requires_grad(options.requires_grad());
}

/// A tensor of `count` elements, element i being formulaOf<T>()(i).
template <class FormulaOf>
Tensor sequence(const char *name, int64_t count, ScalarType type, const TensorOptions &options,
                FormulaOf formulaOf) {
  Tensor result = makeEmpty(count, type, placeOf(options));
  if (count != 0)
    dispatchNumbers(type, name,
                    [&]<class T>() { enumerate<T>(formulaOf.template operator()<T>(), result); });
  return finish(result, options);
}

/// In which bounds and steps are counted.
template <class T> using Step = std::conditional_t<std::is_integral_v<T>, int64_t, double>;

template <class T> struct Steps {
  Step<T> first, step;
  GRADTIDY_HOST_DEVICE T operator()(int64_t i) const {
    return static_cast<T>(first + static_cast<Step<T>>(i) * step);
  }
};

/// From the nearer end.
template <class T> struct EvenSteps {
  double from, to, by;
  int64_t steps;
  GRADTIDY_HOST_DEVICE T operator()(int64_t i) const {
    return static_cast<T>(i < steps / 2 || steps == 1
                              ? from + by * static_cast<double>(i)
                              : to - by * static_cast<double>(steps - 1 - i));
  }
};

/// As many elements as the arguments of a kernel have room for, beside others.
template <class T> struct Listed {
  static constexpr int64_t most = 2048 / sizeof(T);
  std::array<T, most> values;
  GRADTIDY_HOST_DEVICE T operator()(int64_t i) const { return values[i]; }
};

} // namespace

Tensor empty(IntArrayRef size, TensorOptions options) {
  if (options.pinned_memory())
    return finish(makeEmptyPinned(size, contiguousStrides(size), options.dtype()), options);
  return finish(makeEmpty(size, options.dtype(), placeOf(options)), options);
}

Tensor empty_strided(IntArrayRef size, IntArrayRef stride, TensorOptions options) {
  TORCH_CHECK(size.size() == stride.size(), "mismatch in length of strides and shape");
  return finish(makeEmptyStrided(size, stride, options.dtype(), placeOf(options)), options);
}

Tensor full(IntArrayRef size, const Scalar &value, TensorOptions options) {
  ScalarType type = options.has_dtype()       ? options.dtype().toScalarType()
                    : value.isFloatingPoint() ? get_default_dtype_as_scalartype()
                                              : value.type();
  return finish(empty(size, options.dtype(type).requires_grad(false)).fill_(value), options);
}

Tensor zeros(IntArrayRef size, TensorOptions options) {
  return full(size, 0, options.dtype(options.dtype().toScalarType()));
}
Tensor ones(IntArrayRef size, TensorOptions options) {
  return full(size, 1, options.dtype(options.dtype().toScalarType()));
}

Tensor eye(int64_t n, TensorOptions options) {
  TORCH_CHECK(n >= 0, "n must be greater or equal to 0, got ", n);
  Tensor result = zeros({n, n}, options.requires_grad(false));
  result.diagonal().fill_(1);
  return finish(result, options);
}

Tensor arange(const Scalar &end, TensorOptions options) { return arange(0, end, 1, options); }
Tensor arange(const Scalar &start, const Scalar &end, TensorOptions options) {
  return arange(start, end, 1, options);
}
Tensor arange(const Scalar &start, const Scalar &end, const Scalar &step, TensorOptions options) {
  double from = start.toDouble(), to = end.toDouble(), by = step.toDouble();
  TORCH_CHECK(by != 0, "step must be nonzero");
  TORCH_CHECK(std::isfinite(by), "step must be finite but got ", by);
  TORCH_CHECK(std::isfinite(from) && std::isfinite(to), "unsupported range: ", from, " -> ", to);
  TORCH_CHECK((by > 0 && to >= from) || (by < 0 && to <= from),
              "upper bound and lower bound inconsistent with step sign");
  bool integral = start.isIntegral(true) && end.isIntegral(true) && step.isIntegral(true);
  ScalarType type = options.has_dtype() ? options.dtype().toScalarType()
                    : integral          ? ScalarType::Long
                                        : get_default_dtype_as_scalartype();
  double length = std::ceil((to - from) / by);
  TORCH_CHECK(length < 0x1p63, "invalid size, possible overflow?");
  auto count = static_cast<int64_t>(length);
  return sequence("arange_cpu", count, type, options, [&]<class T>() {
    return Steps<T>{static_cast<Step<T>>(from), static_cast<Step<T>>(by)};
  });
}

Tensor linspace(const Scalar &start, const Scalar &end, int64_t steps, TensorOptions options) {
  TORCH_CHECK(steps >= 0, "number of steps must be non-negative");
  if (steps == 1)
    return full(1, start, options.dtype(options.dtype().toScalarType()));
  return sequence("linspace_cpu", steps, options.dtype(), options, [&]<class T>() {
    auto from = static_cast<double>(start.to<T>()), to = static_cast<double>(end.to<T>());
    double by = steps > 1 ? (to - from) / static_cast<double>(steps - 1) : 0;
    return EvenSteps<T>{from, to, by, steps};
  });
}

Tensor scalar_tensor(const Scalar &value, TensorOptions options) {
  return full({}, value, options.dtype(options.dtype().toScalarType()));
}

Tensor empty_like(const Tensor &self, TensorOptions options) {
  return empty_strided(self.sizes(), keptStrides(self), merged(self, options));
}
Tensor full_like(const Tensor &self, const Scalar &value, TensorOptions options) {
  Tensor result = empty_like(self, options.requires_grad(false)).fill_(value);
  return finish(result, options);
}
Tensor zeros_like(const Tensor &self, TensorOptions options) { return full_like(self, 0, options); }
Tensor ones_like(const Tensor &self, TensorOptions options) { return full_like(self, 1, options); }

namespace {

Tensor overMemory(void *data, IntArrayRef sizes, IntArrayRef strides,
                  std::function<void(void *)> deleter, const TensorOptions &options) {
  Device device = resolved(options.device());
  TORCH_CHECK(device.is_cpu() || acceleratorOf(device).owns(data),
              "The specified pointer resides on host memory and is not registered with any CUDA "
              "device.");
  Tensor result = makeAlias(makeEmpty({0}, options.dtype(), kCPU), sizes, strides, 0);
  int64_t count = elementCount(sizes) == 0 ? 0 : 1;
  for (std::size_t d = 0; d < sizes.size() && count != 0; ++d)
    count += (sizes[d] - 1) * strides[d];
  implOf(result).storage = Storage::borrow(
      device, data, static_cast<std::size_t>(count) * result.itemsize(), std::move(deleter));
  return finish(result, options);
}

} // namespace

Tensor from_blob(void *data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions &options) {
  return overMemory(data, sizes, strides, {}, options);
}
Tensor from_blob(void *data, IntArrayRef sizes, const TensorOptions &options) {
  return overMemory(data, sizes, contiguousStrides(sizes), {}, options);
}
Tensor from_blob(void *data, IntArrayRef sizes, std::function<void(void *)> deleter,
                 const TensorOptions &options) {
  return overMemory(data, sizes, contiguousStrides(sizes), std::move(deleter), options);
}

TensorData::TensorData(std::initializer_list<TensorData> list) {
  type = list.size() == 0 ? get_default_dtype_as_scalartype() : list.begin()->type;
  sizes = {static_cast<int64_t>(list.size())};
  if (list.size() != 0)
    sizes.insert(sizes.end(), list.begin()->sizes.begin(), list.begin()->sizes.end());
  for (const TensorData &entry : list) {
    TORCH_CHECK(entry.sizes == list.begin()->sizes,
                "Expected all sub-lists to have sizes: ", toText(list.begin()->sizes),
                " (e.g. first sub-list), but got sub-list with sizes: ", toText(entry.sizes));
    TORCH_CHECK(entry.type == type,
                "Expected all elements of the tensor to have the same scalar "
                "type: ",
                type, ", but got element of scalar type: ", entry.type);
    values.insert(values.end(), entry.values.begin(), entry.values.end());
  }
}

Tensor TensorData::toTensor(const TensorOptions &options) const {
  ScalarType wanted = options.has_dtype() ? options.dtype().toScalarType() : type;
  Tensor result = makeEmpty(sizes, wanted, kCPU);
  dispatchAll(wanted, "tensor", [&]<class T>() {
    T *data = result.data_ptr<T>();
    for (std::size_t i = 0; i < values.size(); ++i)
      data[i] = values[i].to<T>();
  });
  return finish(result.to(placeOf(options)), options);
}

Tensor tensor(const TensorData &data, const TensorOptions &options) {
  return data.toTensor(options);
}

Tensor table(const TensorData &data, const TensorOptions &options) {
  Tensor onHost = tensor(data, options.device(kCPU));
  const Device device = placeOf(options);
  if (!cudaStreamOf(device))
    return onHost.to(device);
  Tensor result = makeEmpty(onHost.sizes(), onHost.scalar_type(), device);
  dispatchAll(onHost.scalar_type(), "table", [&]<class T>() {
    constexpr int64_t most = Listed<T>::most;
    for (int64_t from = 0; from < onHost.numel(); from += most) {
      const int64_t count = std::min(most, onHost.numel() - from);
      Listed<T> listed;
      std::copy_n(onHost.data_ptr<T>() + from, count, listed.values.begin());
      enumerate<T>(listed, result.view({-1}).narrow(0, from, count));
    }
  });
  return result;
}

Tensor Tensor::new_empty(IntArrayRef size, TensorOptions options) const {
  return empty(size, merged(*this, options));
}
Tensor Tensor::new_zeros(IntArrayRef size, TensorOptions options) const {
  return zeros(size, merged(*this, options));
}
Tensor Tensor::new_ones(IntArrayRef size, TensorOptions options) const {
  return ones(size, merged(*this, options));
}
Tensor Tensor::new_full(IntArrayRef size, const Scalar &value, TensorOptions options) const {
  return full(size, value, merged(*this, options));
}

} // namespace gradtidy::runtime
