// What the numbers in tensors show: the operation that made the first NaN or infinity, units that
// are never on, gradients that vanish or explode. Only tensors on the CPU are looked at.
#pragma once

#include "Record.h"
#include "Weak.h"

#include <torch/torch.h>

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace gradtidy::watch {

struct Session;

enum class Kind : unsigned char { Finite, Infinite, NotANumber };

class Values {
public:
  void before(const std::vector<at::Tensor> &inputs);
  void after(Session &session, const std::string &name, const at::Tensor &output);

  // ---- backwards
  void beforeBackward();
  /// A node of the graph is differentiated: the operation with \p sequence of \p thread.
  void onNode(const char *name, uint64_t thread, uint64_t sequence);
  /// An operation of a backward has made \p output.
  void inBackward(const at::Tensor &output);
  /// \p isExplained: another check has said why \p loss is not finite.
  void onLoss(Session &session, const at::Tensor &root, double loss, const Stack &backward,
              bool isExplained);

  /// An optimizer is about to use the gradients of \p parameters, the last of which \p backward
  /// made. \p isMeasured: it is time to look at all of them.
  void beforeStep(Session &session, const std::vector<at::Tensor> &parameters,
                  const Stack &backward, double loss, bool isMeasured);
  void onStep();

private:
  /// Where the numbers of a tensor stopped being finite.
  struct Origin {
    Kind kind;
    std::string name; ///< Of the operation; empty if the tensor came so from elsewhere.
    Stack stack;
    int infinity = -1; ///< What NaN was made of: a position in origins.
  };
  struct Tainted {
    WeakTensor tensor;
    int origin;
  };
  /// An output of which only a part was looked at.
  struct Large {
    WeakTensor tensor;
    std::string name;
    uint64_t site;
  };
  /// Operations since the last step or change of the gradient mode, in order. A program repeats
  /// them, so that a stack is captured once for a position, and not for each operation.
  struct Position {
    unsigned index = 0;
    bool records = false; ///< Gradients are enabled.
    std::vector<WeakTensor> inputs;
    std::vector<std::pair<uint64_t, uint64_t>> sequences; ///< The first number behind it, its site.
  };
  /// The units behind a ReLU.
  struct Units {
    Stack stack;
    std::vector<bool> areOn; ///< At any time since firstStep.
    unsigned firstStep = 0, lastStep = 0, passes = 0;
    int64_t samples = 0;
  };

  Position &here();
  int originOf(const at::Tensor &tensor, const at::Tensor &output);
  int add(Origin origin);
  void report(Session &session, int origin, double loss);
  void onUnits(Session &session, const at::Tensor &output, uint64_t site);
  void checkScale(Session &session, const std::vector<at::Tensor> &parameters,
                  const Stack &backward, double loss);

  std::unordered_map<uint64_t, Position> positions; ///< By thread.
  std::unordered_map<uint64_t, Stack> sites;
  std::unordered_map<uint64_t, std::string> names; ///< Of the operations of sites.
  std::unordered_map<uint64_t, Units> units;       ///< By site.

  bool isBroken = false; ///< Something stopped being finite, and was reported.
  std::deque<Origin> origins;
  std::unordered_map<const c10::TensorImpl *, Tainted> tainted;
  std::vector<Large> large;

  std::string node, brokenNode; ///< The present one; the first that made no finite number.
  uint64_t nodeThread = 0, nodeSequence = 0;
  uint64_t brokenSite = 0;

  unsigned measured = 0;
  unsigned vanished = 0, exploded = 0; ///< Measured steps in a row.
  double firstLoss = 0;
  double leastNorm = std::numeric_limits<double>::infinity(); ///< Of the first measured steps.
};

} // namespace gradtidy::watch
