#include "Copies.h"
#include "../autograd/Record.h"
#include "../core/Cuda.h"
#include "Factories.h"
#include "kernels/Elementwise.h"

#include <algorithm>

namespace gradtidy::runtime {
namespace {

template <class To> struct Convert {
  template <class T> GRADTIDY_HOST_DEVICE To operator()(T value) const {
    return converted<To>(value);
  }
};

template <class T> struct Constant {
  T value;
  GRADTIDY_HOST_DEVICE T operator()() const { return value; }
};

/// An uninitialised tensor in the memory order of `self`.
Tensor makeLike(const Tensor &self, ScalarType type, Device device, bool pinned) {
  DimVector strides = keptStrides(self);
  return pinned ? makeEmptyPinned(self.sizes(), strides, type)
                : makeEmptyStrided(self.sizes(), strides, type, device);
}

/// Whether both lie in one block each, in the same order and type, so that bytes can be copied.
bool alike(const Tensor &a, const Tensor &b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
         ((a.is_contiguous() && b.is_contiguous()) ||
          (a.strides() == b.strides() && isNonOverlappingAndDense(a.sizes(), a.strides())));
}

/// Copies between host and device or between two devices, for tensors that are alike.
void transfer(const Tensor &target, const Tensor &source, bool wait) {
  const TensorImpl &to = implOf(target), &from = implOf(source);
  if (!wait) { // the host's side may be dropped before the copy is done
    const Tensor &host = target.is_cpu() ? target : source,
                 &other = target.is_cpu() ? source : target;
    if (host.is_pinned())
      host.record_stream(cuda::getCurrentCUDAStream(other.device().index()));
  }
  if (target.is_cpu())
    acceleratorOf(source.device())
        .download(to.storage, to.bytes(), from.bytes(), target.nbytes(), wait);
  else if (source.is_cpu())
    acceleratorOf(target.device())
        .upload(to.bytes(), from.storage, from.bytes(), target.nbytes(), wait);
  else
    acceleratorOf(source.device())
        .copyToPeer(acceleratorOf(target.device()), to.bytes(), from.bytes(), target.nbytes());
}

/// Copies between devices. Types are converted on the host, or on the source's device; what lies
/// scattered is gathered on either side.
void copyAcross(const Tensor &target, const Tensor &source, bool wait) {
  if (alike(target, source))
    return transfer(target, source, wait);
  ScalarType type =
      source.is_cuda() && target.is_cpu() ? source.scalar_type() : target.scalar_type();
  Tensor gathered = makeEmpty(target.sizes(), type, source.device());
  copyInto(gathered, source);
  if (alike(target, gathered))
    return transfer(target, gathered, wait);
  Tensor arrived = makeEmpty(target.sizes(), type, target.device());
  transfer(arrived, gathered, wait || target.is_cpu());
  copyInto(target, arrived);
}

} // namespace

DimVector keptStrides(const Tensor &self) {
  return isNonOverlappingAndDense(self.sizes(), self.strides())
             ? self.strides().vec()
             : denseStrides(self.sizes(), {self.strides().vec()});
}

void copyInto(const Tensor &target, const Tensor &source, bool nonBlocking) {
  OperationScope scope("copy_", [&] { return std::vector<IValue>{target, source, nonBlocking}; });
  DimVector shape = broadcastShapes(target.sizes(), source.sizes());
  TORCH_CHECK(target.sizes() == IntArrayRef(shape), "output with shape ", toText(target.sizes()),
              " doesn't match the broadcast shape ", toText(shape));
  if (target.numel() == 0)
    return;
  if (target.device() != source.device())
    return copyAcross(target, source, !nonBlocking);
  if (alike(target, source)) {
    if (target.data_ptr() != source.data_ptr())
      backendOf(target.device()).copy(target.data_ptr(), source.data_ptr(), target.nbytes());
    return;
  }
  dispatchAll(target.scalar_type(), "copy_", [&]<class To>() {
    dispatchAll(source.scalar_type(), "copy_",
                [&]<class From>() { elementwise<To, From>(Convert<To>(), target, source); });
  });
}

Tensor castValues(const Tensor &source, ScalarType type) {
  if (source.scalar_type() == type)
    return source;
  Tensor result = makeResult(source.sizes(), type, {&source});
  copyInto(result, source);
  return result;
}

namespace {

Tensor clonedInto(const Tensor &result, const Tensor &self) {
  copyInto(result, self);
  return record(result, "CloneBackward0", {self}, {},
                [](const Tensor &g, const GradientContext &) -> Gradients { return {g}; });
}

} // namespace

Tensor clone(const Tensor &self) {
  return clonedInto(
      makeEmptyStrided(self.sizes(), keptStrides(self), self.scalar_type(), self.device()), self);
}
Tensor packed(const Tensor &self) {
  return clonedInto(makeEmpty(self.sizes(), self.scalar_type(), self.device()), self);
}

namespace {

/// The dimensions in the order of a format, from the outermost to the innermost, and the way back.
struct Ordered {
  DimVector there, back;
};
Ordered orderOf(MemoryFormat format, int64_t dims) {
  Ordered order;
  for (int64_t d = 0; d < dims; ++d)
    order.there.push_back(d);
  order.back = order.there;
  if (format == MemoryFormat::ChannelsLast || format == MemoryFormat::ChannelsLast3d) {
    int64_t rank = format == MemoryFormat::ChannelsLast ? 4 : 5;
    TORCH_CHECK(dims == rank, "required rank ", rank, " tensor to use channels_last",
                rank == 5 ? "_3d" : "", " format");
    std::rotate(order.there.begin() + 1, order.there.begin() + 2, order.there.end());
    std::rotate(order.back.begin() + 1, order.back.end() - 1, order.back.end());
  }
  return order;
}

Tensor inFormat(const Tensor &x, optional<MemoryFormat> format) {
  return !format || format == MemoryFormat::Preserve ? x : x.contiguous(*format);
}

} // namespace

Tensor Tensor::clone(optional<MemoryFormat> format) const {
  return inFormat(runtime::clone(*this), format);
}
bool Tensor::is_contiguous(MemoryFormat format) const {
  if (format == MemoryFormat::Contiguous)
    return isContiguous(sizes(), strides());
  int64_t rank = format == MemoryFormat::ChannelsLast ? 4 : 5;
  return dim() == rank && permute(orderOf(format, rank).there).is_contiguous();
}
Tensor Tensor::contiguous(MemoryFormat format) const {
  TORCH_CHECK(format != MemoryFormat::Preserve,
              "preserve memory format is unsupported by the contiguous operator");
  if (is_contiguous(format))
    return *this;
  if (format == MemoryFormat::Contiguous)
    return packed(*this);
  Ordered order = orderOf(format, dim());
  return packed(permute(order.there)).permute(order.back);
}

Tensor &Tensor::copy_(const Tensor &source, bool nonBlocking) const {
  return changeInPlace(
      *this, source, [&] { copyInto(*this, source, nonBlocking); },
      [&](const Tensor &self) {
        Tensor result = makeResult(self.sizes(), self.scalar_type(), {&self});
        copyInto(result, source, nonBlocking);
        return record(
            result, "CopyBackwards", {self, source}, {},
            [from = source.device()](const Tensor &g, const GradientContext &) -> Gradients {
              return {zeros_like(g), g.to(from)};
            });
      });
}

Tensor Tensor::to(const TensorOptions &options, bool nonBlocking, bool copy,
                  optional<MemoryFormat> format) const {
  ScalarType type = options.has_dtype() ? options.dtype().toScalarType() : scalar_type();
  Device where = options.has_device() ? resolved(options.device()) : device();
  if (type == scalar_type() && where == device() && !copy)
    return inFormat(*this, format);
  // What is copied to the host while it goes on needs page-locked memory there.
  Tensor result = makeLike(*this, type, where, nonBlocking && is_cuda() && where.is_cpu());
  copyInto(result, *this, nonBlocking);
  result = record(result, "ToCopyBackward0", {*this}, {},
                  [from = device()](const Tensor &g, const GradientContext &) -> Gradients {
                    return {g.to(from)};
                  });
  return inFormat(result, format);
}

void Tensor::record_stream(cuda::CUDAStream stream) const {
  implOf(*this).storage->recordStream(stream.key());
}

Tensor Tensor::pin_memory() const {
  if (is_pinned())
    return *this;
  TORCH_CHECK(is_cpu(), "cannot pin '", toString(), "' only dense CPU tensors can be pinned");
  TORCH_CHECK(cuda::is_available(), "Cannot access accelerator device when none is available.");
  Tensor result = makeLike(*this, scalar_type(), kCPU, true);
  copyInto(result, *this);
  return result;
}

Tensor Tensor::to(ScalarType type, bool nonBlocking, bool copy,
                  optional<MemoryFormat> format) const {
  return to(TensorOptions(type), nonBlocking, copy, format);
}
Tensor Tensor::to(TypeMeta type, bool nonBlocking, bool copy, optional<MemoryFormat> format) const {
  return to(TensorOptions(type), nonBlocking, copy, format);
}
Tensor Tensor::to(Device where, bool nonBlocking, bool copy, optional<MemoryFormat> format) const {
  return to(TensorOptions(where), nonBlocking, copy, format);
}
Tensor Tensor::to(DeviceType where, bool nonBlocking, bool copy,
                  optional<MemoryFormat> format) const {
  return to(TensorOptions(where), nonBlocking, copy, format);
}
Tensor Tensor::to(Device where, ScalarType type, bool nonBlocking, bool copy,
                  optional<MemoryFormat> format) const {
  return to(TensorOptions(where).dtype(type), nonBlocking, copy, format);
}
Tensor Tensor::to(const Tensor &other, bool nonBlocking, bool copy,
                  optional<MemoryFormat> format) const {
  return to(other.options(), nonBlocking, copy, format);
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
            [](const Tensor &g, const GradientContext &) -> Gradients { return {zeros_like(g)}; });
      });
}

Tensor &Tensor::fill_(const Tensor &value) const {
  TORCH_CHECK(value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ",
              value.dim(), " dimensions.");
  return copy_(value);
}

Tensor &Tensor::zero_() const { return fill_(0); }

ScalarType result_type(const Tensor &a, const Tensor &b) { return resultType({&a, &b}); }
ScalarType result_type(const Tensor &a, const Scalar &b) { return result_type(a, wrapNumber(b)); }

} // namespace gradtidy::runtime
