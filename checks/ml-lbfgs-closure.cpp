// L-BFGS looks for the length of each step: it calls a closure that computes the loss and its
// gradients, up to twenty times a step. Without a closure, or one that computes none, there is
// nothing to look at.

#include "Check.h"

namespace gradtidy {
namespace {

class LbfgsClosure : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &step = visit.event;
    const OptimizerFacts *facts =
        step.kind == EventKind::Step ? visit.before.optimizer(step.subject) : nullptr;
    if (step.kind != EventKind::Step ||
        (step.trait != Trait::NeedsClosure && !(facts && facts->needsClosure)))
      return;
    Finding finding(Level::Certain, step);
    if (step.operands.empty() || ir::isNull(step.operands.front().expr)) {
      finding.message = "step() of L-BFGS needs a closure that computes the loss: without one it "
                        "throws";
    } else if (const ir::Node *closure = closureOf(visit); closure && facts) {
      finding.location = closure->begin();
      finding.range = {closure->begin(), closure->begin()};
      const unsigned possible = facts->gradients.possible;
      if (possible & Gradients::Stale)
        finding.message = "the closure does not clear the gradients: L-BFGS calls it several "
                          "times, and they add up";
      else if (!mayDifferentiate(visit, *closure))
        finding.message = "the closure computes no gradients: every call of it sees the same ones";
      else
        return;
    } else {
      return;
    }
    reporter.report(std::move(finding));
  }

private:
  /// The lambda that the step calls, or null. The state is that behind its second call.
  static const ir::Node *closureOf(const Visit &visit) {
    const PathStep &step =
        visit.unit.tables().paths.last(visit.before.resolve(visit.event.operands.front().path));
    return ir::as(ir::NodeKind::Lambda, step.made());
  }

  /// Whether the closure, or code that it calls, may run a backward.
  static bool mayDifferentiate(const Visit &visit, const ir::Node &closure) {
    const FunctionBody *body = visit.unit.callGraph().bodyOf(*closure.declared.front());
    const auto isBackward = [](const Event &event) {
      return event.kind == EventKind::Backward || event.kind == EventKind::Differentiate;
    };
    return !body ||
           visit.unit.callGraph().runs(*body, isBackward, [](const Event &) { return true; });
  }
};

} // namespace

std::unique_ptr<Check> makeLbfgsClosure() { return std::make_unique<LbfgsClosure>(); }

} // namespace gradtidy
