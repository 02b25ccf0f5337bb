// Convolution as a matrix product over windows laid out as columns.
//
// Three bilinear maps are the derivatives of each other: of input and weight (correlate), of
// output and weight (correlateInput), of input and output (correlateWeight). Each records the other
// two as its gradient, so that gradients of any order work. One sample is done at a time: its
// columns stay in the cache, and memory does not grow with the batch. A device may have a library
// for whole batches.
#include "Convolution.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "../core/TensorImpl.h"
#include "Arithmetic.h"
#include "Factories.h"
#include "Linear.h"
#include "Padding.h"
#include "Reductions.h"
#include "Views.h"
#include "Windows.h"

#include <algorithm>
#include <functional>

namespace gradtidy::runtime {
namespace {

using C = const GradientContext &;
using G = const Tensor &;

struct Correlation {
  Windows windows;
  DimVector padding; // on both sides
  DimVector extents; // of the input
  int64_t groups;

  DimVector paddedExtents() const {
    DimVector result = extents;
    for (std::size_t d = 0; d < result.size(); ++d)
      result[d] += 2 * padding[d];
    return result;
  }
  DimVector positions() const {
    DimVector result = paddedExtents();
    for (std::size_t d = 0; d < result.size(); ++d)
      result[d] = (result[d] - windows.reach(d)) / windows.stride[d] + 1;
    return result;
  }
};

/// One sample with its padding.
Tensor padded(G sample, const Correlation &c) {
  DimVector pads; // from the last dimension to the first, before and behind
  for (std::size_t d = c.padding.size(); d-- > 0;)
    pads.insert(pads.end(), 2, c.padding[d]);
  bool bare = std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad == 0; });
  return bare ? sample : constant_pad_nd(sample, pads, 0);
}

/// One sample without it.
Tensor cropped(Tensor sample, const Correlation &c) {
  for (std::size_t d = 0; d < c.padding.size(); ++d)
    sample = sample.narrow(static_cast<int64_t>(d) + 1, c.padding[d], c.extents[d]);
  return sample;
}

/// The windows of one sample as a matrix for each group: (groups, C/groups * kernel, positions).
Tensor columns(G sample, const Correlation &c) {
  Tensor windows = windowsOf(padded(sample, c), c.windows);
  int64_t rows = sample.size(0) / c.groups * elementCount(c.windows.kernel);
  return windows.reshape({c.groups, rows, elementCount(c.positions())});
}

/// (groups, C_out/groups, C/groups * kernel)
Tensor weightMatrices(G weight, const Correlation &c) {
  return weight.reshape({c.groups, weight.size(0) / c.groups, -1});
}

/// (groups, C_out/groups, positions)
Tensor outputMatrices(G sample, const Correlation &c) {
  return sample.reshape({c.groups, sample.size(0) / c.groups, -1});
}

DimVector joined(std::initializer_list<int64_t> front, IntArrayRef back) {
  DimVector result = front;
  result.insert(result.end(), back.begin(), back.end());
  return result;
}

Tensor correlateInput(G output, G weight, G bias, const Correlation &c);
Tensor correlateWeight(G input, G output, const Correlation &c);

/// A tensor as libraries expect it, which for some of its elements is not how their slices lie.
Tensor aligned(G x) {
  Tensor packed = x.contiguous();
  return reinterpret_cast<uintptr_t>(packed.data_ptr()) % 16 == 0 ? packed : packed.clone();
}

/// Lets a library of the device compute one operand from the others; false where it does not.
bool correlateByLibrary(BatchConvolution::Operand wanted, G input, G weight, G output,
                        const Correlation &c) {
  Backend &backend = backendOf(input.device());
  if (!backend.convolves() || input.numel() == 0 || weight.numel() == 0 || output.numel() == 0)
    return false;
  Tensor x = aligned(input), w = aligned(weight), y = aligned(output); // new ones as they are
  return backend.convolve({wanted, x.scalar_type(), x.sizes().vec(), w.sizes().vec(),
                           y.sizes().vec(), c.windows.stride, c.padding, c.windows.dilation,
                           c.groups, x.data_ptr(), w.data_ptr(), y.data_ptr()});
}

void addBias(Tensor &output, G bias, std::size_t dims) {
  if (!bias.defined())
    return;
  DimVector shape(dims + 1, 1);
  shape[0] = bias.numel();
  output.add_(bias.view(shape));
}

Tensor biasGradient(G g) {
  DimVector dims{0};
  for (int64_t d = 2; d < g.dim(); ++d)
    dims.push_back(d);
  return g.sum(dims);
}

Tensor correlate(G input, G weight, G bias, const Correlation &c) {
  Tensor output = makeEmpty(joined({input.size(0), weight.size(0)}, c.positions()),
                            input.scalar_type(), input.device());
  {
    NoGradGuard guard;
    if (!correlateByLibrary(BatchConvolution::Output, input, weight, output, c)) {
      Tensor matrices = weightMatrices(weight, c);
      for (int64_t n = 0; n < input.size(0); ++n)
        outputMatrices(output.select(0, n), c).copy_(bmm(matrices, columns(input.select(0, n), c)));
    }
    addBias(output, bias, c.windows.dims());
  }
  return record(output, "ConvolutionBackward0", {input, weight, bias}, {input, weight},
                [c](G g, C context) -> Gradients {
                  Tensor input = context.saved(0), weight = context.saved(1);
                  return {context.needs(0) ? correlateInput(g, weight, {}, c) : Tensor(),
                          context.needs(1) ? correlateWeight(input, g, c) : Tensor(),
                          context.needs(2) ? biasGradient(g) : Tensor()};
                });
}

Tensor correlateInput(G output, G weight, G bias, const Correlation &c) {
  int64_t channels = weight.size(1) * c.groups;
  Tensor input = makeEmpty(joined({output.size(0), channels}, c.extents), output.scalar_type(),
                           output.device());
  {
    NoGradGuard guard;
    if (!correlateByLibrary(BatchConvolution::Input, input, weight, output, c)) {
      Tensor matrices = weightMatrices(weight, c).transpose(1, 2);
      DimVector parts = joined({channels}, c.windows.kernel);
      for (int64_t position : c.positions())
        parts.push_back(position);
      for (int64_t n = 0; n < output.size(0); ++n) {
        Tensor columns = bmm(matrices, outputMatrices(output.select(0, n), c));
        input.select(0, n).copy_(
            cropped(overlapAdd(columns.reshape(parts), c.paddedExtents(), c.windows), c));
      }
    }
    addBias(input, bias, c.windows.dims());
  }
  return record(input, "ConvolutionBackward0", {output, weight, bias}, {output, weight},
                [c](G g, C context) -> Gradients {
                  Tensor output = context.saved(0), weight = context.saved(1);
                  return {context.needs(0) ? correlate(g, weight, {}, c) : Tensor(),
                          context.needs(1) ? correlateWeight(g, output, c) : Tensor(),
                          context.needs(2) ? biasGradient(g) : Tensor()};
                });
}

Tensor correlateWeight(G input, G output, const Correlation &c) {
  DimVector shape = joined({output.size(1), input.size(1) / c.groups}, c.windows.kernel);
  Tensor weight = makeEmpty(shape, input.scalar_type(), input.device());
  {
    NoGradGuard guard;
    if (!correlateByLibrary(BatchConvolution::Weight, input, weight, output, c)) {
      Tensor sum = weightMatrices(weight.zero_(), c);
      for (int64_t n = 0; n < input.size(0); ++n)
        sum.add_(bmm(outputMatrices(output.select(0, n), c),
                     columns(input.select(0, n), c).transpose(1, 2)));
    }
  }
  return record(weight, "ConvolutionBackward0", {input, output}, {input, output},
                [c](G g, C context) -> Gradients {
                  Tensor input = context.saved(0), output = context.saved(1);
                  return {context.needs(0) ? correlateInput(output, g, {}, c) : Tensor(),
                          context.needs(1) ? correlate(input, g, {}, c) : Tensor()};
                });
}

DimVector expanded(IntArrayRef values, std::size_t dims, const char *name) {
  TORCH_CHECK(values.size() == 1 || values.size() == dims, "expected ", name,
              " to be a single integer value or a list of ", dims,
              " values to match the convolution dimensions, but got ", name, "=", toText(values));
  return values.size() == 1 ? DimVector(dims, values[0]) : values.vec();
}

bool anyBelow(const DimVector &values, int64_t bound) {
  return std::any_of(values.begin(), values.end(), [=](int64_t v) { return v < bound; });
}

/// What both directions check before they look at extents.
void checkOperands(G input, G weight, G bias, const Correlation &c, bool transposed) {
  int64_t channels = input.size(1),
          expected = transposed ? weight.size(0) : weight.size(1) * c.groups;
  TORCH_CHECK(!anyBelow(c.padding, 0), "negative padding is not supported");
  TORCH_CHECK(!anyBelow(c.windows.stride, 1), "non-positive stride is not supported");
  TORCH_CHECK(!anyBelow(c.windows.dilation, 1), "non-positive dilation is not supported");
  TORCH_CHECK(c.groups > 0, "non-positive groups is not supported");
  TORCH_CHECK(weight.size(0) % c.groups == 0, "Given groups=", c.groups,
              ", expected weight to be divisible by ", c.groups,
              " at dimension 0, but got weight of size [", toText(weight.sizes()), "] instead");
  TORCH_CHECK(channels == expected, "Given ",
              transposed ? "transposed=" : "groups=", transposed ? 1 : c.groups,
              ", weight of size ", toText(weight.sizes()), ", expected input",
              toText(input.sizes()), " to have ", expected, " channels, but got ", channels,
              " channels instead");
  int64_t outputs = transposed ? weight.size(1) * c.groups : weight.size(0);
  TORCH_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == outputs), "Given ",
              transposed ? "transposed=1, " : "", "weight of size ", toText(weight.sizes()),
              ", expected bias to be 1-dimensional with ", outputs,
              " elements, but got bias of size ", toText(bias.sizes()), " instead");
  TORCH_CHECK(input.toString() == weight.toString(), "Input type (", input.toString(),
              ") and weight type (", weight.toString(), ") should be the same",
              input.is_cuda() ? ""
                              : " or input should be a MKLDNN tensor and weight is a dense tensor");
  TORCH_CHECK(!bias.defined() || input.scalar_type() == bias.scalar_type(), "Input type (",
              cppName(input.scalar_type()), ") and bias type (", cppName(bias.scalar_type()),
              ") should be the same");
}

std::string times(const DimVector &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : " x ") + std::to_string(value);
  return text;
}

/// Runs `convolve` on the input as a batch, which it may not have been.
template <class Convolve>
Tensor batched(const char *name, std::size_t dims, G input, G weight, Convolve convolve) {
  OperationScope scope(name);
  auto d = static_cast<int64_t>(dims);
  TORCH_CHECK(weight.dim() > 2, "weight should have at least three dimensions");
  TORCH_CHECK(weight.dim() == d + 2, "Expected ", weight.dim(), "-dimensional input for ",
              weight.dim(), "-dimensional weight ", toText(weight.sizes()), ", but got ",
              input.dim(), "-dimensional input of size ", toText(input.sizes()), " instead");
  TORCH_CHECK(input.dim() == d + 1 || input.dim() == d + 2, "Expected ", d + 1, "D (unbatched) or ",
              d + 2, "D (batched) input to ", name,
              ", but got input of size: ", toText(input.sizes()));
  return input.dim() == d + 2 ? convolve(input) : convolve(input.unsqueeze(0)).squeeze(0);
}

Tensor convolution(const char *name, std::size_t dims, G input, G weight, G bias,
                   IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
  return batched(name, dims, input, weight, [&](G batch) {
    Correlation c{{spatialSizes(weight, weight.sizes().size() - 2),
                   expanded(stride, dims, "stride"), expanded(dilation, dims, "dilation")},
                  expanded(padding, dims, "padding"),
                  spatialSizes(batch, dims),
                  groups};
    checkOperands(batch, weight, bias, c, false);
    DimVector available = c.paddedExtents(), reach;
    for (std::size_t d = 0; d < dims; ++d)
      reach.push_back(c.windows.reach(d));
    for (std::size_t d = 0; d < dims; ++d)
      TORCH_CHECK(available[d] >= reach[d], "Calculated padded input size per channel: (",
                  times(available), "). Kernel size: (", times(reach),
                  "). Kernel size can't be greater than actual input size");
    return correlate(batch, weight, bias, c);
  });
}

Tensor convolution(const char *name, std::size_t dims, G input, G weight, G bias,
                   IntArrayRef stride, std::string_view padding, IntArrayRef dilation,
                   int64_t groups) {
  TORCH_CHECK(padding == "valid" || padding == "same", "Invalid padding string: '",
              std::string(padding), "'");
  if (padding == "valid")
    return convolution(name, dims, input, weight, bias, stride, DimVector{0}, dilation, groups);
  TORCH_CHECK(!anyBelow(stride.vec(), 1) && stride.equals(DimVector(stride.size(), 1)),
              "padding='same' is not supported for strided convolutions");
  TORCH_CHECK(weight.dim() > static_cast<int64_t>(dims) + 1,
              "weight should have at least three dimensions");
  // What is padded in all; where it is odd, one more behind than before.
  DimVector steps = expanded(dilation, dims, "dilation"), both(dims), extra(2 * dims, 0);
  for (std::size_t d = 0; d < dims; ++d) {
    int64_t total = steps[d] * (weight.size(static_cast<int64_t>(d) + 2) - 1);
    both[d] = total / 2;
    extra[2 * (dims - 1 - d) + 1] = total % 2;
  }
  return convolution(name, dims, constant_pad_nd(input, extra, 0), weight, bias, stride, both,
                     dilation, groups);
}

Tensor transposedConvolution(const char *name, std::size_t dims, G input, G weight, G bias,
                             IntArrayRef stride, IntArrayRef padding, IntArrayRef outputPadding,
                             int64_t groups, IntArrayRef dilation) {
  return batched(name, dims, input, weight, [&](G batch) {
    Correlation c{{spatialSizes(weight, weight.sizes().size() - 2),
                   expanded(stride, dims, "stride"), expanded(dilation, dims, "dilation")},
                  expanded(padding, dims, "padding"),
                  spatialSizes(batch, dims),
                  groups};
    checkOperands(batch, weight, bias, c, true);
    DimVector extra = expanded(outputPadding, dims, "output_padding"), cropped;
    bool moreWindows = false;
    const Windows &w = c.windows;
    for (std::size_t d = 0; d < dims; ++d) {
      TORCH_CHECK(extra[d] < w.stride[d] || extra[d] < w.dilation[d],
                  "output padding must be smaller than either stride or dilation, but got "
                  "output_padding: ",
                  toText(extra), " stride: ", toText(w.stride), " dilation: ", toText(w.dilation));
      c.extents[d] = (c.extents[d] - 1) * w.stride[d] - 2 * c.padding[d] + w.reach(d);
      cropped.insert(cropped.begin(), {-c.padding[d], extra[d] - c.padding[d]});
      moreWindows = moreWindows || extra[d] >= w.stride[d];
    }
    if (!moreWindows) {
      std::transform(extra.begin(), extra.end(), c.extents.begin(), c.extents.begin(),
                     std::plus<>());
      return correlateInput(batch, weight, bias, c);
    }
    // There would be room for more windows than the input has elements: what they add is put on
    // afterwards.
    c.extents = c.paddedExtents();
    c.padding.assign(dims, 0);
    Tensor result = constant_pad_nd(correlateInput(batch, weight, {}, c), cropped, 0);
    DimVector shape(dims + 1, 1);
    shape[0] = -1;
    return bias.defined() ? result + bias.view(shape) : result;
  });
}

} // namespace

#define GRADTIDY_CONVOLUTION(D)                                                                    \
  Tensor conv##D##d(G input, G weight, G bias, IntArrayRef stride, IntArrayRef padding,            \
                    IntArrayRef dilation, int64_t groups) {                                        \
    Casting cast = autocast::lower(input);                                                         \
    return convolution("conv" #D "d", D, cast(input), cast(weight), cast(bias), stride, padding,   \
                       dilation, groups);                                                          \
  }                                                                                                \
  Tensor conv##D##d(G input, G weight, G bias, IntArrayRef stride, std::string_view padding,       \
                    IntArrayRef dilation, int64_t groups) {                                        \
    Casting cast = autocast::lower(input);                                                         \
    return convolution("conv" #D "d", D, cast(input), cast(weight), cast(bias), stride, padding,   \
                       dilation, groups);                                                          \
  }                                                                                                \
  Tensor conv_transpose##D##d(G input, G weight, G bias, IntArrayRef stride, IntArrayRef padding,  \
                              IntArrayRef outputPadding, int64_t groups, IntArrayRef dilation) {   \
    Casting cast = autocast::lower(input);                                                         \
    return transposedConvolution("conv_transpose" #D "d", D, cast(input), cast(weight),            \
                                 cast(bias), stride, padding, outputPadding, groups, dilation);    \
  }
GRADTIDY_CONVOLUTION(1)
GRADTIDY_CONVOLUTION(2)
GRADTIDY_CONVOLUTION(3)
#undef GRADTIDY_CONVOLUTION

} // namespace gradtidy::runtime
