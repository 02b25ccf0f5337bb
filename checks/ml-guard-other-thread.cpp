// Guards hold for the thread that has them. A thread that is started under one records gradients
// all the same.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"
#include "Moments.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class GuardOtherThread : public Check {
public:
  bool wants(const Moment &moment) const override { return isPass(moment); }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event *guard = visit.before.guardElsewhere;
    if (!guard || !isEvaluation(visit) || visit.event.isGuarded ||
        visit.before.gradMode().possible != GradMode::On ||
        visit.before.module(visit.event.subject).isFrozen ||
        visit.unit.effects().differentiates(visit.event) == Answer::Yes)
      return;
    const auto start = llvm::find_if(llvm::reverse(visit.callers),
                                     [](const Event *caller) { return caller->startsThread; });
    if (start == visit.callers.rend())
      return;
    const FunctionBody &body =
        start == visit.callers.rbegin() ? *visit.event.function : *(*std::prev(start))->function;
    if (!reported.insert(&body).second)
      return; // One guard serves all of the thread.
    Finding finding(Level::Likely, visit.shown(),
                    "this forward pass records a graph: the guard around the start of its thread "
                    "does not hold in it");
    finding.notes.push_back({*guard, "gradients are disabled here, for this thread alone"});
    finding.notes.push_back({**start, "another thread begins here"});
    const ir::Node *block = ir::as(ir::NodeKind::Compound, body.body);
    if (block && !block->children.empty() && !trainsIn(visit, body, block))
      finding.fixes =
          insertBefore(visit, block->children.front(),
                       phrase(visit.unit.code(), Phrase::DisableGradients, {{"name", "no_grad"}}));
    reporter.report(std::move(finding));
  }

private:
  llvm::SmallPtrSet<const FunctionBody *, 4> reported;
};

} // namespace

std::unique_ptr<Check> makeGuardOtherThread() { return std::make_unique<GuardOtherThread>(); }

} // namespace gradtidy
