// A module is in training mode until eval() is called. Dropout then zeroes activations at random, and
// batch normalisation uses (and changes) the statistics of whatever batch it is given.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"

#include "clang/AST/Stmt.h"

namespace gradtidy {
namespace {

class MissingEvalMode : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &forward = visit.event;
    if (forward.kind != EventKind::Forward || forward.isStateless ||
        visit.unit.uses().mayBeDifferentiated(visit.site))
      return;
    ModuleFacts facts = visit.before.module(forward.subject);
    // Whose mode nobody in the unit sets may be set by a caller; but who disables gradients sets up
    // the evaluation by himself.
    bool isForgotten = facts.mode == ModuleFacts::Entry && disablesGradients(visit) &&
                       isHandedIn(visit, forward.subject);
    bool isTraining = (facts.mode & ModuleFacts::Training) &&
                      !(facts.mode & (ModuleFacts::Unknown | ModuleFacts::Entry));
    if (!isTraining && !isForgotten)
      return;
    Answer layers = visit.unit.dependsOnMode(visit.shown());

    Finding finding;
    finding.level = layers == Answer::No                       ? Level::Advice
                    : layers == Answer::Unknown || isForgotten ? Level::Likely
                                                               : Level::Certain;
    if (isForgotten && layers == Answer::Unknown)
      finding.level = Level::Advice;
    const Event &shown = visit.shown();
    finding.location = shown.site->getBeginLoc();
    finding.range = shown.site->getSourceRange();
    std::string name = nameOf(visit, shown.subject);
    finding.message = name + " is evaluated in training mode";
    if (layers == Answer::Yes)
      finding.message += ": dropout and batch normalisation are active";
    repair(visit, facts, finding);
    reporter.report(std::move(finding));
  }

private:
  static bool disablesGradients(const Visit &visit) {
    const GradMode &mode = visit.before.gradMode();
    return mode.possible == GradMode::Off && mode.set &&
           mode.set->function == visit.shown().function;
  }

  /// Whether the module is of the caller, or a member: known, but not what was done to it before.
  static bool isHandedIn(const Visit &visit, const Operand &module) {
    const PathTable &paths = visit.unit.tables().paths;
    PathId root = paths.rootOf(visit.before.resolve(module.path));
    return !paths.isTemporary(root) && module.role != TypeRole::ScriptModule;
  }

  static std::string nameOf(const Visit &visit, const Operand &module) {
    llvm::StringRef text = module.expr ? textOf(visit, module.expr) : llvm::StringRef();
    return text.empty() || text.contains('\n') ? "the module" : ("'" + text + "'").str();
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
    const clang::Stmt *place = function.statementOf(forward.site);
    for (const clang::Stmt *loop : loops) {
      if (trainsIn(visit, function, loop))
        break;
      place = loop;
    }
    if (!function.compoundOf(place))
      return;
    finding.fixes = insertBefore(visit, place, object + "eval();");
    if (comesRound)
      finding.fixes.append(insertBehind(visit, place, object + "train();"));
  }
};

} // namespace

std::unique_ptr<Check> makeMissingEvalMode() { return std::make_unique<MissingEvalMode>(); }

} // namespace gradtidy
