#include "Device.h"
#include "DefaultDevice.h"

#include <atomic>

namespace gradtidy::runtime {
namespace {

std::atomic<Device> defaultDevice{kCPU};

}

Device::Device(const std::string &text) : kind(DeviceType::CPU), number(-1) {
  auto colon = text.find(':');
  std::string type = text.substr(0, colon);
  TORCH_CHECK(type == "cpu" || type == "cuda",
              "Expected one of cpu, cuda device type at start of device string: ", text);
  kind = type == "cpu" ? DeviceType::CPU : DeviceType::CUDA;
  if (colon == std::string::npos)
    return;
  std::string digits = text.substr(colon + 1);
  TORCH_CHECK(!digits.empty() && digits.size() <= 2 &&
                  digits.find_first_not_of("0123456789") == std::string::npos,
              "Invalid device string: '", text, "'");
  number = static_cast<DeviceIndex>(std::stoi(digits));
}

std::string Device::str() const {
  std::string text = is_cpu() ? "cpu" : "cuda";
  return has_index() ? text + ":" + std::to_string(number) : text;
}

void set_default_device(Device device) { defaultDevice = device; }
Device get_default_device() { return defaultDevice; }

void failForDevices(Device a, Device b) {
  fail("Expected all tensors to be on the same device, but found at least two devices, ", a,
       " and ", b, "!");
}

} // namespace gradtidy::runtime
