// The life of parameters and their gradients: who owns them, which backward fills them, who clears
// them, which step uses them.
#pragma once

#include "Stack.h"
#include "Weak.h"

#include <torch/torch.h>

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace gradtidy::watch {

struct Session;

/// Of a module, as train() and eval() have set it.
enum class Mode : unsigned char { Unknown, Training, Evaluation };

/// A tensor that a module has registered or an optimizer was given.
struct Parameter {
  WeakTensor tensor;
  Stack registered;                         ///< Where a module registered it; empty if none did.
  const torch::nn::Module *owner = nullptr; ///< The last module that did.
  Stack initialized; ///< Where a function of torch::nn::init filled it last, or empty.
  bool isBuffer = false;
  bool isUnderRoot = false;    ///< Some module's parameters() has it.
  Mode mode = Mode::Unknown;   ///< Of the module that has it.
  bool isOptimized = false;    ///< Some optimizer has it.
  unsigned steps = 0;          ///< Of optimizers that have it.
  unsigned freshSteps = 0;     ///< Steps of any optimizer by which its gradient was fresh.
  uint32_t firstVersion = 0;   ///< Before anything was trained.
  uint32_t trainedVersion = 0; ///< After the first step with a fresh gradient.

  const void *seenGradient = nullptr; ///< The gradient before the present backward,
  uint32_t seenVersion = 0;           ///< and its version.
  bool isTouched = false;             ///< A backward has filled its gradient since any step.
  bool isFresh = false;               ///< A backward has filled its gradient since the last step.
  bool wasCleared = false;            ///< Fresh gradients were cleared since the last step.
  const void *leftGradient = nullptr; ///< The gradient that the last step used, if it is still
  uint32_t leftVersion = 0;           ///< there, and its version.
  bool isLeftover = false;            ///< A backward added to what the last step had used.
  bool isRead = false;                ///< The program has looked at its gradient.

  unsigned copies = 0, lastCopy = 0; ///< Steps in which the program wrote into it, the last one.
  Stack copied;                      ///< Where it first did.
  std::optional<double> content;     ///< Of a buffer, behind the first step.
};

/// An optimizer that is, or was, at an address.
struct Optimizer {
  torch::optim::Optimizer *self = nullptr;
  Stack made;
  unsigned steps = 0, clears = 0;
  unsigned stepsOnLeftovers = 0;  ///< In a row.
  unsigned stepsAfterClears = 0;  ///< In a row: gradients were cleared before they were used.
  unsigned clearsWithoutStep = 0; ///< Of fresh gradients, in a row.
  unsigned stepsWithoutFresh = 0; ///< In a row.
  unsigned clipsAfterStep = 0;    ///< In a row.
  bool wasClippedAfterStep = false;
  bool isSaved = false, isScheduled = false, hasState = false;
  bool hasAverages = false; ///< It keeps something of each parameter.
  WeakTensor first;         ///< The first of its parameters.
  unsigned remade = 0;      ///< Optimizers that were made for it in the same place before.
  Stack cleared;            ///< The call that cleared fresh gradients last.
  Stack clipped;
};

/// A module whose mode was set as a whole.
struct Root {
  std::vector<WeakTensor> parameters;
  Mode mode = Mode::Unknown;
  Stack set;
  bool wasTrained = false; ///< Before it was set to evaluation mode.
  bool dependsOnMode = false;
  unsigned stepsInEvaluation = 0;
};

struct Scheduler {
  const void *self = nullptr;
  Stack made;
  unsigned steps = 0, stepsOfOptimizers = 0;
  torch::optim::Optimizer *optimizer = nullptr; ///< Lives at least as long as it is stepped.
  double rate = 0;                              ///< At the first step.
  bool hasMoved = false;                        ///< The rate was another one since.
};

/// What is seen at backward(): the root and how it was called.
struct BackwardCall {
  Stack stack;
  bool retains = false, creates = false;
};

class Training {
public:
  // ---- modules
  void onRegister(const torch::nn::Module &owner, const at::Tensor &tensor, bool isBuffer);
  void onInitialize(const at::Tensor &tensor);
  /// Some module has given its parameters. \p isWhole: it has modules of its own.
  void onParameters(const std::vector<at::Tensor> &parameters, bool isWhole);
  void onMode(torch::nn::Module &module, bool on);
  void onSave(Session &session, const torch::nn::Module &module);
  void onLoad(torch::nn::Module &module);
  /// The program writes \p tensor into an archive, by itself.
  void onWrite(const at::Tensor &tensor);
  /// An archive is written into \p file.
  void onFile(Session &session, const std::string &file);

  // ---- optimizers
  void onParameterGroup(Session &session, torch::optim::Optimizer &self, bool isFirst,
                        const std::vector<at::Tensor> &parameters);
  void onClear(Session &session, torch::optim::Optimizer *self, const std::vector<at::Tensor> &of);
  void beforeStep(Session &session, torch::optim::Optimizer &self);
  void afterStep(Session &session, torch::optim::Optimizer &self);
  void onClosure(Session &session, bool begins);
  void onOptimizerSaved(const torch::optim::Optimizer &self);
  void onScheduler(const void *self, torch::optim::Optimizer &optimizer);
  void onSchedulerStep(const void *self);

  // ---- gradients
  void beforeBackward(Session &session, const std::vector<at::Tensor> &roots);
  void afterBackward(Session &session, const BackwardCall &call, const at::Tensor &root);
  /// The program changes \p tensor in place, outside of steps and backwards.
  void onInPlace(Session &session, const at::Tensor &tensor);
  /// The program adds \p tensors up over all processes.
  void onAllReduce(const std::vector<at::Tensor> &tensors);
  void onGradientRead(const c10::TensorImpl *tensor);
  void onRequiresGrad(const at::Tensor &tensor);

  /// \p isEnd: the program ends, and not only the watching.
  void conclude(Session &session, bool isEnd);

  /// Whether the parameters of a module that lives are in training mode.
  bool isAnyTraining() const;
  /// Null if \p tensor is no parameter.
  Parameter *find(const at::Tensor &tensor);
  /// Whether \p tensor lies in the memory of one that an optimizer has.
  bool isParameter(const at::Tensor &tensor) const;
  bool hasTrained() const { return backwards > 0; }
  bool hasOptimizer() const { return !optimizers.empty(); }

private:
  struct Input { ///< A leaf that is no parameter, and gets gradients.
    WeakTensor tensor;
    Stack stack;
    bool isRead = false, isCounted = false;
  };

  Parameter &at(const at::Tensor &tensor);
  Optimizer &of(torch::optim::Optimizer &self);
  void checkRate(Session &session, const Optimizer &optimizer);
  void checkOwners(Session &session, const Optimizer &optimizer);
  void recordParameters(Session &session, const std::vector<at::Tensor> &parameters);
  void checkBuffers(Session &session);
  void checkUse(Session &session);
  void checkCopies(Session &session, const Optimizer &optimizer);

  std::unordered_map<const c10::TensorImpl *, Parameter> parameters;
  std::vector<Optimizer> optimizers;
  std::unordered_map<const torch::nn::Module *, Root> roots;
  std::vector<Scheduler> schedulers;
  std::map<uint64_t, std::pair<unsigned, Stack>> inputs; ///< By the site: how often it was wasted.
  std::vector<Input> leaves;
  std::unordered_map<const void *, bool> optimizedStorages; ///< Of gradients, after a step.

  bool wasAskedForWhole = false; ///< Some module with modules of its own gave its parameters.
  bool isShared = false;         ///< The program has added up gradients over all processes.
  unsigned backwards = 0;
  double loss = std::numeric_limits<double>::quiet_NaN(); ///< Of the last backward.
  std::chrono::steady_clock::time_point lastStep;

  // Since the last step: how the gradients came about.
  std::map<uint64_t, unsigned> backwardsBySite;
  Stack lastBackward;
  bool isScaled = false, isChanged = false; ///< The loss, the gradients; by the program.
  unsigned unscaledSteps = 0, unscaledParts = 0;

  // In a closure.
  int closures = 0;
  unsigned backwardsInClosures = 0, leftoversInClosures = 0;

  // Checkpoints.
  struct Save {
    Stack stack;
    unsigned count = 0, firstStep = 0;
  };
  std::map<uint64_t, Save> saves;
  bool wasLoadedAfterSave = false, anyOptimizerSaved = false;
  /// The last module or optimizer that was put into an archive which is not in a file yet.
  const void *archived = nullptr;
  struct File {
    const void *archived = nullptr;
    unsigned step = 0;
    uint64_t site = 0;
  };
  std::map<std::string, File> files;
  /// Where the parameters of a module with buffers were written, and whose buffers were.
  std::map<const torch::nn::Module *, Stack> written;
  std::set<const torch::nn::Module *> writtenBuffers;
  unsigned stepsAfterLoad = 0;
};

} // namespace gradtidy::watch
