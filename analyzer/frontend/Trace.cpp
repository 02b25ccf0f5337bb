#include "Trace.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"

namespace gradtidy {

Trace::Trace(bool enabled, std::string &text) : enabled(enabled), text(text) {
  constexpr unsigned microseconds = 500; // What is shorter is left out.
  if (enabled)
    llvm::timeTraceProfilerInitialize(microseconds, "gradtidy");
}

Trace::~Trace() {
  if (!enabled)
    return;
  llvm::SmallString<0> json;
  llvm::raw_svector_ostream out(json);
  llvm::timeTraceProfilerWrite(out);
  llvm::timeTraceProfilerCleanup();
  text = std::string(json);
}

} // namespace gradtidy
