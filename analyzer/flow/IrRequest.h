// What is to be written of a unit (see IrText.h).
#pragma once

#include <string>

namespace gradtidy {

/// Which functions are to be shown, and how.
struct IrRequest {
  std::string function; ///< A name, with or without what it stands in; empty for all functions.
  std::string file;     ///< Only functions in this file; empty for all of the unit's own.
  bool values = false;  ///< What the engine knows behind each event, too.
  bool whole = false;   ///< All of the unit, of which others can make the same analysis.
};

} // namespace gradtidy
