// A pointer to memory of the GPU means nothing to the host: reading there crashes the program, or
// gives whatever lies at that address.

#include "Check.h"
#include "Devices.h"
#include "Fixes.h"

namespace gradtidy {
namespace {

class HostAccess : public Check {
public:
  bool wants(const Moment &moment) const override { return moment.event.readsOnHost(); }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &read = visit.event;
    if (read.function->asksForPlaces || visit.before.lacksGpu)
      return;
    const Value value = visit.before.valueOf(read.subject);
    if (!visit.unit.program().mayBeGpu(value.placement.device) ||
        visit.unit.program().namesNoGpu() || asksLikeChoice(visit, value.placement.device))
      return;
    const llvm::StringRef tensor =
        read.subject.expr ? textOf(visit, read.subject.expr) : llvm::StringRef();
    Finding finding(Level::Certain, read,
                    "the host reads memory of " +
                        (tensor.empty() ? std::string("the tensor") : "'" + tensor.str() + "'") +
                        ", which is on " + nameOf(visit, value.placement.device));
    if (value.placement.placed)
      finding.notes.push_back(
          {*value.placement.placed,
           "it is on " + nameOf(visit, value.placement.device) + " since here"});
    finding.fixes = appendForRead(visit, phrase(visit.unit.code(), Phrase::MoveToHost));
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeHostAccess() { return std::make_unique<HostAccess>(); }

} // namespace gradtidy
