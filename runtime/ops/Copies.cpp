#include "Copies.h"
#include "../autograd/Record.h"
#include "Factories.h"
#include "kernels/Elementwise.h"

namespace gradtidy::runtime {
namespace {

struct Identity {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T value) const { return value; }
};

template <class T> struct Constant {
  T value;
  GRADTIDY_HOST_DEVICE T operator()() const { return value; }
};

} // namespace

void copyInto(const Tensor &target, const Tensor &source) {
  DimVector shape = broadcastShapes(target.sizes(), source.sizes());
  TORCH_CHECK(target.sizes() == IntArrayRef(shape), "output with shape ", toText(target.sizes()),
              " doesn't match the broadcast shape ", toText(shape));
  if (target.scalar_type() == source.scalar_type() && target.sizes() == source.sizes() &&
      target.is_contiguous() && source.is_contiguous() && target.device() == source.device()) {
    if (target.data_ptr() != source.data_ptr())
      backendOf(target.device()).copy(target.data_ptr(), source.data_ptr(), target.nbytes());
    return;
  }
  dispatchAll(target.scalar_type(), "copy_", [&]<class To>() {
    dispatchAll(source.scalar_type(), "copy_",
                [&]<class From>() { elementwise<To, From>(Identity(), target, source); });
  });
}

Tensor castValues(const Tensor &source, ScalarType type) {
  if (source.scalar_type() == type)
    return source;
  Tensor result = makeResult(source.sizes(), type, {&source});
  copyInto(result, source);
  return result;
}

Tensor clone(const Tensor &self) {
  Tensor result = makeResult(self.sizes(), self.scalar_type(), {&self});
  copyInto(result, self);
  return record(result, "CloneBackward0", {self}, {},
                [](const Tensor &g, const GradientContext &) -> Gradients { return {g}; });
}

Tensor Tensor::clone() const { return runtime::clone(*this); }
Tensor Tensor::contiguous() const {
  if (is_contiguous())
    return *this;
  Tensor result = makeEmpty(sizes(), scalar_type(), device());
  copyInto(result, *this);
  return record(result, "CloneBackward0", {*this}, {},
                [](const Tensor &g, const GradientContext &) -> Gradients { return {g}; });
}

Tensor &Tensor::copy_(const Tensor &source, bool) const {
  if (is_same(source))
    return const_cast<Tensor &>(*this);
  return changeInPlace(
      *this, source, [&] { copyInto(*this, source); },
      [&](const Tensor &self) {
        Tensor result = makeResult(self.sizes(), self.scalar_type(), {&self});
        copyInto(result, source);
        return record(
            result, "CopyBackwards", {self, source}, {},
            [](const Tensor &g, const GradientContext &) -> Gradients { return {Tensor(), g}; });
      });
}

Tensor Tensor::to(const TensorOptions &options, bool, bool copy) const {
  ScalarType type = options.has_dtype() ? options.dtype().toScalarType() : scalar_type();
  Device where = options.has_device() ? options.device() : device();
  if (where.type() == device().type() && !where.has_index())
    where = device();
  if (type == scalar_type() && where == device() && !copy)
    return *this;
  backendOf(where);
  Tensor result = makeResult(sizes(), type, {this});
  copyInto(result, *this);
  return record(result, "ToCopyBackward0", {*this}, {},
                [](const Tensor &g, const GradientContext &) -> Gradients { return {g}; });
}

Tensor Tensor::to(ScalarType type, bool nonBlocking, bool copy) const {
  return to(TensorOptions(type), nonBlocking, copy);
}
Tensor Tensor::to(TypeMeta type, bool nonBlocking, bool copy) const {
  return to(TensorOptions(type), nonBlocking, copy);
}
Tensor Tensor::to(Device where, bool nonBlocking, bool copy) const {
  return to(TensorOptions(where), nonBlocking, copy);
}
Tensor Tensor::to(DeviceType where, bool nonBlocking, bool copy) const {
  return to(TensorOptions(where), nonBlocking, copy);
}
Tensor Tensor::to(Device where, ScalarType type, bool nonBlocking, bool copy) const {
  return to(TensorOptions(where).dtype(type), nonBlocking, copy);
}
Tensor Tensor::to(const Tensor &other, bool nonBlocking, bool copy) const {
  return to(other.options(), nonBlocking, copy);
}

Tensor &Tensor::fill_(const Scalar &value) const {
  auto write = [&](const Tensor &target) {
    dispatchAll(target.scalar_type(), "fill_",
                [&]<class T>() { elementwise<T>(Constant<T>{value.to<T>()}, target); });
  };
  return changeInPlace(
      *this, {}, [&] { write(*this); },
      [&](const Tensor &self) {
        Tensor result = makeResult(self.sizes(), self.scalar_type(), {&self});
        write(result);
        return record(
            result, "FillBackward0", {self}, {},
            [](const Tensor &, const GradientContext &) -> Gradients { return {Tensor()}; });
      });
}

Tensor &Tensor::fill_(const Tensor &value) const {
  TORCH_CHECK(value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ",
              value.dim(), " dimensions.");
  return copy_(value);
}

Tensor &Tensor::zero_() const { return fill_(0); }

} // namespace gradtidy::runtime
