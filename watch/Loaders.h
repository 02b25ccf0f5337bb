// The order in which loaders ask for samples, and the batches that they give.
#pragma once

#include "Stack.h"
#include "Training.h"

#include <map>
#include <optional>
#include <vector>

namespace gradtidy::watch {

struct Session;

enum class Sampler : unsigned char { Sequential, Random, DistributedRandom };

class Loaders {
public:
  void onMade(Sampler kind, size_t size);
  void onReset(const void *self);
  void onNext(Session &session, Sampler kind, const void *self,
              const std::optional<std::vector<size_t>> &indices);

  /// Batches that a loader has stacked.
  void onStacked(const at::Tensor &batch, size_t count);
  /// Whether \p tensor is a loader's batch of \p count samples.
  bool isBatch(const at::Tensor &tensor, int64_t count) const;

  unsigned epoch() const { return epochs; }
  bool isUsed() const { return epochs > 0; }

private:
  struct Made {
    Sampler kind;
    size_t size;
    Stack stack;
  };
  struct Order {
    std::vector<size_t> before, now;
    unsigned stepsBefore = 0, steps = 0, lastStep = 0; ///< Of optimizers between its batches.
    unsigned batches = 0;
    bool repeats = false;
  };

  std::vector<Made> made;
  std::map<const void *, Order> orders;
  size_t lastCount = 0;
  std::vector<WeakTensor> batches; ///< The last ones.
  unsigned epochs = 0;
};

} // namespace gradtidy::watch
