#include "Windows.h"
#include "../autograd/Record.h"
#include "../core/TensorImpl.h"
#include "Factories.h"
#include "Views.h"
#include "kernels/Elementwise.h"

#include <algorithm>
#include <array>

namespace gradtidy::runtime {

DimVector spatialSizes(const Tensor &x, std::size_t dims) {
  return {x.sizes().end() - dims, x.sizes().end()};
}

Tensor windowsOf(const Tensor &x, const Windows &windows) {
  std::size_t lead = x.sizes().size() - windows.dims();
  DimVector sizes(x.sizes().begin(), x.sizes().begin() + lead);
  DimVector strides(x.strides().begin(), x.strides().begin() + lead);
  sizes.insert(sizes.end(), windows.kernel.begin(), windows.kernel.end());
  for (std::size_t d = 0; d < windows.dims(); ++d)
    strides.push_back(x.strides()[lead + d] * windows.dilation[d]);
  for (std::size_t d = 0; d < windows.dims(); ++d) {
    sizes.push_back((x.sizes()[lead + d] - windows.reach(d)) / windows.stride[d] + 1);
    strides.push_back(x.strides()[lead + d] * windows.stride[d]);
  }
  return recordView(x, makeAlias(x, sizes, strides, x.storage_offset()), "UnfoldBackward0",
                    [windows, extents = spatialSizes(x, windows.dims())](
                        const Tensor &g, const GradientContext &) -> Gradients {
                      return {overlapAdd(g, extents, windows)};
                    });
}

namespace {

/// Adds windows, one place of the kernel after the other, to rows of a whole. Everything has three
/// dimensions, and lies one after the other in memory.
template <class T> struct AddWindows {
  using Three = std::array<int64_t, 3>;
  const T *parts;
  T *whole;
  int64_t count; ///< of wholes
  Three kernel, stride, dilation, counts, extents;

  void operator()() const {
    const T *part = parts;
    T *target = whole;
    for (int64_t i = 0; i < count; ++i, target += extents[0] * extents[1] * extents[2])
      for (int64_t x = 0; x < kernel[0]; ++x)
        for (int64_t y = 0; y < kernel[1]; ++y)
          for (int64_t z = 0; z < kernel[2]; ++z, part += counts[0] * counts[1] * counts[2])
            addPlace(part, target, {x * dilation[0], y * dilation[1], z * dilation[2]});
  }

private:
  void addPlace(const T *part, T *target, Three place) const {
    for (int64_t x = 0; x < counts[0]; ++x)
      for (int64_t y = 0; y < counts[1]; ++y, part += counts[2]) {
        T *row = target +
                 ((place[0] + x * stride[0]) * extents[1] + place[1] + y * stride[1]) * extents[2] +
                 place[2];
        if (stride[2] == 1)
          for (int64_t z = 0; z < counts[2]; ++z)
            row[z] = static_cast<T>(row[z] + part[z]);
        else
          for (int64_t z = 0; z < counts[2]; ++z)
            row[z * stride[2]] = static_cast<T>(row[z * stride[2]] + part[z]);
      }
  }
};

/// The same by tensors, for devices that run CUDA kernels alone.
void addWindows(const Tensor &parts, const Tensor &whole, const Windows &windows, int64_t lead) {
  // Within one place of the kernel no two windows meet, so these sums are plain additions.
  Tensor from = parts.flatten(lead, lead + static_cast<int64_t>(windows.dims()) - 1);
  Tensor to = windowsOf(whole, windows);
  DimVector place(windows.dims(), 0);
  for (int64_t i = 0; i < from.size(lead); ++i) {
    Tensor target = to;
    for (int64_t at : place)
      target = target.select(lead, at);
    target.add_(from.select(lead, i));
    for (std::size_t d = windows.dims(); d-- > 0 && ++place[d] == windows.kernel[d];)
      place[d] = 0;
  }
}

} // namespace

Tensor overlapAdd(const Tensor &parts, IntArrayRef extents, const Windows &windows) {
  auto dims = static_cast<int64_t>(windows.dims()), lead = parts.dim() - 2 * dims;
  DimVector sizes(parts.sizes().begin(), parts.sizes().begin() + lead);
  sizes.insert(sizes.end(), extents.begin(), extents.end());
  Tensor whole = zeros(sizes, parts.options().requires_grad(false));
  if (cudaStreamOf(parts.device())) {
    NoGradGuard guard;
    addWindows(parts, whole, windows, lead);
  } else if (whole.numel() != 0) {
    dispatchAll(parts.scalar_type(), "fold", [&]<class T>() {
      Tensor packed = parts.detach().contiguous();
      auto three = [](IntArrayRef values) {
        std::array<int64_t, 3> result{1, 1, 1};
        std::copy(values.begin(), values.end(), result.end() - values.size());
        return result;
      };
      launch("fold", parts.device(), detail::workOf<T>(parts.numel()),
             AddWindows<T>{kernelData<T>(packed), kernelData<T>(whole),
                           whole.numel() / elementCount(extents), three(windows.kernel),
                           three(windows.stride), three(windows.dilation),
                           three(spatialSizes(parts, windows.dims())), three(extents)});
    });
  }
  return record(whole, "FoldBackward0", {parts}, {},
                [windows](const Tensor &g, const GradientContext &) -> Gradients {
                  return {windowsOf(g, windows)};
                });
}

} // namespace gradtidy::runtime
