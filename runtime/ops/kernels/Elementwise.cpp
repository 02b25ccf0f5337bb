#include "Elementwise.h"

#include <algorithm>
#include <numeric>

namespace gradtidy::runtime {

void *kernelAddress(const Tensor &x) {
  const TensorImpl &impl = implOf(x);
  Device device = impl.storage->device();
  return device.is_cpu() ? impl.bytes() : acceleratorOf(device).kernelAddress(impl.bytes());
}

void failForType(const char *operation, ScalarType type) {
  throw NotImplementedError(concat("\"", operation, "\" not implemented for '", type, "'"));
}

namespace detail {

/// The strides with which `tensor` is read as `shape`.
static DimVector broadcastStrides(const Tensor &tensor, IntArrayRef shape) {
  IntArrayRef sizes = tensor.sizes(), strides = tensor.strides();
  DimVector result(shape.size(), 0);
  for (std::size_t back = 1; back <= sizes.size(); ++back)
    if (sizes[sizes.size() - back] != 1)
      result[shape.size() - back] = strides[sizes.size() - back];
  return result;
}

int collapse(const Tensor &out, std::initializer_list<const Tensor *> in, int64_t *sizes,
             int64_t *rows) {
  IntArrayRef shape = out.sizes();
  std::vector<DimVector> strides{out.strides().vec()};
  for (const Tensor *operand : in)
    strides.push_back(broadcastStrides(*operand, shape));
  std::size_t operands = strides.size();
  std::vector<std::size_t> order;
  for (std::size_t d = shape.size(); d-- > 0;)
    if (shape[d] != 1)
      order.push_back(d);
  // Equal strides (of a broadcast operand) keep the order of the dimensions.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return strides[0][a] != strides[0][b] ? strides[0][a] < strides[0][b] : a > b;
  });
  int dims = 0;
  for (std::size_t d : order) {
    if (dims > 0) {
      int64_t *below = rows + (dims - 1) * operands;
      bool merges = true;
      for (std::size_t k = 0; k < operands; ++k)
        merges = merges && strides[k][d] == below[k] * sizes[dims - 1];
      if (merges) {
        sizes[dims - 1] *= shape[d];
        continue;
      }
    }
    TORCH_CHECK(dims < maxLoopDims, "tensors of more than ", maxLoopDims,
                " dimensions that cannot be merged are not supported");
    sizes[dims] = shape[d];
    for (std::size_t k = 0; k < operands; ++k)
      rows[dims * operands + k] = strides[k][d];
    ++dims;
  }
  return dims;
}

} // namespace detail

Device commonDevice(std::initializer_list<const Tensor *> tensors) {
  // That of the first tensor which is not on the CPU, if there is one.
  Device common = kCPU;
  for (const Tensor *tensor : tensors)
    if (common.is_cpu())
      common = tensor->device();
  for (const Tensor *tensor : tensors)
    if (tensor->device() != common && !(tensor->dim() == 0 && tensor->is_cpu()))
      failForDevices(common, tensor->device());
  return common;
}

void checkDevices(const Tensor &target, std::initializer_list<const Tensor *> operands) {
  Device common = commonDevice(operands);
  bool numbers = common.is_cpu() && std::ranges::all_of(operands, [](const Tensor *operand) {
                   return operand->dim() == 0;
                 });
  if (target.device() != common && !numbers)
    target.is_cpu() ? failForDevices(common, kCPU) : failForDevices(target.device(), common);
}

Device commonDevice(const char *method, std::initializer_list<Argument> arguments) {
  std::optional<Device> common;
  for (const Argument &argument : arguments) {
    if (!argument.tensor->defined())
      continue;
    Device device = argument.tensor->device();
    common = common.value_or(device);
    TORCH_CHECK(device == *common, "Expected all tensors to be on the same device, but got ",
                argument.name, " is on ", device, ", different from other tensors on ", *common,
                " (when checking argument in method wrapper_CUDA_", method, ")");
  }
  return common.value_or(kCPU);
}

void checkNoPartialOverlap(const Tensor &target, const Tensor &source) {
  const TensorImpl &a = implOf(target), &b = implOf(source);
  if (&a == &b || a.storage != b.storage || target.numel() == 0 || source.numel() == 0)
    return;
  if (!isNonOverlappingAndDense(a.sizes, a.strides) ||
      !isNonOverlappingAndDense(b.sizes, b.strides))
    return; // as in LibTorch, what is hard to know is let pass
  const char *beginA = a.bytes(), *endA = beginA + target.nbytes();
  const char *beginB = b.bytes(), *endB = beginB + source.nbytes();
  if (beginA == beginB && endA == endB && a.strides == b.strides)
    return;
  TORCH_CHECK(endA <= beginB || endB <= beginA,
              "unsupported operation: some elements of the input tensor and the written-to tensor "
              "refer to a single memory location. Please clone() the tensor before performing the "
              "operation.");
}

Tensor makeResult(IntArrayRef shape, ScalarType type,
                  std::initializer_list<const Tensor *> operands) {
  Device device = commonDevice(operands);
  bool asUsual = true;
  for (const Tensor *operand : operands)
    asUsual = asUsual && operand->is_contiguous();
  if (asUsual)
    return makeEmpty(shape, type, device);
  std::vector<DimVector> strides;
  for (const Tensor *operand : operands) {
    strides.push_back(detail::broadcastStrides(*operand, shape));
    // A dimension of size one counts where no other operand is longer.
    std::size_t lead = shape.size() - operand->sizes().size();
    for (std::size_t d = lead; d < shape.size(); ++d)
      if (shape[d] == 1)
        strides.back()[d] = operand->strides()[d - lead];
  }
  return makeEmptyStrided(shape, denseStrides(shape, strides), type, device);
}

ScalarType resultType(std::initializer_list<const Tensor *> operands) {
  // By priority: tensors with dimensions, 0-dim tensors, numbers.
  std::optional<ScalarType> types[3];
  for (const Tensor *operand : operands) {
    const TensorImpl &impl = implOf(*operand);
    ScalarType type = impl.type;
    int priority = impl.isWrappedNumber ? 2 : impl.sizes.empty() ? 1 : 0;
    if (priority == 2 && isFloatingType(type))
      type = get_default_dtype_as_scalartype();
    types[priority] = types[priority] ? promoteTypes(*types[priority], type) : type;
  }
  auto kind = [](ScalarType type) {
    return type == ScalarType::Bool ? 0 : isFloatingType(type) ? 2 : 1;
  };
  std::optional<ScalarType> result;
  for (const auto &type : types)
    if (type)
      result = !result || kind(*type) > kind(*result)
                   ? (result ? promoteTypes(*result, *type) : *type)
                   : *result;
  return *result;
}

} // namespace gradtidy::runtime
