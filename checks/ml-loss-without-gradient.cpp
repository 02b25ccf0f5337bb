// A comparison, an index, a rounded number and what item() reads have no gradient. A loss that is
// made of such values alone trains nothing, and neither does a term of a loss.

#include "Calls.h"
#include "Check.h"

#include "analyzer/model/Operators.h"

namespace gradtidy {
namespace {

class LossWithoutGradient : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Backward || moment.event.kind == EventKind::Detach ||
           moment.event.operation == Operation::ReadScalar;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &backward = visit.event;
    if (backward.kind != EventKind::Backward)
      return;
    const Value loss = visit.before.valueOf(backward.subject);
    const Event *cut = loss.autograd.cut ? loss.autograd.cut : loss.autograd.idleTerm;
    if (!cut || (cut->operation == Operation::ReadScalar && !readsGraph(visit, *cut)) ||
        (!loss.autograd.cut && isOfNumber(visit, *cut)))
      return;
    Finding finding(Level::Certain, *cut,
                    nameOf(*cut) + (loss.autograd.cut ? ofWhole(*cut, loss) : ofTerm(*cut)));
    finding.notes.push_back({backward, "the backward is here"});
    reporter.report(std::move(finding));
  }

private:
  /// Whether the number is read from what may have a gradient.
  static bool readsGraph(const Visit &visit, const Event &read) {
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      const auto mayHaveGraph = [&](const Operand &operand) {
        return operand.isTensor &&
               other.before.valueOf(operand).autograd.graph & (Graph::Attached | Graph::Unknown);
      };
      return other.event == &read && (other.before.gradMode().possible & GradMode::On) &&
             (mayHaveGraph(read.subject) || llvm::any_of(read.operands, mayHaveGraph));
    });
  }

  /// Whether it detaches a single number: a running mean, or a loss that is shown with others.
  static bool isOfNumber(const Visit &visit, const Event &cut) {
    return cut.kind == EventKind::Detach &&
           llvm::any_of(visit.observations(), [&](const Observation &other) {
             return other.event == &cut && other.before.typeOf(cut.subject).shape.isOne();
           });
  }

  static bool isZero(const Event &cut) {
    return cut.run && cut.run->gradient() == GradientRule::Zero;
  }

  static std::string nameOf(const Event &cut) {
    if (cut.kind == EventKind::Differentiate)
      return "gradients have none of their own unless they are computed with a graph";
    if (cut.kind == EventKind::Move)
      return "a tensor of integers has no gradient";
    if (cut.operation == Operation::ReadScalar)
      return "a number has no gradient";
    llvm::StringRef name = calledName(cut.site);
    if (name.empty())
      name = cut.site->op;
    const std::string quoted = name.empty() ? "this" : "'" + name.str() + "'";
    return isZero(cut) ? "the gradient of " + quoted + " is zero everywhere"
                       : "the result of " + quoted + " has no gradient";
  }

  static std::string ofWhole(const Event &cut, const Value &loss) {
    const std::string start = ", and the loss is computed of nothing else: ";
    const bool isRecorded = isZero(cut) || loss.autograd.graph & (Graph::Attached | Graph::Unknown);
    return start + (isRecorded ? "nothing is trained by it" : "backward() throws");
  }

  static std::string ofTerm(const Event &cut) {
    return ": the term of the loss that is computed of it has no effect on what is trained";
  }
};

} // namespace

std::unique_ptr<Check> makeLossWithoutGradient() { return std::make_unique<LossWithoutGradient>(); }

} // namespace gradtidy
