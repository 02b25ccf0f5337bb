// A function by which two sources of a program have to do with each other.
#pragma once

#include <compare>
#include <string>

namespace gradtidy {

/// A function that a header of the project declares, or every source that calls it by hand. One
/// source defines it, others may call it.
struct SharedFunction {
  std::string source; ///< That defines it, of those that were parsed; or empty. Absolute.
  std::string header; ///< That declares it; a source, if it is declared by hand. Absolute.
  std::string record; ///< The class it belongs to; empty for a free function.
  std::string name;   ///< Without the class; a constructor's is that of the class.
  /// Whether the source defines other functions of the class, and so has to do with this one,
  /// whether it calls it or not.
  bool completesClass = false;
  auto operator<=>(const SharedFunction &) const = default;
};

} // namespace gradtidy
