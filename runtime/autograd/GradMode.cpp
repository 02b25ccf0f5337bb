#include "GradMode.h"

namespace gradtidy::runtime {

namespace {
thread_local bool gradEnabled = true;
thread_local bool inferenceEnabled = false;
} // namespace

bool GradMode::is_enabled() { return gradEnabled; }
void GradMode::set_enabled(bool enabled) { gradEnabled = enabled; }

InferenceMode::InferenceMode(bool enabled) : gradMode(!enabled), before(inferenceEnabled) {
  inferenceEnabled = enabled;
}
InferenceMode::~InferenceMode() { inferenceEnabled = before; }
bool InferenceMode::is_enabled() { return inferenceEnabled; }

} // namespace gradtidy::runtime
