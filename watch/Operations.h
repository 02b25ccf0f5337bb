// What single operations show: shapes, types and values that cannot be meant.
#pragma once

#include "Record.h"
#include "Training.h"

#include <ATen/record_function.h>

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace gradtidy::watch {

struct Session;

class Operations {
public:
  void before(Session &session, const std::string &name, c10::ArrayRef<c10::IValue> inputs);
  void after(Session &session, const std::string &name, const std::vector<c10::IValue> &outputs);

  /// A check of LibTorch's has failed, with this message.
  void onError(Session &session, const std::string &message, const Stack &stack);
  void onFromBlob(Session &session, const at::Tensor &tensor);
  /// What this thread's last operation made is used otherwise than by an operation.
  void onResultUsed();
  void onClearedCastCache() { castSteps.clear(); }
  void onAnomalyGuard(const void *self, bool begins, Session &session);
  /// The loss of the backward that has ended. True if it is no number because of a logarithm of 0.
  bool onLoss(Session &session, double loss);
  /// What an operation of a backward has made.
  void inBackward(Session &session, const std::vector<c10::IValue> &outputs);

  void onStep(Session &session);
  void conclude(Session &session);

private:
  using Handler = void (Operations::*)(Session &, const std::string &, c10::ArrayRef<c10::IValue>);
  static const std::unordered_map<std::string, Handler> &handlers();

  void onElementwiseLoss(Session &, const std::string &, c10::ArrayRef<c10::IValue>);
  void onClassLoss(Session &, const std::string &, c10::ArrayRef<c10::IValue>);
  void onLogitLoss(Session &, const std::string &, c10::ArrayRef<c10::IValue>);
  void onProbabilityLoss(Session &, const std::string &, c10::ArrayRef<c10::IValue>);
  void onDivergence(Session &, const std::string &, c10::ArrayRef<c10::IValue>);
  void onEmbedding(Session &, const std::string &, c10::ArrayRef<c10::IValue>);
  void onLog(Session &, const std::string &, c10::ArrayRef<c10::IValue>);
  void onDropout(Session &, const std::string &, c10::ArrayRef<c10::IValue>);
  void onBatchNorm(Session &, const std::string &, c10::ArrayRef<c10::IValue>);
  void onSqueeze(Session &, const std::string &, c10::ArrayRef<c10::IValue>);
  void onRecurrent(Session &, const std::string &, c10::ArrayRef<c10::IValue>);
  void onSubtraction(Session &, const std::string &, c10::ArrayRef<c10::IValue>);

  void checkClasses(Session &session, c10::ArrayRef<c10::IValue> inputs);
  void checkProbabilities(Session &session, const std::string &loss, const at::Tensor &target);
  void onEvaluationInTraining(Session &session);
  void checkCastCache(Session &session, const at::Tensor &parameter);
  void checkDevice(Session &session, c10::ArrayRef<c10::IValue> inputs);
  void onInPlace(Session &session, const std::string &name, const at::Tensor &self);
  void onDevice(Session &session, const std::string &name, c10::ArrayRef<c10::IValue> inputs);
  void onReads(Session &session, const std::string &name);
  void onScalars(c10::ArrayRef<c10::IValue> inputs);
  void compareScalars(Session &session);

  /// A result that nothing has used yet.
  struct Result {
    WeakTensor tensor;
    WeakStorage storage;
    std::string name;
    Stack stack;
    bool isWritten = false; ///< In place, right after it was made.
  };
  struct ResultSite {
    Stack stack;
    std::string name;
    unsigned used = 0, dropped = 0;
  };
  struct InPlaceSite {
    Stack stack;
    std::string name;
    /// By place in memory: the epochs in which it was changed.
    struct Changed {
      WeakStorage storage;
      std::set<unsigned> epochs;
    };
    std::map<const void *, Changed> changed;
  };
  struct Made { ///< A random tensor that is no parameter.
    WeakTensor tensor;
    Stack stack;
    unsigned uses = 0, lastStep = 0;
  };
  struct Blob {
    WeakStorage storage; ///< The tensor itself is copied by what makes it.
    const void *data = nullptr;
    uint64_t content = 0;
  };
  struct Zero {
    Stack stack;
    std::string name;
    unsigned step;
  };

  std::unordered_map<uint64_t, Result> pending; ///< By thread.
  std::map<uint64_t, ResultSite> results;
  std::map<uint64_t, InPlaceSite> inPlace;
  std::unordered_map<const c10::TensorImpl *, Made> random;
  std::map<uint64_t, std::vector<Blob>> blobs;
  std::map<uint64_t, std::pair<unsigned, unsigned>> evaluations; ///< Site: last step, in a row.
  std::map<uint64_t, int64_t> squeezed;                          ///< Site: most dimensions left.
  std::map<uint64_t, std::pair<unsigned, unsigned>> smallBatches;
  std::unordered_map<const c10::TensorImpl *, unsigned> castSteps;
  std::unordered_map<const void *, std::pair<Stack, unsigned>> anomalyGuards;
  /// The numbers that a worker's operations were given: those that came once are random.
  struct Scalars {
    Stack stack;
    std::vector<std::pair<double, unsigned>> counts; ///< In the order in which they came first.
    std::vector<double> single() const;
  };
  std::map<uint64_t, Scalars> scalars; ///< By thread.
  /// What is done with a device, by the place or the tensor: in how many steps in a row.
  struct InSteps {
    unsigned last = 0, row = 0, count = 0; ///< count: in the present step.
    bool isNew(unsigned step);
  };
  std::map<uint64_t, InSteps> waits; ///< By site.
  struct Copy {
    WeakTensor tensor;
    uint32_t version = 0;
    InSteps steps;
  };
  std::unordered_map<const c10::TensorImpl *, Copy> copies;
  std::vector<WeakTensor> padded;
  Stack lastInPlace; ///< The last change in place that was recorded.
  unsigned reads = 0, operationsSinceRead = 0, denseReads = 0; ///< Of elements.
  uint64_t lastRead = 0;
  std::vector<Zero> zeros;
  size_t stacked = 0;    ///< Samples of the present stack().
  bool isBroken = false; ///< The loss has stopped being a number.
};

/// Listens to all operations from now on.
void watchOperations();

} // namespace gradtidy::watch
