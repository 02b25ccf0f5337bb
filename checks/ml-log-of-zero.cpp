// The logarithm of 0 is minus infinity, and its gradient NaN after the next product. Probabilities
// become exactly 0 as soon as the scores are far apart, and negative scores do behind a relu. And
// what was masked with minus infinity is NaN as soon as it is multiplied by its probability, 0.

#include "Check.h"
#include "Fixes.h"
#include "Types.h"

#include "analyzer/flow/Types.h"
#include "analyzer/ir/Typing.h"

namespace gradtidy {
namespace {

class LogOfZero : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.operation == Operation::Logarithm || weighsLogarithms(moment);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &logarithm = visit.event;
    if (logarithm.operation != Operation::Logarithm)
      return onProduct(visit, reporter);
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
  // --- probabilities times their logarithms -----------------------------------------------------

  /// Whether the event may multiply probabilities by their logarithms.
  static bool weighsLogarithms(const Moment &moment) {
    const Event &event = moment.event;
    if (event.kind != EventKind::Combine || event.site->kind != ir::NodeKind::OperatorCall ||
        event.site->op != "*" || !event.typing || event.typing->rule != ResultRule::Elementwise)
      return false;
    const auto tensors = tensorsOf(event);
    const auto isMadeBy = [&](llvm::function_ref<bool(const Event &)> one) {
      return llvm::any_of(tensors, [&](const Operand *tensor) {
        const Event *made = moment.before.valueOf(*tensor).origin.made;
        return made && one(*made);
      });
    };
    return tensors.size() == 2 && isMadeBy([](const Event &made) {
             return made.operation == Operation::LogSoftmax || made.kind == EventKind::Call;
           }) &&
           isMadeBy([](const Event &made) {
             return made.typing && made.typing->rule == ResultRule::Real &&
                    made.operation != Operation::LogSoftmax;
           });
  }

  /// `(p * log p).sum()`, where some of the logarithms are minus infinity.
  static void onProduct(const Visit &visit, Reporter &reporter) {
    const Event &product = visit.event;
    const ir::Node *site = ir::as(ir::NodeKind::OperatorCall, product.site);
    const auto inputs = inputsOf(product);
    if (!site || site->op != "*" || inputs.size() != 2)
      return;
    for (const Operand *logs : inputs) {
      const Operand *other = logs == inputs[0] ? inputs[1] : inputs[0];
      const UnitAnalysis::Producer made = visit.unit.producerOf(visit.before.valueOf(*logs));
      if (made.operation != Operation::LogSoftmax || !made.event ||
          !areProbabilities(visit, *other, *made.event))
        continue;
      const ir::Node *mask = maskIn(*made.event);
      if (!mask)
        continue;
      Finding finding(Level::Likely, product,
                      "probabilities are multiplied by their logarithms, but those that are masked "
                      "are 0, and their logarithms minus infinity: the product is NaN");
      finding.notes.push_back(
          {*mask, "they are masked here; a large negative number leaves them 0"});
      reporter.report(std::move(finding));
      return;
    }
  }

  /// Whether the tensor is what a softmax gives, or the exponential of what \p logs gives.
  static bool areProbabilities(const Visit &visit, const Operand &tensor, const Event &logs) {
    const Value value = visit.before.valueOf(tensor);
    if (visit.unit.producerOf(value).operation == Operation::Softmax)
      return true;
    if (!value.origin.made || !value.origin.made->typing ||
        value.origin.made->typing->rule != ResultRule::Real ||
        value.origin.made->operation != Operation::None)
      return false;
    const auto inputs = inputsOf(*value.origin.made);
    return inputs.size() == 1 &&
           visit.unit.producerOf(visit.before.valueOf(*inputs.front())).event == &logs;
  }

  /// What gives some elements of the input of \p softmax the value minus infinity, or null.
  static const ir::Node *maskIn(const Event &softmax) {
    const auto inputs = inputsOf(softmax);
    const ir::Node *input = inputs.empty() ? nullptr : ir::stripped(inputs.front()->expr);
    const auto isInfinite = [](const ir::Node *argument) { return isMinusInfinity(argument); };
    if (const ir::Node *call = ir::asCall(input))
      return llvm::any_of(call->arguments, isInfinite) ? call : nullptr;
    const ir::Symbol *variable = input ? ir::variableIn(input) : nullptr;
    const ir::Node *found = nullptr;
    if (variable) // What it is made of, and what changes it in place.
      ir::forEach(softmax.function->body, [&](const ir::Node &node) {
        const ir::Node *call = ir::asCall(&node);
        if (call && call->object && ir::variableIn(ir::stripped(call->object)) == variable &&
            llvm::any_of(call->arguments, isInfinite) && isOf(*call, *variable))
          found = call;
      });
    return found;
  }

  /// Whether the value of \p call gets into \p variable, or is what it was: a statement of its own.
  static bool isOf(const ir::Node &call, const ir::Symbol &variable) {
    if (variable.init && &variable.init->spelled() == &call)
      return true;
    const ir::Node *around = call.parent;
    while (around && around->kind == ir::NodeKind::Parentheses)
      around = around->parent;
    const bool isAssigned = around && around->kind == ir::NodeKind::OperatorCall &&
                            around->op == "=" && around->arguments.size() == 2 &&
                            ir::variableIn(around->arguments.front()) == &variable;
    return isAssigned || (around && !around->isExpression);
  }

  /// Whether \p value is the constant minus infinity, be it by the name of a constant.
  static bool isMinusInfinity(const ir::Node *value) {
    value = ir::constantIn(value);
    if (!value || value->kind != ir::NodeKind::Unary || value->op != "-")
      return false;
    const ir::Node *call = ir::asCall(&ir::stripped(value->children.front())->spelled());
    const ir::Symbol *callee = call ? call->symbol : nullptr;
    return callee && ((callee->isStandard && callee->name == "infinity") ||
                      (callee->isBuiltin && callee->name.starts_with("__builtin_inf")));
  }

  // --- logarithms -------------------------------------------------------------------------------

  static const char *zeroIn(const Visit &visit, const Value &value) {
    if (value.origin.made && value.origin.made->typing &&
        value.origin.made->typing->rule == ResultRule::OneHot)
      return "a one-hot vector";
    switch (visit.unit.producerOf(value).operation) {
    case Operation::Softmax:
      return "a softmax";
    case Operation::Sigmoid:
      return "a sigmoid";
    case Operation::TanhDerivative:
      return "1 - tanh^2";
    default:
      return value.origin.made ? zeroInRest(visit, *value.origin.made) : nullptr;
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
