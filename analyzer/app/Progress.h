// How far a run is: one line on a terminal, nothing elsewhere.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <string>

namespace gradtidy {

/// "[12/557] 4.2/s, 2:10 left: train.cpp"; \p rate in items a second, 0 while not known.
std::string progressLine(size_t done, size_t total, double rate, llvm::StringRef what);

class Progress {
public:
  /// Shows nothing if \p quiet, or if standard error is no terminal.
  Progress(size_t total, bool quiet);
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Before the first file is done: the \p file that is worked on.
  void begin(llvm::StringRef file);
  /// What takes long at present, in words; a copy of this in another process may be told.
  void tell(llvm::StringRef what) const;
  /// One more file is done.
  void add(llvm::StringRef file);
  /// Before something else is written to the terminal.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  void show(llvm::StringRef what) const;

  size_t total, done = 0;
  bool visible;
  bool shown = false;
  /// When the first file was done: before, headers are made for all of them.
  Clock::time_point firstDone, last;
};

} // namespace gradtidy
