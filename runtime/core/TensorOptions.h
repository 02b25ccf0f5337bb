// TensorOptions: dtype, device, requires_grad and pinned_memory of a tensor to be made, each of
// them optional.
//
// The setters return a changed copy and leave the object alone; a result that is not used is lost.
#pragma once

#include "Device.h"
#include "ScalarType.h"

#include <optional>
#include <ostream>
#include <string>

namespace gradtidy::runtime {

/// An order of elements in memory; channels last is for images (N, C, H, W) and (N, C, D, H, W).
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };

enum class Layout : int8_t { Strided };
constexpr Layout kStrided = Layout::Strided;

/// The type of floating point tensors made without a dtype (float32 unless set).
ScalarType get_default_dtype_as_scalartype();
inline TypeMeta get_default_dtype() { return get_default_dtype_as_scalartype(); }
void set_default_dtype(TypeMeta type);

class TensorOptions {
public:
  TensorOptions() = default;
  TensorOptions(ScalarType type) : type(type) {}
  TensorOptions(TypeMeta type) : type(type.toScalarType()) {}
  TensorOptions(Device device) : where(device) {}
  TensorOptions(DeviceType device) : where(device) {}
  TensorOptions(Layout) {}

  [[nodiscard]] TensorOptions dtype(std::optional<ScalarType> value) const {
    auto copy = *this;
    copy.type = value;
    return copy;
  }
  [[nodiscard]] TensorOptions device(std::optional<Device> value) const {
    auto copy = *this;
    copy.where = value;
    return copy;
  }
  [[nodiscard]] TensorOptions device(DeviceType value, DeviceIndex index = -1) const {
    return device(Device(value, index));
  }
  [[nodiscard]] TensorOptions requires_grad(std::optional<bool> value) const {
    auto copy = *this;
    copy.grad = value;
    return copy;
  }
  /// Page-locked memory, for tensors on the host.
  [[nodiscard]] TensorOptions pinned_memory(std::optional<bool> value) const {
    auto copy = *this;
    copy.pinned = value;
    return copy;
  }
  [[nodiscard]] TensorOptions layout(Layout) const { return *this; }

  TypeMeta dtype() const { return type.value_or(get_default_dtype_as_scalartype()); }
  Device device() const { return where.value_or(kCPU); }
  bool requires_grad() const { return grad.value_or(false); }
  bool pinned_memory() const { return pinned.value_or(false); }
  bool has_dtype() const { return type.has_value(); }
  bool has_device() const { return where.has_value(); }
  bool has_requires_grad() const { return grad.has_value(); }
  std::optional<ScalarType> dtype_opt() const { return type; }
  std::optional<Device> device_opt() const { return where; }

private:
  std::optional<ScalarType> type;
  std::optional<Device> where;
  std::optional<bool> grad;
  std::optional<bool> pinned;
};

/// What Tensor::type() answers: an element type on a kind of device, called "CPUFloatType".
class DeprecatedTypeProperties {
public:
  DeprecatedTypeProperties(DeviceType device, ScalarType type) : where(device), element(type) {}
  ScalarType scalarType() const { return element; }
  DeviceType device_type() const { return where; }
  bool is_cuda() const { return where == kCUDA; }
  TensorOptions options() const { return TensorOptions(element).device(where); }
  std::string toString() const {
    return std::string(is_cuda() ? "CUDA" : "CPU") + runtime::toString(element) + "Type";
  }
  friend bool operator==(const DeprecatedTypeProperties &,
                         const DeprecatedTypeProperties &) = default;
  friend std::ostream &operator<<(std::ostream &out, const DeprecatedTypeProperties &type) {
    return out << type.toString();
  }

private:
  DeviceType where;
  ScalarType element;
};

inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions device(Device where) { return TensorOptions(where); }
inline TensorOptions requires_grad(bool value = true) {
  return TensorOptions().requires_grad(value);
}

} // namespace gradtidy::runtime
