#include "Values.h"

#include "Session.h"

#include <ATen/SequenceNumber.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gradtidy::watch {

namespace {

/// Elements that are looked at of each output, and of each in a backward.
constexpr int64_t sampled = 8192, sampledInBackward = 2048;

/// \p Bits: an unsigned integer of the size of the elements; \p exponent: the bits of their
/// exponent, all of which are set in infinities and NaN.
template <typename Bits>
Kind kindOf(const void *data, int64_t begin, int64_t end, Bits exponent, Bits mantissa) {
  const auto *bits = static_cast<const Bits *>(data);
  unsigned isAny = 0;
  for (int64_t i = begin; i < end; ++i)
    isAny |= (bits[i] & exponent) == exponent;
  if (!isAny)
    return Kind::Finite;
  for (int64_t i = begin; i < end; ++i)
    if ((bits[i] & exponent) == exponent && (bits[i] & mantissa))
      return Kind::NotANumber;
  return Kind::Infinite;
}

Kind kindOf(const at::Tensor &tensor, int64_t begin, int64_t end) {
  const void *data = tensor.const_data_ptr();
  switch (tensor.scalar_type()) {
  case at::kFloat:
    return kindOf<uint32_t>(data, begin, end, 0x7f800000, 0x007fffff);
  case at::kDouble:
    return kindOf<uint64_t>(data, begin, end, 0x7ff0000000000000, 0x000fffffffffffff);
  case at::kHalf:
    return kindOf<uint16_t>(data, begin, end, 0x7c00, 0x03ff);
  case at::kBFloat16:
    return kindOf<uint16_t>(data, begin, end, 0x7f80, 0x007f);
  default:
    return Kind::Finite;
  }
}

bool isReadable(const at::Tensor &tensor) {
  return tensor.defined() && tensor.device().is_cpu() && tensor.layout() == at::kStrided &&
         tensor.is_floating_point() && tensor.has_storage() && tensor.numel() > 0 &&
         tensor.data_ptr() != nullptr && tensor.is_non_overlapping_and_dense();
}

/// Of at most \p most elements of a readable tensor, from all over it.
Kind kindOf(const at::Tensor &tensor, int64_t most) {
  const int64_t count = tensor.numel();
  if (count <= most)
    return kindOf(tensor, 0, count);
  constexpr int64_t blocks = 16;
  Kind kind = Kind::Finite;
  for (int64_t i = 0; i < blocks; ++i) {
    const int64_t begin = (count - most / blocks) * i / (blocks - 1);
    kind = std::max(kind, kindOf(tensor, begin, begin + most / blocks));
  }
  return kind;
}

Kind kindOfAll(const at::Tensor &tensor) { return kindOf(tensor, tensor.numel()); }

/// Operations that write infinities because they are told to.
bool isFilling(const std::string &name) {
  for (const char *part : {"fill", "full", "where", "copy", "scatter", "index_put", "tri"})
    if (name.find(part) != std::string::npos)
      return true;
  return false;
}

/// "sqrt()" of "aten::sqrt".
std::string callOf(const std::string &name) {
  const size_t colon = name.rfind(':');
  return (colon == std::string::npos ? name : name.substr(colon + 1)) + "()";
}

std::string describe(double loss) {
  return std::isnan(loss) ? "not a number" : loss < 0 ? "minus infinity" : "infinite";
}

} // namespace

Values::Position &Values::here() { return positions[threadNumber()]; }

int Values::add(Origin origin) {
  if (origins.size() >= 256)
    return static_cast<int>(origins.size()) - 1;
  origins.push_back(std::move(origin));
  return static_cast<int>(origins.size()) - 1;
}

// ---- NaN and infinity in forward passes --------------------------------------------------------

void Values::before(const std::vector<at::Tensor> &inputs) {
  Position &position = here();
  position.inputs.clear();
  if (isBroken)
    return;
  for (const at::Tensor &input : inputs)
    if (input.is_floating_point() && !input.unsafeGetTensorImpl()->is_inference())
      position.inputs.push_back(weak(input));
}

/// The position in origins for an input that is not finite; -1 if it is.
int Values::originOf(const at::Tensor &tensor, const at::Tensor &output) {
  const auto found = tainted.find(tensor.unsafeGetTensorImpl());
  if (found != tainted.end() && !found->second.tensor.expired())
    return found->second.origin;
  // What an operation has changed in place was finite before.
  if (!isReadable(tensor) || tensor.unsafeGetTensorImpl() == output.unsafeGetTensorImpl() ||
      tensor.is_alias_of(output))
    return -1;
  const Kind kind = kindOfAll(tensor);
  if (kind == Kind::Finite)
    return -1;
  // Of large tensors only a part was looked at, so that the first of these may have made it.
  for (const Large &one : large) {
    const at::Tensor made(one.tensor.lock());
    if (!made.defined() || !isReadable(made))
      continue;
    if (const Kind first = kindOfAll(made); first != Kind::Finite)
      return add({first, one.name, sites[one.site]});
  }
  return add({kind, "", Stack()});
}

void Values::after(Session &session, const std::string &name, const at::Tensor &output) {
  Position &position = here();
  // What runs without gradients between two steps may be an evaluation, once in a while.
  if (position.records != at::GradMode::is_enabled())
    position.index = 0;
  position.records = at::GradMode::is_enabled();
  uint64_t key = std::hash<std::string>()(name) * 31 + position.index++;
  key = key * 31 + (position.records ? 1 : 0);
  for (const int64_t size : output.sizes())
    key = key * 31 + static_cast<uint64_t>(size);
  key = key * 31 + threadNumber();
  if (sites.size() < (1 << 14) || sites.count(key)) {
    auto &site = sites[key];
    if (site.empty()) {
      site = Stack::capture();
      names[key] = name;
    }
  }
  if (output.grad_fn())
    position.sequences.emplace_back(at::sequence_number::peek(), key);
  if (!isReadable(output))
    return;
  if (name == "aten::relu" || name == "aten::relu_")
    onUnits(session, output, key);
  if (isBroken)
    return;

  const bool isInPlace = name.back() == '_';
  bool isView = false;
  for (const WeakTensor &one : position.inputs) {
    const at::Tensor input(one.lock());
    isView |= !isInPlace && input.defined() && input.has_storage() && input.is_alias_of(output);
  }
  Kind kind = Kind::Finite;
  if (!isView) {
    kind = kindOf(output, sampled);
    tainted.erase(output.unsafeGetTensorImpl());
    if (kind == Kind::Finite) {
      if (output.numel() > sampled && large.size() < 4096)
        large.push_back({weak(output), name, key});
      return;
    }
  } else if (tainted.empty()) {
    return;
  }
  int origin = -1;
  for (const WeakTensor &one : position.inputs) {
    const at::Tensor input(one.lock());
    const int other = input.defined() && (!isView || tainted.count(input.unsafeGetTensorImpl()))
                          ? originOf(input, output)
                          : -1;
    if (other >= 0 && (origin < 0 || origins[static_cast<size_t>(other)].kind >
                                         origins[static_cast<size_t>(origin)].kind))
      origin = other;
  }
  if (isView && origin < 0)
    return;
  if (origin < 0 || (!isView && kind > origins[static_cast<size_t>(origin)].kind))
    origin = add({kind, name, Stack::capture(), origin});
  if (tainted.size() < 4096)
    tainted[output.unsafeGetTensorImpl()] = {weak(output), origin};
}

void Values::report(Session &session, int at, double loss) {
  const Origin &origin = origins[static_cast<size_t>(at)];
  const std::string effect = ", and the loss is " + describe(loss);
  if (origin.kind == Kind::NotANumber && origin.infinity >= 0) {
    const Origin &infinity = origins[static_cast<size_t>(origin.infinity)];
    if (!infinity.name.empty() && !isFilling(infinity.name))
      return session.report({.check = "run-not-finite",
                             .message = callOf(infinity.name) +
                                        " made the first infinity, of which " +
                                        callOf(origin.name) + " made NaN" + effect,
                             .stack = infinity.stack});
    return session.report(
        {.check = "run-not-finite",
         .message = callOf(origin.name) + " made NaN of the infinities that it was given" + effect,
         .stack = origin.stack});
  }
  session.report({.check = "run-not-finite",
                  .message = callOf(origin.name) + " made the first " +
                             (origin.kind == Kind::NotANumber ? "NaN" : "infinity") + effect,
                  .stack = origin.stack});
}

void Values::onLoss(Session &session, const at::Tensor &root, double loss, const Stack &backward,
                    bool isExplained) {
  if (isBroken || std::isfinite(loss))
    return;
  isBroken = true;
  if (isExplained)
    return;
  const auto found = tainted.find(root.unsafeGetTensorImpl());
  if (found != tainted.end() && !found->second.tensor.expired()) {
    const auto origin = static_cast<size_t>(found->second.origin);
    if (!origins[origin].name.empty())
      return report(session, found->second.origin, loss);
    if (!origins[origin].stack.empty())
      return;
  }
  session.report({.check = "run-not-finite",
                  .message = "the loss is " + describe(loss) +
                             ", because of parameters or data that are not finite",
                  .stack = backward});
}

// ---- NaN and infinity in backwards -------------------------------------------------------------

void Values::beforeBackward() {
  brokenNode.clear();
  brokenSite = 0;
  node.clear();
}

void Values::onNode(const char *name, uint64_t thread, uint64_t sequence) {
  if (isBroken || !brokenNode.empty())
    return;
  node = name;
  nodeThread = thread;
  nodeSequence = sequence;
}

void Values::inBackward(const at::Tensor &output) {
  if (isBroken || !brokenNode.empty() || node.empty() || !isReadable(output) ||
      kindOf(output, sampledInBackward) == Kind::Finite)
    return;
  brokenNode = node;
  const Position &position = positions[nodeThread];
  const auto made =
      std::upper_bound(position.sequences.begin(), position.sequences.end(), nodeSequence,
                       [](uint64_t sequence, const auto &one) { return sequence < one.first; });
  if (made != position.sequences.end())
    brokenSite = made->second;
}

void Values::beforeStep(Session &session, const std::vector<at::Tensor> &parameters,
                        const Stack &backward, double loss, bool isMeasured) {
  if (!isBroken && std::isfinite(loss) && (isMeasured || !brokenNode.empty())) {
    size_t count = 0;
    Kind kind = Kind::Finite;
    for (const at::Tensor &parameter : parameters) {
      const at::Tensor gradient = parameter.is_leaf() ? parameter.grad() : at::Tensor();
      if (!gradient.defined() || !isReadable(gradient))
        continue;
      const Kind one = kindOfAll(gradient);
      count += one != Kind::Finite;
      kind = std::max(kind, one);
    }
    if (count > 0) {
      isBroken = true;
      const std::string what = "the loss is " + text(loss) + ", but the gradients of " +
                               std::to_string(count) +
                               (count == 1 ? " parameter are " : " parameters are ") +
                               (kind == Kind::NotANumber ? "NaN" : "infinite");
      if (brokenSite && !sites[brokenSite].empty())
        session.report({.check = "run-not-finite",
                        .message = what + ": the derivative of this " + callOf(names[brokenSite]) +
                                   " was the first that is not finite",
                        .stack = sites[brokenSite]});
      else
        session.report({.check = "run-not-finite", .message = what, .stack = backward});
    }
  }
  if (isMeasured && !isBroken)
    checkScale(session, parameters, backward, loss);
}

void Values::onStep() {
  for (auto &[thread, position] : positions) {
    position.index = 0;
    position.sequences.clear();
  }
  origins.clear();
  tainted.clear();
  large.clear();
}

// ---- units -------------------------------------------------------------------------------------

void Values::onUnits(Session &session, const at::Tensor &output, uint64_t site) {
  // Of three dimensions the units may be the second or the last.
  if (!output.requires_grad() || output.scalar_type() != at::kFloat || !output.is_contiguous() ||
      (output.dim() != 2 && output.dim() != 4))
    return;
  const auto count = static_cast<size_t>(output.size(1));
  if (count < 4)
    return;
  Units &one = units[site];
  if (one.areOn.size() != count) {
    one = Units();
    one.areOn.assign(count, false);
    one.firstStep = session.step;
  }
  if (one.passes > 0 && one.lastStep == session.step)
    return; // Once in a step is enough.
  one.lastStep = session.step;
  ++one.passes;
  one.samples += output.size(0);
  const auto *values = static_cast<const float *>(output.const_data_ptr());
  const int64_t rows = output.size(0), inner = output.numel() / rows / output.size(1);
  size_t off = 0;
  for (size_t unit = 0; unit < count; ++unit) {
    bool isOn = one.areOn[unit];
    for (int64_t row = 0; row < rows && !isOn; ++row) {
      const float *begin =
          values + (row * static_cast<int64_t>(count) + static_cast<int64_t>(unit)) * inner;
      for (int64_t i = 0; i < inner && !isOn; ++i)
        isOn = begin[i] > 0 || std::isnan(begin[i]);
    }
    one.areOn[unit] = isOn;
    off += !isOn;
  }
  constexpr unsigned window = 20;
  if (one.passes < window)
    return;
  if (4 * off >= 3 * count && one.samples >= 1024)
    session.report({.check = "run-dead-units",
                    .message = std::to_string(off) + " of the " + std::to_string(count) +
                               " units of this relu() were 0 for all " +
                               std::to_string(one.samples) + " samples of " +
                               std::to_string(one.passes) + " steps: they get no gradient",
                    .stack = Stack::capture()});
  one.areOn.assign(count, false);
  one.passes = 0;
  one.samples = 0;
}

// ---- scale of gradients ------------------------------------------------------------------------

void Values::checkScale(Session &session, const std::vector<at::Tensor> &parameters,
                        const Stack &backward, double loss) {
  double squares = 0, least = std::numeric_limits<double>::infinity(), most = 0;
  size_t layers = 0;
  at::Tensor leastWeight;
  for (const at::Tensor &parameter : parameters) {
    const at::Tensor gradient = parameter.is_leaf() ? parameter.grad() : at::Tensor();
    if (!gradient.defined())
      continue;
    if (!isReadable(gradient) || gradient.scalar_type() != at::kFloat)
      return;
    const auto *values = static_cast<const float *>(gradient.const_data_ptr());
    std::array<double, 8> sums{};
    const int64_t size = gradient.numel();
    for (int64_t i = 0; i < size; ++i)
      sums[static_cast<size_t>(i % 8)] += static_cast<double>(values[i]) * values[i];
    double sum = 0;
    for (const double one : sums)
      sum += one;
    squares += sum;
    // Weights of layers; what is added or scales is of another magnitude.
    if (gradient.dim() < 2 || sum == 0)
      continue;
    ++layers;
    const double mean = std::sqrt(sum / static_cast<double>(size));
    most = std::max(most, mean);
    if (mean < least) {
      least = mean;
      leastWeight = parameter;
    }
  }
  const double norm = std::sqrt(squares);

  vanished = layers >= 3 && least < 1e-7 * most ? vanished + 1 : 0;
  if (vanished == 10) {
    const Parameter *parameter = session.training.find(leastWeight);
    if (parameter && !parameter->registered.empty())
      session.report({.check = "run-gradient-scale",
                      .message = "in 10 steps in a row the gradient of this layer, " + text(least) +
                                 " on average, was less than a ten-millionth of the largest, " +
                                 text(most) +
                                 ": it has vanished on the way, and the layer learns "
                                 "nothing",
                      .stack = parameter->registered});
  }

  // What it was in the beginning; a step or two may be far off.
  if (measured++ == 0)
    firstLoss = std::abs(loss);
  if (measured <= 10 && norm > 0)
    leastNorm = std::min(leastNorm, norm);
  exploded =
      norm > 1e3 * leastNorm && std::abs(loss) > 10 * std::max(firstLoss, 1e-3) ? exploded + 1 : 0;
  if (exploded == 3)
    session.report({.check = "run-gradient-scale",
                    .message = "the norm of the gradients has grown to " + text(norm) + " from " +
                               text(leastNorm) + ", and the loss to " + text(loss) + " from " +
                               text(firstLoss) +
                               ": the training diverges; lower the learning rate, or clip the "
                               "gradients before step()",
                    .stack = backward});
}

} // namespace gradtidy::watch
