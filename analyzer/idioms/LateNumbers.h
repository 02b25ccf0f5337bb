// Numbers that change when an optimizer has taken what they were before.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

struct LateNumber {
  const ir::Symbol *variable = nullptr; ///< Null if there is none.
  const ir::Node *change = nullptr;     ///< What changes it, in a loop that steps.
};

/// The number among the options of the optimizer that \p made makes, a local variable, that \p
/// function changes in a loop in which an optimizer steps, though it does no more with it then than
/// to print it.
LateNumber lateNumberOf(const Event &made, const FunctionBody &function);

} // namespace gradtidy
