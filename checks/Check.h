// The base of every check. A check reads events and the states before them; it never walks the AST.
#pragma once

#include "Finding.h"
#include "analyzer/events/Event.h"
#include "analyzer/flow/State.h"

namespace gradtidy {

/// Override the overloads of the events the check wants to see. They are called in the order of
/// the flow, once per event and calling context, with the fixpoint state before the event.
/// The same finding reported from several contexts is shown once.
class Check {
public:
  virtual ~Check() = default;
  virtual void on(const Event &event, const State &before, Reporter &reporter) = 0;
};

} // namespace gradtidy
