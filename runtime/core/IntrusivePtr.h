// LibTorch's names for objects that are shared by counting their owners. Here the counter lies
// beside the object, so that every type can be shared.
#pragma once

#include <memory>
#include <utility>

namespace gradtidy::runtime {

struct intrusive_ptr_target {
  virtual ~intrusive_ptr_target() = default;
};

/// What an IValue can hold of a program's own (IValue::make_capsule).
struct CustomClassHolder : intrusive_ptr_target {};

template <class T> using intrusive_ptr = std::shared_ptr<T>;

template <class T, class... Args> intrusive_ptr<T> make_intrusive(Args &&...args) {
  return std::make_shared<T>(std::forward<Args>(args)...);
}

template <class T, class U> intrusive_ptr<T> static_intrusive_pointer_cast(intrusive_ptr<U> from) {
  return std::static_pointer_cast<T>(std::move(from));
}

} // namespace gradtidy::runtime
