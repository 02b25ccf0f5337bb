// Anomaly detection looks at every gradient for numbers that are none, and remembers for every
// operation where it was called. It finds a bug; left on, it makes every step of the training dear.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"

namespace gradtidy {
namespace {

class AnomalyMode : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.operation == Operation::DetectAnomaly ||
           moment.event.kind == EventKind::Backward;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    if (event.operation != Operation::DetectAnomaly || event.constant != true ||
        event.site->begin().isMacroID() || event.function->isConditional(event.site) ||
        llvm::any_of(visit.callers,
                     [](const Event *call) { return call->function->isConditional(call->site); }))
      return;
    if (!trainsInRounds(visit))
      return;
    Finding finding(Level::Advice, event,
                    "anomaly detection is on for the whole training: it makes every step slower, "
                    "and is meant for finding a bug");
    finding.fixes = removeStatement(visit, event);
    reporter.report(std::move(finding));
  }

private:
  /// Whether the function, or what it calls, runs a backward in a loop.
  static bool trainsInRounds(const Visit &visit) {
    const FunctionBody &function = *visit.event.function;
    for (const Observation &other : visit.observations()) {
      if (other.event->kind != EventKind::Backward)
        continue;
      bool isBelow = other.event->function == &function;
      bool isInLoop = !other.event->function->loopsAround(other.event->site).empty();
      for (const Event *call : other.callers) {
        isBelow |= call->function == &function;
        isInLoop |= !call->function->loopsAround(call->site).empty();
      }
      if (isBelow && isInLoop)
        return true;
    }
    return false;
  }
};

} // namespace

std::unique_ptr<Check> makeAnomalyMode() { return std::make_unique<AnomalyMode>(); }

} // namespace gradtidy
