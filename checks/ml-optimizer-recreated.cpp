// Adam and its kin keep averages of the gradients, SGD with momentum a velocity. An optimizer that
// is made anew in each epoch begins with none: its first steps are as long as the learning rate,
// whatever the gradients.

#include "Check.h"
#include "Loops.h"
#include "Moments.h"
#include "Variation.h"

namespace gradtidy {
namespace {

class OptimizerRecreated : public Check {
public:
  bool wants(const Moment &moment) const override {
    return makesOptimizer(moment.event) || moment.event.kind == EventKind::Step;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &made = visit.event;
    if (made.kind != EventKind::Construct || made.subject.role != TypeRole::Optimizer ||
        made.operands.empty() || !keepsState(made))
      return;
    const SourcesId owned = visit.before.sourcesOf(made.operands.front());
    const auto loops = loopsAround(visit);
    if (loops.empty())
      return onSoleStep(visit, owned, reporter);
    const ir::Node *loop = loops.front();
    const Event *step = areOlder(visit, owned, loop) && !isSkippedIn(visit, loop)
                            ? stepIn(visit, owned, loop)
                            : nullptr;
    if (!step || resetsIn(visit, loop))
      return;
    const bool isToldOptions = isTold(visit, loop);
    Finding finding(
        isToldOptions ? Level::Advice : Level::Likely, made,
        isToldOptions
            ? "each iteration of a loop makes a new optimizer to change its options, which "
              "discards its momentum or averages; set them in param_groups() of one optimizer"
            : "each iteration of a loop makes a new optimizer for the same parameters, which "
              "discards its momentum or averages; make it once before the loop");
    finding.notes.push_back({*loop, "the loop is here"});
    finding.notes.push_back({*step, "the optimizer steps here"});
    reporter.report(std::move(finding));
  }

private:
  static bool keepsState(const Event &made) {
    return made.keepsMomentum || made.trait == Trait::AdaptiveSteps ||
           made.trait == Trait::NeedsClosure;
  }

  /// An optimizer for parameters of the caller's that ends with the call, behind a single step:
  /// training is in the loop of somebody who is not seen.
  static void onSoleStep(const Visit &visit, SourcesId owned, Reporter &reporter) {
    const Event &made = visit.event;
    const Tables &tables = visit.unit.tables();
    const auto owners = tables.sources.members(owned);
    const auto isCallers = [&](PathId owner) {
      const PathId root = PathTable::rootOf(owner);
      return root == made.function->thisObject ||
             llvm::any_of(made.function->parameters, [&](const FunctionBody::Parameter &parameter) {
               return parameter.place.path == root;
             });
    };
    if (owners.empty() || tables.sources.isUnknown(owned) || !llvm::all_of(owners, isCallers) ||
        made.function->function->isMain || visit.unit.callGraph().isCalled(*made.function))
      return;
    const Event *step = nullptr;
    for (const Observation &other : visit.observations()) {
      const OptimizerFacts *facts = other.event->kind == EventKind::Step
                                        ? other.before.optimizer(other.event->subject)
                                        : nullptr;
      if (!facts || facts->owned != owned)
        continue;
      const PathStep &place = tables.paths.last(other.event->subject.path);
      const ir::Symbol *variable = place.kind == PathStep::Variable ? place.symbol() : nullptr;
      if (step || !variable || !variable->isLocal || variable->isStatic ||
          other.event->function != made.function || !loopsAround(visitOf(visit, other)).empty())
        return;
      step = other.event;
    }
    if (!step)
      return;
    Finding finding(Level::Likely, made,
                    "each call makes a new optimizer for a single step, which discards its "
                    "momentum or averages; keep one from call to call");
    finding.notes.push_back({*step, "the optimizer steps here"});
    reporter.report(std::move(finding));
  }

  /// Whether all that owns the parameters is older than \p loop, the innermost around the event,
  /// and the same in each iteration.
  static bool areOlder(const Visit &visit, SourcesId owned, const ir::Node *loop) {
    const Tables &tables = visit.unit.tables();
    const auto owners = tables.sources.members(owned);
    if (owners.empty() || tables.sources.isUnknown(owned))
      return false;
    for (PathId owner : owners) {
      for (PathId step = owner; step; step = tables.paths.parent(step))
        if (tables.paths.last(step).kind == PathStep::Element && tables.paths.last(step).index < 0)
          return false; // One of several.
      const Event *value = visit.before.valueOf({owner, TypeRole::Tensor}).origin.made;
      const bool isOlder =
          loopOutlivedBy(visit, owner) == loop &&
          !(value && contains(visit, loop, value->site)); // A tensor that is replaced.
      if (!isOlder || visit.before.moduleAt(owner).isNew)
        return false;
    }
    return true;
  }

  /// A step of the optimizer in \p loop, in the loop itself or in one within it. What has two more
  /// loops around it is a training of its own.
  static const Event *stepIn(const Visit &visit, SourcesId owned, const ir::Node *loop) {
    const Event *found = nullptr;
    for (const Observation &other : visit.observations()) {
      if (other.event->kind != EventKind::Step || !isWithin(visit, other, loop))
        continue;
      const OptimizerFacts *facts = other.before.optimizer(other.event->subject);
      if (!facts || facts->owned != owned)
        continue;
      const auto loops = loopsAround(visitOf(visit, other));
      if (llvm::find(loops, loop) - loops.begin() > 1)
        return nullptr;
      found = other.event;
    }
    return found;
  }

  /// Whether the options change from one iteration to the next: the program may begin anew on
  /// purpose.
  static bool isTold(const Visit &visit, const ir::Node *loop) {
    return llvm::any_of(llvm::drop_begin(visit.event.operands), [&](const Operand &operand) {
      return variesIn(visit, operand.expr, loop);
    });
  }

  /// Whether an iteration gives parameters other values than those that the steps have led to.
  static bool resetsIn(const Visit &visit, const ir::Node *loop) {
    const PathTable &paths = visit.unit.tables().paths;
    const auto isReset = [&](const Event &event) {
      const bool isGradient =
          event.subject.path && paths.last(event.subject.path).kind == PathStep::Gradient;
      const bool isMethod = event.kind == EventKind::Combine && event.isArithmetic &&
                            isModule(event.subject.role) && event.subject.escapes;
      return event.kind == EventKind::Load || event.operation == Operation::Apply || isMethod ||
             ((event.kind == EventKind::Overwrite ||
               (event.operation == Operation::Fill && event.kind != EventKind::Create)) &&
              !isGradient);
    };
    const CallGraph &graph = visit.unit.callGraph();
    // A function that gets the module, neither runs nor trains it, and may write to a tensor:
    // `torch::nn::init::normal_(weight)`.
    const auto isWrite = [](const Event &event) {
      const bool isOfSubject = event.subject.role == TypeRole::Tensor && event.subject.escapes;
      const bool isOfFirst = !event.subject.path && !event.operands.empty() &&
                             event.operands.front().role == TypeRole::Tensor;
      return event.kind == EventKind::Combine && (isOfSubject || isOfFirst);
    };
    const auto isRun = [](const Event &event) {
      return event.kind == EventKind::Forward || event.kind == EventKind::Backward ||
             event.kind == EventKind::Step || event.kind == EventKind::SetMode ||
             writesFile(event.operation);
    };
    const auto isResetBy = [&](const Event &call) {
      const auto isModuleOf = [](const Operand &operand) { return isModule(operand.role); };
      const bool takesModule = isModuleOf(call.subject) || llvm::any_of(call.operands, isModuleOf);
      return llvm::any_of(graph.candidates(call), [&](const FunctionBody *body) {
        return graph.mayRun(*body, isReset) ||
               (takesModule && graph.mayRun(*body, isWrite) && !graph.mayRun(*body, isRun));
      });
    };
    for (const FunctionBody *function : graph.functions())
      for (const Block &block : function->blocks)
        for (const Event &event : block.events)
          if (llvm::is_contained(function->loopsAround(event.site), loop) &&
              (isReset(event) || (event.kind == EventKind::Call && isResetBy(event))))
            return true;
    return false;
  }
};

} // namespace

std::unique_ptr<Check> makeOptimizerRecreated() { return std::make_unique<OptimizerRecreated>(); }

} // namespace gradtidy
