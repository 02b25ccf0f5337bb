#include "PhaseTimer.h"

#include <mutex>
#include <utility>

#include <ctime>

namespace gradtidy {

namespace {

double processorSeconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

std::mutex mutex;

PhaseSeconds &counted() {
  static PhaseSeconds seconds;
  return seconds;
}

} // namespace

PhaseTimer::PhaseTimer(llvm::StringRef phase)
    : trace(phase), phase(phase), start(processorSeconds()) {}

PhaseTimer::~PhaseTimer() { addPhaseSeconds(phase, processorSeconds() - start); }

void addPhaseSeconds(llvm::StringRef phase, double seconds) {
  const std::lock_guard lock(mutex);
  counted()[phase.str()] += seconds;
}

PhaseSeconds takePhaseSeconds() {
  const std::lock_guard lock(mutex);
  return std::exchange(counted(), {});
}

} // namespace gradtidy
