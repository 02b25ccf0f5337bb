// The logarithm of 0 is minus infinity, and its gradient NaN after the next product. Probabilities
// become exactly 0 as soon as the scores are far apart, and negative scores do behind a relu.

#include "Check.h"
#include "Fixes.h"
#include "Types.h"

#include "analyzer/events/Typing.h"

namespace gradtidy {
namespace {

class LogOfZero : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &logarithm = visit.event;
    if (logarithm.operation != Operation::Logarithm)
      return;
    const auto inputs = inputsOf(logarithm);
    if (inputs.empty() || isSelection(visit, *inputs.front()))
      return;
    const Value value = visit.before.valueOf(*inputs.front());
    const char *given = zeroIn(visit, value);
    if (!given)
      return;
    Finding finding(Level::Likely, logarithm,
                    "the logarithm of 0 is infinite, and " +
                        nameOf(visit, *inputs.front(), "its input") + ", " + given +
                        ", may be exactly 0");
    noteOrigin(visit, *inputs.front(), "it is computed here", finding);
    finding.fixes = append(visit, inputs.front()->expr,
                           phrase(visit.unit.code(), Phrase::Bound, {{"number", "1e-8"}}));
    reporter.report(std::move(finding));
  }

private:
  static const char *zeroIn(const Visit &visit, const Value &value) {
    if (value.made && value.made->typing && value.made->typing->rule == ResultRule::OneHot)
      return "a one-hot vector";
    switch (visit.unit.producerOf(value).operation) {
    case Operation::Softmax:
      return "a softmax";
    case Operation::Sigmoid:
      return "a sigmoid";
    case Operation::TanhDerivative:
      return "1 - tanh^2";
    default:
      return value.made ? zeroInRest(visit, *value.made) : nullptr;
    }
  }

  /// The same of `1 - x`, if \p made is that.
  static const char *zeroInRest(const Visit &visit, const Event &made) {
    const ir::Node *difference = ir::as(ir::NodeKind::OperatorCall, made.site);
    if (!difference || difference->op != "-" || difference->arguments.size() != 2 ||
        !isOne(difference->arguments[0]) || made.operands.empty() || !made.operands.back().isTensor)
      return nullptr;
    const Value taken = visit.before.valueOf(made.operands.back());
    return visit.unit.producerOf(taken).operation == Operation::Sigmoid ? "the rest of a sigmoid"
                                                                        : nullptr;
  }

  static bool isOne(const ir::Node *expr) {
    const ir::Node &bare = expr->spelled();
    return (bare.kind == ir::NodeKind::Integer && bare.integer == 1) || bare.real == 1;
  }

  /// Whether the tensor is some of the elements: those of actions that were sampled are above 0.
  static bool isSelection(const Visit &visit, const Operand &tensor, unsigned depth = 0) {
    for (const Block &block : visit.event.function->blocks)
      for (const Event &event : block.events) {
        if (event.result == tensor.path && keepsValues(event.operation))
          return event.operation == Operation::Index ||
                 event.operation == Operation::SelectElements ||
                 (event.typing && (event.typing->rule == ResultRule::Select ||
                                   event.typing->rule == ResultRule::Slice)) ||
                 (depth < 4 && event.subject.path && isSelection(visit, event.subject, depth + 1));
        if (event.kind == EventKind::Bind && event.subject.path == tensor.path && depth < 4 &&
            !event.operands.empty() && isSelection(visit, event.operands.front(), depth + 1))
          return true;
      }
    return false;
  }
};

} // namespace

std::unique_ptr<Check> makeLogOfZero() { return std::make_unique<LogOfZero>(); }

} // namespace gradtidy
