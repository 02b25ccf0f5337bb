// What the watching library has recorded of a run (watch/Record.h), as findings in source code.
#pragma once

#include "analyzer/report/Formats.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace gradtidy {

/// One step of an optimizer.
struct WatchedStep {
  unsigned step = 0;
  std::optional<double> loss, gradientNorm, milliseconds;
  std::optional<double> bytes; ///< Of the process in memory, when the step ended.
};

/// A line that the library has seen on the way to an operation that checks are about.
struct WatchedLine {
  std::string file;
  unsigned line = 0;
};

/// Of all processes; its steps are those of the process that has made most.
struct Trace {
  std::vector<ReportedFinding> findings; ///< Sorted by file, line, column and check.
  std::vector<WatchedStep> steps;
  std::vector<WatchedLine> reached;
  std::optional<unsigned> end; ///< The steps in all; none if the program did not end by itself.
};

/// Turns the addresses in \p records, one of each process, into lines, by the debug information of
/// the files they lie in. Without it a finding names its function, in its message, and the program
/// as its file. Frames below
/// \p torch and in the system's headers are nobody's.
Trace readTrace(llvm::ArrayRef<llvm::StringRef> records, const std::string &torch);

} // namespace gradtidy
