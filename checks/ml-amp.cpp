// Autocast keeps the weights that it has made in 16 bits until its cache is cleared. Python does
// that where its scope ends; in C++ it is for the program to do, or every step after the first is
// computed with the weights of the first.

#include "Check.h"
#include "Fixes.h"

namespace gradtidy {
namespace {

class Amp : public Check {
public:
  bool wants(const Moment &moment) const override {
    return llvm::is_contained({EventKind::Forward, EventKind::Backward}, moment.event.kind) &&
           moment.before.autocast().possible == Autocast::On;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    if (visit.before.autocast().possible != Autocast::On)
      return;
    if (visit.event.kind == EventKind::Forward)
      onForward(visit, reporter);
    else if (visit.event.kind == EventKind::Backward)
      onBackward(visit, reporter);
  }

private:
  static void onForward(const Visit &visit, Reporter &reporter) {
    const Autocast &autocast = visit.before.autocast();
    if (!visit.event.castsWeights || autocast.stale == noSources ||
        !visit.unit.tables().sources.covers(autocast.stale,
                                            visit.before.sourcesOf(visit.event.subject)))
      return;
    const ir::Node *forward = visit.shown().site;
    Finding finding(Level::Certain, *forward,
                    "autocast computes this with the weights from before the optimizer's step; "
                    "clear its cache after each step");
    finding.notes.push_back({*autocast.step, "the step changes them here"});
    if (autocast.set)
      finding.notes.push_back(
          {*autocast.set, "autocast keeps the weights that it has made in 16 bits"});
    finding.fixes =
        insertAfter(visit, *autocast.step, phrase(visit.unit.code(), Phrase::ClearAutocastCache));
    reporter.report(std::move(finding));
  }

  static void onBackward(const Visit &visit, Reporter &reporter) {
    const Autocast &autocast = visit.before.autocast();
    Finding finding(Level::Likely, visit.event,
                    "this backward runs under autocast, which is meant for the forward pass "
                    "alone: a backward takes the types that the forward has chosen");
    if (autocast.set) {
      finding.notes.push_back({*autocast.set, "autocast is enabled here"});
      repair(visit, *autocast.set, finding);
    }
    reporter.report(std::move(finding));
  }

  /// Switches autocast off before the backward, in the words that switched it on.
  static void repair(const Visit &visit, const Event &enabled, Finding &finding) {
    const ir::Node *call = ir::asCall(enabled.site);
    const Event &backward = visit.event;
    const ir::Node *statement = backward.function->expressionStatementOf(backward.site);
    if (!call || !statement || enabled.function != backward.function)
      return;
    llvm::StringRef text = textOf(visit, call);
    if (text.consume_back("true)"))
      finding.fixes = insertBefore(visit, statement, (text + "false);").str());
  }
};

} // namespace

std::unique_ptr<Check> makeAmp() { return std::make_unique<Amp>(); }

} // namespace gradtidy
