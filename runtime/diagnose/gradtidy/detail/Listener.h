// Listener: what a tool needs to observe the operations of all threads, one tool of a kind at once.
//
// A tool derives from Listener<Tool>, calls listen() when it is ready and silence() before it ends,
// and has
//   std::unique_ptr<at::ObserverContext> started(const at::RecordFunction &);
//   void ended(const at::RecordFunction &, at::ObserverContext *);
// which are called by one thread at a time. Operations that these run are not observed by any tool.
#pragma once

#include <torch/torch.h>

#include <ATen/record_function.h>

#include <memory>
#include <mutex>
#include <utility>

namespace gradtidy::detail {

/// Held while a tool is told.
inline std::mutex &toolMutex() {
  static std::mutex mutex;
  return mutex;
}
/// Whether this thread is in a tool.
inline bool &insideTool() {
  static thread_local bool inside = false;
  return inside;
}

/// While it lives, no tool is told of what this thread runs.
class Untold {
public:
  Untold() : before(std::exchange(insideTool(), true)) {}
  ~Untold() { insideTool() = before; }
  Untold(const Untold &) = delete;
  Untold &operator=(const Untold &) = delete;

private:
  bool before;
};

/// Whether observers see what goes into operations. A release of LibTorch does not show it to
/// programs without NDEBUG.
inline bool inputsAreReadable() {
  Untold guard; // or the tools that run would wait for the one that starts
  static thread_local bool readable;
  readable = false;
  auto look = [](const at::RecordFunction &function) -> std::unique_ptr<at::ObserverContext> {
    try {
      (void)function.inputs();
      readable = true;
    } catch (const c10::Error &) {
    }
    return nullptr;
  };
  const at::CallbackHandle handle =
      at::addThreadLocalCallback(at::RecordFunctionCallback(look).needsInputs(true));
  {
    RECORD_USER_SCOPE("look");
  }
  at::removeCallback(handle);
  return readable;
}

template <class Tool> class Listener {
public:
  Listener(const Listener &) = delete;
  Listener &operator=(const Listener &) = delete;

protected:
  Listener() = default;

  void listen(const char *name, bool inputs, bool outputs) {
    std::lock_guard<std::mutex> lock(toolMutex());
    TORCH_CHECK(!active(), "another ", name, " is running");
    TORCH_CHECK(!inputs || inputsAreReadable(), name,
                " cannot see what goes into operations: compile with -DNDEBUG, as LibTorch was");
    active() = static_cast<Tool *>(this);
    callback = at::addGlobalCallback(
        at::RecordFunctionCallback(onStart, onEnd).needsInputs(inputs).needsOutputs(outputs));
  }
  void silence() {
    at::removeCallback(callback);
    std::lock_guard<std::mutex> lock(toolMutex());
    active() = nullptr;
  }

private:
  static Tool *&active() {
    static Tool *tool = nullptr;
    return tool;
  }
  /// Calls `action` with the tool, unless this thread is in one already.
  template <class Action> static void tell(Action action) {
    if (insideTool())
      return;
    Untold guard;
    std::lock_guard<std::mutex> lock(toolMutex());
    if (active())
      action(*active());
  }
  static std::unique_ptr<at::ObserverContext> onStart(const at::RecordFunction &function) {
    std::unique_ptr<at::ObserverContext> context;
    tell([&](Tool &tool) { context = tool.started(function); });
    return context;
  }
  static void onEnd(const at::RecordFunction &function, at::ObserverContext *context) {
    tell([&](Tool &tool) { tool.ended(function, context); });
  }

  at::CallbackHandle callback{};
};

} // namespace gradtidy::detail
