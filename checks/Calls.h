// What events call, by name, and the calls that lead to them.
#pragma once

#include "Check.h"

namespace gradtidy {

/// The simple name of the function that \p site calls; empty if it calls none, or an operator.
llvm::StringRef calledName(const ir::Node *site);

/// What the function that \p site calls is to those who read code.
Aspects calledAspects(const ir::Node *site);

/// The calls that lead to an event, outermost first, and the event itself.
using Frames = llvm::SmallVector<const Event *, 8>;
Frames framesOf(llvm::ArrayRef<const Event *> callers, const Event &event);
inline Frames framesOf(const Visit &visit) { return framesOf(visit.callers, visit.event); }

/// The function in which the analysis that has come to the event began.
const FunctionBody &rootOf(const Visit &visit);

} // namespace gradtidy
