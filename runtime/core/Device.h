// Device: where a tensor's memory lies and its operations run.
#pragma once

#include "Error.h"

#include <cstdint>
#include <iosfwd>

namespace gradtidy::runtime {

enum class DeviceType : int8_t { CPU = 0, CUDA = 1 };

constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;

using DeviceIndex = int8_t;

class Device {
public:
  using Type = DeviceType;

  /// `index` -1 means the current device of that type.
  Device(DeviceType type, DeviceIndex index = -1) : kind(type), number(index) {}
  /// From "cpu", "cuda" or "cuda:1"; anything else throws.
  Device(const std::string &text);
  Device(const char *text) : Device(std::string(text)) {}

  DeviceType type() const { return kind; }
  DeviceIndex index() const { return number; }
  bool has_index() const { return number >= 0; }
  bool is_cpu() const { return kind == DeviceType::CPU; }
  bool is_cuda() const { return kind == DeviceType::CUDA; }
  std::string str() const;
  bool operator==(const Device &other) const = default;

private:
  DeviceType kind;
  DeviceIndex number;
};

inline std::string toText(const Device &device) { return device.str(); }

/// Throws LibTorch's words for tensors on two devices in one operation.
[[noreturn]] void failForDevices(Device a, Device b);

std::ostream &operator<<(std::ostream &out, const Device &device);

/// How many threads products of matrices on the host use.
void set_num_threads(int count);
int get_num_threads();

} // namespace gradtidy::runtime
