// The engine: runs the nodes of a graph in reverse order of their recording, each once, after all
// gradients that flow into it have been summed.
#include "Engine.h"
#include "../core/RecordFunction.h"
#include "../core/TensorImpl.h"
#include "../ops/Arithmetic.h"
#include "../ops/Copies.h"
#include "../ops/Factories.h"
#include "../ops/Pointwise.h"
#include "../ops/Reductions.h"
#include "Autograd.h"
#include "Node.h"
#include "OwnMemory.h"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace gradtidy::runtime {
namespace {

/// A place whose gradient is wanted (autograd::grad): captured instead of passed on.
struct Capture {
  uint32_t inputNr;
  std::size_t index;
};

struct LaterFirst {
  bool operator()(const Node *a, const Node *b) const { return a->sequence < b->sequence; }
};

/// Sums and casts `gradient` to what the input it belongs to looks like.
Tensor fit(Tensor gradient, const GradientSpec &spec, const Node &from, std::size_t index) {
  if (gradient.sizes() != IntArrayRef(spec.sizes)) {
    TORCH_CHECK(isExpandableTo(spec.sizes, gradient.sizes()), "Function ", from.name(),
                " returned an invalid gradient at index ", index, " - got ",
                toText(gradient.sizes()), " but expected shape compatible with ",
                toText(spec.sizes));
    gradient = sumTo(gradient, spec.sizes);
  }
  // A number of the host may have met tensors of a device.
  TORCH_CHECK(gradient.device() == spec.device || gradient.dim() == 0, "Function ", from.name(),
              " returned an invalid gradient at index ", index, " - expected device ", spec.device,
              " but got ", gradient.device());
  return gradient.to(spec.device, spec.type);
}

void checkForNan(const std::vector<Tensor> &results, const Node &from) {
  NoGradGuard guard;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].defined() && isnan(results[i]).any().item<bool>())
      throw std::runtime_error(
          concat("Function '", from.name(), "' returned nan values in its ", i, "th output."));
}

/// What `node` makes of gradients: those for node.next, of the shapes and types they need.
std::vector<Tensor> evaluate(Node &node, std::vector<Tensor> gradients) {
  struct Current {
    explicit Current(Node &node) : before(std::exchange(Node::current(), &node)) {}
    ~Current() { Node::current() = before; }
    Node *before;
  } current(node);
  RecordFunction scope(RecordScope::BACKWARD_FUNCTION);
  if (scope.isActive())
    scope.before(node.name(), static_cast<int64_t>(node.sequence));
  try {
    std::vector<Tensor> results = node.apply(std::move(gradients));
    results.resize(node.next.size());
    for (std::size_t i = 0; i < results.size(); ++i)
      if (const Edge &edge = node.next[i]; edge.function && results[i].defined())
        results[i] = fit(std::move(results[i]), edge.function->inputs[edge.input_nr], node, i);
    if (autograd::AnomalyMode::is_enabled() && autograd::AnomalyMode::should_check_nan())
      checkForNan(results, node);
    return results;
  } catch (...) {
    if (node.anomaly)
      node.anomaly->print_stack(node.name());
    throw;
  }
}

/// What to call at the end of the outermost backward of this thread; null outside of all.
thread_local std::vector<std::function<void()>> *callbacks = nullptr;

class Run {
public:
  Run(bool keepGraph, bool createGraph) : keepGraph(keepGraph), createGraph(createGraph) {}

  void execute(const std::vector<Edge> &roots, const std::vector<Tensor> &gradients) {
    if (callbacks)
      return runNodes(roots, gradients);
    std::vector<std::function<void()>> queued;
    struct Outermost {
      explicit Outermost(std::vector<std::function<void()>> &queued) { callbacks = &queued; }
      ~Outermost() { callbacks = nullptr; }
    } outermost(queued);
    runNodes(roots, gradients);
    for (std::size_t i = 0; i < queued.size(); ++i) // a callback may queue another one
      queued[i]();
  }

  void capture(const Edge &edge, std::size_t index) {
    captures[edge.function.get()].push_back({edge.input_nr, index});
    captured.resize(std::max(captured.size(), index + 1));
  }

  std::vector<Tensor> captured;

private:
  void runNodes(const std::vector<Edge> &roots, const std::vector<Tensor> &gradients) {
    for (const Edge &root : roots)
      countDependencies(root.function.get());
    if (!captures.empty())
      markNeeded();
    AutoGradMode mode(createGraph);
    for (std::size_t i = 0; i < roots.size(); ++i)
      add(roots[i], gradients[i]);
    // A root may also lie behind another root.
    for (const Edge &root : roots)
      if (dependencies[root.function.get()] == 0 &&
          queued.insert({root.function.get(), true}).second)
        ready.push(root.function.get());
    while (!ready.empty()) {
      Node *node = ready.top();
      ready.pop();
      run(*node);
    }
  }

  void countDependencies(Node *root) {
    std::vector<Node *> stack{root};
    if (!seen.insert({root, true}).second)
      return;
    while (!stack.empty()) {
      Node *node = stack.back();
      stack.pop_back();
      for (const Edge &edge : node->next) {
        if (!edge.function)
          continue;
        ++dependencies[edge.function.get()];
        if (seen.insert({edge.function.get(), true}).second)
          stack.push_back(edge.function.get());
      }
    }
  }

  /// With captures, only nodes from which one can be reached run.
  void markNeeded() {
    std::vector<Node *> order;
    for (auto &entry : seen)
      order.push_back(entry.first);
    // Every node was recorded after those it passes gradients to, except for accumulators, which
    // are ends.
    std::sort(order.begin(), order.end(), [](const Node *a, const Node *b) {
      bool endA = a->next.empty(), endB = b->next.empty();
      return endA != endB ? endA : a->sequence < b->sequence;
    });
    for (Node *node : order) {
      bool wanted = captures.count(node) != 0;
      for (const Edge &edge : node->next)
        wanted = wanted || (edge.function && needed[edge.function.get()]);
      needed[node] = wanted;
    }
  }

  void add(const Edge &edge, Tensor gradient) {
    auto &buffer = buffers[edge.function.get()];
    buffer.resize(edge.function->inputs.size());
    Tensor &sum = buffer[edge.input_nr];
    if (!sum.defined())
      sum = std::move(gradient);
    else if (!GradMode::is_enabled() && hasMemoryOfItsOwn(sum) &&
             isNonOverlappingAndDense(sum.sizes(), sum.strides()))
      sum.add_(gradient);
    else
      sum = sum + gradient;
  }

  void run(Node &node) {
    std::vector<Tensor> gradients = std::move(buffers[&node]);
    buffers.erase(&node);
    gradients.resize(node.inputs.size());
    bool wanted = captures.empty() || needed[&node];
    for (std::size_t i = 0; i < gradients.size() && wanted; ++i)
      if (gradients[i].defined())
        for (const GradHook &hook : node.hooksOf(i)) // which may remove itself
          if (Tensor changed = hook ? hook(gradients[i]) : Tensor(); changed.defined())
            gradients[i] = changed;
    for (auto &[inputNr, weak] : node.retained)
      if (auto impl = weak.lock(); impl && wanted && gradients[inputNr].defined())
        impl->autograd.grad = impl->autograd.grad.defined()
                                  ? impl->autograd.grad + gradients[inputNr]
                                  : gradients[inputNr].clone();
    bool pass = true;
    if (auto found = captures.find(&node); found != captures.end()) {
      for (const Capture &capture : found->second)
        captured[capture.index] = gradients[capture.inputNr];
      pass = false;
      for (const Edge &edge : node.next)
        pass = pass || (edge.function && needed[edge.function.get()]);
    }
    pass = pass && wanted;
    std::vector<Tensor> results(node.next.size());
    if (pass) {
      results = evaluate(node, std::move(gradients));
      if (!keepGraph)
        node.release();
    }
    for (std::size_t i = 0; i < node.next.size(); ++i) {
      const Edge &edge = node.next[i];
      if (!edge.function)
        continue;
      if (results[i].defined())
        add(edge, std::move(results[i]));
      if (--dependencies[edge.function.get()] == 0 &&
          queued.insert({edge.function.get(), true}).second)
        ready.push(edge.function.get());
    }
  }

  bool keepGraph, createGraph;
  std::unordered_map<Node *, std::vector<Capture>> captures;
  std::unordered_map<Node *, int> dependencies;
  std::unordered_map<Node *, bool> seen, queued, needed;
  std::unordered_map<Node *, std::vector<Tensor>> buffers;
  std::priority_queue<Node *, std::vector<Node *>, LaterFirst> ready;
};

std::vector<Edge> rootsOf(const std::vector<Tensor> &outputs) {
  std::vector<Edge> roots;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Edge edge = gradientEdge(outputs[i]);
    TORCH_CHECK(edge.function, "element ", i,
                " of tensors does not require grad and does not have a grad_fn");
    roots.push_back(std::move(edge));
  }
  return roots;
}

std::vector<Tensor> startingGradients(const std::vector<Tensor> &outputs,
                                      const std::vector<Tensor> &given) {
  TORCH_CHECK(given.empty() || given.size() == outputs.size(), "got ", outputs.size(),
              " tensors and ", given.size(), " gradients");
  std::vector<Tensor> gradients;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tensor &output = outputs[i];
    if (i < given.size() && given[i].defined()) {
      TORCH_CHECK(given[i].sizes() == output.sizes(), "invalid gradient at index ", i, " - got ",
                  toText(given[i].sizes()), " but expected shape compatible with ",
                  toText(output.sizes()));
      gradients.push_back(given[i].to(output.scalar_type()));
      continue;
    }
    if (output.requires_grad())
      TORCH_CHECK(output.numel() == 1, "grad can be implicitly created only for scalar outputs");
    NoGradGuard guard;
    gradients.push_back(ones_like(output));
  }
  return gradients;
}

} // namespace

namespace autograd {

Engine &Engine::get_default_engine() {
  static Engine engine;
  return engine;
}

void Engine::queue_callback(std::function<void()> callback) {
  TORCH_CHECK(callbacks, "Final callbacks can only be installed during backward pass.");
  callbacks->push_back(std::move(callback));
}

void backward(const variable_list &outputs, const variable_list &gradOutputs,
              std::optional<bool> retainGraph, bool createGraph) {
  std::vector<Tensor> gradients = startingGradients(outputs, gradOutputs);
  Run run(retainGraph.value_or(createGraph), createGraph);
  run.execute(rootsOf(outputs), gradients);
}

variable_list grad(const variable_list &outputs, const variable_list &inputs,
                   const variable_list &gradOutputs, std::optional<bool> retainGraph,
                   bool createGraph, bool allowUnused) {
  TORCH_CHECK(!inputs.empty(), "grad requires non-empty inputs.");
  std::vector<Tensor> gradients = startingGradients(outputs, gradOutputs);
  std::vector<Edge> roots = rootsOf(outputs);
  Run run(retainGraph.value_or(createGraph), createGraph);
  std::vector<Edge> targets; // keeps the accumulators of leaves outside the graph alive
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    targets.push_back(gradientEdge(inputs[i]));
    TORCH_CHECK(targets.back().function, "element ", i,
                " of the input tensors does not require grad");
    run.capture(targets.back(), i);
  }
  run.execute(roots, gradients);
  for (std::size_t i = 0; i < run.captured.size(); ++i)
    TORCH_CHECK(run.captured[i].defined() || allowUnused, "element ", i,
                "of the differentiated Tensors appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior.");
  return run.captured;
}

} // namespace autograd

void Tensor::backward(const Tensor &gradient, optional<bool> retainGraph, bool createGraph,
                      optional<TensorList> inputs) const {
  if (!inputs) {
    autograd::backward({*this}, {gradient}, retainGraph, createGraph);
    return;
  }
  TORCH_CHECK(!inputs->empty(), "'inputs' argument to backward cannot be empty");
  std::vector<Tensor> gradients =
      autograd::grad({*this}, inputs->vec(), {gradient}, retainGraph, createGraph, true);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    Tensor &grad = (*inputs)[i].mutable_grad();
    if (gradients[i].defined())
      grad = grad.defined() ? grad + gradients[i] : gradients[i];
  }
}

} // namespace gradtidy::runtime
