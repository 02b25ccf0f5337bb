#include "Loaders.h"

#include "Session.h"

#include <algorithm>

namespace gradtidy::watch {

void Loaders::onMade(Sampler kind, size_t size) { made.push_back({kind, size, Stack::capture()}); }

void Loaders::onReset(const void *self) {
  ++epochs;
  Order &order = orders[self];
  if (order.now.empty())
    return;
  order.before = std::move(order.now);
  order.stepsBefore = order.steps;
  order.now.clear();
  order.steps = order.batches = 0;
}

void Loaders::onNext(Session &session, Sampler kind, const void *self,
                     const std::optional<std::vector<size_t>> &indices) {
  Order &order = orders[self];
  if (order.batches > 0)
    order.steps += session.step - order.lastStep;
  order.lastStep = session.step;
  if (!indices || indices->empty())
    return;
  lastCount = indices->size();
  ++order.batches;
  if (order.now.size() < 4096)
    order.now.insert(order.now.end(), indices->begin(), indices->end());

  // The training has seen two batches of this epoch in the order of the last one.
  const bool isSame = order.before.size() >= order.now.size() &&
                      std::equal(order.now.begin(), order.now.end(), order.before.begin());
  if (!isSame || order.batches < 3 || order.steps < 2 || order.stepsBefore < 2 ||
      kind == Sampler::Random)
    return;
  // Samplers move when a loader is made, so that where one was made is told by its size.
  Stack stack;
  for (const Made &one : made)
    if (one.kind == kind && order.before.size() <= one.size * 2 && one.size >= order.now.size())
      stack = one.stack;
  if (stack.empty())
    return;
  if (kind == Sampler::Sequential)
    session.report({.check = "ml-loader-not-shuffled",
                    .message =
                        "the training sees the samples in the same order in every epoch; use a "
                        "RandomSampler",
                    .stack = stack});
  else
    session.report({.check = "ml-distributed-misuse",
                    .message = "the sampler of this loader gives the same order in every epoch: "
                               "set_epoch() does not reach it",
                    .stack = stack});
}

void Loaders::onStacked(const at::Tensor &batch, size_t count) {
  if (count != lastCount || count < 2)
    return;
  if (batches.size() >= 8)
    batches.erase(batches.begin());
  batches.push_back(weak(batch));
}

bool Loaders::isBatch(const at::Tensor &tensor, int64_t count) const {
  return static_cast<size_t>(count) == lastCount &&
         std::any_of(batches.begin(), batches.end(), [&](const WeakTensor &one) {
           return !one.expired() && one.address() == tensor.unsafeGetTensorImpl();
         });
}

} // namespace gradtidy::watch
