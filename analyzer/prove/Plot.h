// Two series of numbers, those of the program with the bug and those of the repaired one, as
// pictures.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace gradtidy {

struct Plot {
  std::string metric; ///< What the values are; stands above the plot.
  std::string over;   ///< What they are counted by: "step".
  bool logarithmic;   ///< The scale, unless a value is not above zero.
  llvm::ArrayRef<double> bug, fix;
  std::string bugEnd;   ///< What ended the program with the bug; may be empty.
  bool isAlone = false; ///< \p fix is all there is, and has no name.
};

/// A line of at most \p width blocks for \p values, one of the series of \p plot, on its scale.
std::string sparkline(const Plot &plot, llvm::ArrayRef<double> values, size_t width);

/// An SVG of 640 x 260 that suits light and dark pages. The same numbers give the same bytes.
std::string svg(const Plot &plot);

} // namespace gradtidy
