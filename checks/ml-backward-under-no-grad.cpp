// What runs while recording is disabled has no graph: a backward through it fails, and where only a
// part of the model ran that way, that part silently stays as it is.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"

namespace gradtidy {
namespace {

class BackwardUnderNoGrad : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Backward || moment.event.kind == EventKind::Forward ||
           (moment.event.kind == EventKind::Call && moment.isUnseen &&
            moment.event.subject.isClosure);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &backward = visit.event;
    if (backward.kind == EventKind::Call)
      return onClosure(visit, reporter);
    if (const Operand *kept = inferenceTensorSavedBy(backward, visit.before))
      return onForward(visit, *kept, reporter);
    if (backward.kind != EventKind::Backward)
      return;
    Value loss = visit.before.valueOf(backward.subject);
    if (!(loss.autograd.graph & Graph::Unrecorded) || !loss.autograd.disabled)
      return;
    const Event &guard = *loss.autograd.disabled;
    const bool depends = loss.autograd.graph & Graph::Unknown;
    if (depends ? !isLeftDisabled(visit, guard) : isMeantForOthers(visit))
      return;

    // On one of two ways: there may be a reason why that is not taken.
    const bool isOnOneWay = loss.autograd.graph & Graph::Attached;
    Finding finding(isOnOneWay ? Level::Likely : Level::Certain, depends ? guard : backward);
    if (depends) {
      finding.message = "gradients are disabled here and never enabled again: the next backward "
                        "finds no graph";
      finding.notes.push_back({backward, "the backward is here"});
    } else {
      finding.message = "this backward finds no graph: the forward ran with gradients disabled";
      finding.notes.push_back({guard, "gradients are disabled here"});
    }
    const Tables &tables = visit.unit.tables();
    for (SiteId site : tables.histories.members(loss.autograd.history))
      if (const Event &forward = tables.sites.event(site); isModuleCall(forward)) {
        finding.notes.push_back({forward, "the forward pass is not recorded"});
        break;
      }
    if (!depends && guard.constant)
      finding.fixes = narrow(visit, guard, loss.autograd.history);
    reporter.report(std::move(finding));
  }

private:
  /// A forward pass that is trained gets what was made for inference.
  static void onForward(const Visit &visit, const Operand &kept, Reporter &reporter) {
    if (!visit.unit.uses().isDifferentiated(visit.site))
      return;
    const Event &guard = *visit.before.valueOf(kept).storage.inference;
    Finding finding(Level::Certain, guard,
                    "what is computed under this guard cannot be part of a training: the forward "
                    "pass that needs it for its backward throws; only disable gradients here");
    finding.notes.push_back({visit.event, "the forward pass that is trained is here"});
    reporter.report(std::move(finding));
  }

  /// The closure that a step of an optimizer is given runs the forward and the backward.
  static void onClosure(const Visit &visit, Reporter &reporter) {
    const Event &call = visit.event;
    const GradMode &mode = visit.before.gradMode();
    if (!call.subject.isClosure || !call.function->isStep || mode.possible != GradMode::Off ||
        !mode.set || mode.set->function != call.function)
      return;
    Finding finding(Level::Certain, call,
                    "the closure's backward finds no graph: its forward runs with gradients "
                    "disabled");
    finding.notes.push_back({*mode.set, "gradients are disabled here"});
    reporter.report(std::move(finding));
  }

  /// Whether other callers get a graph here, and this one has the backward left out.
  static bool isMeantForOthers(const Visit &visit) {
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      return other.event == &visit.event &&
             !(other.before.valueOf(visit.event.subject).autograd.graph & Graph::Unrecorded) &&
             isUpToCallers(visit.event, visit.callers, other.callers);
    });
  }

  /// Whether gradients are switched off on some way through a loop around the backward, and never
  /// on again: a later iteration records nothing.
  static bool isLeftDisabled(const Visit &visit, const Event &setting) {
    return setting.kind == EventKind::SetGradMode &&
           (isBeside(visit, setting, visit.event) ||
            llvm::any_of(visit.callers,
                         [&](const Event *call) { return isBeside(visit, setting, *call); }));
  }

  /// Whether one iteration of a loop around \p training may also come to \p setting, or to a call
  /// of the function it stands in.
  static bool isBeside(const Visit &visit, const Event &setting, const Event &training) {
    const FunctionBody &function = *training.function;
    if (function.loopsAround(training.site).empty() ||
        visit.unit.effects().enablesGradients(function))
      return false;
    const ir::Node *loop = function.loopsAround(training.site).back();
    const auto isOther = [&](const Event &event) {
      bool sets = &event == &setting ||
                  (event.callee && event.callee->first == setting.function->function->first);
      if (!sets || !contains(visit, loop, event.site))
        return false;
      const ir::Node *around = function.statementOf(training.site);
      while (!contains(visit, around, event.site))
        around = function.statementAround(around);
      return around->kind == ir::NodeKind::Compound;
    };
    return llvm::any_of(function.blocks,
                        [&](const Block &block) { return llvm::any_of(block.events, isOther); });
  }

  /// Whether \p statement runs a forward of the loss with that \p history.
  static bool computes(const Visit &visit, SourcesId history, const FunctionBody &function,
                       const ir::Node &statement) {
    const Tables &tables = visit.unit.tables();
    return llvm::any_of(tables.histories.members(history), [&](SiteId site) {
      const Event &forward = tables.sites.event(site);
      return forward.function == &function && contains(visit, &statement, forward.site);
    });
  }

  /// Braces around the guard and what stands between it and the training; without anything there,
  /// or with declarations, the guard goes.
  static Fix narrow(const Visit &visit, const Event &guard, SourcesId history) {
    const FunctionBody &function = *guard.function;
    const ir::Node *first = function.statementOf(guard.site);
    const ir::Node *block = function.compoundOf(first);
    if (!block)
      return {};
    if (guard.kind != EventKind::EnterGradMode)
      return removeStatement(visit, guard);
    const ir::Node *last = nullptr;
    for (const ir::Node *statement : block->children) {
      bool isBehind = last || statement == first;
      if (!isBehind)
        continue;
      bool leadsHere = llvm::any_of(visit.callers, [&](const Event *call) {
        return call->function == &function && contains(visit, statement, call->site);
      });
      if (leadsHere || trainsIn(visit, function, statement) ||
          computes(visit, history, function, *statement))
        break;
      if (last && statement->kind == ir::NodeKind::Declaration) // Braces would hide it.
        return removeStatement(visit, guard);
      last = statement;
    }
    if (!last || last == first)
      return removeStatement(visit, guard);
    Fix fix = insertBefore(visit, first, "{");
    fix.append(insertBehind(visit, last, "}"));
    return fix;
  }
};

} // namespace

std::unique_ptr<Check> makeBackwardUnderNoGrad() { return std::make_unique<BackwardUnderNoGrad>(); }

} // namespace gradtidy
