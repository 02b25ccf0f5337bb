// A function that computes its own gradients keeps rules that no compiler checks: a gradient for
// each input, outputs in save_for_backward(), and inputs that it changes marked.

#include "Check.h"

#include "analyzer/idioms/CustomFunctions.h"

namespace gradtidy {
namespace {

class CustomFunction : public Check {
public:
  bool wants(const Moment &moment) const override {
    const CustomFunctionFacts &facts = moment.event.details->custom;
    return facts.inputs >= 0 || facts.misplaced >= 0 || facts.keepsOutput || facts.changesInput ||
           (moment.event.kind == EventKind::Return && moment.event.function->isOwnBackward);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    const CustomFunctionFacts &facts = event.details->custom;
    Finding finding(Level::Certain, event);
    if (facts.inputs >= 0) {
      finding.message = "backward() returns " + std::to_string(facts.gradients) +
                        " gradients, and forward() has " + std::to_string(facts.inputs) +
                        " inputs; return one for each, undefined tensors for those that need none";
    } else if (facts.misplaced >= 0) {
      finding.message = "input " + std::to_string(facts.misplaced + 1) +
                        " of forward() is no tensor, and backward() returns a gradient for it; "
                        "return an undefined tensor there";
    } else if (facts.keepsOutput) {
      finding.message = "the context keeps the output, whose graph keeps the context: neither is "
                        "ever freed; use save_for_backward()";
    } else if (facts.changesInput) {
      finding.level = Level::Likely;
      finding.message = "forward() changes its input in place and returns it, and autograd does "
                        "not know; call mark_dirty()";
    } else if (event.kind == EventKind::Return && ignoresGradients(*event.function)) {
      finding.level = Level::Likely;
      finding.message = "backward() ignores the values of the gradients that it is given: what is "
                        "computed of this function's output does not reach its inputs";
    } else {
      return;
    }
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeCustomFunction() { return std::make_unique<CustomFunction>(); }

} // namespace gradtidy
