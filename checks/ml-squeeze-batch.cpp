// squeeze() takes away every dimension of one element: from a batch of a single sample, which the
// last of an epoch may be, that of the samples, too.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"

namespace gradtidy {
namespace {

class SqueezeBatch : public Check {
public:
  bool wants(const Moment &moment) const override { return moment.event.dropsBatch; }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    if (!isOfModule(visit) || isReduced(visit))
      return;
    Finding finding(Level::Advice, event,
                    "a batch of one sample loses its first dimension here; tell squeeze() which "
                    "dimension is meant");
    finding.notes.push_back(
        {*visit.before.valueOf(event.subject).origin.made, "the batch is made here"});
    reporter.report(std::move(finding));
  }

private:
  /// Whether it is what a layer makes of a batch in a forward pass, or a module in a loop.
  static bool isOfModule(const Visit &visit) {
    const Event *made = visit.before.valueOf(visit.event.subject).origin.made;
    if (!made || made == &visit.event)
      return false;
    const bool isForward = made->kind == EventKind::Forward ||
                           made->operation == Operation::Sigmoid ||
                           made->operation == Operation::Softmax;
    return isForward && (visit.event.function->isModuleMethod || trainingLoopAround(visit).loop);
  }

  /// Whether only a number of it is wanted: `loss.squeeze().item()`.
  static bool isReduced(const Visit &visit) {
    const FunctionBody &function = *visit.event.function;
    const ir::Node *member =
        ir::as(ir::NodeKind::Member, function.statementAround(visit.event.site));
    return member && member->symbol->aspects.has(Aspect::ReadsScalar);
  }
};

} // namespace

std::unique_ptr<Check> makeSqueezeBatch() { return std::make_unique<SqueezeBatch>(); }

} // namespace gradtidy
