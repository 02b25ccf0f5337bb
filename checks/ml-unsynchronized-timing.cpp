// A GPU only gets its work from the program, which goes on at once. Who looks at the clock before
// the GPU is done has timed the giving.

#include "Check.h"
#include "Fixes.h"

namespace gradtidy {
namespace {

class UnsynchronizedTiming : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &end = visit.event;
    const GpuWork &work = visit.before.gpuWork();
    if (end.operation != Operation::ReadClock || !end.since || !work.launched || !work.clock ||
        work.clock->subject.path != end.since || !visit.unit.program().mayBeGpu(work.device) ||
        asksBeforeWaiting(*end.function))
      return;
    Finding finding(Level::Likely, end,
                    "this time does not contain the work of the GPU, which may not have begun "
                    "yet");
    finding.notes.push_back({*work.launched, "the GPU is given work here"});
    const ir::Node *statement = end.function->statementOf(end.site);
    if (statement && end.function->compoundOf(statement))
      finding.fixes = insertBefore(visit, statement, "torch::cuda::synchronize();");
    reporter.report(std::move(finding));
  }

private:
  /// Whether the function waits only where there is a GPU to wait for.
  static bool asksBeforeWaiting(const FunctionBody &function) {
    return function.asksForPlaces || llvm::any_of(function.blocks, [&](const Block &block) {
             return llvm::any_of(block.events, [&](const Event &event) {
               return event.operation == Operation::Synchronize &&
                      function.isConditional(event.site);
             });
           });
  }
};

} // namespace

std::unique_ptr<Check> makeUnsynchronizedTiming() {
  return std::make_unique<UnsynchronizedTiming>();
}

} // namespace gradtidy
