// A loader has a copy of the sampler that it is made with. Who sets the epoch of his own changes
// the order of nothing: every epoch has that of the first.

#include "Check.h"

namespace gradtidy {
namespace {

class DistributedMisuse : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &setEpoch = visit.event;
    if (!setEpoch.copied)
      return;
    Finding finding;
    finding.location = setEpoch.site->getBeginLoc();
    finding.range = setEpoch.site->getSourceRange();
    finding.message = "the loader has a sampler of its own, and keeps its order: this sets the "
                      "epoch of another one";
    finding.notes.push_back({setEpoch.copied->getBeginLoc(), "the loader gets its sampler here"});
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeDistributedMisuse() { return std::make_unique<DistributedMisuse>(); }

} // namespace gradtidy
