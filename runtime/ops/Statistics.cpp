#include "Statistics.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Copies.h"
#include "Cumulative.h"
#include "Factories.h"
#include "Indexing.h"
#include "Linear.h"
#include "Pointwise.h"
#include "Reductions.h"
#include "SelectedElements.h"
#include "Sorting.h"
#include "Views.h"
#include "kernels/Elementwise.h"

#include <algorithm>

namespace gradtidy::runtime {
namespace {

/// The place of a value in the sorted row that starts at `row`.
template <class T> struct PlaceInRow {
  const T *data;
  int64_t length;
  bool right;
  GRADTIDY_HOST_DEVICE int64_t operator()(T value, int64_t row) const {
    const T *first = data + row;
    int64_t low = 0, high = length;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      // NaN goes behind everything.
      bool behind = right ? !(first[middle] > value) : !(first[middle] >= value);
      (behind ? low : high) = behind ? middle + 1 : middle;
    }
    return low;
  }
};

TensorOptions plain(const Tensor &like) { return like.options().requires_grad(false); }

} // namespace

Tensor bincount(const Tensor &self, const optional<Tensor> &weights, int64_t minlength) {
  OperationScope scope("bincount");
  TORCH_CHECK(minlength >= 0, "minlength should be >= 0");
  TORCH_CHECK(self.dim() == 1 && isIntegralType(self.scalar_type(), false),
              "bincount only supports 1-d non-negative integral inputs.");
  bool weighted = weights && weights->defined();
  TORCH_CHECK(!weighted || weights->sizes() == self.sizes(),
              "weights should be 1-d and have the same length as input");
  int64_t count = minlength;
  if (self.numel() > 0) {
    TORCH_CHECK(self.min().item<int64_t>() >= 0,
                "bincount only supports 1-d non-negative integral inputs.");
    count = std::max(count, self.max().item<int64_t>() + 1);
  }
  Tensor index = self.to(kLong), each = ones_like(index);
  if (weighted)
    each = weights->detach().to(weights->scalar_type() == kFloat ? kFloat : kDouble);
  return zeros({count}, plain(each)).scatter_add_(0, index, each);
}

Tensor histc(const Tensor &self, int64_t bins, const Scalar &min, const Scalar &max) {
  OperationScope scope("histc");
  TORCH_CHECK(bins > 0, "torch.histc(): bins must be > 0");
  TORCH_CHECK_NOT_IMPLEMENTED(isFloatingType(self.scalar_type()),
                              "\"histogram_cpu\" not implemented for '", self.scalar_type(), "'");
  Tensor x = self.detach().reshape({-1});
  double low = min.toDouble(), high = max.toDouble();
  if (low == high && x.numel() > 0) {
    low = x.min().item<double>();
    high = x.max().item<double>();
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  TORCH_CHECK(low < high, "torch.histc(): max must be larger than min");
  x = x.masked_select(x.ge(low).logical_and(x.le(high)));
  Tensor bin = ((x - low) * (static_cast<double>(bins) / (high - low))).to(kLong);
  return zeros({bins}, plain(x)).scatter_add_(0, bin.clamp_max(bins - 1), ones_like(x));
}

Tensor searchsorted(const Tensor &sorted, const Tensor &values, bool outInt32, bool right) {
  OperationScope scope("searchsorted");
  TORCH_CHECK(sorted.dim() != 0,
              "torch.searchsorted(): input value can be a scalar only when boundaries tensor "
              "dimension is 1, but we got boundaries tensor dim(0)");
  TORCH_CHECK(sorted.scalar_type() == values.scalar_type(),
              "torch.searchsorted(): boundary tensor and input value tensor should have same "
              "dtype, but got boundary tensor dtype ",
              cppName(sorted.scalar_type()), " and input value tensor dtype ",
              cppName(values.scalar_type()));
  int64_t length = sorted.size(-1), last = sorted.dim() - 1;
  Tensor row = zeros({}, TensorOptions(kLong).device(sorted.device()));
  if (sorted.dim() > 1) {
    TORCH_CHECK(sorted.dim() == values.dim() &&
                    sorted.sizes().slice(0, last) == values.sizes().slice(0, last),
                "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
                "dimensions of boundaries tensor and input value tensor must match, but we got "
                "boundaries tensor ",
                toText(sorted.sizes()), " and input value tensor ", toText(values.sizes()));
    DimVector rows = sorted.sizes().vec();
    rows[last] = 1;
    row = (arange(elementCount(rows), sorted.device()) * length).view(rows);
  }
  commonDevice({&sorted, &values});
  Tensor data = sorted.detach().contiguous();
  Tensor places = makeEmpty(values.sizes(), ScalarType::Long, values.device());
  dispatchNumbers(values.scalar_type(), "searchsorted_out_cpu", [&]<class T>() {
    elementwise<int64_t, T, int64_t>(PlaceInRow<T>{kernelData<T>(data), length, right}, places,
                                     values.detach(), row);
  });
  return outInt32 ? places.to(kInt) : places;
}
Tensor searchsorted(const Tensor &sorted, const Scalar &value, bool outInt32, bool right) {
  return searchsorted(sorted, full({}, value, plain(sorted)), outInt32, right);
}

Tensor bucketize(const Tensor &self, const Tensor &boundaries, bool outInt32, bool right) {
  TORCH_CHECK(boundaries.dim() == 1, "boundaries tensor must be 1 dimension, but got dim(",
              boundaries.dim(), ")");
  return searchsorted(boundaries, self, outInt32, right);
}

Tensor quantile(const Tensor &self, const Tensor &q, optional<int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  OperationScope scope("quantile");
  TORCH_CHECK(self.numel() > 0, "quantile() input tensor must be non-empty");
  TORCH_CHECK(q.dim() < 2, "quantile() q must be a scalar or 1D tensor");
  TORCH_CHECK(self.scalar_type() == kFloat || self.scalar_type() == kDouble,
              "quantile() input tensor must be either float or double dtype");
  TORCH_CHECK(self.scalar_type() == q.scalar_type(),
              "quantile() q tensor must be same dtype as the input tensor");
  TORCH_CHECK(q.detach().ge(0).logical_and(q.detach().le(1)).all().item<bool>(),
              "quantile() q values must be in the range [0, 1]");
  Tensor rows =
      dim ? self.unsqueeze(-1).transpose(wrapDim(*dim, self.dim()), -1) : self.reshape({-1});
  Tensor sorted = std::get<0>(sort(rows, -1));
  int64_t last = rows.size(-1) - 1;
  // Where the shares lie among the elements; anywhere behind a NaN, which is sorted last, is NaN.
  Tensor place = q.detach().reshape({-1}) * static_cast<double>(last);
  place =
      where(isnan(rows.detach()).any(-1, true), full_like(place, static_cast<double>(last)), place);
  if (interpolation == "lower")
    place = place.floor();
  else if (interpolation == "higher")
    place = place.ceil();
  else if (interpolation == "nearest")
    place = place.round();
  else
    TORCH_CHECK(interpolation == "linear" || interpolation == "midpoint",
                "quantile() interpolation must be one of linear, lower, higher, midpoint or "
                "nearest, but got ",
                std::string(interpolation));
  Tensor below = place.floor(), weight = place - below;
  if (interpolation == "midpoint")
    weight = weight.gt(0).to(weight.scalar_type()) * 0.5;
  Tensor low = gather(sorted, -1, below.to(kLong)),
         high = gather(sorted, -1, place.ceil().to(kLong));
  Tensor result = low.lerp(high, weight);
  // The shares stand last, and go to the front.
  if (dim) {
    result = result.movedim(-1, 0);
    if (!keepdim && self.dim() > 0)
      result = result.squeeze(wrapDim(*dim, self.dim()) + 1);
  } else if (keepdim) {
    DimVector shape(static_cast<std::size_t>(self.dim()) + 1, 1);
    shape[0] = q.numel();
    result = result.reshape(shape);
  }
  return q.dim() == 0 ? result.squeeze(0) : result;
}
Tensor quantile(const Tensor &self, double q, optional<int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  TORCH_CHECK(q >= 0 && q <= 1, "quantile() q must be in the range [0, 1] but got ", q);
  return quantile(self, full({}, q, plain(self)), dim, keepdim, interpolation);
}

std::tuple<Tensor, Tensor> kthvalue(const Tensor &self, int64_t k, int64_t dim, bool keepdim) {
  OperationScope scope("kthvalue");
  int64_t length = self.dim() == 0 ? 1 : self.size(dim);
  TORCH_CHECK(k >= 1 && k <= length, "kthvalue(): selected number k out of range for dimension ",
              wrapDim(dim, self.dim()));
  auto [values, indices] = sort(self, dim);
  if (self.dim() == 0)
    return {values, indices};
  auto chosen = [&](const Tensor &x) {
    return (keepdim ? x.narrow(dim, k - 1, 1) : x.select(dim, k - 1)).contiguous();
  };
  return {chosen(values), chosen(indices)};
}

std::tuple<Tensor, Tensor> aminmax(const Tensor &self, optional<int64_t> dim, bool keepdim) {
  return dim ? std::tuple{amin(self, *dim, keepdim), amax(self, *dim, keepdim)}
             : std::tuple{amin(self, {}, keepdim), amax(self, {}, keepdim)};
}

Tensor nansum(const Tensor &self, IntArrayRef dims, bool keepdim, optional<ScalarType> type) {
  Tensor numbers = where(isnan(self.detach()), 0, self);
  return dims.empty() && !keepdim ? sum(numbers, type) : sum(numbers, dims, keepdim, type);
}

Tensor nanmean(const Tensor &self, IntArrayRef dims, bool keepdim, optional<ScalarType> type) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      self.is_floating_point(),
      "nanmean(): expected input to have floating point or complex dtype but got ",
      self.scalar_type());
  Tensor counted = isnan(self.detach()).logical_not().sum(dims, keepdim);
  return nansum(self, dims, keepdim, type) / counted;
}

Tensor diff(const Tensor &self, int64_t n, int64_t dim, const optional<Tensor> &prepend,
            const optional<Tensor> &append) {
  TORCH_CHECK(self.dim() > 0, "diff expects input to be at least one-dimensional");
  TORCH_CHECK(n >= 0, "order must be non-negative but got ", n);
  std::vector<Tensor> parts;
  for (const optional<Tensor> &part : {prepend, optional<Tensor>(self), append})
    if (part && part->defined())
      parts.push_back(*part);
  Tensor result = parts.size() == 1 ? self : cat(parts, dim);
  for (; n > 0 && result.size(dim) > 0; --n) {
    int64_t length = result.size(dim) - 1;
    Tensor left = result.narrow(dim, 0, length), right = result.narrow(dim, 1, length);
    result = result.scalar_type() == kBool ? right.logical_xor(left) : right - left;
  }
  return result;
}

Tensor cov(const Tensor &self, int64_t correction) {
  TORCH_CHECK(self.dim() <= 2,
              "cov(): expected input to have two or fewer dimensions but got an "
              "input with ",
              self.dim(), " dimensions");
  Tensor rows = self.dim() < 2 ? self.reshape({1, -1}) : self;
  rows = rows.is_floating_point() ? rows : rows.to(get_default_dtype_as_scalartype());
  Tensor centred = rows - rows.mean(1, true);
  Tensor result = matmul(centred, centred.t()) /
                  static_cast<double>(std::max<int64_t>(rows.size(1) - correction, 0));
  return result.squeeze();
}

Tensor corrcoef(const Tensor &self) {
  Tensor covariances = cov(self);
  if (covariances.dim() == 0)
    return covariances / covariances;
  Tensor deviations = covariances.diagonal().sqrt();
  return (covariances / deviations.unsqueeze(1) / deviations.unsqueeze(0)).clamp(-1, 1);
}

Tensor trapezoid(const Tensor &y, const Scalar &dx, int64_t dim) {
  if (y.size(dim) == 0)
    return y.sum(dim);
  int64_t length = y.size(dim);
  return (y.sum(dim) - (y.select(dim, 0) + y.select(dim, length - 1)) / 2) * dx;
}

Tensor Tensor::quantile(const Tensor &q, optional<int64_t> dim, bool keepdim,
                        std::string_view interpolation) const {
  return runtime::quantile(*this, q, dim, keepdim, interpolation);
}
Tensor Tensor::quantile(double q, optional<int64_t> dim, bool keepdim,
                        std::string_view interpolation) const {
  return runtime::quantile(*this, q, dim, keepdim, interpolation);
}
std::tuple<Tensor, Tensor> Tensor::kthvalue(int64_t k, int64_t dim, bool keepdim) const {
  return runtime::kthvalue(*this, k, dim, keepdim);
}
std::tuple<Tensor, Tensor> Tensor::aminmax(optional<int64_t> dim, bool keepdim) const {
  return runtime::aminmax(*this, dim, keepdim);
}
Tensor Tensor::bincount(const optional<Tensor> &weights, int64_t minlength) const {
  return runtime::bincount(*this, weights, minlength);
}
Tensor Tensor::histc(int64_t bins, const Scalar &min, const Scalar &max) const {
  return runtime::histc(*this, bins, min, max);
}
Tensor Tensor::nansum(IntArrayRef dims, bool keepdim, optional<ScalarType> type) const {
  return runtime::nansum(*this, dims, keepdim, type);
}
Tensor Tensor::nanmean(IntArrayRef dims, bool keepdim, optional<ScalarType> type) const {
  return runtime::nanmean(*this, dims, keepdim, type);
}
Tensor Tensor::diff(int64_t n, int64_t dim, const optional<Tensor> &prepend,
                    const optional<Tensor> &append) const {
  return runtime::diff(*this, n, dim, prepend, append);
}
Tensor Tensor::cov(int64_t correction) const { return runtime::cov(*this, correction); }
Tensor Tensor::corrcoef() const { return runtime::corrcoef(*this); }

} // namespace gradtidy::runtime
