// A loader without workers makes its batches in the thread that trains. While that reads files, the
// GPU has nothing to do.

#include "Check.h"
#include "Loops.h"

namespace gradtidy {
namespace {

class LoaderWorkers : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Forward || beginsBatches(moment.event);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &begin = visit.event;
    const ir::Node *loop = loopBegunBy(visit);
    const Event *maker =
        loop ? visit.unit.program().makerOf(begin.operands.front(), visit.before) : nullptr;
    if (!maker || !maker->details->loader.lacksWorkers || !maker->details->loader.read ||
        !trainsOnGpu(visit, *loop))
      return;
    Finding finding(Level::Advice, *maker,
                    "this loader has no workers: the GPU waits while the training reads each "
                    "batch");
    finding.notes.push_back({*maker->details->loader.read, "the samples are read here"});
    finding.notes.push_back({*loop, "the training on a GPU is here"});
    reporter.report(std::move(finding));
  }

private:
  /// Whether a module that may be on a GPU is trained in \p loop.
  static bool trainsOnGpu(const Visit &visit, const ir::Node &loop) {
    const FunctionBody &function = *visit.event.function;
    const auto isInLoop = [&](const Event *event) {
      return event->function == &function && contains(visit, &loop, event->site);
    };
    return trainsIn(visit, function, &loop) &&
           llvm::any_of(visit.observations(), [&](const Observation &other) {
             return other.event->kind == EventKind::Forward &&
                    (isInLoop(other.event) || llvm::any_of(other.callers, isInLoop)) &&
                    visit.unit.uses().mayBeNeeded(*other.event) && isOnGpu(visit, other);
           });
  }

  /// Whether the module of a forward pass may be on a GPU: it, or what it gets.
  static bool isOnGpu(const Visit &visit, const Observation &forward) {
    const State &before = forward.before;
    return visit.unit.program().mayBeGpu(before.module(forward.event->subject).device) ||
           llvm::any_of(forward.event->operands, [&](const Operand &operand) {
             return operand.isTensor && visit.unit.program().mayBeGpu(before.deviceOf(operand));
           });
  }
};

} // namespace

std::unique_ptr<Check> makeLoaderWorkers() { return std::make_unique<LoaderWorkers>(); }

} // namespace gradtidy
