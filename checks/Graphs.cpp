#include "Graphs.h"

namespace gradtidy {

/// Whether the event ends a graph, or may keep one from being recorded.
static bool cutsGraph(const Event &event) {
  switch (event.kind) {
  case EventKind::Detach:
  case EventKind::EnterGradMode:
  case EventKind::SetGradMode:
  case EventKind::RequireGrad:
  case EventKind::Backward:
    return true;
  default:
    return false;
  }
}

bool recordsGraph(const Visit &visit, const Event &forward) {
  if (!forward.module().view) // A layer of the framework, or a container of some.
    return true;
  const FunctionBody *body =
      forward.callee ? visit.unit.callGraph().bodyOf(*forward.callee) : nullptr;
  return body && !visit.unit.callGraph().runs(*body, cutsGraph, [](const Event &) { return true; });
}

} // namespace gradtidy
