// Gradients change nothing by themselves: the step of an optimizer does. A loop that computes them,
// clears them and never steps leaves every parameter what it is.

#include "Check.h"
#include "Loops.h"

namespace gradtidy {
namespace {

class MissingStep : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &clear = visit.event;
    if (clear.kind != EventKind::ClearGradients || clear.subject.role != TypeRole::Optimizer ||
        clear.site->begin().isMacroID() || loopsAround(visit).empty())
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

  static const ir::Symbol *fieldAt(const Visit &visit, PathId path) {
    const PathStep &last = visit.unit.tables().paths.last(path);
    return last.kind == PathStep::Member ? last.symbol() : nullptr;
  }

  static bool mayBeStepped(const Visit &visit, PathId optimizer) {
    const PathTable &paths = visit.unit.tables().paths;
    const PathStep &last = paths.last(optimizer);
    if (const ir::Symbol *field = fieldAt(visit, optimizer))
      return !isOwn(visit, optimizer, *field) || isUsedByMethods(visit, *field);
    if (last.kind != PathStep::Variable)
      return true;
    const ir::Symbol *variable = last.symbol();
    return !variable->hasLocalStorage() || variable->kind == ir::SymbolKind::Parameter ||
           variable->type->isReference || isSteppedAnywhere(visit, optimizer) ||
           isUsedOtherwise(visit, *functionOf(visit, *variable),
                           [&](PathId path) { return paths.rootOf(path) == optimizer; });
  }

  /// The function, here or in one of the callers, that declares the variable.
  static const FunctionBody *functionOf(const Visit &visit, const ir::Symbol &variable) {
    for (const Event *caller : visit.callers)
      if (variable.owner == caller->function->function)
        return caller->function;
    return visit.event.function;
  }

  /// Whether nobody but the methods of a class, which can be seen, gets hold of the member.
  static bool isOwn(const Visit &visit, PathId optimizer, const ir::Symbol &field) {
    const PathTable &paths = visit.unit.tables().paths;
    const ir::Class &record = visit.unit.code().classOf(*field.owner);
    const auto isSeen = [](const ir::Method &other) {
      return other.isGenerated || other.isDefined || other.isOfTemplate;
    };
    return paths.last(paths.parent(optimizer)).kind == PathStep::This && field.isPrivate &&
           !record.hasFriends && llvm::all_of(record.methods, isSeen);
  }

  /// Whether a method of its class may step the member, or gives it away.
  static bool isUsedByMethods(const Visit &visit, const ir::Symbol &field) {
    const auto names = [&](PathId path) {
      for (; path; path = visit.unit.tables().paths.parent(path))
        if (const ir::Symbol *other = fieldAt(visit, path))
          if (other->first == field.first)
            return true;
      return false;
    };
    const auto isStep = [&](const Event &event) {
      return event.kind == EventKind::Step && names(event.subject.path);
    };
    return llvm::any_of(visit.unit.code().classOf(*field.owner).methods,
                        [&](const ir::Method &method) {
                          const FunctionBody *body = visit.unit.callGraph().bodyOf(*method.symbol);
                          return body && (isUsedOtherwise(visit, *body, names) ||
                                          visit.unit.callGraph().runs(*body, isStep));
                        });
  }

  static bool isSteppedAnywhere(const Visit &visit, PathId optimizer) {
    const PathTable &paths = visit.unit.tables().paths;
    return llvm::any_of(visit.unit.observations(), [&](const Observation &other) {
      if (other.event->kind != EventKind::Step)
        return false;
      const PathId stepped = other.before.resolve(other.event->subject.path);
      const PathStep &root = paths.last(paths.rootOf(stepped));
      return paths.rootOf(stepped) == paths.rootOf(optimizer) ||
             (root.kind == PathStep::Temporary && root.made() == nullptr);
    });
  }

  /// Whether the function hands what \p names says to others, or looks at gradients itself.
  static bool isUsedOtherwise(const Visit &visit, const FunctionBody &function,
                              llvm::function_ref<bool(PathId)> names) {
    const PathTable &paths = visit.unit.tables().paths;
    const auto isGradient = [&](PathId path) {
      return path && paths.last(path).kind == PathStep::Gradient;
    };
    const auto isUse = [&](const Event &event) {
      if (isGradient(event.subject.path) || isGradient(event.result) ||
          (event.kind == EventKind::Step && names(event.subject.path)))
        return true;
      const bool setsUp =
          event.kind == EventKind::ClearGradients || event.trait == Trait::SchedulesRate ||
          (event.kind == EventKind::Construct && event.subject.role == TypeRole::Optimizer);
      return llvm::any_of(event.operands, [&](const Operand &operand) {
        return isGradient(operand.path) || (!setsUp && names(operand.path)) || operand.isClosure;
      });
    };
    return llvm::any_of(function.blocks,
                        [&](const Block &block) { return llvm::any_of(block.events, isUse); });
  }
};

} // namespace

std::unique_ptr<Check> makeMissingStep() { return std::make_unique<MissingStep>(); }

} // namespace gradtidy
