// A loss is written for inputs of one kind: scores, probabilities or their logarithms. Given
// another kind, it still computes a number, only not the loss: a softmax before another softmax
// flattens the gradients, and without one in front, a negative log-likelihood has no bound below.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"
#include "Types.h"

namespace gradtidy {
namespace {

class LossActivation : public Check {
public:
  bool wants(const Moment &moment) const override {
    return llvm::is_contained({Operation::Sigmoid, Operation::Softmax, Operation::LogSoftmax},
                              moment.event.operation) ||
           inputOf(moment.event.operation);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &loss = visit.event;
    if (loss.operation == Operation::Sigmoid || loss.operation == Operation::Softmax ||
        loss.operation == Operation::LogSoftmax)
      return onActivation(visit, reporter);
    if (loss.operands.empty())
      return;
    const Operand &input = loss.operands.front();
    const char *wanted = inputOf(loss.operation);
    if (!wanted || !input.path)
      return;
    const auto [made, operation] = visit.unit.producerOf(visit.before.valueOf(input));
    const std::optional<Verdict> verdict = judge(loss.operation, operation);
    if (!verdict)
      return;

    Finding finding(verdict->level, loss,
                    nameOf(visit, loss) + " " + wanted + ", but its input " + verdict->given);
    if (made->function != loss.function || !contains(visit, loss.site, made->site))
      finding.notes.push_back({*made, "the input is computed here"});
    if (verdict->repair)
      finding.fixes = (this->*verdict->repair)(visit, *made, input);
    reporter.report(std::move(finding));
  }

private:
  /// What has been through the activation that a loss expects needs it no more.
  static void onActivation(const Visit &visit, Reporter &reporter) {
    const Event &activation = visit.event;
    const auto inputs = inputsOf(activation);
    if (inputs.empty())
      return;
    const auto [made, operation] = visit.unit.producerOf(visit.before.valueOf(*inputs.front()));
    const bool isLogarithm = activation.operation == Operation::LogSoftmax;
    if (operation != (isLogarithm ? Operation::Softmax : activation.operation) ||
        made == &activation)
      return;
    Finding finding(Level::Likely, activation);
    const std::string name = operation == Operation::Softmax ? "softmax" : "sigmoid";
    finding.message = "the input of this " + (isLogarithm ? "log_softmax" : name) +
                      " has been through a " + name +
                      " already: what comes out is hardly different any more";
    finding.notes.push_back({*made, "the input is computed here"});
    reporter.report(std::move(finding));
  }

  using Repair = Fix (LossActivation::*)(const Visit &, const Event &, const Operand &) const;

  struct Verdict {
    Level level;
    const char *given; ///< What is wrong with the input.
    Repair repair = nullptr;
  };

  /// What the loss wants or does, or null if it is none.
  static const char *inputOf(Operation loss) {
    switch (loss) {
    case Operation::LogitsLoss:
      return "applies the softmax itself";
    case Operation::LogitLoss:
      return "applies the sigmoid itself";
    case Operation::LogProbabilitiesLoss:
      return "expects logarithms of probabilities";
    case Operation::ProbabilityLoss:
      return "expects probabilities";
    default:
      return nullptr;
    }
  }

  /// What is wrong with an input that \p made has computed, if anything is.
  static std::optional<Verdict> judge(Operation loss, Operation made) {
    const bool isProbability = made == Operation::Softmax || made == Operation::Sigmoid;
    const bool isLogarithm = made == Operation::LogSoftmax || made == Operation::LogSigmoid;
    switch (loss) {
    case Operation::LogitsLoss:
      if (made == Operation::Softmax)
        return Verdict{Level::Certain, "has been through one", &LossActivation::takeAway};
      if (made == Operation::Sigmoid)
        return Verdict{Level::Likely, "has been through a sigmoid", &LossActivation::takeAway};
      if (made == Operation::LogSoftmax) // Twice is once, at twice the price.
        return Verdict{Level::Advice, "has been through a log_softmax", &LossActivation::takeAway};
      return std::nullopt;
    case Operation::LogitLoss:
      if (made == Operation::Sigmoid)
        return Verdict{Level::Certain, "has been through one", &LossActivation::takeAway};
      if (isProbability || isLogarithm)
        return Verdict{Level::Likely, "is no score"};
      return std::nullopt;
    case Operation::LogProbabilitiesLoss:
      if (made == Operation::Softmax)
        return Verdict{Level::Certain, "are the probabilities", &LossActivation::takeLogarithm};
      if (made == Operation::Sigmoid)
        return Verdict{Level::Certain, "are probabilities"};
      if (made == Operation::WeightedSum)
        return Verdict{Level::Certain, "are the scores of a layer"};
      return std::nullopt;
    case Operation::ProbabilityLoss:
      if (made == Operation::WeightedSum)
        return Verdict{Level::Certain, "are the scores of a layer"};
      if (isLogarithm)
        return Verdict{Level::Certain, "are their logarithms"};
      return std::nullopt;
    default:
      return std::nullopt;
    }
  }

  static std::string nameOf(const Visit &visit, const Event &loss) {
    if (loss.kind == EventKind::Forward)
      return ("'" + textOf(visit, loss.subject.expr) + "'").str();
    const ir::Node *call = ir::asCall(loss.site);
    return call && call->symbol ? call->symbol->spelling.str() + "()" : "the loss";
  }

  /// The tensor that the activation \p made is applied to, if it stands right there in the loss.
  static const ir::Node *argumentOf(const Event &made, const Operand &input) {
    if (made.operation == Operation::None || !input.expr || &input.expr->spelled() != made.site)
      return nullptr; // Of a whole model, only the last layer would have to go.
    const Operand &argument = made.subject.path && made.kind != EventKind::Forward ? made.subject
                              : made.operands.empty() ? Operand{}
                                                      : made.operands.front();
    return argument.expr;
  }

  Fix takeAway(const Visit &visit, const Event &made, const Operand &input) const {
    const ir::Node *argument = argumentOf(made, input);
    const llvm::StringRef text = argument ? textOf(visit, argument) : llvm::StringRef();
    if (text.empty())
      return {};
    return {clang::FixItHint::CreateReplacement(made.site->range, text)};
  }

  /// softmax() by name becomes log_softmax().
  Fix takeLogarithm(const Visit &, const Event &made, const Operand &input) const {
    const ir::Node *call = ir::asCall(made.site);
    if (!call || !argumentOf(made, input) || call->begin().isMacroID())
      return {};
    const ir::Node *callee = call->callee();
    const ir::Type *second =
        call->arguments.size() > 1 ? call->arguments[1]->spelled().type : nullptr;
    clang::SourceLocation name;
    if (callee->kind == ir::NodeKind::Member ||
        (callee->kind == ir::NodeKind::Reference && second && second->isInteger))
      name = callee->name; // With options a function would need others.
    if (name.isInvalid() || call->symbol->name != "softmax")
      return {};
    return {clang::FixItHint::CreateInsertion(name, "log_")};
  }
};

} // namespace

std::unique_ptr<Check> makeLossActivation() { return std::make_unique<LossActivation>(); }

} // namespace gradtidy
