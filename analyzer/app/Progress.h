// How far a run is: one line on a terminal, nothing elsewhere.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <string>

namespace gradtidy {

/// "[12/557] 4.2/s, 2:10 left: train.cpp"; \p rate in items a second, 0 while not known.
std::string progressLine(size_t done, size_t total, double rate, llvm::StringRef file);

class Progress {
public:
  /// Shows nothing if \p quiet, if there is one file only, or if standard error is no terminal.
  Progress(size_t total, bool quiet);
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// What is worked on now; for long beginnings.
  void begin(llvm::StringRef file);
  /// One more file is done.
  void add(llvm::StringRef file);
  /// Before something else is written to the terminal.
  void clear();

private:
  void show(llvm::StringRef file);

  size_t total, done = 0;
  bool visible;
  bool shown = false;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now(), last;
};

} // namespace gradtidy
