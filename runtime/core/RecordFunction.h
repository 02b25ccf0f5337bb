// RecordFunction: tells observers when an operation starts and ends, under LibTorch's names.
//
//   at::addGlobalCallback(at::RecordFunctionCallback(start, end));
//   { RECORD_USER_SCOPE("load"); ... }
//
// Recorded are operations ("aten::mm", and "aten::linear" around it), nodes of backward
// ("MmBackward0") and scopes that programs name themselves. Views are not: they take no time.
// Where nobody observes, a scope costs the reading of a number. Observers that ask for it see what
// goes in (of copy_ and _local_scalar_dense alone: what waits for a device) and the result.
#pragma once

#include "IValue.h"

#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace gradtidy::runtime {

enum class RecordScope : uint8_t {
  FUNCTION = 0,      ///< an operation, or a scope by RECORD_FUNCTION
  BACKWARD_FUNCTION, ///< a node of backward
  USER_SCOPE,        ///< a scope by RECORD_USER_SCOPE
  NUM_SCOPES
};

class RecordFunction;

/// What a start callback leaves for the end callback.
class ObserverContext {
public:
  virtual ~ObserverContext() = default;
};

/// A pair of functions to call at the start and at the end of scopes, all of them unless told
/// otherwise.
class RecordFunctionCallback {
public:
  using StartCallback = std::unique_ptr<ObserverContext> (*)(const RecordFunction &);
  using EndCallback = void (*)(const RecordFunction &, ObserverContext *);

  explicit RecordFunctionCallback(StartCallback start, EndCallback end = nullptr)
      : startFunction(start), endFunction(end) {}
  RecordFunctionCallback &scopes(const std::unordered_set<RecordScope> &scopes) {
    chosen = scopes;
    return *this;
  }
  RecordFunctionCallback &needsInputs(bool needed) {
    wantsInputs = needed;
    return *this;
  }
  RecordFunctionCallback &needsOutputs(bool needed) {
    wantsOutputs = needed;
    return *this;
  }
  bool needsInputs() const { return wantsInputs; }
  bool needsOutputs() const { return wantsOutputs; }
  bool checkScope(RecordScope scope) const { return chosen.empty() || chosen.contains(scope); }
  StartCallback start() const { return startFunction; }
  EndCallback end() const { return endFunction; }

private:
  StartCallback startFunction;
  EndCallback endFunction;
  bool wantsInputs = false, wantsOutputs = false;
  std::unordered_set<RecordScope> chosen;
};

using CallbackHandle = uint64_t;

/// Calls `callback` for the scopes of every thread, until it is removed.
CallbackHandle addGlobalCallback(RecordFunctionCallback callback);
/// The same for the scopes of this thread; it is removed by the same thread.
CallbackHandle addThreadLocalCallback(RecordFunctionCallback callback);
void removeCallback(CallbackHandle handle);

class RecordFunction {
public:
  explicit RecordFunction(RecordScope scope = RecordScope::FUNCTION) : kind(scope) {
    if (observers.load(std::memory_order_relaxed) != 0)
      findCallbacks();
  }
  ~RecordFunction() { end(); }
  RecordFunction(const RecordFunction &) = delete;
  RecordFunction &operator=(const RecordFunction &) = delete;

  /// Whether somebody observes this scope; before() must be called only then.
  bool isActive() const { return !calls.empty(); }
  bool needsInputs() const;
  bool needsOutputs() const;
  /// Calls the start callbacks. `sequenceNr` is that of the node of a backward scope.
  void before(std::string name, int64_t sequenceNr = -1);
  void before(std::string name, std::vector<IValue> inputs, int64_t sequenceNr = -1);
  /// Calls the end callbacks, as the destructor does.
  void end();

  const char *name() const { return title.c_str(); }
  RecordScope scope() const { return kind; }
  const std::vector<IValue> &inputs() const { return taken; }
  const std::vector<IValue> &outputs() const { return given; }
  void setOutputs(std::vector<IValue> outputs) { given = std::move(outputs); }
  /// Takes `result` for that of the innermost scope of this thread whose observers want it.
  static void setResult(const Tensor &result) {
    if (innermost)
      innermost->setOutputs({result});
  }
  /// Whether anybody sees the results of operations in the scopes of this thread.
  static bool showsResults() { return innermost != nullptr; }
  int64_t seqNr() const { return sequence; }
  uint64_t threadId() const { return thread; }
  /// Small numbers, in the order in which threads ask.
  static uint64_t currentThreadId();

private:
  struct Call {
    RecordFunctionCallback callback;
    std::unique_ptr<ObserverContext> context;
  };

  friend CallbackHandle addGlobalCallback(RecordFunctionCallback);
  friend CallbackHandle addThreadLocalCallback(RecordFunctionCallback);
  friend void removeCallback(CallbackHandle);
  void findCallbacks();

  /// How many callbacks there are, of all threads.
  static std::atomic<int> observers;
  /// Of the scopes whose observers want outputs.
  static thread_local RecordFunction *innermost;

  RecordScope kind;
  bool started = false;
  int64_t sequence = -1;
  uint64_t thread = 0;
  std::string title;
  std::vector<IValue> taken, given;
  RecordFunction *outer = nullptr;
  std::vector<Call> calls;
};

/// An operation of the runtime, from here to the end of the C++ scope. `name` has no "aten::".
class OperationScope : RecordFunction {
public:
  explicit OperationScope(const char *name, const char *ending = "") {
    if (isActive())
      before(std::string("aten::") + name + ending);
  }
  /// `inputs` makes a list of values for observers that want them.
  template <std::invocable Inputs> OperationScope(const char *name, Inputs inputs) {
    if (isActive())
      before(std::string("aten::") + name,
             needsInputs() ? std::vector<IValue>(inputs()) : std::vector<IValue>());
  }
};

} // namespace gradtidy::runtime

#define RECORD_FUNCTION_WITH_SCOPE(scope, name, inputs, ...)                                       \
  ::gradtidy::runtime::RecordFunction guard(scope);                                                \
  if (guard.isActive())                                                                            \
  guard.before(name __VA_OPT__(, ) __VA_ARGS__)
/// A scope with the name of an operation; `inputs` are of no use here.
#define RECORD_FUNCTION(name, inputs, ...)                                                         \
  RECORD_FUNCTION_WITH_SCOPE(::gradtidy::runtime::RecordScope::FUNCTION, name,                     \
                             inputs __VA_OPT__(, ) __VA_ARGS__)
#define RECORD_USER_SCOPE(name)                                                                    \
  RECORD_FUNCTION_WITH_SCOPE(::gradtidy::runtime::RecordScope::USER_SCOPE, name, )
