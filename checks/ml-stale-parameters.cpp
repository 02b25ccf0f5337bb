// An optimizer holds the parameters that it was made with. A module that takes the place of another
// later, a layer that is added later, and a module that was never given to an optimizer get
// gradients, and keep what they were made with.

#include "Calls.h"
#include "Check.h"
#include "Loops.h"
#include "Moments.h"
#include "Variation.h"
#include "analyzer/ir/UserWords.h"

#include "llvm/ADT/MapVector.h"

namespace gradtidy {
namespace {

class StaleParameters : public Check {
public:
  bool wants(const Moment &moment) const override {
    return llvm::is_contained({EventKind::Step, EventKind::Forward, EventKind::Backward},
                              moment.event.kind) ||
           touchesGradients(moment);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    switch (visit.event.kind) {
    case EventKind::Step:
      return onStep(visit, reporter);
    case EventKind::Forward:
      return onForward(visit);
    case EventKind::Backward:
      return onBackward(visit, reporter);
    default:
      return;
    }
  }

private:
  static std::string nameOf(const Visit &visit, PathId path) {
    const std::string spelling = visit.unit.tables().paths.spelling(path);
    return spelling.empty() ? "the module" : "'" + spelling + "'";
  }

  void onStep(const Visit &visit, Reporter &reporter) {
    if (const OptimizerFacts *facts = visit.before.optimizer(visit.event.subject)) {
      onOutdated(visit, *facts, reporter);
      onIdle(visit, *facts, reporter);
    }
  }

  /// A step without gradients, behind a backward through modules that no optimizer has.
  void onIdle(const Visit &visit, const OptimizerFacts &facts, Reporter &reporter) {
    if (facts.gradients.possible & ~unsigned(Gradients::Clean | Gradients::Used))
      return;
    for (const auto &[root, pass, backward, loops] : untrained) {
      if (root != &rootOf(visit) || (!loops.empty() && loops != loopsAround(visit)))
        continue;
      Finding finding(Level::Certain, *pass,
                      nameOf(visit, visit.before.resolve(pass->subject.path)) +
                          " is trained, but the optimizer has the parameters of another module");
      finding.notes.push_back({*backward, "it gets its gradients here"});
      finding.notes.push_back({visit.event, "the optimizer has no gradients to use here"});
      reporter.report(std::move(finding));
    }
  }

  /// A step of an optimizer that holds the parameters of a module which is another one now.
  static void onOutdated(const Visit &visit, const OptimizerFacts &facts, Reporter &reporter) {
    const bool isTrained =
        facts.outdated && visit.before.moduleAt(facts.outdatedPart).isTrained &&
        !(facts.gradients.possible & ~unsigned(Gradients::Fresh | Gradients::Stale));
    if (!isTrained)
      return;
    const Event &change = *facts.outdated;
    Finding finding(Level::Certain, change);
    const std::string module = nameOf(visit, facts.outdatedPart);
    finding.message =
        change.growsSubject
            ? module + " gets another layer, but the optimizer has only the parameters that it had "
                       "before"
            : module + " is replaced, but the optimizer still has the parameters of the old one";
    finding.notes.push_back({visit.event, "the step changes nothing of the new one here"});
    reporter.report(std::move(finding));
  }

  /// Remembers which modules have parameters.
  void onForward(const Visit &visit) {
    if (!visit.event.hasParameters || visit.before.gradMode().possible != GradMode::On)
      return;
    const PathId module = visit.before.resolve(visit.event.subject.path);
    passes.insert({module, &visit.event});
  }

  /// A backward through several modules, of which one belongs to no optimizer.
  void onBackward(const Visit &visit, Reporter &reporter) {
    const State &state = visit.before;
    const SourcesTable &sources = visit.unit.tables().sources;
    const SourcesId reached = state.sourcesOf(visit.event.subject);
    if (!state.hasOptimizers())
      return;
    llvm::SmallVector<const Event *, 2> forgotten, others;
    bool isTraining = false;
    for (PathId module : sources.members(reached)) {
      const ModuleFacts facts = state.moduleAt(module);
      const auto pass = passes.find(module);
      if (!state.mayBeStepped({module, TypeRole::Module})) {
        if (facts.isOwn && !facts.isFrozen && pass != passes.end() &&
            !isAskedLater(visit, pass->second->subject.path) && !isAskedLater(visit, module) &&
            !isHandedOn(visit, pass->second->subject.path))
          forgotten.push_back(pass->second);
        else if (facts.isTrained && !facts.isFrozen && pass != passes.end())
          others.push_back(pass->second);
      } else if (pass != passes.end()) {
        isTraining = true;
      }
    }
    if (!isTraining) {
      for (const Event *pass : forgotten)
        untrained.push_back({&rootOf(visit), pass, &visit.event, {}});
      // What something else may step is so only where the step is beside the backward.
      const auto loops = loopsAround(visit);
      for (const Event *pass : others)
        if (!loops.empty() && !readsGradients(visit, pass->subject.path))
          untrained.push_back({&rootOf(visit), pass, &visit.event, loops});
      return;
    }
    for (const Event *pass : forgotten) {
      Finding finding(Level::Likely, *pass,
                      nameOf(visit, visit.before.resolve(pass->subject.path)) +
                          " is trained with the others, but no optimizer has its parameters");
      finding.notes.push_back({visit.event, "it gets its gradients here"});
      reporter.report(std::move(finding));
    }
  }

  /// Whether the program goes by gradients that may be those of the module.
  static bool readsGradients(const Visit &visit, PathId module) {
    const Tables &tables = visit.unit.tables();
    const PathId object = visit.before.resolve(module);
    return llvm::any_of(visit.observations(), [&](const Observation &seen) {
      const auto isRead = [&](const Operand &operand) {
        if (!operand.path || !operand.isTensor || !seen.before.isGradient(operand.path))
          return false;
        const SourcesId owners = seen.before.sourcesOf({operand.path, TypeRole::Tensor});
        return tables.sources.isUnknown(owners) ||
               llvm::any_of(tables.sources.members(owners),
                            [&](PathId each) { return tables.paths.overlap(each, object); });
      };
      return &rootOf(visitOf(visit, seen)) == &rootOf(visit) &&
             (isRead(seen.event->subject) || llvm::any_of(seen.event->operands, isRead));
    });
  }

  /// Whether a function on the way asks the module for its parameters, perhaps in a later phase.
  static bool isAskedLater(const Visit &visit, PathId module) {
    const Frames frames = framesOf(visit);
    const PathTable &paths = visit.unit.tables().paths;
    return llvm::any_of(frames, [&](const Event *frame) {
      return llvm::any_of(frame->function->blocks, [&](const Block &block) {
        return llvm::any_of(block.events, [&](const Event &event) {
          return event.givesParameters && paths.overlap(event.subject.path, module);
        });
      });
    });
  }

  /// Whether the module is a member that a function, called or not, asks for its parameters or
  /// gives another name, or may: not all methods of the class are seen.
  static bool isHandedOn(const Visit &visit, PathId module) {
    const PathTable &paths = visit.unit.tables().paths;
    const PathStep member = paths.last(module);
    if (member.kind != PathStep::Member)
      return false;
    const auto isUnseen = [](const ir::Method &method) {
      return !method.isGenerated && !method.symbol->isPureVirtual && !method.isDefined;
    };
    if (llvm::any_of(ir::classOf(*member.symbol()->owner).methods, isUnseen))
      return true;
    const auto isIt = [&](const Operand &operand) { return paths.last(operand.path) == member; };
    const auto handsOn = [&](const Event &event) {
      return (event.givesParameters && isIt(event.subject)) ||
             (event.kind != EventKind::Forward && event.operation != Operation::Save &&
              !words::saves(calledName(event.site)) && llvm::any_of(event.operands, isIt));
    };
    return llvm::any_of(visit.unit.callGraph().functions(),
                        [&](const FunctionBody *function) { return hasEvent(*function, handsOn); });
  }

  llvm::MapVector<PathId, const Event *> passes; ///< The first forward pass of each.
  /// A forward pass, and the backward through it that reaches no module of an optimizer.
  struct Untrained {
    const FunctionBody *root; ///< Where the analysis began.
    const Event *pass, *backward;
    llvm::SmallVector<const ir::Node *, 8> loops; ///< Around both, and the step; empty: any.
  };
  llvm::SmallVector<Untrained, 2> untrained;
};

} // namespace

std::unique_ptr<Check> makeStaleParameters() { return std::make_unique<StaleParameters>(); }

} // namespace gradtidy
