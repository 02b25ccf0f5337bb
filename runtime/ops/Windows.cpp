#include "Windows.h"
#include "../autograd/Record.h"
#include "../core/TensorImpl.h"
#include "Factories.h"

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

Tensor overlapAdd(const Tensor &parts, IntArrayRef extents, const Windows &windows) {
  auto dims = static_cast<int64_t>(windows.dims()), lead = parts.dim() - 2 * dims;
  DimVector sizes(parts.sizes().begin(), parts.sizes().begin() + lead);
  sizes.insert(sizes.end(), extents.begin(), extents.end());
  Tensor whole = zeros(sizes, parts.options());
  {
    // Within one place of the kernel no two windows meet, so these sums are plain additions.
    NoGradGuard guard;
    Tensor from = parts.flatten(lead, lead + dims - 1);
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
  return record(whole, "FoldBackward0", {parts}, {},
                [windows](const Tensor &g, const GradientContext &) -> Gradients {
                  return {windowsOf(g, windows)};
                });
}

} // namespace gradtidy::runtime
