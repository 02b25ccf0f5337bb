// How long a step is depends on the optimizer: those that normalise the gradients move every weight
// by about the learning rate. A rate that is right for one is thousands of times too large or too
// small for another.

#include "Calls.h"
#include "Check.h"
#include "Loops.h"
#include "analyzer/ir/UserWords.h"

#include <array>
#include <cstdio>

namespace gradtidy {
namespace {

class SuspiciousLr : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Construct &&
           (moment.event.details->rate.expr || moment.event.details->rate.given);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &made = visit.event;
    const LearningRate given = made.kind == EventKind::Construct ? rateIn(visit) : LearningRate();
    if (!given.expr)
      return;
    const double rate = given.value;
    const bool isTiny = rate > 0 && rate <= smallest &&
                        (made.trait == Trait::AdaptiveSteps || made.trait == Trait::GradientSteps);
    const bool isHuge = (made.trait == Trait::AdaptiveSteps && rate >= 1) ||
                        (made.trait == Trait::GradientSteps && rate >= 10);
    const bool isLarge = made.trait == Trait::AdaptiveSteps && rate >= 0.1;
    const bool isVeryLarge = made.trait == Trait::AdaptiveSteps && rate >= 0.5;
    if (!(isTiny || isLarge || isHuge) || !updatesModel(made) || changesRates(visit))
      return;
    Finding finding(isTiny || isHuge || isVeryLarge ? Level::Likely : Level::Advice, *given.expr);
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "%g", rate);
    finding.message = std::string("a learning rate of ") + number.data() +
                      (isTiny   ? " is so small that nothing is learned"
                       : isHuge ? " is far too large for " + nameOf(made)
                                : " is large for " + nameOf(made));
    if (!contains(visit, made.site, given.expr))
      finding.notes.push_back({made, "the optimizer is made here"});
    reporter.report(std::move(finding));
  }

private:
  static constexpr double smallest = 1e-8;

  /// The rate as the function says it, or where its caller writes the number.
  static LearningRate rateIn(const Visit &visit) {
    const LearningRate &rate = visit.event.details->rate;
    const Event *caller = visit.callers.empty() ? nullptr : visit.callers.back();
    if (!rate.given || !caller)
      return rate;
    const unsigned index = rate.given->index;
    const ir::Node *argument =
        index < caller->operands.size() ? caller->operands[index].expr : nullptr;
    if (!argument)
      return {};
    LearningRate given = gradtidy::rateIn(*argument, *caller->function);
    const ir::Symbol *variable = nullptr;
    while ((variable = ir::variableIn(given.expr)) && variable->init)
      given.expr = variable->init;
    return given;
  }

  static std::string nameOf(const Event &made) {
    const ir::Type *type = made.site->type;
    const ir::Symbol *record = (type->pointee ? type->pointee : type)->record;
    return record ? record->spelling.str() : "this optimizer";
  }

  /// Whether the optimizer updates a model. What else is optimised has units of its own: pixels,
  /// or metres.
  static bool updatesModel(const Event &made) {
    return !made.operands.empty() &&
           calledAspects(made.operands.front().expr).has(Aspect::ListsParameters);
  }

  /// Whether the function sets rates later, or has that done.
  static bool changesRates(const Visit &visit) {
    const auto isChange = [&](const Event &event) {
      if (event.trait == Trait::SchedulesRate || event.kind == EventKind::Load)
        return true;
      return (calledAspects(event.site)
                  .hasAny({Aspect::ParameterGroups, Aspect::LearningRateOption}) ||
              words::setsRate(calledName(event.site))) &&
             !contains(visit, visit.event.site, event.site);
    };
    const auto takesOptimizer = [](const Event &call) {
      return call.subject.isClosure || llvm::any_of(call.operands, [](const Operand &operand) {
               return operand.role == TypeRole::Optimizer;
             });
    };
    return visit.unit.callGraph().runs(*visit.event.function, isChange, takesOptimizer);
  }
};

} // namespace

std::unique_ptr<Check> makeSuspiciousLr() { return std::make_unique<SuspiciousLr>(); }

} // namespace gradtidy
