#include "Tensor.h"
#include "Backend.h"
#include "Cuda.h"
#include "RecordFunction.h"
#include "Storage.h"
#include "TensorImpl.h"

namespace gradtidy::runtime {

TensorImpl &implOf(const Tensor &tensor) {
  TORCH_CHECK(
      tensor.defined(),
      "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #0 "
      "'self'");
  return *tensor.unsafeGetTensorImpl();
}

std::optional<Device> device_of(const Tensor &tensor) {
  return tensor.defined() ? std::optional(tensor.device()) : std::nullopt;
}

namespace {

/// The bytes from the first element to the last.
std::size_t bytesSpanned(IntArrayRef sizes, IntArrayRef strides, ScalarType type) {
  int64_t count = elementCount(sizes) == 0 ? 0 : 1, reach = 0;
  bool overflow = false;
  if (count != 0)
    for (std::size_t d = 0; d < sizes.size(); ++d)
      overflow = overflow || __builtin_mul_overflow(sizes[d] - 1, strides[d], &reach) ||
                 __builtin_add_overflow(count, reach, &count);
  std::size_t bytes = 0;
  TORCH_CHECK(
      !overflow && count >= 0 &&
          !__builtin_mul_overflow(static_cast<std::size_t>(count), elementSize(type), &bytes),
      "Storage size calculation overflowed with sizes=", toText(sizes));
  return bytes;
}

Tensor makeOver(std::shared_ptr<Storage> storage, IntArrayRef sizes, IntArrayRef strides,
                ScalarType type) {
  auto impl = std::make_shared<TensorImpl>();
  impl->storage = std::move(storage);
  impl->sizes = sizes.vec();
  impl->strides = strides.vec();
  impl->type = type;
  return Tensor(std::move(impl));
}

} // namespace

Tensor makeEmptyStrided(IntArrayRef sizes, IntArrayRef strides, ScalarType type, Device device) {
  return makeOver(Storage::allocate(resolved(device), bytesSpanned(sizes, strides, type)), sizes,
                  strides, type);
}

Tensor makeEmptyPinned(IntArrayRef sizes, IntArrayRef strides, ScalarType type) {
  TORCH_CHECK(cuda::is_available(),
              "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory "
              "allocator is available on this system.");
  return makeOver(Storage::allocatePinned(bytesSpanned(sizes, strides, type)), sizes, strides,
                  type);
}

Tensor makeEmpty(IntArrayRef sizes, ScalarType type, Device device) {
  return makeEmptyStrided(sizes, contiguousStrides(sizes), type, device);
}

Tensor makeAlias(const Tensor &base, IntArrayRef sizes, IntArrayRef strides, int64_t offset) {
  const TensorImpl &from = implOf(base);
  auto impl = std::make_shared<TensorImpl>();
  impl->storage = from.storage;
  impl->sizes = sizes.vec();
  impl->strides = strides.vec();
  impl->offset = offset;
  impl->type = from.type;
  impl->isInference = from.isInference;
  impl->version = from.version;
  return Tensor(std::move(impl));
}

Tensor makeAlias(const Tensor &base) {
  const TensorImpl &from = implOf(base);
  Tensor alias = makeAlias(base, from.sizes, from.strides, from.offset);
  implOf(alias).isWrappedNumber = from.isWrappedNumber;
  return alias;
}

Tensor wrapNumber(const Scalar &value) {
  Tensor tensor = makeEmpty({}, value.type(), kCPU);
  TensorImpl &impl = implOf(tensor);
  impl.isWrappedNumber = true;
  if (value.isFloatingPoint())
    *impl.elements<double>() = value.toDouble();
  else if (value.isBoolean())
    *impl.elements<bool>() = value.toBool();
  else
    *impl.elements<int64_t>() = value.toLong();
  return tensor;
}

Tensor &Tensor::operator=(const Tensor &values) && { return copy_(values); }
Tensor &Tensor::operator=(Tensor &&values) && { return copy_(values); }
Tensor &Tensor::operator=(const Scalar &value) && { return fill_(value); }

int64_t Tensor::dim() const { return static_cast<int64_t>(implOf(*this).sizes.size()); }
IntArrayRef Tensor::sizes() const { return implOf(*this).sizes; }
IntArrayRef Tensor::strides() const { return implOf(*this).strides; }
int64_t Tensor::size(int64_t d) const { return sizes()[wrapDim(d, dim(), false)]; }
int64_t Tensor::stride(int64_t d) const { return strides()[wrapDim(d, dim(), false)]; }
int64_t Tensor::numel() const { return elementCount(sizes()); }
int64_t Tensor::storage_offset() const { return implOf(*this).offset; }
std::size_t Tensor::nbytes() const { return static_cast<std::size_t>(numel()) * itemsize(); }
ScalarType Tensor::scalar_type() const { return implOf(*this).type; }
Device Tensor::device() const { return implOf(*this).storage->device(); }

TensorOptions Tensor::options() const {
  return TensorOptions().dtype(scalar_type()).device(device());
}

bool Tensor::is_inference() const { return implOf(*this).isInference; }
bool Tensor::is_alias_of(const Tensor &other) const {
  return implOf(*this).storage == implOf(other).storage;
}
MemoryFormat Tensor::suggest_memory_format() const {
  for (auto [dims, format] :
       {std::pair{4, MemoryFormat::ChannelsLast}, std::pair{5, MemoryFormat::ChannelsLast3d}})
    if (dim() == dims && !is_contiguous() && is_contiguous(format))
      return format;
  return MemoryFormat::Contiguous;
}

bool Tensor::is_pinned() const { return implOf(*this).storage->isPinned(); }

void *Tensor::data_ptr() const { return implOf(*this).bytes(); }

template <class T> T *Tensor::data_ptr() const {
  TORCH_CHECK(scalar_type() == scalarTypeOf<T>, "expected scalar type ",
              runtime::toString(scalarTypeOf<T>), " but found ", runtime::toString(scalar_type()));
  return implOf(*this).elements<T>();
}
template uint8_t *Tensor::data_ptr<uint8_t>() const;
template int32_t *Tensor::data_ptr<int32_t>() const;
template int64_t *Tensor::data_ptr<int64_t>() const;
template Half *Tensor::data_ptr<Half>() const;
template BFloat16 *Tensor::data_ptr<BFloat16>() const;
template float *Tensor::data_ptr<float>() const;
template double *Tensor::data_ptr<double>() const;
template bool *Tensor::data_ptr<bool>() const;

Scalar Tensor::item() const {
  TORCH_CHECK(numel() == 1, "a Tensor with ", numel(), " elements cannot be converted to Scalar");
  if (!is_cpu()) {
    OperationScope scope("_local_scalar_dense", [&] { return std::vector<IValue>{*this}; });
    Tensor number = makeEmpty({}, scalar_type(), kCPU);
    acceleratorOf(device()).download(implOf(number).storage, implOf(number).bytes(),
                                     implOf(*this).bytes(), number.nbytes(), true);
    return number.item();
  }
  const TensorImpl &self = implOf(*this);
  switch (self.type) {
  case ScalarType::Byte:
    return *self.elements<uint8_t>();
  case ScalarType::Int:
    return *self.elements<int32_t>();
  case ScalarType::Long:
    return *self.elements<int64_t>();
  case ScalarType::Half:
    return float{*self.elements<Half>()};
  case ScalarType::BFloat16:
    return float{*self.elements<BFloat16>()};
  case ScalarType::Float:
    return *self.elements<float>();
  case ScalarType::Double:
    return *self.elements<double>();
  case ScalarType::Bool:
    return *self.elements<bool>();
  case ScalarType::Undefined:
    break;
  }
  fail("item() of a tensor without a type");
}

bool Tensor::is_nonzero() const {
  TORCH_CHECK(numel() != 0, "Boolean value of Tensor with no values is ambiguous");
  TORCH_CHECK(numel() == 1, "Boolean value of Tensor with more than one value is ambiguous");
  return item().toBool();
}

} // namespace gradtidy::runtime
