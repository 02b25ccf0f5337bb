#include "Graphs.h"

#include "Session.h"

#include <ATen/SequenceNumber.h>

#include <algorithm>

namespace gradtidy::watch {

namespace {

constexpr uint64_t isLeaf = UINT64_MAX; ///< The sequence number of nodes that gather gradients.

} // namespace

Graphs::ThreadGraphs &Graphs::here() { return threads[threadNumber()]; }

/// The number of steps before \p sequence was given.
size_t Graphs::stepOf(const ThreadGraphs &thread, uint64_t sequence) const {
  return static_cast<size_t>(std::upper_bound(thread.steps.begin(), thread.steps.end(), sequence) -
                             thread.steps.begin());
}

// ---- forward passes ----------------------------------------------------------------------------

void Graphs::onParameterUse(Session &session, const c10::TensorImpl *parameter, bool takesData) {
  ThreadGraphs &graphs = here();
  const bool isUsed =
      std::find(graphs.used.begin(), graphs.used.end(), parameter) != graphs.used.end();
  if (!graphs.pass || isUsed) {
    settle(session, false);
    graphs.used.clear();
    auto pass = std::make_unique<Pass>();
    const Stack stack = Stack::capture();
    pass->site = stack.hash();
    pass->first = pass->last = at::sequence_number::peek();
    pass->thread = threadNumber();
    pass->step = session.step;
    Site &site = sites[pass->site];
    if (site.stack.empty()) {
      site.stack = stack;
      session.record.addReached("forward", stack);
      site.emptyGuard = graphs.emptyGuard;
    }
    site.otherThread |= thread().startedWithoutGrad;
    graphs.pass = pass.get();
    graphs.needsNode = true;
    passes.push_back(std::move(pass));
  }
  graphs.used.push_back(parameter);
  graphs.pass->takesData |= takesData;
}

void Graphs::settle(Session &session, bool all) {
  const auto isSettled = [&](const std::unique_ptr<Pass> &pass) {
    Site &site = sites[pass->site];
    const bool isPresent = threads[pass->thread].pass == pass.get();
    if (isPresent && !all)
      return false;
    if (pass->isDifferentiated) {
      ++site.differentiated;
      // Its graph has served; who holds it now keeps it.
      if (pass->node.expired() || pass->step + 2 > session.step)
        return true;
      ++site.held;
      return true;
    }
    if (!pass->node.expired() && !all)
      return false;
    if (pass->last > pass->first && pass->takesData)
      ++site.wasted;
    return true;
  };
  size_t kept = 0;
  for (auto &pass : passes) {
    // Those that may still be differentiated are few, or the program keeps them.
    if (pass->isDifferentiated && pass->step + 2 > session.step && !all) {
      passes[kept++] = std::move(pass);
      continue;
    }
    if (isSettled(pass)) {
      if (threads[pass->thread].pass == pass.get())
        threads[pass->thread].pass = nullptr;
      continue;
    }
    passes[kept++] = std::move(pass);
  }
  passes.resize(kept);
  for (auto &[key, site] : sites) {
    if (site.wasted >= 4 && site.differentiated == 0) {
      Finding finding{.check = "ml-missing-no-grad",
                      .message = std::to_string(site.wasted) +
                                 " forward passes recorded graphs here, and no backward has used "
                                 "one; disable gradients with torch::NoGradGuard",
                      .stack = site.stack,
                      .place = Place::Forward};
      if (!site.emptyGuard.empty())
        finding = {.check = "ml-guard-temporary",
                   .message =
                       "this guard ends before any operation, and the forward passes behind it "
                       "record graphs; give it a name",
                   .stack = site.emptyGuard};
      else if (site.otherThread)
        finding = {.check = "ml-guard-other-thread",
                   .message =
                       "forward passes in this thread record graphs that no backward uses; the "
                       "guard is in the thread that started it",
                   .stack = site.stack,
                   .place = Place::Forward};
      session.report(finding);
    }
    if (site.held >= 8)
      session.report({.check = "ml-loss-accumulation",
                      .message = std::to_string(site.held) +
                                 " graphs of this forward pass are still alive steps after their "
                                 "backward: something keeps a tensor of each; detach() it",
                      .stack = site.stack,
                      .place = Place::Forward});
  }
}

void Graphs::onDifferentiated(uint64_t thread, uint64_t sequence) {
  if (sequence == isLeaf)
    return;
  lowest = std::min(lowest, sequence);
  highest = std::max(highest, sequence);
  for (auto pass = passes.rbegin(); pass != passes.rend(); ++pass)
    if ((*pass)->thread == thread && (*pass)->first <= sequence) {
      // What follows a pass, such as its loss, belongs to it.
      (*pass)->isDifferentiated |= sequence <= (*pass)->last;
      break;
    }
}

// ---- operations --------------------------------------------------------------------------------

void Graphs::beforeOperation(Session &session, const std::vector<const at::Tensor *> &inputs) {
  ThreadGraphs &graphs = here();
  graphs.guardIsFresh = false;
  graphs.reachesBack = false;
  if (!at::GradMode::is_enabled())
    return;
  const size_t now = graphs.steps.size();
  const uint64_t number = threadNumber();
  for (const at::Tensor *input : inputs) {
    const auto &node = input->grad_fn();
    if (!node || node->sequence_nr() == isLeaf || node->thread_id() != number)
      continue;
    const size_t made = stepOf(graphs, node->sequence_nr());
    size_t reach = made;
    const auto known = reaches.find(node.get());
    if (known != reaches.end() && known->second.first == node->sequence_nr())
      reach = std::min(reach, known->second.second);
    if (reach < now) {
      graphs.reach = graphs.reachesBack ? std::min<uint64_t>(graphs.reach, reach) : reach;
      graphs.reachesBack = true;
    }
    if (made < now) {
      graphs.lastReach = Stack::capture();
      graphs.lastReachStep = session.step;
      if (made + 1 == now && reach + 4 <= now)
        session.report(
            {.check = differentiatesOldGraphs ? "ml-hidden-state-graph" : "ml-loss-accumulation",
             .message = "this tensor's graph grows with every step, and reaches back over " +
                        std::to_string(now - reach) + " of them; detach() it",
             .stack = graphs.lastReach});
    }
  }
}

void Graphs::afterOperation(Session &, const at::Tensor &output) {
  ThreadGraphs &graphs = here();
  const auto node = output.grad_fn();
  if (graphs.pass)
    graphs.pass->last = std::max(graphs.pass->last, at::sequence_number::peek());
  if (!node)
    return;
  if (graphs.pass && graphs.needsNode) {
    graphs.pass->node = WeakNode(node);
    graphs.needsNode = false;
  }
  if (graphs.reachesBack && node->sequence_nr() != isLeaf) {
    if (reaches.size() > 100000)
      reaches.clear();
    reaches[node.get()] = {node->sequence_nr(), graphs.reach};
  }
}

// ---- backwards ---------------------------------------------------------------------------------

void Graphs::beforeBackward(Session &) {
  lowest = UINT64_MAX;
  highest = 0;
}

void Graphs::afterBackward(Session &session, const BackwardCall &call) {
  ThreadGraphs &graphs = here();
  graphs.pass = nullptr;
  graphs.used.clear();
  if (highest == 0 && lowest == UINT64_MAX)
    return;
  differentiatesOldGraphs |= stepOf(graphs, lowest) + 2 <= graphs.steps.size();
  for (const Retained &one : retained)
    if (one.lowest <= highest && lowest <= one.highest)
      retaining[one.stack.hash()].second = true;
  if (retained.size() > 8)
    retained.erase(retained.begin());
  if (!call.retains || call.creates)
    return;
  retained.push_back({lowest, highest, call.stack});
  auto &[count, isNeeded] = retaining[call.stack.hash()];
  // What the last call retained nothing has used since.
  if (++count == 5 && !isNeeded)
    session.report({.check = "ml-retain-graph",
                    .message = "this backward retained its graph 4 times, and nothing has used it "
                               "again: its activations stay in memory",
                    .stack = call.stack});
}

void Graphs::onStep(Session &) {
  ThreadGraphs &graphs = here();
  graphs.pass = nullptr;
  graphs.used.clear();
  graphs.steps.push_back(at::sequence_number::peek());
}

void Graphs::onFreedGraph(Session &session, const Stack &stack) {
  ThreadGraphs &graphs = here();
  if (!graphs.lastReach.empty() && graphs.lastReachStep == session.step && session.step > 0)
    session.report({.check = "ml-hidden-state-graph",
                    .message =
                        "this operation takes a tensor with the graph of an earlier step, which "
                        "its backward has freed; detach() it between steps",
                    .stack = graphs.lastReach});
  else
    session.report(
        {.check = "ml-double-backward",
         .message = "this backward goes through a graph that an earlier backward has freed",
         .stack = stack});
}

// ---- guards ------------------------------------------------------------------------------------

void Graphs::onGradMode(Session &, bool enabled, const Stack &stack) {
  ThreadGraphs &graphs = here();
  if (!enabled) {
    graphs.guard = stack;
    graphs.guardIsFresh = true;
    if (firstGuard.empty())
      firstGuard = stack;
  } else {
    graphs.emptyGuard = graphs.guardIsFresh ? graphs.guard : Stack();
    graphs.guardIsFresh = false;
  }
}

void Graphs::onOperationWithoutGrad(Session &) {
  if (!c10::InferenceMode::is_enabled())
    ++operationsWithoutGrad;
}

void Graphs::conclude(Session &session) {
  settle(session, true);
  if (!session.training.hasTrained() && !session.training.hasOptimizer() &&
      operationsWithoutGrad >= 16 && !firstGuard.empty())
    session.report({.check = "ml-prefer-inference-mode",
                    .message =
                        "the program trains nothing: c10::InferenceMode saves what NoGradGuard "
                        "keeps ready for autograd",
                    .stack = firstGuard});
}

} // namespace gradtidy::watch
