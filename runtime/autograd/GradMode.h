// Whether operations of this thread are recorded for backward, and the guards that change it.
//
// The mode is thread local and on at the start of every thread: a guard reaches no other thread.
#pragma once

namespace gradtidy::runtime {

struct GradMode {
  static bool is_enabled();
  static void set_enabled(bool enabled);
};

/// Sets the mode and restores the former one at the end of its scope.
class AutoGradMode {
public:
  AutoGradMode(bool enabled) : before(GradMode::is_enabled()) { GradMode::set_enabled(enabled); }
  ~AutoGradMode() { GradMode::set_enabled(before); }
  AutoGradMode(const AutoGradMode &) = delete;
  AutoGradMode &operator=(const AutoGradMode &) = delete;

private:
  bool before;
};

/// Records nothing in its scope.
class NoGradGuard : public AutoGradMode {
public:
  NoGradGuard() : AutoGradMode(false) {}
};

/// Records nothing in its scope; tensors made there can never take part in a graph.
class InferenceMode {
public:
  InferenceMode(bool enabled = true);
  ~InferenceMode();
  InferenceMode(const InferenceMode &) = delete;
  InferenceMode &operator=(const InferenceMode &) = delete;
  static bool is_enabled();

private:
  AutoGradMode gradMode;
  bool before;
};

} // namespace gradtidy::runtime
