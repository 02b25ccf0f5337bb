// A loader whose options say nothing gives one sample at a time. That is rarely meant: a step costs
// about as much for one sample as for many, and its gradient is all noise.

#include "Check.h"
#include "Loops.h"

namespace gradtidy {
namespace {

class DefaultBatchSize : public Check {
public:
  bool wants(const Moment &moment) const override { return beginsBatches(moment.event); }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &begin = visit.event;
    const ir::Node *loop = loopBegunBy(visit);
    const Event *maker =
        loop ? visit.unit.program().makerOf(begin.operands.front(), visit.before) : nullptr;
    if (!maker || !maker->details->loader.lacksBatchSize || !stepsIn(visit, *loop))
      return;
    Finding finding(Level::Likely, *maker,
                    "nobody tells this loader how many samples are in a batch: it gives one at a "
                    "time");
    finding.notes.push_back({*loop, "the training makes a step for each of them here"});
    reporter.report(std::move(finding));
  }

private:
  /// Whether each round of \p loop makes a step. One that is left out at times adds up gradients.
  static bool stepsIn(const Visit &visit, const ir::Node &loop) {
    const FunctionBody &function = *visit.event.function;
    return llvm::any_of(function.blocks, [&](const Block &block) {
      return llvm::any_of(block.events, [&](const Event &event) {
        if (event.kind != EventKind::Step && !visit.unit.effects().callsTraining(event))
          return false;
        const auto loops = function.loopsAround(event.site);
        return !loops.empty() && loops.front() == &loop &&
               !function.isConditional(event.site, &loop);
      });
    });
  }
};

} // namespace

std::unique_ptr<Check> makeDefaultBatchSize() { return std::make_unique<DefaultBatchSize>(); }

} // namespace gradtidy
