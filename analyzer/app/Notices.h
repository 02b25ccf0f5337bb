// What a run has not analyzed although it is the project's: a change under review may bring it
// about.
#pragma once

#include "Analysis.h"

#include <string>
#include <vector>

namespace gradtidy {

/// A line for each kind, with the first places of it; and one for each function that was not
/// followed to its end, up to ten. For standard error and for reports.
std::vector<std::string> noticesOf(const Results &results, const ShownPaths &shown);

} // namespace gradtidy
