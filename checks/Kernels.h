// What checks of CUDA kernels share: who is to see to what a launch relies on, and where findings
// and repairs stand, which macros around a launch repeat for each type of elements.
#pragma once

#include "Check.h"

namespace gradtidy {

/// Who has seen to something before a launch.
enum class Cared : unsigned char {
  Yes,
  Unknown, ///< Not the functions that can be seen, but these may have other callers.
  No,      ///< Nobody: Python or a dispatcher calls a function that leads to the launch.
};

/// Whether each way that leads to the visited function does \p what.
Cared caredByCallers(const LauncherVisit &visit, bool KernelCare::*what);

/// Where \p location is written: in the file, also where it is an argument of a macro.
clang::SourceLocation writtenAt(const LauncherVisit &visit, clang::SourceLocation location);

/// A finding about \p launch.
Finding findingAt(const LauncherVisit &visit, const KernelLaunch &launch);

} // namespace gradtidy
