// What events give the framework's operators as arguments, and what they assign to.
#pragma once

#include "analyzer/ir/Event.h"
#include "analyzer/model/Operators.h"

namespace gradtidy {

class State;

/// What a Bind assigns to: its subject, or what that leads to where it is a pointer, `*pointer =
/// x`.
PathId assignedBy(const Event &bind, const State &state);

/// What the event gives the operator it runs as argument \p index; null for a default.
const Operand *argumentOf(const Event &event, unsigned index);

/// Calls \p visit for all arguments of the event, with their numbers.
void forArguments(const Event &event, llvm::function_ref<void(unsigned, const Operand &)> visit);

/// Whether the event may call that overload.
bool fits(const Overload &overload, const Event &event);

/// Whether the operand is a number of C++.
bool isNumber(const Operand &operand);

} // namespace gradtidy
