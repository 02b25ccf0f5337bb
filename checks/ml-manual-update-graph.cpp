// Who updates parameters by hand must change them in place, and unrecorded: autograd forbids to
// change a leaf that it records, and an assignment makes the variable another tensor, which is no
// leaf and collects no gradient.

#include "Calls.h"
#include "Check.h"
#include "Fixes.h"
#include "Loops.h"
#include "Moments.h"

namespace gradtidy {
namespace {

class ManualUpdateGraph : public Check {
public:
  bool wants(const Moment &moment) const override {
    const Event &event = moment.event;
    if (event.kind == EventKind::Bind)
      return event.isDiscarded || event.usesOwnGradient;
    return isChange(event) &&
           (event.usesOwnGradient || refusesChange(moment.before.valueOf(event.subject)) ||
            storesGraph(moment) || changesWeights(moment));
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &update = visit.event;
    Finding finding(Level::Certain, update);
    const std::string spelling = pathsOf(visit).spelling(update.subject.path);
    const std::string name = spelling.empty() ? "the parameter" : "'" + spelling + "'";
    if (isOfCopies(visit)) {
      finding.message = "this assigns to a copy of the handle: the parameter keeps its value";
    } else if (isRecordedChange(visit)) {
      finding.message = name + " is changed in place while gradients are recorded: this throws";
      finding.fixes = guarded(visit);
    } else if (joinsGraph(visit)) {
      finding.level = Level::Likely;
      finding.message = name + " is a parameter, and changed in place by what has a graph while "
                               "that is recorded: this throws, or, where it needs no gradient, its "
                               "graph grows with every update";
      finding.fixes = guarded(visit);
    } else if (isReplacement(visit)) {
      finding.message = name + " is another tensor after this, not the leaf that collects "
                               "gradients: its grad() stays undefined";
    } else {
      return;
    }
    reporter.report(std::move(finding));
  }

private:
  /// Puts the statement into a block in which nothing is recorded.
  static Fix guarded(const Visit &visit) {
    const ir::Node *statement = visit.event.function->statementOf(visit.event.site);
    const std::string guard =
        phrase(visit.unit.code(), Phrase::DisableGradients, {{"name", "guard"}});
    if (!statement->isExpression || guard.empty())
      return {};
    return enclose(visit, *statement, "{ " + guard + " ", " }");
  }

  static const PathTable &pathsOf(const Visit &visit) { return visit.unit.tables().paths; }

  /// The variable to which the path leads, or null.
  static const ir::Symbol *variableAt(const Visit &visit, PathId path) {
    const PathStep &step = pathsOf(visit).last(path);
    return step.kind == PathStep::Variable ? step.symbol() : nullptr;
  }

  /// Whether a loop assigns to handles that a module has given away: by value, or in a list that is
  /// made for the loop alone.
  static bool isOfCopies(const Visit &visit) {
    if (visit.event.kind != EventKind::Bind || !visit.event.isDiscarded ||
        visit.event.site->kind == ir::NodeKind::Declaration)
      return false;
    const ir::Symbol *variable = variableAt(visit, visit.event.subject.path);
    return llvm::any_of(visit.event.function->loopsAround(visit.event.site),
                        [&](const ir::Node *loop) {
                          const ir::Node *over = ir::as(ir::NodeKind::RangeFor, loop);
                          return over && over->symbol == variable && givesParameters(*over);
                        });
  }

  /// Whether a leaf is changed while that is recorded.
  static bool isRecordedChange(const Visit &visit) {
    const Event &update = visit.event;
    if (!isChange(update) || visit.before.gradMode().possible != GradMode::On || isRetained(visit))
      return false;
    const Value value = visit.before.valueOf(update.subject);
    if (refusesChange(value))
      return true;
    // Only parameters have gradients. Of one that is handed in alone, the caller knows more.
    const ir::Symbol *root = variableAt(visit, pathsOf(visit).rootOf(update.subject.path));
    const bool isGiven =
        root && root->kind == ir::SymbolKind::Parameter && variableAt(visit, update.subject.path);
    return update.usesOwnGradient && !isGiven && value.autograd.graph != Graph::Detached;
  }

  /// Whether a parameter of a module takes up the graph of another tensor: one that has been
  /// trained, of which it is to be the average.
  static bool joinsGraph(const Visit &visit) {
    const Event &update = visit.event;
    if (!isChange(update) || visit.before.gradMode().possible != GradMode::On ||
        !visit.before.valueOf(update.subject).lending.taken || isNew(visit, update.subject))
      return false;
    return llvm::any_of(update.operands, [&](const Operand &operand) {
      return operand.isTensor && visit.before.valueOf(operand).autograd.graph == Graph::Attached;
    });
  }

  /// Whether the event changes elements of its subject in place.
  static bool isChange(const Event &event) {
    return (event.kind == EventKind::Combine || event.kind == EventKind::Overwrite) &&
           !event.isArithmetic && event.subject.escapes && event.subject.role == TypeRole::Tensor;
  }

  /// Whether the tensor is a handle that the expression has just made: `p.detach()`, `p.data()`.
  static bool isNew(const Visit &visit, const Operand &tensor) {
    const PathId object = visit.before.resolve(tensor.path);
    return pathsOf(visit).isTemporary(object) && pathsOf(visit).rootOf(object) == object;
  }

  /// The other events that give the variable a value or make it a leaf again, or may.
  static bool isRenewal(const Event &event, PathId place) {
    return event.subject.path == place &&
           ((event.kind == EventKind::Bind && event.bind != BindKind::Reference) ||
            event.kind == EventKind::Construct || event.kind == EventKind::RequireGrad ||
            (event.kind == EventKind::Detach && event.subject.escapes) ||
            (event.kind == EventKind::Combine && event.subject.escapes));
  }

  /// Whether the loop around the update runs a backward in each round, for which the variable has
  /// to be a leaf.
  static bool isReplacement(const Visit &visit) {
    const Event &update = visit.event;
    const PathId place = update.subject.path;
    if (update.kind != EventKind::Bind || !update.usesOwnGradient || isRetained(visit))
      return false;
    if (pathsOf(visit).last(place).kind == PathStep::Member)
      return isReplacedEachTime(visit);
    const ir::Symbol *variable = variableAt(visit, place);
    const bool isOfList = variable && variable->isRangeElement && variable->type->isReference;
    return variable && (isOfList || visit.before.resolve(place) == place) &&
           trainsAround(*update.function, update, place) == Answer::Yes;
  }

  /// Whether the innermost loop around \p event runs a backward each time that it runs the event,
  /// and does not make what is at \p place a leaf again. Unknown where there is no loop.
  static Answer trainsAround(const FunctionBody &function, const Event &event, PathId place) {
    const auto loops = function.loopsAround(event.site);
    if (loops.empty())
      return Answer::Unknown;
    if (function.isConditional(event.site, loops.front()))
      return Answer::No;
    bool trains = false;
    for (const Block &block : function.blocks)
      for (const Event &other : block.events) {
        if (!llvm::is_contained(function.loopsAround(other.site), loops.back()))
          continue;
        if (&other != &event && isRenewal(other, place))
          return Answer::No;
        trains |= other.kind == EventKind::Backward;
      }
    return trains ? Answer::Yes : Answer::No;
  }

  /// The same for a member that a method updates, which is called in such a loop.
  static bool isReplacedEachTime(const Visit &visit) {
    const Event *event = &visit.event;
    const PathId place = event->subject.path;
    for (const Block &block : event->function->blocks)
      for (const Event &other : block.events)
        if (&other != event && isRenewal(other, place))
          return false;
    for (const Event *caller : llvm::reverse(visit.callers)) {
      const ir::Node *whole = ir::as(ir::NodeKind::Compound, event->function->body);
      if (!whole || event->function->isConditional(event->site, whole))
        return false;
      event = caller;
      if (const Answer trains = trainsAround(*event->function, *event, event->subject.path);
          trains != Answer::Unknown)
        return trains == Answer::Yes;
    }
    return false;
  }

  /// Whether the tensor is the result of something, of which the gradient was asked for.
  static bool isRetained(const Visit &visit) {
    return llvm::any_of(visit.event.function->blocks, [&](const Block &block) {
      return llvm::any_of(block.events, [&](const Event &event) {
        return event.subject.path == visit.event.subject.path &&
               calledAspects(event.site).has(Aspect::RetainsGradient);
      });
    });
  }
};

} // namespace

std::unique_ptr<Check> makeManualUpdateGraph() { return std::make_unique<ManualUpdateGraph>(); }

} // namespace gradtidy
