#include "Record.h"
#include "../core/TensorImpl.h"
#include "../ops/Arithmetic.h"
#include "../ops/Copies.h"
#include "../ops/Factories.h"
#include "OwnMemory.h"
#include "SavedTensor.h"

#include <atomic>
#include <utility>

namespace gradtidy::runtime {

void deleteNode(Node *node) {
  // Deleting a node drops tensors and nodes that may be the last owners of further nodes. Those
  // wait here for their turn instead of going deeper. (The pointer is trivially destructible:
  // tensors of static storage duration may come here after thread_local objects are gone.)
  static thread_local std::vector<Node *> *pending = nullptr;
  if (pending) {
    pending->push_back(node);
    return;
  }
  std::vector<Node *> queue{node};
  pending = &queue;
  while (!queue.empty()) {
    Node *last = queue.back();
    queue.pop_back();
    delete last;
  }
  pending = nullptr;
}

Node::Node() {
  static std::atomic<uint64_t> counter{0};
  sequence = counter++;
  if (autograd::AnomalyMode::is_enabled())
    anomaly = std::make_unique<autograd::AnomalyMetadata>(current() ? current()->shared_from_this()
                                                                    : nullptr);
}

Node *&Node::current() {
  static thread_local Node *node = nullptr;
  return node;
}

namespace {

/// The operation without the ending of its node: "Exp" of "ExpBackward0".
std::string plainName(std::string name) { return name.substr(0, name.find("Backward")); }

} // namespace

void failBackwardTwice() {
  fail("Trying to backward through the graph a second time (or directly access saved tensors after "
       "they have already been freed). Saved intermediate values of the graph are freed when you "
       "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
       "through the graph a second time or if you need to access saved tensors after calling "
       "backward.");
}

SavedTensor::SavedTensor(const Tensor &tensor, bool result) : isResult(result) {
  if (!tensor.defined())
    return;
  if (implOf(tensor).isInference)
    fail("Inference tensors cannot be saved for backward. Please do not use Tensors created in "
         "inference mode in computation tracked by autograd. To work around this, you can make "
         "a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` "
         "instead of `torch.inference_mode()`.");
  value = isResult ? makeAlias(tensor) : tensor;
  version = tensor._version();
  outputNr = static_cast<uint32_t>(tensor.output_nr());
}

Tensor SavedTensor::unpack(Node &node) const {
  if (!value.defined())
    return {};
  uint32_t current = value._version();
  if (current != version) {
    std::string origin;
    if (isResult)
      origin = concat(", which is output ", outputNr, " of ", plainName(node.name()), ",");
    else if (auto producer = value.grad_fn())
      origin =
          concat(", which is output ", value.output_nr(), " of ", plainName(producer->name()), ",");
    fail("one of the variables needed for gradient computation has been modified by an inplace "
         "operation: [",
         value.toString(), " ", toText(value.sizes()), "]", origin, " is at version ", current,
         "; expected version ", version, " instead. Hint: ",
         autograd::AnomalyMode::is_enabled()
             ? "the backtrace further above shows the operation that failed to compute its "
               "gradient. The variable in question was changed in there or anywhere later. Good "
               "luck!"
             : "enable anomaly detection to find the operation that failed to compute its "
               "gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).");
  }
  if (!isResult)
    return value;
  Tensor result = makeAlias(value);
  implOf(result).autograd.gradFn = node.shared_from_this();
  implOf(result).autograd.outputNr = outputNr;
  return result;
}

namespace {

/// The node of every operation with one result.
class OperationNode final : public Node {
public:
  OperationNode(const char *name, GradientFormula formula)
      : operation(name), formula(std::move(formula)) {}

  std::string name() const override { return operation; }

  std::vector<Tensor> apply(std::vector<Tensor> gradients) override {
    if (!gradients[0].defined())
      return std::vector<Tensor>(next.size());
    return formula(gradients[0], Context(*this));
  }

  void release() override {
    released = !saved.empty() || released;
    saved.clear();
  }

  std::vector<SavedTensor> saved;

private:
  class Context final : public GradientContext {
  public:
    explicit Context(OperationNode &node) : node(node) {}
    Tensor saved(std::size_t i) const override { return node.unpack(i); }
    bool needs(std::size_t i) const override { return node.next[i].function != nullptr; }

  private:
    OperationNode &node;
  };

  Tensor unpack(std::size_t i) {
    if (released)
      failBackwardTwice();
    return saved[i].unpack(*this);
  }

  const char *operation;
  GradientFormula formula;
  bool released = false;
};

/// Stands for a leaf: adds what arrives to its grad().
class AccumulateGradient final : public Node {
public:
  explicit AccumulateGradient(const Tensor &leaf) : leaf(leaf) {
    sequence = UINT64_MAX;
    inputs.emplace_back(leaf);
  }

  std::string name() const override { return "torch::autograd::AccumulateGrad"; }
  GradHooks hooksOf(std::size_t) const override {
    const auto &hooks = implOf(leaf).autograd.hooks;
    return hooks ? *hooks : GradHooks();
  }

  std::vector<Tensor> apply(std::vector<Tensor> gradients) override {
    Tensor gradient = std::move(gradients[0]);
    if (!gradient.defined() || !leaf.requires_grad()) // any more
      return {};
    AutogradInfo &info = implOf(leaf).autograd;
    if (!info.grad.defined()) {
      const bool ours = hasMemoryOfItsOwn(gradient);
      if (GradMode::is_enabled())
        info.grad =
            record(copyLaidOut(gradient), "CloneBackward0", {gradient}, {},
                   [](const Tensor &g, const GradientContext &) -> Gradients { return {g}; });
      else if (ours && laidOutLike(gradient) && !gradient.requires_grad())
        info.grad = gradient.is_view() ? gradient.detach() : std::move(gradient);
      else
        info.grad = copyLaidOut(gradient.detach());
    } else if (GradMode::is_enabled()) {
      info.grad = info.grad + gradient;
    } else {
      info.grad.add_(gradient);
    }
    return {};
  }

private:
  /// Gradients lie in memory as their leaf does, or in the usual order where it has gaps.
  DimVector strides() const {
    bool dense = isNonOverlappingAndDense(leaf.sizes(), leaf.strides());
    return dense ? leaf.strides().vec() : contiguousStrides(leaf.sizes());
  }
  bool laidOutLike(const Tensor &gradient) const {
    DimVector wanted = strides();
    for (std::size_t d = 0; d < wanted.size(); ++d)
      if (gradient.sizes()[d] > 1 && gradient.strides()[d] != wanted[d])
        return false;
    return true;
  }
  Tensor copyLaidOut(const Tensor &gradient) const {
    Tensor copy =
        makeEmptyStrided(leaf.sizes(), strides(), gradient.scalar_type(), gradient.device());
    copyInto(copy, gradient);
    return copy;
  }

  Tensor leaf;
};

/// Geometry of a view within its base.
struct Window {
  DimVector sizes, strides;
  int64_t offset;
};

Window windowOf(const TensorImpl &view, const TensorImpl &base) {
  return {view.sizes, view.strides, view.offset - base.offset};
}

/// A base tensor after one of its views was changed in place: the part of the gradient that lies
/// in the view goes through the operation that changed it.
class CopySlices final : public Node {
public:
  CopySlices(const Tensor &base, Window window, std::shared_ptr<Node> operation)
      : sizes(base.sizes().vec()), strides(base.strides().vec()), window(std::move(window)),
        operation(std::move(operation)) {
    inputs.emplace_back(base);
    next.push_back(gradientEdge(base));
    for (std::size_t i = 1; i < this->operation->next.size(); ++i)
      next.push_back(this->operation->next[i]);
  }

  std::string name() const override { return "torch::autograd::CopySlices"; }

  std::vector<Tensor> apply(std::vector<Tensor> gradients) override {
    if (!gradients[0].defined())
      return std::vector<Tensor>(next.size());
    Tensor result =
        makeEmptyStrided(sizes, strides, gradients[0].scalar_type(), gradients[0].device());
    result.copy_(gradients[0]);
    Tensor slice = result.as_strided(window.sizes, window.strides, window.offset);
    std::vector<Tensor> inner = operation->apply({slice.clone()});
    if (inner[0].defined())
      slice.copy_(inner[0]);
    else
      slice.zero_();
    inner[0] = result;
    return inner;
  }

  void release() override { operation->release(); }

private:
  DimVector sizes, strides;
  Window window;
  std::shared_ptr<Node> operation;
};

/// The gradFn of a view whose base was changed in place after the view was made.
std::shared_ptr<Node> makeWindowNode(const Tensor &base, const Tensor &view) {
  Window window = windowOf(implOf(view), implOf(base));
  auto node = makeNode<OperationNode>(
      "AsStridedBackward0",
      [window, sizes = base.sizes().vec(), strides = base.strides().vec()](
          const Tensor &gradient, const GradientContext &) -> Gradients {
        Tensor whole =
            makeEmptyStrided(sizes, strides, gradient.scalar_type(), gradient.device()).zero_();
        addInto(makeAlias(whole, window.sizes, window.strides, window.offset), gradient);
        return {whole};
      });
  node->inputs.emplace_back(view);
  node->next.push_back(gradientEdge(base));
  return node;
}

/// Brings the gradFn of a view up to date with in-place changes of its base.
void refreshView(TensorImpl &self) {
  if (!self.autograd.view || self.autograd.view->version == *self.version)
    return;
  ViewInfo &view = *self.autograd.view;
  view.version = *self.version;
  if (!view.base.requires_grad())
    return;
  Window window = windowOf(self, implOf(view.base));
  Tensor alias = makeAlias(view.base, self.sizes, self.strides, self.offset);
  self.autograd.gradFn = makeWindowNode(view.base, alias);
  self.autograd.outputNr = 0;
}

} // namespace

void checkChangeable(const Tensor &self, bool recording) {
  const TensorImpl &impl = implOf(self);
  if (impl.isInference && !InferenceMode::is_enabled())
    fail("Inplace update to inference tensor outside InferenceMode is not allowed.You can make a "
         "clone to get a normal tensor before doing inplace update.See "
         "https://github.com/pytorch/rfcs/pull/17 for more details.");
  if (!GradMode::is_enabled())
    return;
  if (impl.autograd.view && impl.autograd.view->withoutGrad &&
      impl.autograd.view->base.requires_grad())
    fail("A view was created in no_grad mode and is being modified inplace with grad mode enabled. "
         "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify "
         "your code by moving both the view and the inplace either both inside the no_grad block "
         "(if you don't want the inplace to be tracked) or both outside (if you want the inplace "
         "to be tracked).");
  if (recording && impl.autograd.view && impl.autograd.view->oneOfMany)
    fail("Output ", self.output_nr(), " of ", self.grad_fn() ? self.grad_fn()->name() : "a split",
         " is a view and is being modified inplace. This view is the output of a function that "
         "returns multiple views. Such functions do not allow the output views to be modified "
         "inplace. You should replace the inplace operation by an out-of-place one.");
  if (!self.requires_grad())
    return;
  if (impl.autograd.view && impl.autograd.view->base.is_leaf())
    fail("a view of a leaf Variable that requires grad is being used in an in-place operation.");
  TORCH_CHECK(!self.is_leaf(),
              "a leaf Variable that requires grad is being used in an in-place operation.");
}

namespace {

/// Throws unless `result` may be written into `self`.
void checkFits(const Tensor &result, const Tensor &self) {
  if (result.device() != self.device())
    failForDevices(result.device(), self.device());
  TORCH_CHECK(canCast(result.scalar_type(), self.scalar_type()), "result type ",
              result.scalar_type(), " can't be cast to the desired output type ",
              self.scalar_type());
  TORCH_CHECK(result.sizes() == self.sizes(), "output with shape ", toText(self.sizes()),
              " doesn't match the broadcast shape ", toText(result.sizes()));
}

/// Lets `self` be the result of the operation that made `result`.
void takeOver(const Tensor &self, const Tensor &result) {
  TensorImpl &impl = implOf(self);
  std::shared_ptr<Node> node = result.grad_fn();
  if (auto *operation = dynamic_cast<OperationNode *>(node.get())) {
    for (SavedTensor &entry : operation->saved) {
      if (entry.isResult) {
        entry = SavedTensor(self, true);
      } else if (entry.value.is_same(self)) {
        // Changed since, so that backward refuses it; left so, the node and self would own each
        // other.
        entry.value = makeAlias(self);
        entry.isResult = true;
      }
    }
  }
  if (impl.autograd.view) {
    Tensor base = impl.autograd.view->base;
    AutogradInfo &info = implOf(base).autograd;
    info.gradFn = makeNode<CopySlices>(base, windowOf(impl, implOf(base)), std::move(node));
    info.outputNr = 0;
    impl.autograd.view->version = *impl.version - 1; // out of date: refreshed on the next look
  } else {
    if (auto before = std::exchange(impl.autograd.gradFn, node); before && before != node) {
      // A gradient that is to be kept is that of the tensor as it is now.
      auto isSelf = [&](const auto &entry) { return entry.second.lock().get() == &impl; };
      for (const auto &entry : before->retained)
        if (isSelf(entry))
          node->retained.emplace_back(0, entry.second);
      std::erase_if(before->retained, isSelf);
    }
    impl.autograd.outputNr = 0;
  }
}

} // namespace

Edge gradientEdge(const Tensor &tensor) {
  if (!tensor.defined())
    return {};
  if (auto node = tensor.grad_fn())
    return {std::move(node), static_cast<uint32_t>(tensor.output_nr())};
  AutogradInfo &info = implOf(tensor).autograd;
  if (!info.requiresGrad)
    return {};
  auto node = info.accumulator.lock();
  if (!node) {
    node = makeNode<AccumulateGradient>(tensor);
    info.accumulator = node;
  }
  return {std::move(node), 0};
}

bool mustRecord(TensorList inputs) {
  if (!GradMode::is_enabled())
    return false;
  for (const Tensor &input : inputs)
    if (input.defined() && input.requires_grad())
      return true;
  return false;
}

Tensor recordAlways(Tensor result, const char *name, TensorList inputs, TensorList saved,
                    GradientFormula formula) {
  auto node = makeNode<OperationNode>(name, std::move(formula));
  for (const Tensor &input : inputs)
    node->next.push_back(gradientEdge(input));
  node->inputs.emplace_back(result);
  for (const Tensor &tensor : saved)
    node->saved.emplace_back(tensor, tensor.is_same(result));
  AutogradInfo &info = implOf(result).autograd;
  info.gradFn = std::move(node);
  info.outputNr = 0;
  return result;
}

void refuseGradient(const char *function, const char *name, const Tensor &argument) {
  TORCH_CHECK(!mustRecord(argument), "The function '", function,
              "' is not differentiable with respect to argument '", name,
              "'. This input cannot have requires_grad True.");
}

void linkView(const Tensor &self, const Tensor &alias) {
  const TensorImpl &from = implOf(self);
  if (from.isInference)
    return;
  const std::optional<ViewInfo> &view = from.autograd.view;
  implOf(alias).autograd.view = ViewInfo{
      .base = view ? view->base : self,
      .version = *from.version,
      .withoutGrad = !GradMode::is_enabled() || (view && view->withoutGrad),
  };
}

Tensor &changeInPlace(const Tensor &self, TensorList others, const std::function<void()> &write,
                      const std::function<Tensor(const Tensor &)> &compute) {
  bool recording = self.is_floating_point() && (mustRecord(self) || mustRecord(others));
  checkChangeable(self, recording);
  TORCH_CHECK(!hasInternalOverlap(self.sizes(), self.strides()),
              "unsupported operation: more than one element of the written-to tensor refers to a "
              "single memory location. Please clone() the tensor before performing the "
              "operation.");
  if (!recording) {
    write();
    implOf(self).countChange();
    RecordFunction::setResult(self);
    return const_cast<Tensor &>(self);
  }
  // The operation may save its input, which is about to change: let it work on a copy that has
  // self's place in the graph.
  Tensor before = self.requires_grad() ? makeEmptyStrided(self.sizes(), self.strides(),
                                                          self.scalar_type(), self.device())
                                       : self.detach().clone();
  if (self.requires_grad()) {
    copyInto(before, self);
    implOf(before).autograd.gradFn = self.grad_fn();
    implOf(before).autograd.outputNr = static_cast<uint32_t>(self.output_nr());
  }
  Tensor result = compute(before);
  checkFits(result, self);
  if (!result.requires_grad()) // it does not depend on what was there
    result = record(
        result, "ConstantBackward0", {before}, {},
        [](const Tensor &g, const GradientContext &) -> Gradients { return {zeros_like(g)}; });
  copyInto(self, result);
  implOf(self).countChange();
  if (result.requires_grad())
    takeOver(self, result);
  return const_cast<Tensor &>(self);
}

Tensor &changeInPlace(const Tensor &self, TensorList others,
                      const std::function<Tensor(const Tensor &)> &compute) {
  return changeInPlace(
      self, others,
      [&] {
        Tensor result = compute(self);
        checkFits(result, self);
        copyInto(self, result);
      },
      compute);
}

// Tensor's view of the graph

bool Tensor::is_view() const { return implOf(*this).autograd.view.has_value(); }

const Tensor &Tensor::_base() const {
  TORCH_CHECK(is_view(), "Can't get base of non-backward view Tensor");
  return implOf(*this).autograd.view->base;
}

bool Tensor::requires_grad() const {
  TensorImpl &self = implOf(*this);
  refreshView(self);
  return self.autograd.requiresGrad || self.autograd.gradFn;
}

std::shared_ptr<Node> Tensor::grad_fn() const {
  TensorImpl &self = implOf(*this);
  refreshView(self);
  return self.autograd.gradFn;
}

bool Tensor::is_leaf() const { return grad_fn() == nullptr; }
int64_t Tensor::output_nr() const { return implOf(*this).autograd.outputNr; }
uint32_t Tensor::_version() const {
  TORCH_CHECK(!implOf(*this).isInference, "Inference tensors do not track version counter.");
  return *implOf(*this).version;
}
const Tensor &Tensor::grad() const { return implOf(*this).autograd.grad; }
Tensor &Tensor::mutable_grad() const { return implOf(*this).autograd.grad; }

const Tensor &Tensor::set_requires_grad(bool requiresGrad) const {
  TensorImpl &self = implOf(*this);
  TORCH_CHECK(!requiresGrad || isFloatingType(self.type),
              "Only Tensors of floating point and complex dtype can require gradients");
  TORCH_CHECK(!requiresGrad || !self.isInference || InferenceMode::is_enabled(),
              "Setting requires_grad=True on inference tensor outside InferenceMode is not "
              "allowed.");
  if (is_leaf())
    self.autograd.requiresGrad = requiresGrad;
  return *this;
}

Tensor &Tensor::requires_grad_(bool requiresGrad) const {
  set_requires_grad(requiresGrad);
  return const_cast<Tensor &>(*this);
}

void Tensor::retain_grad() const {
  TORCH_CHECK(requires_grad(), "can't retain_grad on Tensor that has requires_grad=False");
  if (is_leaf() || retains_grad())
    return;
  grad_fn()->retained.emplace_back(output_nr(), impl);
  implOf(*this).autograd.retainsGrad = true;
}

bool Tensor::retains_grad() const { return implOf(*this).autograd.retainsGrad; }

unsigned Tensor::registerHook(std::function<Tensor(const Tensor &)> hook) const {
  TORCH_CHECK(requires_grad(), "cannot register a hook on a variable that doesn't require "
                               "gradient");
  if (auto node = grad_fn()) {
    node->hooks.resize(node->inputs.size());
    auto &hooks = node->hooks[output_nr()];
    hooks.push_back(std::move(hook));
    return static_cast<unsigned>(hooks.size() - 1);
  }
  auto &hooks = implOf(*this).autograd.hooks;
  if (!hooks)
    hooks = std::make_shared<std::vector<GradHook>>();
  hooks->push_back(std::move(hook));
  return static_cast<unsigned>(hooks->size() - 1);
}

void Tensor::remove_hook(unsigned position) const {
  auto node = grad_fn();
  GradHooks *hooks = implOf(*this).autograd.hooks.get();
  if (node)
    hooks = output_nr() < static_cast<int64_t>(node->hooks.size()) ? &node->hooks[output_nr()]
                                                                   : nullptr;
  TORCH_CHECK(hooks && position < hooks->size(), "Invalid index, no hook at position ", position);
  (*hooks)[position] = nullptr;
}

Tensor Tensor::detach() const { return makeAlias(*this); }

Tensor &Tensor::detach_() const {
  TORCH_CHECK(!is_view(), "Can't detach views in-place. Use detach() instead. If you are using "
                          "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view "
                          "is set as True, gradients are views of DDP buckets, and hence detach_() "
                          "cannot be called on these gradients. To fix this error, please refer to "
                          "the Optimizer.zero_grad() function in torch/optim/optimizer.py as the "
                          "solution.");
  AutogradInfo &info = implOf(*this).autograd;
  info.requiresGrad = false;
  info.gradFn.reset();
  info.outputNr = 0;
  return const_cast<Tensor &>(*this);
}

Tensor Tensor::data() const {
  Tensor alias = makeAlias(*this);
  if (!implOf(alias).isInference)
    implOf(alias).version = std::make_shared<uint32_t>(0);
  return alias;
}

void Tensor::set_data(const Tensor &values) const {
  TensorImpl &self = implOf(*this);
  const TensorImpl &from = implOf(values);
  TORCH_CHECK(!self.autograd.requiresGrad || isFloatingType(from.type),
              "data set to a tensor that requires gradients must be floating point or complex "
              "dtype");
  self.storage = from.storage;
  self.sizes = from.sizes;
  self.strides = from.strides;
  self.offset = from.offset;
  self.type = from.type;
  // The accumulator knows the old shape and type.
  self.autograd.accumulator.reset();
}

} // namespace gradtidy::runtime
