// Where the time of a run went: --stats and --time-trace.
#pragma once

#include "Analysis.h"

#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace gradtidy {

/// Processor time by phase and by check, of all files together.
void printTimes(llvm::raw_ostream &out, const Run &run, const Results &results);

/// One trace in Chrome's format of the traces of all files; each file is a process of its own
/// there.
std::string joinTraces(const Run &run);

} // namespace gradtidy
