// eval() lasts until train() is called. An epoch that ends with an evaluation leaves the module in
// evaluation mode, and all later epochs train without dropout and with frozen statistics.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"
#include "Modes.h"
#include "Moments.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {
namespace {

class TrainModeNotRestored : public Check {
public:
  bool wants(const Moment &moment) const override {
    return isPass(moment) ||
           llvm::is_contained({EventKind::Backward, EventKind::Step}, moment.event.kind);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &forward = visit.event;
    if (forward.kind != EventKind::Forward || forward.isStateless ||
        !(visit.before.gradMode().possible & GradMode::On) ||
        !visit.unit.uses().isDifferentiatedInEvaluation(visit.site))
      return;
    ModuleFacts facts = visit.before.module(forward.subject);
    if (!(facts.mode & ModuleFacts::LeftTraining) || (facts.mode & ModuleFacts::Unknown) ||
        !facts.set || facts.isFrozen || !visit.before.mayBeStepped(forward.subject) ||
        wantsGradientOfInput(visit) || isMeantForOthers(visit) || isForGradients(visit) ||
        (isForInput(visit) && !isEvaluated(visit, facts)))
      return; // A backward may also go through it to what is in front of it, or behind.
    const Event &eval = *facts.set;

    Finding finding(dependsOnMode(visit) == Answer::No ? Level::Advice : Level::Certain, eval,
                    "training goes on in evaluation mode after this eval()");
    finding.notes.push_back({forward, "this training forward runs in evaluation mode"});
    std::string object = memberPrefix(visit, eval.subject);
    if (forward.function == eval.function && !object.empty())
      finding.fixes = insertBefore(visit, whereTrainingBegins(visit, eval),
                                   callOf(object, phrase(visit.unit.code(), Phrase::Train)));
    reporter.report(std::move(finding));
  }

private:
  /// Whether \p seen is a backward through the forward \p site.
  static bool isThrough(SiteId site, const Observation &seen, const Visit &visit) {
    return seen.event->kind == EventKind::Backward &&
           llvm::is_contained(visit.unit.tables().histories.members(
                                  seen.before.valueOf(seen.event->subject).autograd.history),
                              site);
  }

  /// Whether other modules made what the module gets: these may be what is trained, as an actor by
  /// its critic.
  static bool isForInput(const Visit &visit) {
    const Tables &tables = visit.unit.tables();
    return llvm::any_of(visit.event.operands, [&](const Operand &operand) {
      const Value value = operand.isTensor ? visit.before.valueOf(operand) : Value();
      return llvm::any_of(tables.histories.members(value.autograd.graphs),
                          [&](SiteId site) { return isModuleCall(tables.sites.event(site)); });
    });
  }

  /// Whether anything but this training is done in the mode that was set; else it is meant for
  /// that.
  static bool isEvaluated(const Visit &visit, const ModuleFacts &facts) {
    const auto mayEvaluate = [&](const Event &event) {
      return event.kind == EventKind::Call &&
             llvm::any_of(event.operands, [](const Operand &operand) {
               return isModule(operand.role) || operand.escapes;
             });
    };
    for (const Block &block : facts.set->function->blocks)
      if (llvm::any_of(block.events, mayEvaluate))
        return true;
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      return isModuleCall(*other.event) && other.site != visit.site &&
             other.before.module(other.event->subject).set.event() == facts.set.event() &&
             !visit.unit.uses().isDifferentiated(other.site);
    });
  }

  /// Whether no step uses the gradients: they are what is wanted, as for the Fisher information.
  static bool isForGradients(const Visit &visit) {
    const SiteId evaluated = visit.unit.tables().sites.knownInEvaluation(visit.site);
    const Tables &tables = visit.unit.tables();
    const PathId module = visit.before.resolve(visit.event.subject.path);
    const auto mayOwn = [&](const OptimizerFacts &facts) {
      return tables.sources.isUnknown(facts.owned) ||
             llvm::any_of(tables.sources.members(facts.owned),
                          [&](PathId each) { return tables.paths.overlap(each, module); });
    };
    const auto mayUse = [&](const Observation &step, const Event &backward) {
      const OptimizerFacts *facts = step.before.optimizer(step.event->subject);
      return !facts || (mayOwn(*facts) && (!facts->gradients.backward ||
                                           facts->gradients.backward.event() == &backward));
    };
    const auto steps = [&](auto holds) {
      return llvm::any_of(visit.observations(), [&](const Observation &seen) {
        return seen.event->kind == EventKind::Step && holds(seen);
      });
    };
    return steps([](const Observation &) { return true; }) &&
           llvm::none_of(visit.observations(), [&](const Observation &seen) {
             return isThrough(evaluated, seen, visit) &&
                    steps([&](const Observation &step) { return mayUse(step, *seen.event); });
           });
  }

  /// Whether other callers train here, and for this one the backward is left out.
  static bool isMeantForOthers(const Visit &visit) {
    const SiteId evaluated = visit.unit.tables().sites.knownInEvaluation(visit.site);
    const auto isLeftOut = [&](const Observation &training) {
      return llvm::none_of(visit.observations(), [&](const Observation &seen) {
        return isThrough(evaluated, seen, visit) &&
               !isUpToCallers(*seen.event, seen.callers, training.callers);
      });
    };
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      return other.event == &visit.event && other.site != visit.site &&
             !(other.before.module(visit.event.subject).mode & ModuleFacts::LeftTraining) &&
             visit.unit.uses().isDifferentiated(other.site) && isLeftOut(other);
    });
  }

  /// Whether an input is a leaf that requires a gradient, as where adversarial examples are made.
  static bool wantsGradientOfInput(const Visit &visit) {
    return llvm::any_of(visit.event.operands, [&](const Operand &operand) {
      const Value value = operand.isTensor ? visit.before.valueOf(operand) : Value();
      const Tables &tables = visit.unit.tables();
      return value.autograd.graph == Graph::Attached &&
             llvm::none_of(tables.histories.members(value.autograd.graphs),
                           [&](SiteId site) { return isModuleCall(tables.sites.event(site)); });
    });
  }

  /// The outermost loop around the forward that is not around the eval(), else its statement.
  static const ir::Node *whereTrainingBegins(const Visit &visit, const Event &eval) {
    const FunctionBody &function = *visit.event.function;
    auto shared = function.loopsAround(eval.site);
    const ir::Node *place = function.statementOf(visit.event.site);
    for (const ir::Node *loop : function.loopsAround(visit.event.site))
      if (!llvm::is_contained(shared, loop))
        place = loop;
    return place;
  }
};

} // namespace

std::unique_ptr<Check> makeTrainModeNotRestored() {
  return std::make_unique<TrainModeNotRestored>();
}

} // namespace gradtidy
