#include "Training.h"

#include "Session.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include <fcntl.h>
#include <unistd.h>

namespace gradtidy::watch {

namespace {

using Seconds = std::chrono::duration<double>;

/// The elements of \p tensor, if the CPU can read them as floats one after the other; else null.
const float *floats(const at::Tensor &tensor) {
  return tensor.defined() && tensor.device().is_cpu() && tensor.scalar_type() == at::kFloat &&
                 tensor.layout() == at::kStrided && tensor.is_contiguous()
             ? static_cast<const float *>(tensor.const_data_ptr())
             : nullptr;
}

uint32_t versionOf(const at::Tensor &tensor) {
  return tensor.unsafeGetTensorImpl()->is_inference()
             ? 0
             : tensor.unsafeGetTensorImpl()->version_counter().current_version();
}

/// The gradient as it is, without the warning that non-leaf tensors give.
at::Tensor gradientOf(const at::Tensor &tensor) {
  return tensor.is_leaf() ? tensor.grad() : at::Tensor();
}

bool isZero(const at::Tensor &tensor) {
  const float *values = floats(tensor);
  return values && std::all_of(values, values + std::min<int64_t>(tensor.numel(), 4096),
                               [](float value) { return value == 0; });
}

/// The norm of all gradients; NaN if it cannot be read at once.
double gradientNorm(const std::vector<at::Tensor> &parameters) {
  double squares = 0;
  for (const at::Tensor &parameter : parameters) {
    const at::Tensor gradient = gradientOf(parameter);
    if (!gradient.defined())
      continue;
    const float *values = floats(gradient);
    if (!values)
      return std::numeric_limits<double>::quiet_NaN();
    // Sums that do not wait for each other.
    std::array<double, 8> sums{};
    const auto size = static_cast<size_t>(gradient.numel());
    for (size_t i = 0; i + sums.size() <= size; i += sums.size())
      for (size_t j = 0; j < sums.size(); ++j)
        sums[j] += static_cast<double>(values[i + j]) * values[i + j];
    for (size_t i = size - size % sums.size(); i < size; ++i)
      sums[0] += static_cast<double>(values[i]) * values[i];
    squares += std::accumulate(sums.begin(), sums.end(), 0.0);
  }
  return std::sqrt(squares);
}

/// The sum of the first elements; none if they cannot be read at once.
std::optional<double> contentOf(const at::Tensor &tensor) {
  const float *values = floats(tensor);
  if (!values || tensor.numel() == 0)
    return std::nullopt;
  return std::accumulate(values, values + std::min<int64_t>(tensor.numel(), 64), 0.0);
}

int64_t countOf(const std::vector<at::Tensor> &tensors) {
  int64_t count = 0;
  for (const at::Tensor &tensor : tensors)
    count += tensor.numel();
  return count;
}

std::vector<at::Tensor> parametersOf(torch::optim::Optimizer &optimizer) {
  std::vector<at::Tensor> all;
  for (auto &group : optimizer.param_groups())
    all.insert(all.end(), group.params().begin(), group.params().end());
  return all;
}

bool isAdaptive(const torch::optim::Optimizer &optimizer) {
  return dynamic_cast<const torch::optim::Adam *>(&optimizer) ||
         dynamic_cast<const torch::optim::AdamW *>(&optimizer) ||
         dynamic_cast<const torch::optim::RMSprop *>(&optimizer);
}

/// Of the process, in memory; 0 where the system does not say.
int64_t residentBytes() {
  static const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  std::array<char, 128> text{};
  long long pages = 0;
  if (file < 0 || pread(file, text.data(), text.size() - 1, 0) <= 0 ||
      std::sscanf(text.data(), "%*d %lld", &pages) != 1)
    return 0;
  return pages * sysconf(_SC_PAGESIZE);
}

} // namespace

// ---- modules -----------------------------------------------------------------------------------

Parameter *Training::find(const at::Tensor &tensor) {
  const auto found = parameters.find(tensor.unsafeGetTensorImpl());
  return found == parameters.end() || found->second.tensor.expired() ? nullptr : &found->second;
}

Parameter &Training::at(const at::Tensor &tensor) {
  const auto found =
      parameters.try_emplace(tensor.unsafeGetTensorImpl(), Parameter{.tensor = weak(tensor)}).first;
  // Another tensor may have been at this address.
  if (found->second.tensor.expired())
    found->second = Parameter{.tensor = weak(tensor)};
  return found->second;
}

void Training::onRegister(const torch::nn::Module &owner, const at::Tensor &tensor, bool isBuffer) {
  if (!tensor.defined())
    return;
  Parameter &parameter = at(tensor);
  parameter.registered = Stack::capture();
  parameter.owner = &owner;
  parameter.isBuffer = isBuffer;
}

void Training::onInitialize(const at::Tensor &tensor) {
  if (Parameter *parameter = tensor.defined() ? find(tensor) : nullptr)
    parameter->initialized = Stack::capture();
}

void Training::onParameters(const std::vector<at::Tensor> &all, bool isWhole) {
  wasAskedForWhole |= isWhole;
  for (const at::Tensor &tensor : all)
    if (tensor.defined())
      at(tensor).isUnderRoot = true;
}

void Training::onMode(torch::nn::Module &module, bool on) {
  Root &root = roots[&module];
  std::vector<at::Tensor> all = module.parameters();
  const auto isSame = [&](const WeakTensor &one) {
    return !one.expired() && std::any_of(all.begin(), all.end(), [&](const at::Tensor &tensor) {
      return tensor.unsafeGetTensorImpl() == one.address();
    });
  };
  // Another module may have been at this address.
  if (std::none_of(root.parameters.begin(), root.parameters.end(), isSame))
    root = Root();
  bool wasTrained = false;
  root.parameters.clear();
  for (const at::Tensor &tensor : all) {
    root.parameters.push_back(weak(tensor));
    Parameter &parameter = at(tensor);
    wasTrained |= parameter.steps > 0;
    parameter.mode = on ? Mode::Training : Mode::Evaluation;
  }
  for (const at::Tensor &buffer : module.buffers())
    if (buffer.defined())
      at(buffer).mode = on ? Mode::Training : Mode::Evaluation;
  if (!on && root.mode != Mode::Evaluation) {
    root.set = Stack::capture();
    root.wasTrained = wasTrained;
    root.stepsInEvaluation = 0;
    root.dependsOnMode = false;
    // Without the module itself, which need not be held by a pointer.
    for (const auto &part : module.modules(/*include_self=*/false))
      for (const char *name : {"Dropout", "BatchNorm", "InstanceNorm"})
        root.dependsOnMode |= part->name().find(name) != std::string::npos;
  }
  root.mode = on ? Mode::Training : Mode::Evaluation;
}

void Training::onSave(Session &session, const torch::nn::Module &module) {
  archived = &module;
  const Stack stack = Stack::capture();
  Save &save = saves[stack.hash()];
  save.stack = stack;
  if (save.count++ == 0)
    save.firstStep = session.step;
}

void Training::onLoad(torch::nn::Module &) {
  files.clear();
  if (!saves.empty()) {
    wasLoadedAfterSave = true;
    stepsAfterLoad = 0;
  }
}

void Training::onWrite(const at::Tensor &tensor) {
  if (!tensor.defined() || !tensor.has_storage())
    return;
  for (const auto &[impl, parameter] : parameters) {
    const at::Tensor strong(parameter.tensor.lock());
    if (!strong.defined() || !strong.has_storage() || !strong.is_alias_of(tensor) ||
        parameter.registered.empty())
      continue;
    if (parameter.isBuffer)
      writtenBuffers.insert(parameter.owner);
    else if (parameter.steps > 0 && !written.count(parameter.owner))
      for (const auto &[other, buffer] : parameters) {
        const at::Tensor beside(buffer.tensor.lock());
        if (buffer.isBuffer && beside.defined() && beside.is_floating_point() &&
            buffer.owner == parameter.owner)
          written.try_emplace(parameter.owner, Stack::capture());
      }
  }
}

void Training::onFile(Session &session, const std::string &name) {
  const void *object = std::exchange(archived, nullptr);
  if (!object)
    return;
  const Stack stack = Stack::capture();
  File &file = files[name];
  if (file.archived && file.archived != object && file.step == session.step &&
      file.site != stack.hash())
    session.report({.check = "ml-overwritten-checkpoint",
                    .message = "this overwrites '" + name +
                               "', into which something else was saved in the same step",
                    .stack = stack});
  file = {object, session.step, stack.hash()};
}

// ---- optimizers --------------------------------------------------------------------------------

Optimizer &Training::of(torch::optim::Optimizer &self) {
  // The newest at this address.
  const auto found = std::find_if(optimizers.rbegin(), optimizers.rend(),
                                  [&](const Optimizer &one) { return one.self == &self; });
  if (found != optimizers.rend())
    return *found;
  optimizers.push_back({.self = &self});
  return optimizers.back();
}

void Training::onParameterGroup(Session &session, torch::optim::Optimizer &self, bool isFirst,
                                const std::vector<at::Tensor> &group) {
  if (isFirst) {
    Optimizer made{.self = &self, .made = Stack::capture()};
    if (!group.empty() && group.front().defined())
      made.first = weak(group.front());
    for (Optimizer &one : optimizers) {
      if (one.self == &self)
        one.self = nullptr;
      if (one.hasAverages && !one.first.expired() && one.first.address() == made.first.address() &&
          one.made.hash() == made.made.hash())
        made.remade = one.remade + 1;
    }
    if (made.remade == 3)
      session.report({.check = "ml-optimizer-recreated",
                      .message = "an optimizer was made here for the same parameters 3 times "
                                 "before: each begins without the averages of the last one",
                      .stack = made.made});
    optimizers.push_back(std::move(made));
  }
  for (const at::Tensor &tensor : group)
    if (tensor.defined()) {
      Parameter &parameter = at(tensor);
      parameter.isOptimized = true;
      parameter.firstVersion = versionOf(tensor);
    }
}

void Training::onClear(Session &session, torch::optim::Optimizer *self,
                       const std::vector<at::Tensor> &all) {
  bool hasFresh = false, isUnchanged = true;
  for (const at::Tensor &tensor : all) {
    Parameter *parameter = tensor.defined() ? find(tensor) : nullptr;
    if (!parameter)
      continue;
    hasFresh |= parameter->isFresh;
    isUnchanged &= parameter->steps == 0 && versionOf(tensor) == parameter->firstVersion;
    parameter->wasCleared |= parameter->isFresh;
    parameter->isFresh = parameter->isLeftover = false;
    parameter->leftGradient = nullptr;
  }
  if (closures)
    backwardsInClosures = 0;
  for (Optimizer &optimizer : optimizers) {
    if (!optimizer.self || (self && optimizer.self != self))
      continue;
    if (optimizer.wasClippedAfterStep && ++optimizer.clipsAfterStep >= 2)
      session.report({.check = "ml-clip-order",
                      .message = "the gradients are clipped after the step has used them, and then "
                                 "cleared: this bounds nothing",
                      .stack = optimizer.clipped,
                      .through = "clip_grad_"});
    optimizer.wasClippedAfterStep = false;
    if (hasFresh) {
      optimizer.cleared = Stack::capture();
      if (self && isUnchanged && optimizer.steps == 0 && ++optimizer.clearsWithoutStep == 8)
        session.report({.check = "ml-missing-step",
                        .message =
                            "no step of the optimizer has used the gradients that were "
                            "computed and cleared 8 times: its parameters stay what they are",
                        .stack = optimizer.cleared});
    }
  }
  if (self && ++of(*self).clears <= 3)
    session.record.addReached("clear", Stack::capture());
}

void Training::beforeStep(Session &session, torch::optim::Optimizer &self) {
  Optimizer &optimizer = of(self);
  const std::vector<at::Tensor> all = parametersOf(self);
  if (optimizer.steps == 0)
    checkRate(session, optimizer);

  bool hasFresh = false, hasLeftover = false, wasCleared = false;
  for (const at::Tensor &tensor : all) {
    const Parameter &parameter = at(tensor);
    hasFresh |= parameter.isFresh;
    hasLeftover |= parameter.isLeftover;
    wasCleared |= parameter.wasCleared && !parameter.isFresh;
  }
  const bool isClosure = dynamic_cast<torch::optim::LBFGS *>(&self) != nullptr;
  optimizer.stepsOnLeftovers = hasLeftover && !isClosure ? optimizer.stepsOnLeftovers + 1 : 0;
  if (optimizer.stepsOnLeftovers == 3)
    session.report({.check = "ml-missing-zero-grad",
                    .message =
                        "this step uses gradients left over from before the previous step, "
                        "the third time in a row; clear them with zero_grad() between the two",
                    .stack = Stack::capture()});
  optimizer.stepsAfterClears =
      !hasFresh && wasCleared && !isClosure ? optimizer.stepsAfterClears + 1 : 0;
  if (optimizer.stepsAfterClears == 2)
    session.report({.check = "ml-cleared-gradients",
                    .message =
                        "the gradients of the backward are cleared before the optimizer uses "
                        "them, twice in a row: its steps change nothing",
                    .stack = optimizer.cleared});
  optimizer.stepsWithoutFresh =
      hasFresh || wasCleared || isClosure ? 0 : optimizer.stepsWithoutFresh + 1;

  // Several backwards of one place for each step, none of whose losses was divided.
  unsigned parts = 0;
  for (const auto &[site, count] : backwardsBySite)
    parts = std::max(parts, count);
  unscaledSteps = parts >= 2 && backwardsBySite.size() == 1 && !isScaled && !isChanged &&
                          !isClosure && optimizers.size() == 1 &&
                          (unscaledParts == 0 || parts == unscaledParts)
                      ? unscaledSteps + 1
                      : 0;
  unscaledParts = parts;
  if (unscaledSteps == 3 && optimizer.stepsOnLeftovers == 0)
    session.report({.check = "ml-unscaled-accumulation",
                    .message = "the gradients of " + std::to_string(parts) +
                               " backwards add up to each step, and the loss is not divided by "
                               "their number",
                    .stack = lastBackward});
  backwardsBySite.clear();
  isScaled = isChanged = false;

  // Each number is looked at.
  const bool isMeasured = countOf(all) < 100000 || session.step % 32 == 0;
  session.values.beforeStep(session, all, lastBackward, loss, isMeasured);

  for (Input &leaf : leaves) {
    const at::Tensor tensor(leaf.tensor.lock());
    if (!tensor.defined() || leaf.isRead || leaf.isCounted)
      continue;
    const Parameter *parameter = find(tensor);
    if ((parameter && (parameter->isOptimized || !parameter->registered.empty())) ||
        !tensor.is_leaf() || !gradientOf(tensor).defined())
      continue;
    leaf.isCounted = true;
    auto &[count, stack] = inputs[leaf.stack.hash()];
    stack = leaf.stack;
    ++count;
  }
}

void Training::afterStep(Session &session, torch::optim::Optimizer &self) {
  Optimizer &optimizer = of(self);
  const std::vector<at::Tensor> all = parametersOf(self);
  ++session.step;
  if (++optimizer.steps <= 3)
    session.record.addReached("step", Stack::capture());
  optimizer.clearsWithoutStep = 0;
  optimizer.hasAverages |= !self.state().empty();
  optimizer.hasState |= !self.state().empty() && isAdaptive(self);
  // It goes on from a checkpoint, with an optimizer that begins anew.
  if (wasLoadedAfterSave && ++stepsAfterLoad == 3 && optimizer.hasState && optimizer.steps == 3 &&
      !anyOptimizerSaved)
    for (const auto &[site, save] : saves)
      if (save.firstStep > 0)
        session.report({.check = "ml-incomplete-checkpoint",
                        .message = "the training goes on from what is saved here, which is the "
                                   "module alone: the optimizer has to begin anew",
                        .stack = save.stack});
  for (Scheduler &scheduler : schedulers)
    ++scheduler.stepsOfOptimizers;

  optimizedStorages.clear();
  for (const at::Tensor &tensor : all) {
    Parameter &parameter = at(tensor);
    ++parameter.steps;
    const at::Tensor gradient = gradientOf(tensor);
    parameter.leftGradient = nullptr;
    if (gradient.defined() && parameter.isFresh && !isZero(gradient)) {
      parameter.leftGradient = gradient.unsafeGetTensorImpl();
      parameter.leftVersion = versionOf(gradient);
    }
    if (gradient.defined() && gradient.layout() == at::kStrided)
      optimizedStorages[gradient.storage().unsafeGetStorageImpl()] = true;
    parameter.isLeftover = false;
  }
  for (auto &[impl, parameter] : parameters) {
    if (parameter.isTouched && parameter.freshSteps++ == 0)
      if (const at::Tensor tensor(parameter.tensor.lock()); tensor.defined())
        parameter.trainedVersion = versionOf(tensor);
    parameter.isTouched = parameter.wasCleared = false;
    if (parameter.isBuffer && session.step == 1)
      if (const at::Tensor buffer(parameter.tensor.lock()); buffer.defined())
        parameter.content = contentOf(buffer);
  }
  for (const at::Tensor &tensor : all)
    at(tensor).isFresh = false;

  for (auto &[module, root] : roots) {
    if (root.mode != Mode::Evaluation || !root.wasTrained || !root.dependsOnMode)
      continue;
    const bool isTrained =
        std::any_of(root.parameters.begin(), root.parameters.end(), [&](const WeakTensor &one) {
          const at::Tensor tensor(one.lock());
          const Parameter *parameter = tensor.defined() ? find(tensor) : nullptr;
          return parameter && parameter->leftGradient && parameter->isOptimized;
        });
    if (isTrained && ++root.stepsInEvaluation == 3)
      session.report({.check = "ml-train-mode-not-restored",
                      .message =
                          "training goes on in evaluation mode after this eval(): dropout is "
                          "off and batch normalization learns nothing",
                      .stack = root.set});
  }
  if (optimizer.steps >= 3 && optimizer.steps <= 10) {
    checkOwners(session, optimizer);
    checkCopies(session, optimizer);
  } else if (optimizer.stepsWithoutFresh == 5) {
    checkOwners(session, optimizer);
  }
  if (optimizer.steps == 20) {
    checkUse(session);
    checkBuffers(session);
  }
  // Steps 1, 2, 4, 8 and so on: each number is looked at.
  if (isShared && optimizers.size() == 1 && (session.step & (session.step - 1)) == 0)
    recordParameters(session, all);

  const auto now = std::chrono::steady_clock::now();
  const double milliseconds =
      session.step > 1 ? 1000 * Seconds(now - lastStep).count() : std::nan("");
  lastStep = now;
  // The norm costs a look at each number.
  const bool isCheap = countOf(all) < 100000 || session.step % 32 == 1;
  session.record.addStep(session.step, loss, isCheap ? gradientNorm(all) : std::nan(""),
                         milliseconds, residentBytes());
}

void Training::checkRate(Session &session, const Optimizer &optimizer) {
  const bool isScheduled =
      std::any_of(schedulers.begin(), schedulers.end(), [](const Scheduler &) { return true; });
  for (auto &group : optimizer.self->param_groups()) {
    if (!group.has_options())
      continue;
    const double rate = group.options().get_lr();
    const bool adaptive = isAdaptive(*optimizer.self);
    const bool isSgd = dynamic_cast<torch::optim::SGD *>(optimizer.self) != nullptr;
    const bool isTiny = rate > 0 && rate <= 1e-8 && (adaptive || isSgd) && !isScheduled;
    if (isTiny || (adaptive && rate >= 0.5) || (isSgd && rate >= 10))
      session.report({.check = "ml-suspicious-lr",
                      .message = "a learning rate of " + text(rate) +
                                 (isTiny ? " is so small that nothing is learned"
                                         : " is far too large for this optimizer"),
                      .stack = optimizer.made});
  }
}

void Training::checkOwners(Session &session, const Optimizer &optimizer) {
  for (const auto &[impl, parameter] : parameters) {
    if (parameter.isOptimized || parameter.isBuffer || parameter.registered.empty() ||
        parameter.freshSteps < 3)
      continue;
    const at::Tensor tensor(parameter.tensor.lock());
    // What the program updates by itself needs no optimizer.
    if (!tensor.defined() || !tensor.is_leaf())
      continue;
    if (!parameter.isUnderRoot && wasAskedForWhole && optimizer.stepsWithoutFresh == 0)
      session.report({.check = "ml-unregistered-module",
                      .message =
                          "the parameters of this module get gradients, but no optimizer has "
                          "them, nor the parameters() of any module: it is not registered",
                      .stack = parameter.registered,
                      .place = Place::Constructor});
    else if (optimizer.stepsWithoutFresh >= 3)
      session.report({.check = "ml-stale-parameters",
                      .message = "the parameters of this module get gradients, but the optimizer "
                                 "that is stepped has others, which get none",
                      .stack = parameter.registered,
                      .place = Place::Construction});
  }
}

void Training::checkCopies(Session &session, const Optimizer &optimizer) {
  for (const at::Tensor &tensor : parametersOf(*optimizer.self)) {
    const Parameter &parameter = at(tensor);
    const float *values = floats(tensor);
    if (!values || tensor.dim() < 2 || tensor.size(0) < 2 || parameter.freshSteps < 3 ||
        parameter.registered.empty())
      continue;
    const int64_t rows = tensor.size(0), columns = tensor.numel() / rows;
    bool isCopy = columns > 0, hasValue = false;
    for (int64_t i = 0; isCopy && i < columns; ++i) {
      const double first = values[i];
      hasValue |= first != 0;
      for (int64_t row = 1; isCopy && row < rows; ++row)
        isCopy = std::abs(values[row * columns + i] - first) <= 1e-6 * std::abs(first);
    }
    if (isCopy && hasValue)
      session.report(
          {.check = "ml-zero-init",
           .message = "after " + std::to_string(parameter.freshSteps) + " steps all " +
                      std::to_string(rows) +
                      " neurons of this layer have the same weights: they began as copies, "
                      "and stay copies",
           .stack = parameter.initialized.empty() ? parameter.registered : parameter.initialized});
  }
}

void Training::onClosure(Session &session, bool begins) {
  if (begins) {
    if (closures++ == 0)
      backwardsInClosures = leftoversInClosures = 0;
    return;
  }
  --closures;
  if (leftoversInClosures >= 2)
    session.report({.check = "ml-lbfgs-closure",
                    .message =
                        "the closure is called several times a step and adds to the gradients "
                        "of its last call: call zero_grad() in it",
                    .stack = Stack::capture()});
}

void Training::onOptimizerSaved(const torch::optim::Optimizer &self) {
  anyOptimizerSaved = true;
  archived = &self;
}

void Training::onScheduler(const void *self, torch::optim::Optimizer &optimizer) {
  schedulers.push_back({.self = self, .made = Stack::capture(), .optimizer = &optimizer});
}

void Training::onSchedulerStep(const void *self) {
  // The newest at this address.
  const auto found = std::find_if(schedulers.rbegin(), schedulers.rend(),
                                  [&](const Scheduler &one) { return one.self == self; });
  if (found == schedulers.rend())
    return;
  const auto &groups = found->optimizer->param_groups();
  if (!groups.empty() && groups[0].has_options()) {
    const double rate = groups[0].options().get_lr();
    if (found->steps == 0)
      found->rate = rate;
    found->hasMoved |= rate != found->rate;
  }
  ++found->steps;
}

// ---- gradients ---------------------------------------------------------------------------------

void Training::beforeBackward(Session &session, const std::vector<at::Tensor> &roots) {
  session.values.beforeBackward();
  ++backwards;
  for (auto &[impl, parameter] : parameters) {
    const at::Tensor tensor(parameter.tensor.lock());
    const at::Tensor gradient = tensor.defined() ? gradientOf(tensor) : at::Tensor();
    parameter.seenGradient = gradient.defined() ? gradient.unsafeGetTensorImpl() : nullptr;
    parameter.seenVersion = gradient.defined() ? versionOf(gradient) : 0;
    if (!parameter.leftGradient)
      continue;
    if (!gradient.defined() || gradient.unsafeGetTensorImpl() != parameter.leftGradient ||
        versionOf(gradient) != parameter.leftVersion)
      parameter.leftGradient = nullptr;
  }
  for (Optimizer &optimizer : optimizers)
    if (optimizer.wasClippedAfterStep)
      optimizer.wasClippedAfterStep = false;
  for (const at::Tensor &root : roots) {
    const auto node = root.defined() ? root.grad_fn() : nullptr;
    const std::string name = node ? node->name() : "";
    for (const char *part : {"Div", "Mul", "Sum"})
      isScaled |= name.find(part) != std::string::npos;
  }
}

void Training::afterBackward(Session &session, const BackwardCall &call, const at::Tensor &root) {
  for (auto &[impl, parameter] : parameters) {
    if (parameter.isBuffer)
      continue;
    const at::Tensor tensor(parameter.tensor.lock());
    const at::Tensor gradient = tensor.defined() ? gradientOf(tensor) : at::Tensor();
    // Backwards of other graphs leave a gradient as it is.
    if (!gradient.defined() || (gradient.unsafeGetTensorImpl() == parameter.seenGradient &&
                                versionOf(gradient) == parameter.seenVersion))
      continue;
    parameter.isLeftover |= parameter.leftGradient != nullptr;
    parameter.leftGradient = nullptr;
    parameter.isFresh = parameter.isTouched = true;
  }
  ++backwardsBySite[call.stack.hash()];
  lastBackward = call.stack;
  if (closures && ++backwardsInClosures >= 2)
    ++leftoversInClosures;
  if (root.defined() && root.numel() == 1 && root.device().is_cpu() &&
      (root.scalar_type() == at::kFloat || root.scalar_type() == at::kDouble)) {
    loss = root.scalar_type() == at::kFloat ? *static_cast<const float *>(root.const_data_ptr())
                                            : *static_cast<const double *>(root.const_data_ptr());
    const bool isExplained = session.operations.onLoss(session, loss);
    session.values.onLoss(session, root, loss, call.stack, isExplained);
  }
}

void Training::onInPlace(Session &session, const at::Tensor &tensor) {
  if (Parameter *parameter = session.step > 0 ? find(tensor) : nullptr;
      parameter && !parameter->isOptimized && parameter->lastCopy != session.step) {
    if (parameter->copies++ == 0)
      parameter->copied = Stack::capture();
    parameter->lastCopy = session.step;
  }
  if (tensor.layout() != at::kStrided || !tensor.has_storage())
    return;
  const void *storage = tensor.storage().unsafeGetStorageImpl();
  bool isGradient = optimizedStorages.count(storage);
  for (auto &[impl, parameter] : parameters) {
    if (isChanged || !parameter.isFresh)
      continue;
    const at::Tensor strong(parameter.tensor.lock());
    const at::Tensor gradient = strong.defined() ? gradientOf(strong) : at::Tensor();
    isChanged |= gradient.defined() && gradient.layout() == at::kStrided &&
                 gradient.storage().unsafeGetStorageImpl() == storage;
  }
  if (!isGradient)
    return;
  for (Optimizer &optimizer : optimizers) {
    if (!optimizer.self || optimizer.steps == 0 || optimizer.wasClippedAfterStep)
      continue;
    for (const at::Tensor &parameter : parametersOf(*optimizer.self)) {
      const at::Tensor gradient = gradientOf(parameter);
      if (gradient.defined() && !at(parameter).isFresh && gradient.layout() == at::kStrided &&
          gradient.storage().unsafeGetStorageImpl() == storage) {
        optimizer.wasClippedAfterStep = true;
        optimizer.clipped = Stack::capture();
        break;
      }
    }
  }
}

void Training::onAllReduce(const std::vector<at::Tensor> &tensors) {
  for (const at::Tensor &tensor : tensors)
    for (const auto &[impl, parameter] : parameters) {
      const at::Tensor strong(parameter.tensor.lock());
      const at::Tensor gradient =
          strong.defined() && parameter.isOptimized ? gradientOf(strong) : at::Tensor();
      isShared |= gradient.defined() && tensor.defined() && gradient.has_storage() &&
                  tensor.has_storage() && gradient.is_alias_of(tensor);
    }
}

void Training::recordParameters(Session &session, const std::vector<at::Tensor> &all) {
  int64_t count = 0;
  double squares = 0, sum = 0;
  for (const at::Tensor &tensor : all) {
    const float *values = floats(tensor);
    if (!values)
      return;
    for (int64_t i = 0; i < tensor.numel(); ++i, ++count) {
      squares += static_cast<double>(values[i]) * values[i];
      sum += static_cast<double>(values[i]) * static_cast<double>(1 + count % 7);
    }
  }
  session.record.addParameters(session.step, count, std::sqrt(squares), sum, Stack::capture());
}

void Training::onGradientRead(const c10::TensorImpl *tensor) {
  for (Input &leaf : leaves)
    leaf.isRead |= leaf.tensor.address() == tensor;
  const auto found = parameters.find(tensor);
  if (found != parameters.end())
    found->second.isRead = true;
}

void Training::onRequiresGrad(const at::Tensor &tensor) {
  leaves.erase(std::remove_if(leaves.begin(), leaves.end(),
                              [](const Input &one) { return one.tensor.expired(); }),
               leaves.end());
  if (leaves.size() < 64)
    leaves.push_back({.tensor = weak(tensor), .stack = Stack::capture()});
}

bool Training::isParameter(const at::Tensor &tensor) const {
  return std::any_of(parameters.begin(), parameters.end(), [&](const auto &one) {
    const at::Tensor parameter(one.second.tensor.lock());
    return one.second.isOptimized && parameter.defined() && parameter.has_storage() &&
           tensor.has_storage() && parameter.storage().is_alias_of(tensor.storage());
  });
}

bool Training::isAnyTraining() const {
  return std::any_of(parameters.begin(), parameters.end(), [](const auto &one) {
    return one.second.mode == Mode::Training && !one.second.tensor.expired();
  });
}

/// Averages of parameters whose buffers nobody averages.
void Training::checkBuffers(Session &session) {
  // Where some module's buffers follow the data, those of a copy have to follow them.
  std::set<int64_t> changed;
  std::set<const torch::nn::Module *> unchanged;
  for (const auto &[impl, buffer] : parameters) {
    const at::Tensor tensor(buffer.tensor.lock());
    if (!buffer.isBuffer || !buffer.content || !tensor.defined() || buffer.copies > 0)
      continue;
    if (contentOf(tensor) != buffer.content)
      changed.insert(tensor.numel());
    else
      unchanged.insert(buffer.owner);
  }
  for (const auto &[impl, parameter] : parameters) {
    const at::Tensor tensor(parameter.tensor.lock());
    if (!tensor.defined() || parameter.isBuffer || parameter.isOptimized || parameter.copies < 10 ||
        !changed.count(tensor.numel()) || !unchanged.count(parameter.owner))
      continue;
    session.report({.check = "ml-missing-buffers",
                    .message = "the parameters of this copy follow the training, but its buffers, "
                               "such as the statistics of batch normalization, stay what they "
                               "are; copy them, too",
                    .stack = parameter.copied});
    return;
  }
}

void Training::checkUse(Session &session) {
  struct Count {
    const Parameter *first = nullptr;
    unsigned idle = 0, unowned = 0, all = 0, steps = 0;
  };
  std::map<const torch::nn::Module *, Count> counts;
  for (const auto &[impl, parameter] : parameters) {
    const at::Tensor tensor(parameter.tensor.lock());
    if (!tensor.defined() || parameter.registered.empty() || parameter.isBuffer ||
        !tensor.requires_grad() || !tensor.is_leaf())
      continue;
    Count &count = counts[parameter.owner];
    ++count.all;
    const bool isIdle = parameter.isOptimized && parameter.steps >= 20 &&
                        parameter.freshSteps == 0 && !gradientOf(tensor).defined() &&
                        versionOf(tensor) == parameter.firstVersion;
    const bool isUnowned = !parameter.isOptimized && parameter.isUnderRoot && !parameter.isRead &&
                           parameter.freshSteps >= 10 &&
                           versionOf(tensor) == parameter.trainedVersion;
    count.idle += isIdle;
    count.unowned += isUnowned;
    count.steps = std::max(count.steps, isIdle ? parameter.steps : parameter.freshSteps);
    count.first = &parameter;
  }
  for (const auto &[owner, count] : counts) {
    if (count.idle == count.all)
      session.report({.check = "run-unchanged-parameters",
                      .message = "the optimizer has the parameters of this module, which got no "
                                 "gradient in " +
                                 std::to_string(count.steps) +
                                 " steps: the loss does not depend on them, or detach() or a "
                                 "guard cuts them off",
                      .stack = count.first->registered});
    else if (count.unowned == count.all)
      session.report({.check = "ml-unused-gradients",
                      .message = "gradients were computed for the parameters of this module in " +
                                 std::to_string(count.steps) +
                                 " steps, and no optimizer has them; give them to one, or set "
                                 "requires_grad_(false)",
                      .stack = count.first->registered});
  }
}

void Training::conclude(Session &session, bool isEnd) {
  // Many schedulers are stepped after an epoch.
  for (const Scheduler &scheduler : schedulers)
    if (isEnd && scheduler.steps == 0 && scheduler.stepsOfOptimizers >= 20)
      session.report({.check = "ml-scheduler-order",
                      .message = "the scheduler was not stepped in " +
                                 std::to_string(scheduler.stepsOfOptimizers) +
                                 " steps of the optimizer: the learning rate stays what it is",
                      .stack = scheduler.made});
  if (saves.empty())
    for (const auto &[owner, stack] : written)
      if (!writtenBuffers.count(owner))
        session.report({.check = "ml-missing-buffers",
                        .message = "the parameters of a module are saved here, but not the buffers "
                                   "beside them, such as the statistics of batch normalization",
                        .stack = stack});
  for (const Scheduler &scheduler : schedulers)
    if (isEnd && scheduler.steps >= 50 && !scheduler.hasMoved)
      session.report({.check = "ml-scheduler-order",
                      .message = "the scheduler was stepped " + std::to_string(scheduler.steps) +
                                 " times, and the learning rate was always " + text(scheduler.rate),
                      .stack = scheduler.made,
                      .isAdvice = true});
  for (const auto &[site, input] : inputs)
    if (input.first >= 3)
      session.report({.check = "ml-requires-grad-input",
                      .message = "gradients were computed for this tensor in " +
                                 std::to_string(input.first) + " steps, and never looked at",
                      .stack = input.second});
}

} // namespace gradtidy::watch
