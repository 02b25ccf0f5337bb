// Where the processor time of a process goes, by phase.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/TimeProfiler.h"

#include <map>
#include <string>

namespace gradtidy {

/// Seconds of processor time by the name of the phase.
using PhaseSeconds = std::map<std::string, double>;

/// Counts the processor time of this thread from here to its end. Phases do not nest.
class PhaseTimer {
public:
  explicit PhaseTimer(llvm::StringRef phase);
  ~PhaseTimer();
  PhaseTimer(const PhaseTimer &) = delete;
  PhaseTimer &operator=(const PhaseTimer &) = delete;

private:
  llvm::TimeTraceScope trace; ///< For --time-trace.
  std::string phase;
  double start;
};

/// Counts what cannot be timed from here: of a thread that does not come back.
void addPhaseSeconds(llvm::StringRef phase, double seconds);

/// What was counted in this process since the last call.
PhaseSeconds takePhaseSeconds();

} // namespace gradtidy
