// The workers of a loader make batches ahead. A loop that is left early leaves them in the loader,
// and the next loop over it throws.

#include "Check.h"

namespace gradtidy {
namespace {

class LoaderAbandoned : public Check {
public:
  bool wants(const Moment &moment) const override { return beginsBatches(moment.event); }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &begin = visit.event;
    const Operand &loader = begin.operands.front();
    const Event *before = visit.before.unfinishedLoop(loader);
    const Event *maker = before ? visit.unit.program().makerOf(loader, visit.before) : nullptr;
    if (!maker || maker->details->loader.workers == 0)
      return;
    // How many batches there are, only the program knows.
    Finding finding(before->details->earlyEnd.isConditional ? Level::Likely : Level::Certain, begin,
                    "the loader throws here: its workers still hold batches for a loop that was "
                    "left early");
    finding.notes.push_back(
        {*before->details->earlyEnd.leave, before->details->earlyEnd.leave == before->site
                                               ? "only the first batch is taken here"
                                               : "the loop is left here"});
    finding.notes.push_back({*maker, "the loader is made with workers here"});
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeLoaderAbandoned() { return std::make_unique<LoaderAbandoned>(); }

} // namespace gradtidy
