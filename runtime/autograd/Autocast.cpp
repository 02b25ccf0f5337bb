#include "Casting.h"

#include <array>
#include <map>
#include <mutex>

namespace gradtidy::runtime::autocast {
namespace {

thread_local std::array<ScalarType, 2> lowerTypes{kBFloat16, kHalf}; // by DeviceType
thread_local bool cacheEnabled = true;
thread_local int nesting = 0;

/// A parameter, which so lives on and keeps its address, and what became of it.
struct Cast {
  Tensor from, to;
};
std::mutex cacheMutex;
std::map<const TensorImpl *, Cast> &cache() {
  static auto *casts = new std::map<const TensorImpl *, Cast>; // outlives all tensors
  return *casts;
}

bool isKept(const Tensor &x, ScalarType type, DeviceType device) {
  return cacheEnabled && type == get_autocast_dtype(device) && x.scalar_type() == kFloat &&
         x.requires_grad() && x.is_leaf() && !x.is_view();
}

} // namespace

bool is_autocast_enabled(DeviceType device) { return (enabledDevices & bitOf(device)) != 0; }

void set_autocast_enabled(DeviceType device, bool enabled) {
  enabledDevices = enabled ? enabledDevices | bitOf(device) : enabledDevices & ~bitOf(device);
}

ScalarType get_autocast_dtype(DeviceType device) {
  return lowerTypes[static_cast<std::size_t>(device)];
}
void set_autocast_dtype(DeviceType device, ScalarType type) {
  lowerTypes[static_cast<std::size_t>(device)] = type;
}

Tensor cached_cast(ScalarType type, const Tensor &x, DeviceType device) {
  if (!x.defined() || x.device().type() != device || !x.is_floating_point() ||
      x.scalar_type() == kDouble || x.scalar_type() == type)
    return x;
  if (!isKept(x, type, device))
    return x.to(type);
  std::lock_guard lock(cacheMutex);
  Cast &kept = cache()[x.unsafeGetTensorImpl()];
  if (!kept.to.defined())
    kept = {x, x.to(type)};
  return kept.to;
}

void clear_cache() {
  std::map<const TensorImpl *, Cast> cleared; // freed when the mutex is
  std::lock_guard lock(cacheMutex);
  cleared.swap(cache());
}
bool is_autocast_cache_enabled() { return cacheEnabled; }
void set_autocast_cache_enabled(bool enabled) { cacheEnabled = enabled; }
int increment_nesting() { return ++nesting; }
int decrement_nesting() { return --nesting; }

} // namespace gradtidy::runtime::autocast
