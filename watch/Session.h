// The state of a watched program: one session a process.
#pragma once

#include "Graphs.h"
#include "Loaders.h"
#include "Operations.h"
#include "Record.h"
#include "Training.h"
#include "Values.h"

#include <ATen/record_function.h>

#include <atomic>
#include <mutex>
#include <optional>

namespace gradtidy::watch {

/// What a thread is doing.
struct Thread {
  bool isWatching = false; ///< In the library's own code: what it calls is not the program's.
  int operations = 0;      ///< Depth of operations in operations.
  int backwards = 0;       ///< Depth of backward() and grad().
  int steps = 0;           ///< Depth of Optimizer::step().
  int modes = 0;           ///< Depth of Module::train().
  int clears = 0;          ///< Depth of zero_grad().
  int serializations = 0;  ///< Depth of save() and load().
  bool startedWithoutGrad = false; ///< By a thread in which a guard disabled gradients.
  bool isMain = true;
  bool inDropoutModule = false;
  Mode lastMode = Mode::Unknown; ///< Of the module whose parameter was used last.
};

Thread &thread();

/// Of the present thread, as LibTorch counts them.
inline uint64_t threadNumber() { return at::RecordFunction::currentThreadId(); }

struct Session {
  explicit Session(std::FILE *file, unsigned limit) : record(file), limit(limit) {}

  std::mutex mutex; ///< Of all below.
  Record record;
  unsigned step = 0; ///< Steps of optimizers so far.
  unsigned limit;    ///< Steps after which nothing is watched; 0 for none.
  Graphs graphs;
  Training training;
  Loaders loaders;
  Operations operations;
  Values values;

  void report(const Finding &finding) { record.add(finding, step); }
  /// What only the end of the program shows, or (\p isEnd is false) that of the watching.
  void conclude(bool isEnd);
};

/// Enters the library's own code: the session is locked, and what it calls is not watched. False
/// where nothing is watched: before the start, after the end, in a forked process, and in this
/// library's own calls.
class Watching {
public:
  Watching();
  ~Watching();
  Watching(const Watching &) = delete;
  Watching &operator=(const Watching &) = delete;

  explicit operator bool() const { return session; }
  Session *operator->() const { return session; }

private:
  Session *session = nullptr;
};

/// Opens the session that the environment asks for: GRADTIDY_WATCH names the folder for its file,
/// GRADTIDY_WATCH_STEPS the steps after which watching ends. Once.
void start();

} // namespace gradtidy::watch
