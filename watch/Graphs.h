// Recorded graphs: which forward passes are differentiated, and which graphs reach from step to
// step.
#pragma once

#include "Stack.h"
#include "Weak.h"

#include <torch/torch.h>

#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace gradtidy::watch {

struct Session;
struct BackwardCall;

using Node = torch::autograd::Node;
using NodePointer = std::decay_t<decltype(std::declval<at::Tensor>().grad_fn())>;
using WeakNode = WeakOf<NodePointer>::Type;

class Graphs {
public:
  /// An operation of the program uses \p parameter and records a graph; \p takesData: it takes
  /// other tensors, too.
  void onParameterUse(Session &session, const c10::TensorImpl *parameter, bool takesData);
  /// An operation takes \p inputs of recorded graphs.
  void beforeOperation(Session &session, const std::vector<const at::Tensor *> &inputs);
  void afterOperation(Session &session, const at::Tensor &output);

  void beforeBackward(Session &session);
  void onDifferentiated(uint64_t thread, uint64_t sequence);
  void afterBackward(Session &session, const BackwardCall &call);
  void onStep(Session &session);
  /// A backward came to a graph that is freed.
  void onFreedGraph(Session &session, const Stack &stack);

  /// NoGradGuard and its like, set and reset by the program.
  void onGradMode(Session &session, bool enabled, const Stack &stack);
  void onOperationWithoutGrad(Session &session);
  /// Whether operations on parameters have run without recording.
  bool wasDisabled() const { return operationsWithoutGrad > 0; }

  void conclude(Session &session);

private:
  /// The operations between the first use of a parameter and its next one: a forward pass.
  struct Pass {
    uint64_t site = 0, first = 0, last = 0, thread = 0;
    unsigned step = 0;
    WeakNode node; ///< Of its first result.
    bool isDifferentiated = false;
    bool takesData = false; ///< Some operation computes with a parameter and other tensors.
  };
  struct Site {
    Stack stack;
    unsigned wasted = 0, differentiated = 0, held = 0;
    bool otherThread = false;
    Stack emptyGuard; ///< A guard that ended at once before the first pass.
  };
  struct ThreadGraphs {
    std::vector<const c10::TensorImpl *> used; ///< Parameters, by the present pass.
    Pass *pass = nullptr;
    bool needsNode = false;
    std::vector<uint64_t> steps; ///< Sequence numbers at the ends of steps.
    uint64_t reach = 0;          ///< Of the present operation, and whether it is meant.
    bool reachesBack = false;
    Stack lastReach; ///< The last operation on a graph of an earlier step.
    unsigned lastReachStep = 0;
    Stack guard; ///< The last one that was set, until an operation comes.
    bool guardIsFresh = false;
    Stack emptyGuard;
  };

  ThreadGraphs &here();
  size_t stepOf(const ThreadGraphs &thread, uint64_t sequence) const;
  void settle(Session &session, bool all);

  std::unordered_map<uint64_t, ThreadGraphs> threads;
  std::deque<std::unique_ptr<Pass>> passes; ///< That are not settled, in order.
  std::map<uint64_t, Site> sites;

  /// Nodes whose graphs reach back: their numbers, and the step that they reach.
  std::unordered_map<const Node *, std::pair<uint64_t, size_t>> reaches;
  bool differentiatesOldGraphs = false;

  // Of the present backward, and of those that retained their graphs.
  uint64_t lowest = 0, highest = 0;
  struct Retained {
    uint64_t lowest, highest;
    Stack stack;
  };
  std::vector<Retained> retained;
  std::map<uint64_t, std::pair<unsigned, bool>> retaining; ///< By site: how often, and needed.

  unsigned operationsWithoutGrad = 0;
  Stack firstGuard;
};

} // namespace gradtidy::watch
