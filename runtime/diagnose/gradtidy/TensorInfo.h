// TensorInfo: all that is worth knowing of a tensor in one line, for a look between two operations.
//
//   std::cout << gradtidy::tensorInfo(x, "x") << '\n';
//   // x: Float [64, 10] on cuda:0, 2.50 KiB, strides [10, 1], leaf, requires_grad, no grad yet;
//   // min -0.31, max 0.32, mean 0.0021, 0 NaN, 0 Inf
//
// Minimum, maximum and mean are those of the finite elements. All elements are read: the host waits
// for the device once, where the tensor is copied as float64.
#pragma once

#include "detail/Tensors.h"
#include "detail/Text.h"

#include <torch/torch.h>

#include <limits>
#include <ostream>
#include <sstream>
#include <string>

namespace gradtidy {

struct TensorInfo {
  std::string name;
  torch::Tensor tensor;
  /// Of the finite elements; NaN where there are none.
  double min = std::numeric_limits<double>::quiet_NaN(), max = min, mean = min;
  int64_t nan = 0, inf = 0; ///< how many elements

  std::string text() const {
    const std::string start = name.empty() ? "" : name + ": ";
    if (!tensor.defined())
      return start + "undefined";
    std::ostringstream type;
    type << tensor.scalar_type();
    std::string text = start + type.str() + ' ' + detail::shapeText(tensor.sizes()) + " on " +
                       tensor.device().str() + ", " +
                       bytesText(tensor.numel() * static_cast<int64_t>(tensor.element_size())) +
                       ", strides " + detail::shapeText(tensor.strides());
    if (!tensor.is_contiguous())
      text += " (not contiguous)";
    text += tensor.is_leaf() ? ", leaf" : ", not a leaf";
    if (tensor.requires_grad())
      text += ", requires_grad";
    if (tensor.requires_grad() && tensor.is_leaf() && !tensor.grad().defined())
      text += ", no grad yet";
    return text + detail::formatted("; min %.6g, max %.6g, mean %.6g, %lld NaN, %lld Inf", min, max,
                                    mean, static_cast<long long>(nan), static_cast<long long>(inf));
  }
};

inline TensorInfo tensorInfo(const torch::Tensor &tensor, std::string name = "") {
  torch::NoGradGuard guard;
  TensorInfo info;
  info.name = std::move(name);
  info.tensor = tensor;
  if (!tensor.defined() || tensor.numel() == 0)
    return info;
  const torch::Tensor values = tensor.detach().to(torch::kDouble);
  const torch::Tensor finite = torch::isfinite(values), none = torch::full_like(values, INFINITY);
  const std::vector<double> numbers = detail::numbersOf(
      {torch::where(finite, values, none).min(), torch::where(finite, values, -none).max(),
       torch::where(finite, values, torch::zeros_like(values)).sum(), finite.sum(),
       torch::isnan(values).sum()});
  const double count = numbers[3];
  info.nan = static_cast<int64_t>(numbers[4]);
  info.inf = tensor.numel() - info.nan - static_cast<int64_t>(count);
  if (count > 0) {
    info.min = numbers[0];
    info.max = numbers[1];
    info.mean = numbers[2] / count;
  }
  return info;
}

inline std::ostream &operator<<(std::ostream &out, const TensorInfo &info) {
  return out << info.text();
}

} // namespace gradtidy
