// Gradients change nothing by themselves: the step of an optimizer does. A loop that computes them,
// clears them and never steps leaves every parameter what it is.

#include "Check.h"
#include "Doings.h"
#include "Loops.h"

namespace gradtidy {
namespace {

class MissingStep : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::ClearGradients;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &clear = visit.event;
    if (clear.subject.role != TypeRole::Optimizer || clear.site->begin().isMacroID() ||
        loopsAround(visit).empty())
      return;
    const OptimizerFacts *facts = visit.before.optimizer(clear.subject);
    const PathId optimizer = visit.before.resolve(clear.subject.path);
    if (!facts || !isUnused(facts->gradients) || mayBeStepped(visit, optimizer))
      return;
    Finding finding(Level::Likely, clear);
    const std::string spelling = visit.unit.tables().paths.spelling(clear.subject.path);
    finding.message = "no step of '" + spelling +
                      "' uses the gradients before they are cleared, here or elsewhere: its "
                      "parameters stay what they are";
    finding.notes.push_back({*facts->gradients.backward, "this backward computes them"});
    reporter.report(std::move(finding));
  }

private:
  /// Whether what is cleared was added since the last clear, and never used.
  static bool isUnused(const Gradients &gradients) {
    const unsigned unused = Gradients::Fresh | Gradients::Lost;
    return (gradients.possible & unused) && gradients.backward &&
           !(gradients.possible & ~(unused | Gradients::Untouched | Gradients::Clean));
  }

  static bool mayBeStepped(const Visit &visit, PathId optimizer) {
    const PathTable &paths = visit.unit.tables().paths;
    const PathStep &last = paths.last(optimizer);
    const ir::Symbol *variable = last.kind == PathStep::Variable ? last.symbol() : nullptr;
    const bool isOfOthers =
        variable && (variable->kind == ir::SymbolKind::Parameter || variable->type->isReference);
    return isOfOthers || usesGradients(visit) ||
           mayBeDone(visit.unit, visit.source, optimizer,
                     [](const Event &event) { return event.kind == EventKind::Step; });
  }

  /// Whether the function, those that call it or what these call look at gradients themselves, or
  /// run closures that may.
  static bool usesGradients(const Visit &visit) {
    const PathTable &paths = visit.unit.tables().paths;
    const auto isGradient = [&](PathId path) {
      return path && paths.last(path).kind == PathStep::Gradient;
    };
    const auto isUse = [&](const Event &event) {
      return isGradient(event.subject.path) || isGradient(event.result) ||
             llvm::any_of(event.operands, [&](const Operand &operand) {
               return isGradient(operand.path) || operand.isClosure;
             });
    };
    const Event &outermost = visit.callers.empty() ? visit.event : *visit.callers.front();
    return visit.unit.callGraph().mayRun(*outermost.function, isUse);
  }
};

} // namespace

std::unique_ptr<Check> makeMissingStep() { return std::make_unique<MissingStep>(); }

} // namespace gradtidy
