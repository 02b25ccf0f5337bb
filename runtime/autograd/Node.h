// Node: one recorded operation, seen from backward: it turns the gradient of its result into the
// gradients of its inputs.
//
// A graph is a set of nodes that own the nodes they pass gradients on to; it lives as long as a
// result tensor (or the loss) does. Nodes are deleted iteratively, so a graph may be as deep as
// memory allows.
#pragma once

#include "../core/Shape.h"
#include "../core/Tensor.h"
#include "AnomalyMode.h"

namespace gradtidy::runtime {

class Node;

/// Where a gradient goes: input `input_nr` of the node `function`; nowhere if there is none.
struct Edge {
  std::shared_ptr<Node> function;
  uint32_t input_nr = 0;
};

/// Shape, type and device a gradient must have to enter a node.
struct GradientSpec {
  explicit GradientSpec(const Tensor &like)
      : sizes(like.sizes().vec()), type(like.scalar_type()), device(like.device()) {}

  DimVector sizes;
  ScalarType type;
  Device device;
};

/// Called with a gradient; what it returns, if defined, takes the gradient's place. Empty once it
/// was removed.
using GradHook = std::function<Tensor(const Tensor &)>;
using GradHooks = std::vector<GradHook>;

class Node : public std::enable_shared_from_this<Node> {
public:
  Node();
  virtual ~Node() = default;
  Node(const Node &) = delete;
  Node &operator=(const Node &) = delete;

  /// "MulBackward0", as LibTorch names it.
  virtual std::string name() const = 0;
  /// The gradients for `next`, in that order, undefined where there is none.
  virtual std::vector<Tensor> apply(std::vector<Tensor> gradients) = 0;
  /// Frees the saved tensors; a later apply() that needs them throws.
  virtual void release() {}
  /// What is called with the gradient of input `i` before anybody else sees it.
  virtual GradHooks hooksOf(std::size_t i) const {
    return i < hooks.size() ? hooks[i] : GradHooks();
  }

  // Names of LibTorch
  const std::vector<Edge> &next_edges() const { return next; }
  const Edge &next_edge(std::size_t i) const { return next.at(i); }
  std::size_t num_inputs() const { return inputs.size(); }
  std::size_t num_outputs() const { return next.size(); }

  std::vector<Edge> next;
  std::vector<GradientSpec> inputs;
  /// One list for each input.
  std::vector<GradHooks> hooks;
  /// Tensors, by input, whose grad is to be kept although they are no leaves.
  std::vector<std::pair<uint32_t, std::weak_ptr<TensorImpl>>> retained;
  /// Later operations run backward first.
  uint64_t sequence;
  /// Where it was made; null unless in anomaly mode.
  std::unique_ptr<const autograd::AnomalyMetadata> anomaly;

  /// The node whose backward this thread runs, or null.
  static Node *&current();
};

/// Makes a node that is deleted without recursion.
template <class T, class... Args> std::shared_ptr<T> makeNode(Args &&...args) {
  void deleteNode(Node *);
  return std::shared_ptr<T>(new T(std::forward<Args>(args)...), deleteNode);
}

/// Where the gradient of `tensor` goes: its gradFn, its accumulator if it is a leaf that requires
/// a gradient, or nowhere.
Edge gradientEdge(const Tensor &tensor);

} // namespace gradtidy::runtime
