// The allocator keeps freed memory of the GPU for the next round, which needs just as much of it.
// Given back in every round, the memory is asked for anew each time, and each time the GPU has to
// be waited for.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"

namespace gradtidy {
namespace {

class EmptyCache : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.operation == Operation::EmptyCache;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &clear = visit.event;
    // Now and then, or between the epochs, it costs little.
    if (!trainingLoopAround(visit).loop && !isBesideForward(visit))
      return;

    Finding finding(Level::Likely, clear);
    finding.message =
        "the cached memory of the GPU is given back in every round of the loop, which "
        "then has to allocate it anew";
    finding.fixes = removeStatement(visit, clear);
    reporter.report(std::move(finding));
  }

private:
  /// Whether the event runs once for each of the forward passes that a loop runs one after the
  /// other.
  static bool isBesideForward(const Visit &visit) {
    const FunctionBody &function = *visit.event.function;
    const auto loops = function.loopsAround(visit.event.site);
    return !loopsAround(visit).empty() &&
           !function.isConditional(visit.event.site, loops.empty() ? nullptr : loops.front()) &&
           hasEvent(function, [&](const Event &event) {
             return event.kind == EventKind::Forward && !event.isStateless &&
                    function.loopsAround(event.site) == loops;
           });
  }
};

} // namespace

std::unique_ptr<Check> makeEmptyCache() { return std::make_unique<EmptyCache>(); }

} // namespace gradtidy
