// Profiler: where a program's time goes, operation by operation, as torch.profiler of Python tells,
// which LibTorch does not have in C++. It listens to at::RecordFunction, so it works with LibTorch
// and with the bundled runtime.
//
//   gradtidy::Profiler profiler({.schedule = {.wait = 1, .warmup = 1, .active = 3}});
//   for (auto &batch : *loader) {
//     train(batch);
//     profiler.step();
//   }
//   profiler.stop();
//   std::cout << profiler.table();
//   profiler.export_chrome_trace("trace.json"); // for chrome://tracing or ui.perfetto.dev
//
// Measured is the time of the calls on the host, on all threads. A kernel of a device that runs
// later takes no time here. One profiler can run at a time.
#pragma once

#include <torch/torch.h>

#include <ATen/record_function.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gradtidy {

/// Which steps are recorded: of each cycle, `active` ones after `wait` that are ignored and
/// `warmup` that are observed but forgotten.
struct ProfilerSchedule {
  int64_t skip_first = 0;
  int64_t wait = 0;
  int64_t warmup = 0;
  int64_t active = 0; ///< 0: everything from start() to stop() is recorded
  int64_t repeat = 0; ///< cycles; 0: as many as there are
};

class Profiler;

struct ProfilerOptions {
  ProfilerSchedule schedule;
  /// Called at the end of each cycle, and by stop() for one that was not complete.
  std::function<void(const Profiler &)> on_trace_ready;
};

/// One call. Times are microseconds, starting with the profiler.
struct ProfilerEvent {
  std::string name;
  at::RecordScope scope;
  uint64_t thread;
  double start, duration;
  double self; ///< without the calls within
};

enum class SortBy { Self, Total, Count };

class Profiler {
public:
  /// Starts at once.
  explicit Profiler(ProfilerOptions options = {}) : options(std::move(options)) {
    const ProfilerSchedule &schedule = this->options.schedule;
    TORCH_CHECK(schedule.skip_first >= 0 && schedule.wait >= 0 && schedule.warmup >= 0 &&
                    schedule.active >= 0 && schedule.repeat >= 0,
                "a profiler's schedule cannot have negative numbers of steps");
    TORCH_CHECK(schedule.active > 0 || schedule.wait + schedule.warmup == 0,
                "a profiler's schedule needs at least one active step");
    Profiler *none = nullptr;
    TORCH_CHECK(running().compare_exchange_strong(none, this), "another profiler is running");
    startStep();
  }
  ~Profiler() { stop(); }
  Profiler(const Profiler &) = delete;
  Profiler &operator=(const Profiler &) = delete;

  /// Says that a step of the program has ended.
  void step() {
    TORCH_CHECK(running() == this, "the profiler was stopped");
    endStep();
    ++steps;
    startStep();
  }

  /// Ends the recording.
  void stop() {
    if (running() != this)
      return;
    endStep();
    const bool incomplete = phase == Phase::Active;
    enter(Phase::Off);
    running() = nullptr;
    if (incomplete && options.on_trace_ready)
      options.on_trace_ready(*this);
  }

  /// What was recorded in the last cycle so far, in the order in which calls ended.
  std::vector<ProfilerEvent> events() const {
    std::lock_guard<std::mutex> lock(mutex);
    return recorded;
  }

  /// The calls by name, those with the most time first. Percentages are of the time of all calls
  /// that lie in no other.
  std::string table(SortBy order = SortBy::Self, std::size_t rows = 100) const;

  /// Everything as JSON in Chrome's format of traces.
  void export_chrome_trace(const std::string &path) const;

private:
  enum class Phase { Off, Warmup, Active };
  using Clock = std::chrono::steady_clock;

  /// An open call, which its thread keeps a stack of.
  struct Call : at::ObserverContext {
    Profiler *profiler = nullptr;
    Call *outer = nullptr;
    double start = 0, inner = 0;
  };

  static std::atomic<Profiler *> &running() {
    static std::atomic<Profiler *> profiler{nullptr};
    return profiler;
  }
  static Call *&innermost() {
    static thread_local Call *call = nullptr;
    return call;
  }

  static std::unique_ptr<at::ObserverContext> onStart(const at::RecordFunction &) {
    Profiler *profiler = running();
    if (!profiler)
      return nullptr;
    auto call = std::make_unique<Call>();
    call->profiler = profiler;
    call->outer = innermost();
    innermost() = call.get();
    call->start = profiler->now();
    return call;
  }

  static void onEnd(const at::RecordFunction &function, at::ObserverContext *context) {
    auto *call = static_cast<Call *>(context);
    if (!call)
      return;
    innermost() = call->outer;
    if (running() != call->profiler)
      return;
    const double duration = call->profiler->now() - call->start;
    if (call->outer)
      call->outer->inner += duration;
    call->profiler->add({function.name(), function.scope(), at::RecordFunction::currentThreadId(),
                         call->start, duration, duration - call->inner});
  }

  double now() const {
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
  }

  void add(ProfilerEvent event) {
    if (phase != Phase::Active)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    recorded.push_back(std::move(event));
  }

  /// The place of a step in its cycle; -1 before the first and after the last one.
  int64_t placeOf(int64_t step) const {
    const ProfilerSchedule &schedule = options.schedule;
    step -= schedule.skip_first;
    const bool over = schedule.repeat != 0 && step >= schedule.repeat * cycle();
    return step < 0 || over ? -1 : step % cycle();
  }
  int64_t cycle() const {
    return options.schedule.wait + options.schedule.warmup + options.schedule.active;
  }

  Phase phaseOf(int64_t step) const {
    const ProfilerSchedule &schedule = options.schedule;
    if (schedule.active == 0)
      return Phase::Active;
    const int64_t place = placeOf(step);
    return place < schedule.wait                     ? Phase::Off
           : place < schedule.wait + schedule.warmup ? Phase::Warmup
                                                     : Phase::Active;
  }

  void startStep() {
    const ProfilerSchedule &schedule = options.schedule;
    if (schedule.active != 0 && placeOf(steps) == schedule.wait + schedule.warmup) {
      std::lock_guard<std::mutex> lock(mutex);
      recorded.clear();
    }
    enter(phaseOf(steps));
    stepStart = now();
  }

  void endStep() {
    if (options.schedule.active == 0 || phase != Phase::Active)
      return;
    add({"ProfilerStep#" + std::to_string(steps), at::RecordScope::USER_SCOPE,
         at::RecordFunction::currentThreadId(), stepStart, now() - stepStart, 0});
    if (placeOf(steps) != cycle() - 1)
      return;
    enter(Phase::Off);
    if (options.on_trace_ready)
      options.on_trace_ready(*this);
  }

  /// Listens to the calls of all threads unless `next` is Off.
  void enter(Phase next) {
    const bool listening = phase != Phase::Off, wanted = next != Phase::Off;
    if (wanted && !listening)
      callback = at::addGlobalCallback(at::RecordFunctionCallback(onStart, onEnd));
    if (listening && !wanted)
      at::removeCallback(callback);
    phase = next;
  }

  ProfilerOptions options;
  Clock::time_point begin = Clock::now();
  int64_t steps = 0;
  double stepStart = 0;
  at::CallbackHandle callback{};
  std::atomic<Phase> phase{Phase::Off};
  mutable std::mutex mutex;
  std::vector<ProfilerEvent> recorded;
};

inline std::string Profiler::table(SortBy order, std::size_t rows) const {
  struct Row {
    std::string name;
    double self = 0, total = 0;
    int64_t count = 0;
  };
  std::map<std::string, Row> byName;
  double all = 0;
  for (const ProfilerEvent &event : events()) {
    Row &row = byName[event.name];
    row.name = event.name;
    row.self += event.self;
    row.total += event.duration;
    ++row.count;
    all += event.self;
  }
  std::vector<Row> sorted;
  for (const auto &entry : byName)
    sorted.push_back(entry.second);
  std::stable_sort(sorted.begin(), sorted.end(), [order](const Row &a, const Row &b) {
    return order == SortBy::Self    ? a.self > b.self
           : order == SortBy::Total ? a.total > b.total
                                    : a.count > b.count;
  });
  sorted.resize(std::min(rows, sorted.size()));
  std::size_t width = 4;
  for (const Row &row : sorted)
    width = std::max(width, std::min<std::size_t>(row.name.size(), 60));
  auto line = [&](const std::string &name, const std::string &rest) {
    std::string text = name.size() > width ? name.substr(0, width - 3) + "..." : name;
    return text + std::string(width - text.size(), ' ') + rest + '\n';
  };
  auto time = [](double microseconds) {
    char text[32];
    const bool long_ = microseconds >= 1e6, short_ = microseconds < 1e3;
    std::snprintf(text, sizeof text, "%.3f%s",
                  long_    ? microseconds / 1e6
                  : short_ ? microseconds
                           : microseconds / 1e3,
                  long_    ? " s"
                  : short_ ? "us"
                           : "ms");
    return std::string(text);
  };
  std::string text =
      line("Name", "  Self CPU %      Self CPU   CPU total %     CPU total  CPU time "
                   "avg  # of calls");
  text += std::string(text.size() - 1, '-') + '\n';
  for (const Row &row : sorted) {
    char rest[160];
    std::snprintf(rest, sizeof rest, "  %9.2f%%  %12s  %11.2f%%  %12s  %12s  %10lld",
                  all > 0 ? 100 * row.self / all : 0, time(row.self).c_str(),
                  all > 0 ? 100 * row.total / all : 0, time(row.total).c_str(),
                  time(row.total / static_cast<double>(row.count)).c_str(),
                  static_cast<long long>(row.count));
    text += line(row.name, rest);
  }
  return text + "Self CPU time total: " + time(all) + '\n';
}

inline void Profiler::export_chrome_trace(const std::string &path) const {
  std::ofstream file(path);
  auto quoted = [](const std::string &text) {
    std::string result = "\"";
    for (const char c : text) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned char>(c));
      if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20)
        result += escaped;
      else
        result += c;
    }
    return result + '"';
  };
  file << "{\"traceEvents\":[";
  const char *separator = "\n";
  for (const ProfilerEvent &event : events()) {
    const char *category = event.scope == at::RecordScope::USER_SCOPE          ? "user_annotation"
                           : event.scope == at::RecordScope::BACKWARD_FUNCTION ? "backward"
                                                                               : "cpu_op";
    char numbers[128];
    std::snprintf(numbers, sizeof numbers, ",\"tid\":%llu,\"ts\":%.3f,\"dur\":%.3f}",
                  static_cast<unsigned long long>(event.thread), event.start, event.duration);
    file << separator << "{\"ph\":\"X\",\"cat\":\"" << category
         << "\",\"name\":" << quoted(event.name) << ",\"pid\":0" << numbers;
    separator = ",\n";
  }
  file << "\n]}\n";
  file.flush();
  TORCH_CHECK(file.good(), "cannot write the trace to ", path);
}

} // namespace gradtidy
