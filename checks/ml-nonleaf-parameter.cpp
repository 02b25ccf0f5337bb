// Gradients are kept in leaves: the tensors that were made for training. What is computed of one,
// be it by a scale or by a move to another device, is none. An optimizer refuses it, and a module
// that registers it has a parameter without a gradient.

#include "Check.h"
#include "Devices.h"
#include "Fixes.h"
#include "Moments.h"

namespace gradtidy {
namespace {

class NonleafParameter : public Check {
public:
  bool wants(const Moment &moment) const override {
    const Event &event = moment.event;
    return (makesOptimizer(event) || event.registersParameter) &&
           llvm::any_of(event.operands, [&](const Operand &operand) {
             return operand.isTensor && moment.before.valueOf(operand).autograd.derived;
           });
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    const bool isOwner =
        event.kind == EventKind::Construct && event.subject.role == TypeRole::Optimizer;
    if (!isOwner && !event.registersParameter)
      return;
    for (const Operand &operand : event.operands) {
      const Event *derived =
          operand.isTensor ? visit.before.valueOf(operand).autograd.derived : nullptr;
      const Operand *target = derived ? targetOf(*derived) : nullptr;
      const bool isMove = derived && derived->kind == EventKind::Move;
      if (!derived || (isMove && !(target && mayBeGpu(visit, *target))))
        continue;
      // Where objects make their own, it goes wrong where an optimizer gets all of them.
      const bool isOfObjects = isOwner && derived->function != event.function;
      Finding finding(Level::Certain, isOfObjects ? event : *derived);
      const std::string reason = isMove ? "a copy of a leaf on another device is no leaf"
                                        : "what is computed of a leaf is no leaf";
      finding.message =
          reason + (isOwner ? ": the optimizer refuses it" : ": the parameter gets no gradient");
      if (isOfObjects)
        finding.notes.push_back({*derived, isMove ? "it is copied here" : "it is computed here"});
      else
        finding.notes.push_back(
            {event, isOwner ? "it is given to the optimizer here" : "it is registered here"});
      const ir::Node *made = derived->site;
      const ir::Node *whole =
          made->isExpression ? derived->function->fullExpressionOf(made) : nullptr;
      if (whole && (&whole->spelled() == made || &operand.expr->spelled() == made))
        finding.fixes = append(visit, made, phrase(visit.unit.code(), Phrase::MakeLeaf));
      reporter.report(std::move(finding));
      return;
    }
  }
};

} // namespace

std::unique_ptr<Check> makeNonleafParameter() { return std::make_unique<NonleafParameter>(); }

} // namespace gradtidy
