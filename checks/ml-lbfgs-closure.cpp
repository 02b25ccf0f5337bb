// L-BFGS looks for the length of each step: it calls a closure that computes the loss and its
// gradients, up to twenty times a step. Without a closure, or one that computes none, there is
// nothing to look at.

#include "Check.h"

namespace gradtidy {
namespace {

class LbfgsClosure : public Check {
public:
  bool wants(const Moment &moment) const override {
    return llvm::is_contained({EventKind::Step, EventKind::Backward, EventKind::Forward},
                              moment.event.kind);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &step = visit.event;
    if (step.kind == EventKind::Backward)
      return onBackward(visit, reporter);
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
  /// A backward in the closure, through a forward pass that ran before the step.
  static void onBackward(const Visit &visit, Reporter &reporter) {
    const SiteTable &sites = visit.unit.tables().sites;
    const auto step = llvm::find_if(visit.callers, [&](const Event *call) {
      return call->kind == EventKind::Step && callsAgain(visit, *call);
    });
    if (step == visit.callers.end() || visit.event.constant != false)
      return;
    const Value loss = visit.before.valueOf(visit.event.subject);
    for (SiteId site : visit.unit.tables().histories.members(loss.autograd.graphs)) {
      const Event &pass = sites.event(site);
      if (!isModuleCall(pass) || !pass.hasParameters ||
          llvm::is_contained(sites.callers(site), *step) ||
          visit.before.module(pass.subject).isFrozen || !isRecorded(visit, pass))
        continue;
      Finding finding(
          Level::Certain, pass,
          "this forward pass runs once, but L-BFGS calls its closure several times: the "
          "second backward throws; move it into the closure");
      finding.notes.push_back({visit.event, "the closure runs the backward here"});
      finding.notes.push_back({**step, "the step calls the closure here"});
      reporter.report(std::move(finding));
      return;
    }
    onGraph(visit, **step, loss, reporter);
  }

  /// The same through a loss that has been computed before the step, of whatever.
  static void onGraph(const Visit &visit, const Event &step, const Value &loss,
                      Reporter &reporter) {
    const PathTable &paths = visit.unit.tables().paths;
    const ir::Node *lambda = ir::as(
        ir::NodeKind::Lambda, paths.last(visit.before.resolve(step.operands.front().path)).made());
    const FunctionBody *closure =
        lambda ? visit.unit.callGraph().bodyOf(*lambda->declared.front()) : nullptr;
    const ir::Node *made = loss.storage.memory ? paths.last(loss.storage.memory).made() : nullptr;
    const auto isIt = [&](const Event &event) { return event.site == made; };
    if (!closure || !made || loss.autograd.graph != Graph::Attached ||
        loss.storage.saved == noSources || visit.unit.callGraph().mayRun(*closure, isIt))
      return;
    Finding finding(Level::Certain, visit.event,
                    "this loss is computed once, but L-BFGS calls its closure several times: the "
                    "second backward throws; compute it in the closure");
    finding.notes.push_back({*made, "it is computed here"});
    finding.notes.push_back({step, "the step calls the closure here"});
    reporter.report(std::move(finding));
  }

  static bool isRecorded(const Visit &visit, const Event &pass) {
    return llvm::none_of(visit.observations(), [&](const Observation &other) {
      return other.event == &pass && other.before.gradMode().possible != GradMode::On;
    });
  }

  static bool callsAgain(const Visit &visit, const Event &step) {
    const OptimizerFacts *facts = visit.before.optimizer(step.subject);
    return facts ? facts->needsClosure : step.trait == Trait::NeedsClosure;
  }

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
