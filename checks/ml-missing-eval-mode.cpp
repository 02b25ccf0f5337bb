// A module is in training mode until eval() is called. Dropout then zeroes activations at random,
// and batch normalisation uses (and changes) the statistics of whatever batch it is given.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"
#include "Modes.h"
#include "Moments.h"
#include "SmokeTests.h"
#include "analyzer/ir/UserWords.h"

namespace gradtidy {
namespace {

class MissingEvalMode : public Check {
public:
  bool wants(const Moment &moment) const override {
    return isPass(moment) || moment.event.kind == EventKind::SetMode;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &forward = visit.event;
    if (forward.kind == EventKind::SetMode && forward.constant == false)
      return onEval(visit, reporter);
    if (!isEvaluation(visit) || isMeant(visit))
      return;
    ModuleFacts facts = visit.before.module(forward.subject);
    // Whose mode nobody in the unit sets may be set by a caller; but who disables gradients sets up
    // the evaluation by himself.
    // And whatever the mode is, training and evaluation want different ones.
    bool isForgotten = facts.mode == ModuleFacts::Entry && isHandedIn(visit, forward.subject) &&
                       disablesGradients(visit);
    bool isTraining =
        ((facts.mode & ModuleFacts::Training) &&
         !(facts.mode & (ModuleFacts::Unknown | ModuleFacts::Entry))) ||
        (facts.isTrained && !(facts.mode & (ModuleFacts::Unknown | ModuleFacts::Evaluation |
                                            ModuleFacts::LeftTraining)));
    const Answer layers = dependsOnMode(visit);
    // Modules are made in training mode.
    const bool isNeverSet = facts.mode == ModuleFacts::Entry &&
                            isHandedIn(visit, forward.subject) && layers == Answer::Yes &&
                            visit.unit.program().neverEvaluates();
    isForgotten &= !isNeverSet;
    if (!isTraining && !isForgotten && !isNeverSet)
      return;

    const Level level = layers == Answer::No                       ? Level::Advice
                        : layers == Answer::Unknown || isForgotten ? Level::Likely
                                                                   : Level::Certain;
    // An unseen method may do other things; who only looks at the shape is not misled; who calls a
    // layer by itself knows what he has.
    // Who has just called train() wants it so, or is mistaken in a way nobody can tell. Helpers
    // that sample for others leave the mode to these.
    bool isDoubtful = ((facts.mode & ModuleFacts::Evaluation) && isUpToOverriders(visit)) ||
                      (isFirstLook(visit) && (trainsLater(visit) || !setsOtherModes(visit))) ||
                      isSampledInTraining(visit) ||
                      (!facts.isTrainedSinceSet && facts.set && facts.set->constant == true) ||
                      (isForgotten && visit.shown().function->returnsTensors) ||
                      (isForgotten && layers == Answer::Unknown && setsOtherModes(visit)) ||
                      (isForgotten && isSetByCaller(visit)) || visit.shown().module().isLayer ||
                      forward.kind == EventKind::Call || !visit.unit.uses().isRead(visit.site) ||
                      (layers == Answer::Unknown &&
                       forward.subject.role != TypeRole::ScriptModule && !isPutIntoTraining(visit));
    const Event &shown = visit.shown();
    const Event &taker = takerOf(visit);
    std::string name = &taker == &shown ? nameOf(visit, shown.subject) : "the module";
    Finding finding(isDoubtful ? Level::Advice : level, taker,
                    name + " is evaluated in training mode");
    if (layers == Answer::Yes)
      finding.message += ": dropout and batch normalisation are active";
    if (&taker != &shown)
      finding.notes.push_back({shown, "the forward pass is here"});
    explain(visit, facts, finding);
    if (isNeverSet)
      finding.message += "; nothing in the program calls eval()";
    repair(visit, facts, finding);
    reporter.report(std::move(finding));
  }

private:
  /// Whether what overrides a method decides on a call that leads here: one and the same class
  /// overrides those that set the mode, too.
  static bool isUpToOverriders(const Visit &visit) {
    return llvm::any_of(visit.callers, [&](const Event *call) {
      return visit.unit.callGraph().candidates(*call).size() > 1;
    });
  }

  /// Where the training mode comes from, and what tells that this is an evaluation.
  static void explain(const Visit &visit, const ModuleFacts &facts, Finding &finding) {
    if (facts.set && facts.set->constant == true)
      finding.notes.push_back({*facts.set, "it is put into training mode here"});
    else if (facts.placed && facts.placed->kind == EventKind::Construct)
      finding.notes.push_back(
          {*facts.placed, "it is made here, and modules are made in training mode"});
    if (disablesGradients(visit))
      finding.notes.push_back(
          {*visit.before.gradMode().set, "gradients are disabled here, as for an evaluation"});
  }

  /// eval() is in vain where the class asks a flag of its own.
  static void onEval(const Visit &visit, Reporter &reporter) {
    const ModuleClass *view = visit.event.module().view;
    const ModeFlag *flag = view && view->stuckFlag ? &*view->stuckFlag : nullptr;
    if (!flag)
      return;
    Finding finding(Level::Certain, *flag->asked.front(),
                    ("'" + flag->field->name +
                     "' stays true in evaluation mode: train() and eval() do not change it")
                        .str());
    finding.notes.push_back({visit.event, "eval() is called here"});
    for (const ir::Node *asked : flag->asked)
      finding.fixes.push_back(clang::FixItHint::CreateReplacement(asked->range, "is_training()"));
    reporter.report(std::move(finding));
  }

  static bool disablesGradients(const Visit &visit) {
    const GradMode &mode = visit.before.gradMode();
    return mode.possible == GradMode::Off && mode.set &&
           mode.set->function == visit.shown().function;
  }

  /// Whether the program puts modules of that class into training mode, so that it knows of modes.
  static bool isPutIntoTraining(const Visit &visit) {
    const ModuleClass *view = visit.shown().module().view;
    return view && llvm::any_of(visit.observations(), [&](const Observation &other) {
             return other.event->kind == EventKind::SetMode && other.event->constant == true &&
                    other.event->module().view == view;
           });
  }

  /// Whether the function calls eval(): the module it leaves out may be one that its caller keeps
  /// in evaluation mode for good.
  static bool setsOtherModes(const Visit &visit) {
    return llvm::any_of(visit.shown().function->blocks, [](const Block &block) {
      return llvm::any_of(block.events, [](const Event &event) {
        return event.kind == EventKind::SetMode && event.constant == false;
      });
    });
  }

  static bool trainsLater(const Visit &visit) {
    const Event &forward = visit.shown();
    const FunctionBody &function = *forward.function;
    const ir::Node *body = ir::as(ir::NodeKind::Compound, function.body);
    return body && trainsBehind(visit, function, function.statementOf(forward.site), *body);
  }

  /// Whether a generator that is being trained makes samples of noise, as it does for its training:
  /// their batch has statistics like those it is trained with.
  static bool isSampledInTraining(const Visit &visit) {
    const Event &forward = visit.event;
    const FunctionBody &function = *forward.function;
    return !forward.operands.empty() && llvm::all_of(forward.operands, [&](const Operand &operand) {
      return !operand.isTensor || visit.before.valueOf(operand).meaning.isNoise;
    }) && llvm::any_of(function.loopsAround(forward.site), [&](const ir::Node *loop) {
      return trainsIn(visit, function, loop);
    });
  }

  /// Whether a caller that is known hands the module over in evaluation mode. Others may not.
  static bool isSetByCaller(const Visit &visit) {
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      return other.event == &visit.event &&
             other.before.module(other.event->subject).mode == ModuleFacts::Evaluation;
    });
  }

  /// Whether the function says by its name that dropout is to stay active (Gal and Ghahramani,
  /// "Dropout as a Bayesian Approximation").
  static bool isMeant(const Visit &visit) {
    return words::speaksOfActiveDropout(visit.shown().function->function->spelling);
  }

  /// Whether the module is of the caller, or a member: known, but not what was done to it before.
  static bool isHandedIn(const Visit &visit, const Operand &module) {
    const PathTable &paths = visit.unit.tables().paths;
    const PathId object = visit.before.resolve(module.path);
    const PathStep &last = paths.last(paths.containerOf(object));
    bool isSetUp =
        last.kind == PathStep::Member && visit.unit.effects().isModeSetUp(*last.symbol());
    return !paths.isTemporary(object) && module.role != TypeRole::ScriptModule && !isSetUp;
  }

  static std::string nameOf(const Visit &visit, const Operand &module) {
    llvm::StringRef text = module.expr ? textOf(visit, module.expr) : llvm::StringRef();
    text.consume_back("->");
    return text.empty() || text.contains('\n') ? "the module" : ("'" + text + "'").str();
  }

  /// Whether the module is declared outside of \p loop.
  static bool isOlder(const Visit &visit, const Operand &module, const ir::Node *loop) {
    const PathTable &paths = visit.unit.tables().paths;
    const PathStep &root = paths.last(paths.rootOf(module.path));
    return root.kind != PathStep::Variable || !contains(visit, loop, root.symbol()->location);
  }

  /// Before the loop of the evaluation, and behind it back to training where that goes on.
  static void repair(const Visit &visit, const ModuleFacts &facts, Finding &finding) {
    const Event &forward = visit.shown();
    const FunctionBody &function = *forward.function;
    std::string object = memberPrefix(visit, forward.subject);
    if (object.empty())
      return;
    auto loops = function.loopsAround(forward.site);
    bool comesRound = facts.isTrained && !loops.empty();
    // The outermost loop in which nothing is trained.
    const ir::Node *place = function.statementOf(forward.site);
    for (const ir::Node *loop : loops) {
      if (trainsIn(visit, function, loop) || !isOlder(visit, forward.subject, loop))
        break;
      place = loop;
    }
    if (!function.compoundOf(place))
      return;
    finding.fixes =
        insertBefore(visit, place, callOf(object, phrase(visit.unit.code(), Phrase::Eval)));
    if (comesRound)
      finding.fixes.append(
          insertBehind(visit, place, callOf(object, phrase(visit.unit.code(), Phrase::Train))));
  }
};

} // namespace

std::unique_ptr<Check> makeMissingEvalMode() { return std::make_unique<MissingEvalMode>(); }

} // namespace gradtidy
