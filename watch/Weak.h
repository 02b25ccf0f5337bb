// Pointers that do not keep what they point to.
#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <optional>

namespace gradtidy::watch {

/// A c10::weak_intrusive_ptr that may be empty; an empty one is expired.
template <typename Target, typename Null = c10::detail::intrusive_target_default_null_type<Target>>
class WeakIntrusive {
public:
  WeakIntrusive() = default;
  explicit WeakIntrusive(const c10::intrusive_ptr<Target, Null> &strong) : pointer(strong) {}
  explicit WeakIntrusive(c10::weak_intrusive_ptr<Target, Null> weak) : pointer(std::move(weak)) {}

  bool expired() const { return !pointer || pointer->expired(); }
  /// Null, or the undefined tensor, if it has expired.
  c10::intrusive_ptr<Target, Null> lock() const {
    return pointer ? pointer->lock() : c10::intrusive_ptr<Target, Null>();
  }
  /// To be compared only.
  const Target *address() const { return pointer ? pointer->_unsafe_get_target() : nullptr; }

private:
  std::optional<c10::weak_intrusive_ptr<Target, Null>> pointer;
};

using WeakTensor = WeakIntrusive<c10::TensorImpl, c10::UndefinedTensorImpl>;
using WeakStorage = WeakIntrusive<c10::StorageImpl>;

inline WeakTensor weak(const at::Tensor &tensor) { return WeakTensor(tensor.getIntrusivePtr()); }
inline WeakStorage weakStorage(const at::Tensor &tensor) {
  return WeakStorage(tensor.storage().getWeakStorageImpl());
}

/// A weak pointer for each kind of pointer: LibTorch has counted the nodes of graphs in both ways.
template <typename Pointer> struct WeakOf;
template <typename Target> struct WeakOf<std::shared_ptr<Target>> {
  using Type = std::weak_ptr<Target>;
};
template <typename Target> struct WeakOf<c10::intrusive_ptr<Target>> {
  using Type = WeakIntrusive<Target>;
};

} // namespace gradtidy::watch
