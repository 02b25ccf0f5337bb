// Operations keep those of their inputs and results that their gradients are computed from. Who
// changes one of them in place before the backward pass leaves it with other numbers: LibTorch
// compares versions, and throws.

#include "Check.h"

namespace gradtidy {
namespace {

class SavedTensorOverwritten : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Backward;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &backward = visit.event;
    const Value loss = visit.before.valueOf(backward.subject);
    const Event *write = loss.storage.overwritten;
    if (!write || loss.autograd.graph != Graph::Attached)
      return;
    if (write->kind == EventKind::Step)
      return reportStep(visit, loss, *write, reporter);
    const Operand &changed = write->subject.path ? write->subject : write->operands.front();
    const std::string name = visit.before.tables->paths.spelling(changed.path);
    Finding finding(Level::Certain, *write,
                    (name.empty() ? "a tensor" : "'" + name + "'") +
                        " is modified in place after an operation saved it for backward(), which "
                        "throws; compute a new tensor instead");
    finding.notes.push_back({backward, "backward() needs the saved values here"});
    reporter.report(std::move(finding));
  }

private:
  static void reportStep(const Visit &visit, const Value &loss, const Event &step,
                         Reporter &reporter) {
    if (loss.autograd.latest.freed || loss.autograd.latest.again)
      return; // Of a graph that a backward has freed, ml-double-backward and others speak.
    Finding finding(Level::Certain, step,
                    "this step changes weights in place that a later backward() needs as they were "
                    "in the forward pass: it throws; step after it, or compute the loss anew");
    finding.notes.push_back({visit.event, "the backward is here"});
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeSavedTensorOverwritten() {
  return std::make_unique<SavedTensorOverwritten>();
}

} // namespace gradtidy
