// Losses for classes take the number of the class of each sample, as a 64-bit integer or a byte;
// losses of yes or no take floating-point numbers. Anything else throws.

#include "Check.h"
#include "Fixes.h"
#include "Types.h"

#include "analyzer/ir/Typing.h"

namespace gradtidy {
namespace {

class LabelDtype : public Check {
public:
  bool wants(const Moment &moment) const override {
    const Event &event = moment.event;
    return event.typing && (event.typing->rule == ResultRule::ClassLoss ||
                            llvm::is_contained({Operation::ProbabilityLoss, Operation::LogitLoss},
                                               event.operation));
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &loss = visit.event;
    if (!loss.typing || loss.operation == Operation::None)
      return;
    const auto inputs = inputsOf(loss);
    if (inputs.size() < 2)
      return;
    const TensorType input = visit.before.typeOf(*inputs[0]);
    const TensorType target = visit.before.typeOf(*inputs[1]);
    const std::optional<Verdict> verdict =
        loss.typing->rule == ResultRule::ClassLoss
            ? judgeClasses(visit, loss.operation, input, target, *inputs[1])
            : judgeAnswers(visit, loss.operation, target);
    if (!verdict)
      return;
    Finding finding(Level::Certain, loss,
                    verdict->wanted + ", but " + nameOf(visit, *inputs[1], "the target") + " is " +
                        verdict->given);
    noteOrigin(visit, *inputs[1], "it is made here", finding);
    finding.fixes = append(visit, inputs[1]->expr, verdict->repair);
    reporter.report(std::move(finding));
  }

private:
  struct Verdict {
    std::string wanted, given;
    std::string repair;
  };

  static bool isOneHot(const Visit &visit, const Operand &target) {
    const Event *made = visit.before.valueOf(target).origin.made;
    return made && made->typing && made->typing->rule == ResultRule::OneHot;
  }

  static std::optional<Verdict> judgeClasses(const Visit &visit, Operation loss,
                                             const TensorType &input, const TensorType &target,
                                             const Operand &labels) {
    const std::string name = elementName(target.element).str();
    const Shape &shape = target.shape;
    const std::string numbers = "class labels are 64-bit integers";
    switch (target.element) {
    case ElementType::Unknown:
      return std::nullopt;
    case ElementType::Int64:
    case ElementType::UInt8:
      break;
    default:
      if (!isFloating(target.element))
        return Verdict{numbers, name, castTo(visit, ElementType::Int64)};
      // Numbers between 0 and 1 may be probabilities of all classes.
      if (loss == Operation::LogProbabilitiesLoss || isOfOne(input.shape, shape))
        return Verdict{numbers, name, castTo(visit, ElementType::Int64)};
      return std::nullopt;
    }
    const std::string one = "there is one class label for each sample";
    const std::int64_t classes = input.shape.last();
    if (shape.hasRank(2) && shape.last() == 1 && classes > 1)
      return Verdict{one, "a column of shape " + spell(shape),
                     phrase(visit.unit.code(), Phrase::DropDimension, {{"dimension", "1"}})};
    if (isOneHot(visit, labels) ||
        (shape.hasRank(2) && input.shape.hasRank(2) && classes > 1 && shape.last() == classes))
      return Verdict{one, "a number for each class",
                     phrase(visit.unit.code(), Phrase::FindLargest)};
    return std::nullopt;
  }

  /// Whether the target has one number for each of several samples.
  static bool isOfOne(const Shape &input, const Shape &target) {
    if (!target.hasRank(1))
      return false;
    const bool differs = target.last() > 0 && input.last() > 0 && target.last() != input.last();
    return input.hasRank(2) || differs;
  }

  static std::optional<Verdict> judgeAnswers(const Visit &visit, Operation loss,
                                             const TensorType &target) {
    if ((loss != Operation::ProbabilityLoss && loss != Operation::LogitLoss) ||
        !isIntegral(target.element))
      return std::nullopt;
    return Verdict{"targets of a binary cross entropy are floating-point numbers",
                   elementName(target.element).str(), castTo(visit, ElementType::Float32)};
  }
};

} // namespace

std::unique_ptr<Check> makeLabelDtype() { return std::make_unique<LabelDtype>(); }

} // namespace gradtidy
