#include "RecordFunction.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace gradtidy::runtime {
namespace {

using Callbacks = std::vector<std::pair<CallbackHandle, RecordFunctionCallback>>;

std::mutex globalMutex;
Callbacks globalCallbacks;
thread_local Callbacks ownCallbacks;

CallbackHandle nextHandle() {
  static std::atomic<CallbackHandle> next{1};
  return next++;
}

} // namespace

std::atomic<int> RecordFunction::observers{0};
thread_local RecordFunction *RecordFunction::innermost = nullptr;

CallbackHandle addGlobalCallback(RecordFunctionCallback callback) {
  std::lock_guard lock(globalMutex);
  ++RecordFunction::observers;
  return globalCallbacks.emplace_back(nextHandle(), std::move(callback)).first;
}

CallbackHandle addThreadLocalCallback(RecordFunctionCallback callback) {
  ++RecordFunction::observers;
  return ownCallbacks.emplace_back(nextHandle(), std::move(callback)).first;
}

void removeCallback(CallbackHandle handle) {
  auto isIt = [&](const auto &entry) { return entry.first == handle; };
  std::lock_guard lock(globalMutex);
  std::size_t removed = std::erase_if(ownCallbacks, isIt) + std::erase_if(globalCallbacks, isIt);
  RecordFunction::observers -= static_cast<int>(removed);
}

void RecordFunction::findCallbacks() {
  auto take = [&](const Callbacks &callbacks) {
    for (const auto &[handle, callback] : callbacks)
      if (callback.checkScope(kind))
        calls.push_back({callback, nullptr});
  };
  take(ownCallbacks);
  std::lock_guard lock(globalMutex);
  take(globalCallbacks);
}

bool RecordFunction::needsInputs() const {
  return std::ranges::any_of(calls, [](const Call &call) { return call.callback.needsInputs(); });
}

bool RecordFunction::needsOutputs() const {
  return std::ranges::any_of(calls, [](const Call &call) { return call.callback.needsOutputs(); });
}

void RecordFunction::before(std::string name, int64_t sequenceNr) {
  before(std::move(name), std::vector<IValue>(), sequenceNr);
}

void RecordFunction::before(std::string name, std::vector<IValue> inputs, int64_t sequenceNr) {
  taken = std::move(inputs);
  title = std::move(name);
  sequence = sequenceNr;
  thread = currentThreadId();
  started = true;
  outer = innermost;
  if (needsOutputs())
    innermost = this;
  for (Call &call : calls)
    if (call.callback.start())
      call.context = call.callback.start()(*this);
}

void RecordFunction::end() {
  if (!std::exchange(started, false))
    return;
  innermost = outer;
  for (Call &call : calls)
    if (call.callback.end())
      call.callback.end()(*this, call.context.get());
  calls.clear();
}

uint64_t RecordFunction::currentThreadId() {
  static std::atomic<uint64_t> next{1};
  static thread_local uint64_t own = next++;
  return own;
}

} // namespace gradtidy::runtime
