#include "Operations.h"

#include "Session.h"

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/anomaly_mode.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <unistd.h>

namespace gradtidy::watch {

namespace {

using Inputs = c10::ArrayRef<c10::IValue>;

at::Tensor tensorAt(Inputs inputs, size_t i) {
  return i < inputs.size() && inputs[i].isTensor() ? inputs[i].toTensor() : at::Tensor();
}

/// Calls \p each with every defined tensor of \p inputs, in lists, too.
template <typename Call> void forTensors(Inputs inputs, const Call &each) {
  for (const c10::IValue &input : inputs) {
    if (input.isTensor()) {
      if (input.toTensor().defined())
        each(input.toTensor());
    } else if (input.isTensorList()) {
      for (const at::Tensor &tensor : input.toTensorVector())
        if (tensor.defined())
          each(tensor);
    }
  }
}

std::string sizes(const at::Tensor &tensor) {
  std::string result = "(";
  for (const int64_t size : tensor.sizes())
    result += (result.size() > 1 ? ", " : "") + std::to_string(size);
  return result + ")";
}

/// The operation that made the numbers of \p tensor, as its graph names it: others only gave them
/// another shape.
std::string originOf(const at::Tensor &tensor) {
  static const std::set<std::string> shaping = {
      "ViewBackward0",       "UnsafeViewBackward0", "ReshapeAliasBackward0", "SqueezeBackward0",
      "SqueezeBackward1",    "UnsqueezeBackward0",  "PermuteBackward0",      "TransposeBackward0",
      "TBackward0",          "CloneBackward0",      "AliasBackward0",        "SliceBackward0",
      "SelectBackward0",     "ExpandBackward0",     "ToCopyBackward0",       "IndexSelectBackward0",
      "UnsafeSplitBackward0"};
  auto node = tensor.grad_fn();
  while (node && shaping.count(node->name()) && node->num_inputs() == 1 && node->num_outputs() == 1)
    node = node->next_edge(0).function;
  return node ? node->name() : "";
}

/// Calls \p each with the elements of \p tensor as double, if the CPU can read them one after the
/// other. At most 65536 of them: where labels are wrong, many are.
template <typename Call> void forNumbers(const at::Tensor &tensor, const Call &each) {
  if (!tensor.defined() || !tensor.device().is_cpu() || tensor.layout() != at::kStrided ||
      !tensor.is_contiguous() || tensor.numel() == 0)
    return;
  const auto go = [&](const auto *values) {
    for (int64_t i = 0; i < std::min<int64_t>(tensor.numel(), 65536); ++i)
      each(static_cast<double>(values[i]));
  };
  const void *data = tensor.const_data_ptr();
  switch (tensor.scalar_type()) {
  case at::kFloat:
    return go(static_cast<const float *>(data));
  case at::kDouble:
    return go(static_cast<const double *>(data));
  case at::kLong:
    return go(static_cast<const int64_t *>(data));
  case at::kInt:
    return go(static_cast<const int32_t *>(data));
  case at::kByte:
    return go(static_cast<const uint8_t *>(data));
  default:
    return;
  }
}

/// The first element of \p tensor that is less than \p least or more than \p most.
std::optional<double> numberOutside(const at::Tensor &tensor, double least, double most) {
  std::optional<double> found;
  forNumbers(tensor, [&](double value) {
    if (!found && (value < least || value > most))
      found = value;
  });
  return found;
}

bool isMainThread() {
  thread_local const bool isMain = gettid() == getpid();
  return isMain;
}

/// Operations whose result is all they are called for.
const std::set<std::string> &valueOperations() {
  static const std::set<std::string> all = {
      "aten::clamp",        "aten::clamp_min",  "aten::clamp_max", "aten::add",
      "aten::sub",          "aten::mul",        "aten::div",       "aten::pow",
      "aten::masked_fill",  "aten::index_fill", "aten::index",     "aten::index_select",
      "aten::masked_select"};
  return all;
}

bool isSelection(const std::string &name) {
  return name == "aten::index" || name == "aten::index_select" || name == "aten::masked_select";
}

const std::set<std::string> &randomOperations() {
  static const std::set<std::string> all = {"aten::randn", "aten::rand", "aten::randint",
                                            "aten::randperm", "aten::normal"};
  return all;
}

const std::set<std::string> &changingOperations() {
  static const std::set<std::string> all = {"aten::add_",  "aten::sub_", "aten::mul_",
                                            "aten::div_",  "aten::pow_", "aten::neg_",
                                            "aten::sqrt_", "aten::exp_"};
  return all;
}

/// Whether an operation is one that the program itself calls.
bool isOfProgram(const Thread &here) {
  return here.operations == 0 && here.backwards == 0 && here.steps == 0 && here.clears == 0 &&
         here.serializations == 0;
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction &function) {
  Thread &here = thread();
  if (here.isWatching)
    return nullptr;
  const bool isWatched = isOfProgram(here);
  ++here.operations;
  if (isWatched)
    if (const Watching watching; watching)
      watching->operations.before(*watching.operator->(), function.name(), function.inputs());
  return nullptr;
}

void end(const at::RecordFunction &function, at::ObserverContext *) {
  Thread &here = thread();
  if (here.isWatching)
    return;
  here.operations = std::max(0, here.operations - 1);
  // The engine has an operation of its own around the node's.
  const bool isOfBackward = here.operations <= 1 && here.backwards > 0;
  if (!isOfBackward && !isOfProgram(here))
    return;
  if (const Watching watching; watching) {
    if (isOfBackward)
      watching->operations.inBackward(*watching.operator->(), function.outputs());
    else
      watching->operations.after(*watching.operator->(), function.name(), function.outputs());
  }
}

std::unique_ptr<at::ObserverContext> beginBackward(const at::RecordFunction &function) {
  if (thread().isWatching)
    return nullptr;
  const uint64_t number =
      function.forwardThreadId() ? function.forwardThreadId() : function.threadId();
  const auto sequence = static_cast<uint64_t>(function.seqNr());
  if (const Watching watching; watching) {
    watching->graphs.onDifferentiated(number, sequence);
    watching->values.onNode(function.name(), number, sequence);
  }
  return nullptr;
}

} // namespace

void watchOperations() {
  at::addGlobalCallback(at::RecordFunctionCallback(begin, end)
                            .needsInputs(true)
                            .needsOutputs(true)
                            .scopes({at::RecordScope::FUNCTION}));
  // Without its inputs: a gradient that something else holds is copied where it would be kept.
  at::addGlobalCallback(
      at::RecordFunctionCallback(beginBackward).scopes({at::RecordScope::BACKWARD_FUNCTION}));
}

const std::unordered_map<std::string, Operations::Handler> &Operations::handlers() {
  static const std::unordered_map<std::string, Handler> all = {
      {"aten::mse_loss", &Operations::onElementwiseLoss},
      {"aten::l1_loss", &Operations::onElementwiseLoss},
      {"aten::smooth_l1_loss", &Operations::onElementwiseLoss},
      {"aten::huber_loss", &Operations::onElementwiseLoss},
      {"aten::cross_entropy_loss", &Operations::onClassLoss},
      {"aten::nll_loss", &Operations::onClassLoss},
      {"aten::nll_loss_nd", &Operations::onClassLoss},
      {"aten::binary_cross_entropy_with_logits", &Operations::onLogitLoss},
      {"aten::binary_cross_entropy", &Operations::onProbabilityLoss},
      {"aten::kl_div", &Operations::onDivergence},
      {"aten::embedding", &Operations::onEmbedding},
      {"aten::log", &Operations::onLog},
      {"aten::log2", &Operations::onLog},
      {"aten::log10", &Operations::onLog},
      {"aten::dropout", &Operations::onDropout},
      {"aten::batch_norm", &Operations::onBatchNorm},
      {"aten::squeeze", &Operations::onSqueeze},
      {"aten::gru", &Operations::onRecurrent},
      {"aten::lstm", &Operations::onRecurrent},
      {"aten::rnn_tanh", &Operations::onRecurrent},
      {"aten::rnn_relu", &Operations::onRecurrent},
      {"aten::sub", &Operations::onSubtraction},
  };
  return all;
}

void Operations::before(Session &session, const std::string &name, Inputs inputs) {
  std::vector<at::Tensor> held;
  forTensors(inputs, [&](const at::Tensor &tensor) { held.push_back(tensor); });
  std::vector<const at::Tensor *> tensors;
  for (const at::Tensor &tensor : held)
    tensors.push_back(&tensor);
  session.values.before(held);

  // Whether somebody has used what the last operation made.
  const auto found = pending.find(threadNumber());
  if (found != pending.end()) {
    Result &last = found->second;
    const bool isInput = std::any_of(held.begin(), held.end(), [&](const at::Tensor &tensor) {
      return tensor.unsafeGetTensorImpl() == last.tensor.address();
    });
    const bool isWrite =
        isInput && (name == "aten::fill_" || name == "aten::copy_" || name == "aten::zero_") &&
        tensorAt(inputs, 0).unsafeGetTensorImpl() == last.tensor.address();
    if (last.isWritten && last.tensor.expired() && last.storage.expired()) {
      session.report({.check = "ml-masked-assign-copy",
                      .message = "the value is written into a copy of the selected elements, which "
                                 "ends unused; use index_put_() or masked_fill_()",
                      .stack = last.stack});
    } else if (isWrite && isSelection(last.name) && !last.isWritten) {
      last.isWritten = true;
      return; // It is still to be seen whether the copy is used.
    } else if (!isSelection(last.name)) {
      ResultSite &site = results[last.stack.hash()];
      site.stack = last.stack;
      site.name = last.name;
      ++(last.tensor.expired() && last.storage.expired() ? site.dropped : site.used);
    }
    pending.erase(found);
  }

  session.graphs.beforeOperation(session, tensors);
  const bool records = at::GradMode::is_enabled();
  bool usesParameter = false;
  // What takes nothing but parameters is no part of a forward pass, but a norm or a print.
  const bool takesData = std::any_of(held.begin(), held.end(), [&](const at::Tensor &tensor) {
    return !session.training.find(tensor);
  });
  for (const at::Tensor &tensor : held) {
    const Parameter *parameter = session.training.find(tensor);
    if (parameter) {
      if (parameter->mode != Mode::Unknown || !parameter->registered.empty())
        thread().lastMode = parameter->mode;
      usesParameter |= !parameter->isBuffer;
      if (records && tensor.requires_grad() && tensor.is_leaf())
        session.graphs.onParameterUse(session, tensor.unsafeGetTensorImpl(), takesData);
      if (tensor.requires_grad())
        checkCastCache(session, tensor);
    }
  }
  // What takes parameters alone initializes them.
  if (usesParameter && takesData && !records)
    session.graphs.onOperationWithoutGrad(session);
  if (!random.empty() && records && session.step > 0)
    for (const at::Tensor &tensor : held) {
      const auto one = random.find(tensor.unsafeGetTensorImpl());
      if (one == random.end() || one->second.tensor.expired() ||
          one->second.lastStep == session.step)
        continue;
      one->second.lastStep = session.step;
      // A tensor that is used once more in each step may be part of the model.
      if (++one->second.uses == 5 && !session.training.find(tensor))
        session.report(
            {.check = "ml-unregistered-tensor",
             .message = "forward() has used this random tensor in 5 steps, but the module has not "
                        "registered it: it is neither trained, saved nor moved",
             .stack = one->second.stack,
             .place = Place::Constructor,
             .usedBy = Stack::capture()});
    }
  checkDevice(session, inputs);
  onDevice(session, name, inputs);
  if (!isMainThread())
    onScalars(inputs);
  onReads(session, name);
  if (name.back() == '_' && !held.empty()) {
    if (records && std::any_of(held.begin(), held.end(),
                               [](const at::Tensor &tensor) { return tensor.requires_grad(); }))
      lastInPlace = Stack::capture();
    session.training.onInPlace(session, held.front());
    onInPlace(session, name, held.front());
  }
  const auto handler = handlers().find(name);
  if (handler != handlers().end())
    (this->*handler->second)(session, name, inputs);
  if (name == "aten::stack" && inputs.size() > 0 && inputs[0].isTensorList())
    stacked = inputs[0].toTensorVector().size();
}

void Operations::inBackward(Session &session, const std::vector<c10::IValue> &outputs) {
  for (const c10::IValue &output : outputs)
    if (output.isTensor())
      session.values.inBackward(output.toTensor());
}

void Operations::onResultUsed() { pending.erase(threadNumber()); }

void Operations::after(Session &session, const std::string &name,
                       const std::vector<c10::IValue> &outputs) {
  at::Tensor output;
  for (const c10::IValue &one : outputs)
    if (one.isTensor() && !output.defined())
      output = one.toTensor();
  if (!output.defined())
    return;
  session.graphs.afterOperation(session, output);
  session.values.after(session, name, output);
  if (valueOperations().count(name) && output.has_storage() && !output.is_inference())
    pending[threadNumber()] = {.tensor = weak(output),
                               .storage = weakStorage(output),
                               .name = name,
                               .stack = Stack::capture()};
  if (session.step == 0 && randomOperations().count(name) && random.size() < 1024)
    random[output.unsafeGetTensorImpl()] = {.tensor = weak(output), .stack = Stack::capture()};
  if (name == "aten::stack")
    session.loaders.onStacked(output, stacked);
  if (name == "aten::pad_sequence") {
    if (padded.size() >= 16)
      padded.erase(padded.begin());
    padded.push_back(weak(output));
  }
}

// ---- losses ------------------------------------------------------------------------------------

void Operations::onElementwiseLoss(Session &session, const std::string &name, Inputs inputs) {
  const at::Tensor input = tensorAt(inputs, 0), target = tensorAt(inputs, 1);
  if (!input.defined() || !target.defined() || input.sizes() == target.sizes() ||
      input.numel() <= 1 || target.numel() <= 1)
    return;
  const bool isColumn = input.dim() == target.dim() + 1 && input.size(-1) == 1;
  const bool isRow = target.dim() == input.dim() + 1 && target.size(-1) == 1;
  if (isColumn || isRow)
    session.report({.check = "ml-broadcast-loss",
                    .message = "predictions of shape " + sizes(input) + " meet targets of shape " +
                               sizes(target) + ": each is compared to all of the other",
                    .stack = Stack::capture()});
}

void Operations::onClassLoss(Session &session, const std::string &name, Inputs inputs) {
  const at::Tensor input = tensorAt(inputs, 0), target = tensorAt(inputs, 1);
  if (!input.defined() || !target.defined())
    return;
  const bool isNll = name != "aten::cross_entropy_loss";
  if (target.scalar_type() != at::kLong && target.scalar_type() != at::kByte &&
      !(target.is_floating_point() && input.sizes() == target.sizes()))
    session.report({.check = "ml-label-dtype",
                    .message = std::string("class labels are 64-bit integers, but these are ") +
                               c10::toString(target.scalar_type()),
                    .stack = Stack::capture()});
  checkClasses(session, inputs);
  const std::string origin = originOf(input);
  if (!isNll && origin == "SoftmaxBackward0")
    session.report({.check = "ml-loss-activation",
                    .message = "cross_entropy_loss() applies the softmax itself, but its input has "
                               "been through one",
                    .stack = Stack::capture()});
  if (!isNll)
    return;
  const std::optional<double> positive =
      numberOutside(input, -std::numeric_limits<double>::infinity(), 1e-4);
  if (origin == "SoftmaxBackward0")
    session.report({.check = "ml-loss-activation",
                    .message = "nll_loss() takes logarithms of probabilities, but its input is "
                               "a softmax; use log_softmax()",
                    .stack = Stack::capture()});
  else if (positive || origin == "AddmmBackward0")
    session.report({.check = "ml-loss-activation",
                    .message = "nll_loss() takes logarithms of probabilities, but its input is "
                               "scores" +
                               (positive ? ", such as " + text(*positive) : std::string()) +
                               "; use log_softmax(), or cross_entropy()",
                    .stack = Stack::capture()});
}

/// Labels for which the scores have no class.
void Operations::checkClasses(Session &session, Inputs inputs) {
  const at::Tensor input = tensorAt(inputs, 0), target = tensorAt(inputs, 1);
  if (target.is_floating_point() || input.dim() == 0)
    return;
  const int64_t classes = input.size(input.dim() == 1 ? 0 : 1);
  // cross_entropy_loss(input, target, weight, reduction, ignore_index, ...), as nll_loss.
  const int64_t ignored = inputs.size() > 4 && inputs[4].isInt() ? inputs[4].toInt() : -100;
  std::optional<double> wrong;
  forNumbers(target, [&](double label) {
    if (!wrong && label != static_cast<double>(ignored) &&
        (label < 0 || label >= static_cast<double>(classes)))
      wrong = label;
  });
  if (wrong)
    session.report({.check = "run-label-range",
                    .message = "there is a label " + text(*wrong) + " among the targets, but the " +
                               std::to_string(classes) + " classes of the scores are 0 to " +
                               std::to_string(classes - 1),
                    .stack = Stack::capture()});
}

void Operations::checkProbabilities(Session &session, const std::string &loss,
                                    const at::Tensor &target) {
  if (const std::optional<double> wrong = numberOutside(target, -1e-4, 1 + 1e-4))
    session.report({.check = "run-label-range",
                    .message = loss + " takes targets from 0 to 1, but there is a " + text(*wrong) +
                               " among them: the loss may fall without end",
                    .stack = Stack::capture()});
}

void Operations::onLogitLoss(Session &session, const std::string &, Inputs inputs) {
  const at::Tensor input = tensorAt(inputs, 0);
  checkProbabilities(session, "binary_cross_entropy_with_logits()", tensorAt(inputs, 1));
  if (!input.defined())
    return;
  const std::string origin = originOf(input);
  if (origin == "SigmoidBackward0" || origin == "SoftmaxBackward0")
    session.report({.check = "ml-loss-activation",
                    .message =
                        "binary_cross_entropy_with_logits() applies the sigmoid itself, but its "
                        "input has been through one",
                    .stack = Stack::capture()});
}

void Operations::onProbabilityLoss(Session &session, const std::string &, Inputs inputs) {
  checkProbabilities(session, "binary_cross_entropy()", tensorAt(inputs, 1));
  if (const std::optional<double> score = numberOutside(tensorAt(inputs, 0), 0, 1))
    session.report({.check = "ml-loss-activation",
                    .message = "binary_cross_entropy() takes probabilities, but its input is "
                               "scores, such as " +
                               text(*score) +
                               "; use sigmoid(), or binary_cross_entropy_with_logits()",
                    .stack = Stack::capture()});
}

void Operations::onDivergence(Session &session, const std::string &, Inputs inputs) {
  const std::optional<double> positive =
      numberOutside(tensorAt(inputs, 0), -std::numeric_limits<double>::infinity(), 1e-4);
  if (positive)
    session.report({.check = "ml-loss-activation",
                    .message = "kl_div() takes logarithms of probabilities, but there is a " +
                               text(*positive) + " in its input; use log_softmax()",
                    .stack = Stack::capture()});
}

void Operations::onEmbedding(Session &session, const std::string &, Inputs inputs) {
  const at::Tensor weight = tensorAt(inputs, 0), indices = tensorAt(inputs, 1);
  if (!weight.defined() || weight.dim() == 0)
    return;
  if (const auto wrong = numberOutside(indices, 0, static_cast<double>(weight.size(0) - 1)))
    session.report({.check = "run-label-range",
                    .message = "there is a " + text(*wrong) +
                               " among the indices, but the "
                               "embedding has rows 0 to " +
                               std::to_string(weight.size(0) - 1),
                    .stack = Stack::capture()});
}

void Operations::onLog(Session &session, const std::string &name, Inputs inputs) {
  const at::Tensor input = tensorAt(inputs, 0);
  if (!input.defined() || !input.device().is_cpu() || input.scalar_type() != at::kFloat ||
      !input.is_contiguous() || !input.requires_grad())
    return;
  const auto *values = static_cast<const float *>(input.const_data_ptr());
  if (std::none_of(values, values + input.numel(), [](float value) { return value == 0; }))
    return;
  zeros.erase(std::remove_if(zeros.begin(), zeros.end(),
                             [&](const Zero &one) { return one.step != session.step; }),
              zeros.end());
  zeros.push_back({Stack::capture(), name.substr(6), session.step});
}

bool Operations::onLoss(Session &session, double loss) {
  if (std::isfinite(loss) || isBroken)
    return false;
  isBroken = true;
  bool isExplained = false;
  for (const Zero &zero : zeros)
    if (zero.step == session.step) {
      isExplained = true;
      session.report({.check = "ml-log-of-zero",
                      .message = zero.name + "() was given a 0 in this step, and the loss is " +
                                 (std::isnan(loss) ? "not a number" : "infinite"),
                      .stack = zero.stack});
    }
  return isExplained;
}

// ---- modes -------------------------------------------------------------------------------------

void Operations::onEvaluationInTraining(Session &session) {
  const Stack stack = Stack::capture();
  auto &[step, count] = evaluations[stack.hash()];
  // A training may run parts of itself without gradients, between its steps.
  count = count > 0 && step == session.step ? count + 1 : 1;
  step = session.step;
  if (count == 3)
    session.report({.check = "ml-missing-eval-mode",
                    .message =
                        "3 forward passes in a row ran without gradients and in training mode: "
                        "dropout and batch normalization are active",
                    .stack = stack,
                    .place = Place::Forward});
}

void Operations::onDropout(Session &session, const std::string &, Inputs inputs) {
  if (inputs.size() < 3 || !inputs[2].isBool() || !inputs[2].toBool() || !inputs[1].isDouble() ||
      inputs[1].toDouble() == 0)
    return;
  const Mode mode = thread().lastMode;
  if (mode == Mode::Evaluation) {
    // A frozen part of a module that is trained says nothing of the module.
    if (!thread().inDropoutModule && !session.training.isAnyTraining())
      session.report({.check = "ml-functional-dropout",
                      .message =
                          "this dropout is on while the module is in evaluation mode: it does "
                          "not ask whether the module is training",
                      .stack = Stack::capture()});
    return;
  }
  if (!at::GradMode::is_enabled())
    onEvaluationInTraining(session);
}

void Operations::onBatchNorm(Session &session, const std::string &, Inputs inputs) {
  if (inputs.size() < 6 || !inputs[5].isBool() || !inputs[5].toBool())
    return;
  const at::Tensor input = tensorAt(inputs, 0), weight = tensorAt(inputs, 1);
  if (!at::GradMode::is_enabled()) {
    onEvaluationInTraining(session);
    return;
  }
  if (!input.defined() || input.dim() != 2 || input.size(0) > 4 || !weight.defined())
    return;
  // Each of several passes for one step has its own statistics.
  const Stack stack = Stack::capture();
  auto &[step, count] = smallBatches[stack.hash()];
  count = step == session.step ? count + 1 : 1;
  step = session.step;
  if (session.step > 0 && count == 4)
    session.report({.check = "ml-batchnorm-accumulation",
                    .message = "batch normalization is trained on batches of " +
                               std::to_string(input.size(0)) + ", whose gradients add up to a step",
                    .stack = stack,
                    .place = Place::Forward});
}

// ---- shapes ------------------------------------------------------------------------------------

void Operations::onSqueeze(Session &session, const std::string &, Inputs inputs) {
  const at::Tensor input = tensorAt(inputs, 0);
  if (inputs.size() != 1 || !input.defined() || input.dim() == 0 || !input.requires_grad())
    return;
  const Stack stack = Stack::capture();
  const auto kept = static_cast<int64_t>(std::count_if(input.sizes().begin(), input.sizes().end(),
                                                       [](int64_t size) { return size != 1; }));
  int64_t &most = squeezed[stack.hash()];
  if (kept < most && input.size(0) == 1)
    session.report({.check = "ml-squeeze-batch",
                    .message = "squeeze() takes the dimension of the samples from " + sizes(input) +
                               ", a batch of one; name the dimension",
                    .stack = stack});
  most = std::max(most, kept);
}

void Operations::onRecurrent(Session &session, const std::string &name, Inputs inputs) {
  const at::Tensor input = tensorAt(inputs, 0);
  if (!input.defined() || input.dim() != 3 || inputs.size() < 9 || !inputs[8].isBool())
    return;
  const bool batchFirst = inputs[8].toBool();
  if (!batchFirst && session.loaders.isBatch(input, input.size(0)) &&
      input.size(1) != input.size(0))
    session.report({.check = "ml-rnn-batch-first",
                    .message = "the layer takes the " + std::to_string(input.size(0)) +
                               " samples of the loader's batch for steps of a sequence; set "
                               "batch_first(true)",
                    .stack = Stack::capture()});
  for (const WeakTensor &one : padded)
    if (!one.expired() && one.address() == input.unsafeGetTensorImpl())
      session.report({.check = "ml-unpacked-padding",
                      .message = "the layer goes through what pad_sequence() has filled up; use "
                                 "pack_padded_sequence()",
                      .stack = Stack::capture()});
}

void Operations::onSubtraction(Session &session, const std::string &, Inputs inputs) {
  const at::Tensor left = tensorAt(inputs, 0), right = tensorAt(inputs, 1);
  if (session.step == 0 || !left.defined() || !right.defined() || !left.has_storage() ||
      !right.has_storage() || left.unsafeGetTensorImpl() == right.unsafeGetTensorImpl() ||
      left.numel() == 0 || left.data_ptr() != right.data_ptr() || left.sizes() != right.sizes() ||
      left.strides() != right.strides() || left.scalar_type() != right.scalar_type())
    return;
  // Other differences of this kind are meant: they are 0 and have a gradient.
  if (left.requires_grad() || right.requires_grad() || !session.training.isParameter(left))
    return;
  session.report({.check = "ml-module-shallow-copy",
                  .message = "this difference is always 0: both tensors lie in the same memory; "
                             "detach() copies nothing, clone() does",
                  .stack = Stack::capture()});
}

// ---- memory ------------------------------------------------------------------------------------

void Operations::onInPlace(Session &session, const std::string &name, const at::Tensor &self) {
  if (!session.loaders.isUsed() || self.requires_grad() || !self.has_storage() ||
      !changingOperations().count(name) || !self.device().is_cpu())
    return;
  const Stack stack = Stack::capture();
  if (inPlace.size() > 64 && !inPlace.count(stack.hash()))
    return;
  InPlaceSite &site = inPlace[stack.hash()];
  site.stack = stack;
  site.name = name.substr(6);
  if (site.changed.size() > 4096)
    return;
  const WeakStorage storage = weakStorage(self);
  auto &changed = site.changed
                      .try_emplace(self.const_data_ptr(),
                                   InPlaceSite::Changed{.storage = storage, .epochs = {}})
                      .first->second;
  if (changed.storage.expired())
    changed = {.storage = storage, .epochs = {}};
  changed.epochs.insert(session.loaders.epoch());
  const auto again = std::count_if(site.changed.begin(), site.changed.end(), [](const auto &one) {
    return one.second.epochs.size() >= 2 && !one.second.storage.expired();
  });
  if (again >= 4)
    session.report({.check = "ml-changed-samples",
                    .message = site.name +
                               "() changes samples where the dataset keeps them, again in "
                               "every epoch",
                    .stack = stack,
                    .through = "torch::data::"});
}

void Operations::onFromBlob(Session &session, const at::Tensor &tensor) {
  if (!tensor.defined() || !tensor.device().is_cpu() || tensor.numel() == 0 ||
      !tensor.is_contiguous())
    return;
  const Stack stack = Stack::capture();
  std::vector<Blob> &all = blobs[stack.hash()];
  all.erase(
      std::remove_if(all.begin(), all.end(), [](const Blob &one) { return one.storage.expired(); }),
      all.end());
  const size_t size = std::min<size_t>(tensor.nbytes(), 4096);
  const uint64_t content = std::hash<std::string_view>()(
      std::string_view(static_cast<const char *>(tensor.const_data_ptr()), size));
  const auto changed = std::count_if(all.begin(), all.end(), [&](const Blob &one) {
    return one.data == tensor.const_data_ptr() && one.content != content;
  });
  if (changed >= 3)
    session.report({.check = "ml-dangling-from-blob",
                    .message =
                        "4 tensors lie in this one buffer, whose content has changed since the "
                        "first: each shows what was written last; clone() them",
                    .stack = stack});
  if (all.size() < 16)
    all.push_back({weakStorage(tensor), tensor.const_data_ptr(), content});
}

// ---- devices, types and threads ----------------------------------------------------------------

void Operations::checkDevice(Session &session, Inputs inputs) {
  for (const c10::IValue &input : inputs)
    if (input.isDevice() && input.toDevice().is_cuda() && !at::hasCUDA())
      session.report({.check = "ml-hardcoded-device",
                      .message = "this asks for a GPU, and the machine has none",
                      .stack = Stack::capture()});
}

bool Operations::InSteps::isNew(unsigned step) {
  if (row > 0 && step == last) {
    ++count;
    return false;
  }
  row = row > 0 && step == last + 1 ? row + 1 : 1;
  last = step;
  count = 1;
  return true;
}

/// Copies to devices, and reads that wait until they have done their work.
void Operations::onDevice(Session &session, const std::string &name, Inputs inputs) {
  const at::Tensor tensor = tensorAt(inputs, 0);
  if (!tensor.defined() || session.step == 0)
    return;
  const auto isDevice = [](const at::Device &device) {
    return !device.is_cpu() && !device.is_meta();
  };
  if (name == "aten::item" && isDevice(tensor.device())) {
    const Stack stack = Stack::capture();
    InSteps &wait = waits[stack.hash()];
    const unsigned before = wait.count;
    if (!wait.isNew(session.step) || wait.row < 10)
      return;
    const bool isMany = before >= 8;
    session.report({.check = "ml-sync-in-loop",
                    .message = "in 10 steps in a row the program has waited here until the device "
                               "had done all of its work, " +
                               std::to_string(before) +
                               " times in the last one; compute on the device, and read seldom",
                    .stack = stack,
                    .isAdvice = !isMany});
  }
  if (name != "aten::to" || isDevice(tensor.device()) ||
      std::none_of(inputs.begin() + 1, inputs.end(), [&](const c10::IValue &input) {
        return (input.isDevice() && isDevice(input.toDevice())) ||
               (input.isTensor() && input.toTensor().defined() &&
                isDevice(input.toTensor().device()));
      }))
    return;
  const uint32_t version = tensor.unsafeGetTensorImpl()->is_inference() ? 0 : tensor._version();
  if (copies.size() >= 1024 && !copies.count(tensor.unsafeGetTensorImpl()))
    copies.clear();
  Copy &copy = copies[tensor.unsafeGetTensorImpl()];
  if (copy.tensor.expired() || copy.version != version)
    copy = {weak(tensor), version, {}};
  if (copy.steps.isNew(session.step) && copy.steps.row == 5)
    session.report({.check = "ml-device-ping-pong",
                    .message = "this has copied the same tensor to the device in 5 steps in a row; "
                               "copy it once, before the loop",
                    .stack = Stack::capture()});
}

void Operations::checkCastCache(Session &session, const at::Tensor &parameter) {
  if (!at::autocast::is_autocast_enabled(parameter.device().type()) ||
      !at::autocast::is_autocast_cache_enabled() || parameter.scalar_type() != at::kFloat ||
      !at::GradMode::is_enabled())
    return;
  const auto [found, isNew] = castSteps.try_emplace(parameter.unsafeGetTensorImpl(), session.step);
  const Parameter *known = session.training.find(parameter);
  if (!isNew && found->second + 2 <= session.step && known && known->steps > 0)
    session.report({.check = "ml-amp",
                    .message = "autocast computes with weights of " +
                               std::to_string(session.step - found->second) +
                               " steps before: its cache was not cleared since",
                    .stack = Stack::capture(),
                    .place = Place::Forward});
}

void Operations::onScalars(Inputs inputs) {
  Scalars &own = scalars[threadNumber()];
  for (const c10::IValue &input : inputs) {
    if (!input.isDouble() || input.toDouble() == std::floor(input.toDouble()))
      continue;
    const double value = input.toDouble();
    const auto found = std::find_if(own.counts.begin(), own.counts.end(),
                                    [&](const auto &one) { return one.first == value; });
    if (found != own.counts.end())
      ++found->second;
    else if (own.counts.size() < 256) {
      own.counts.emplace_back(value, 1);
      if (own.stack.empty())
        own.stack = Stack::capture();
      // Where random numbers come first, if others have come before.
      else if (own.single().size() == 1)
        own.stack = Stack::capture();
    }
  }
}

std::vector<double> Operations::Scalars::single() const {
  std::vector<double> result;
  for (const auto &[value, count] : counts)
    if (count == 1)
      result.push_back(value);
  return result;
}

void Operations::compareScalars(Session &session) {
  for (auto one = scalars.begin(); one != scalars.end(); ++one) {
    const std::vector<double> numbers = one->second.single();
    for (auto other = scalars.begin(); other != one; ++other) {
      const std::vector<double> others = other->second.single();
      if (numbers.size() < 8 || others.size() < 8 ||
          !std::equal(numbers.begin(), numbers.begin() + 8, others.begin()))
        continue;
      session.report({.check = "ml-worker-rng",
                      .message = "two workers compute with the same random numbers, one after the "
                                 "other: each has a copy of one engine",
                      .stack = one->second.stack,
                      .through = "torch::data::"});
    }
  }
}

/// Elements that are read one by one: nearly each operation is part of reading one.
void Operations::onReads(Session &session, const std::string &name) {
  constexpr unsigned sample = 256;
  ++operationsSinceRead;
  if (name != "aten::item" || ++reads % sample != 0)
    return;
  const bool isDense = operationsSinceRead <= 6 * sample;
  operationsSinceRead = 0;
  const Stack stack = Stack::capture();
  denseReads = isDense && lastRead == stack.hash() ? denseReads + 1 : 0;
  lastRead = stack.hash();
  if (denseReads == 8)
    session.report({.check = "ml-elementwise-access",
                    .message = "this has read more than 2000 elements in a row, each as a tensor "
                               "of its own; use accessor() or data_ptr()",
                    .stack = stack});
}

void Operations::onAnomalyGuard(const void *self, bool begins, Session &session) {
  if (begins)
    anomalyGuards[self] = {Stack::capture(), session.step};
  else
    anomalyGuards.erase(self);
}

void Operations::onStep(Session &session) {
  for (const auto &[self, guard] : anomalyGuards)
    if (session.step >= guard.second + 5 && torch::autograd::AnomalyMode::is_enabled())
      session.report(
          {.check = "ml-anomaly-mode",
           .message = "anomaly detection has been on for 5 steps: it looks at every gradient",
           .stack = guard.first});
}

void Operations::onError(Session &session, const std::string &message, const Stack &stack) {
  const auto says = [&](const char *text) { return message.find(text) != std::string::npos; };
  if (says("Trying to backward through the graph a second time"))
    session.graphs.onFreedGraph(session, stack);
  else if (says("grad can be implicitly created only for scalar outputs"))
    session.report({.check = "ml-non-scalar-backward",
                    .message = "backward() is called on a tensor of several elements",
                    .stack = stack});
  else if (says("does not require grad and does not have a grad_fn") &&
           session.graphs.wasDisabled())
    session.report({.check = "ml-backward-under-no-grad",
                    .message = "the forward pass of this backward ran with gradients disabled",
                    .stack = stack});
  else if (says("does not require grad and does not have a grad_fn"))
    session.report({.check = "ml-loss-without-gradient",
                    .message = "the loss of this backward depends on no parameter: it is made of "
                               "comparisons, indices or numbers, or of detached tensors",
                    .stack = stack});
  else if (says("modified by an inplace operation"))
    session.report({.check = "ml-saved-tensor-overwritten",
                    .message = lastInPlace.empty()
                                   ? "this backward needs a tensor that was changed since, as a "
                                     "step of the optimizer does"
                                   : "a backward needs a tensor that was changed in place since; "
                                     "the last change before it is here",
                    .stack = lastInPlace.empty() ? stack : lastInPlace});
  else if (says("to be on the same device"))
    session.report({.check = "ml-device-mismatch",
                    .message = "tensors on different devices meet here: move the module and its "
                               "inputs, and make tensors with the options of these",
                    .stack = stack});
  else if (says("to have the same dtype") || says("must have the same dtype") ||
           says("expected scalar type") || (says("Found dtype") && says("but expected")))
    session.report({.check = "ml-dtype-mismatch",
                    .message = "tensors of different types meet here: " +
                               message.substr(0, message.find('\n')),
                    .stack = stack});
  else if (says("a leaf Variable that requires grad") && says("in-place"))
    session.report({.check = "ml-manual-update-graph",
                    .message =
                        "a parameter is changed in place while gradients are recorded; use a "
                        "torch::NoGradGuard",
                    .stack = stack});
  else if (says("can't optimize a non-leaf Tensor"))
    session.report({.check = "ml-nonleaf-parameter",
                    .message = "the optimizer is given a tensor that was computed from another one",
                    .stack = stack});
  else if (says("while another iterator is not yet exhausted"))
    session.report({.check = "ml-loader-abandoned",
                    .message =
                        "the last loop over this loader was left early, while its workers were "
                        "ahead",
                    .stack = stack});
}

void Operations::conclude(Session &session) {
  compareScalars(session);
  for (const auto &[hash, site] : results) {
    if (site.used > 0)
      continue;
    const std::string call = site.name.substr(6);
    // What an assignment drops may be the last value of a loop, or be read by its address.
    session.report(
        {.check = "ml-discarded-result",
         .message = "the result of " + call + "() was never used" +
                    (site.dropped > 1 ? ", " + std::to_string(site.dropped) + " times" : ""),
         .stack = site.stack,
         .ifAssigned = site.dropped > 1 ? "ml-rebound-handle" : "none",
         .statement = call});
  }
}

} // namespace gradtidy::watch
