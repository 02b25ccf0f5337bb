// AnomalyMode: finds the operation behind a gradient that is NaN or cannot be computed.
//
//   torch::autograd::DetectAnomalyGuard guard;
//   loss(model).backward();
//
// While it is on, every operation remembers the stack of the call that recorded it, and backward
// checks what each node returns. The mode is global: it holds for all threads. It is slow.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace gradtidy::runtime {

class Node;

namespace autograd {

struct AnomalyMode {
  static bool is_enabled() { return enabled; }
  /// Whether backward throws where a node returns NaN.
  static bool should_check_nan() { return checkNan; }
  static void set_enabled(bool enabled, bool checkNan = true) {
    AnomalyMode::enabled = enabled;
    AnomalyMode::checkNan = checkNan;
  }

private:
  inline static std::atomic<bool> enabled = false;
  inline static std::atomic<bool> checkNan = true;
};

/// Switches the mode on in its scope, and off at its end.
class DetectAnomalyGuard {
public:
  explicit DetectAnomalyGuard(bool checkNan = true);
  ~DetectAnomalyGuard() { AnomalyMode::set_enabled(false, checkNanBefore); }
  DetectAnomalyGuard(const DetectAnomalyGuard &) = delete;
  DetectAnomalyGuard &operator=(const DetectAnomalyGuard &) = delete;

private:
  bool checkNanBefore;
};

/// Where a node was made, while the mode was on.
class AnomalyMetadata {
public:
  /// Of the calling stack, in backward of `parent` (null in forward).
  explicit AnomalyMetadata(std::shared_ptr<Node> parent);
  /// Prints on standard error which call made the node of this name, and which backward did that.
  void print_stack(const std::string &nodeName) const;

private:
  std::vector<void *> frames;
  std::shared_ptr<Node> parent;
};

} // namespace autograd
} // namespace gradtidy::runtime
