// What runs while recording is disabled has no graph: a backward through it fails, and where only a
// part of the model ran that way, that part silently stays as it is.

#include "Check.h"
#include "Fixes.h"

#include "clang/AST/Stmt.h"

namespace gradtidy {
namespace {

class BackwardUnderNoGrad : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &backward = visit.event;
    if (backward.kind != EventKind::Backward)
      return;
    Value loss = visit.before.valueOf(backward.subject);
    if (!(loss.graph & Graph::Unrecorded) || (loss.graph & Graph::Unknown) || !loss.disabled)
      return;
    const Event &guard = *loss.disabled;

    Finding finding;
    finding.location = backward.site->getBeginLoc();
    finding.range = backward.site->getSourceRange();
    finding.message = "this backward finds no graph: the forward ran with gradients disabled";
    finding.notes.push_back({guard.site->getBeginLoc(), "gradients are disabled here"});
    const Tables &tables = visit.unit.tables();
    for (SiteId site : tables.histories.members(loss.history))
      if (const Event &forward = tables.sites.event(site); isModuleCall(forward)) {
        finding.notes.push_back(
            {forward.site->getBeginLoc(), "the forward pass is not recorded"});
        break;
      }
    finding.fixes = removeStatement(visit, guard);
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeBackwardUnderNoGrad() {
  return std::make_unique<BackwardUnderNoGrad>();
}

} // namespace gradtidy
