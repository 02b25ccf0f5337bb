#include "Doings.h"

#include "llvm/ADT/DenseSet.h"

namespace gradtidy {
namespace {

class Search {
public:
  Search(const UnitAnalysis &unit, const Source &source,
         llvm::function_ref<bool(const Event &)> one)
      : source(source), paths(unit.tables().paths), graph(unit.callGraph()), one(one) {}

  bool isDone(PathId place) {
    const PathStep &last = paths.last(place);
    if (last.kind == PathStep::Member)
      return isDoneTo(*last.symbol());
    if (last.kind != PathStep::Variable)
      return true;
    const ir::Symbol &variable = *last.symbol();
    if (!variable.hasLocalStorage())
      return true;
    if (!searched.insert(variable.first).second)
      return false;
    return isDoneTo([&](PathId path) { return paths.rootOf(path) == place; });
  }

private:
  /// Members that get the object count as the object, in whatever instance of their class.
  bool isDoneTo(const ir::Symbol &member) {
    if (!searched.insert(member.first).second)
      return false;
    return !isOnlyOfUnit(member) || isDoneTo([&](PathId path) {
      for (; path; path = paths.parent(path))
        if (const PathStep &step = paths.last(path);
            step.kind == PathStep::Member && step.symbol()->first == member.first)
          return true;
      return false;
    });
  }

  /// Whether no code but that of the unit can name the member.
  bool isOnlyOfUnit(const ir::Symbol &member) const {
    if (!member.owner)
      return false;
    const ir::Class &record = ir::classOf(*member.owner);
    const auto isSeen = [](const ir::Method &method) {
      return method.isGenerated || method.isDefined || method.isOfTemplate;
    };
    const bool isLocal = member.owner->owner && member.owner->owner->isFunction();
    const bool isHidden = (member.isPrivate && !record.hasFriends) || isLocal ||
                          member.owner->qualifiedName.contains("(anonymous namespace)") ||
                          source.manager.isInMainFile(member.location);
    return isHidden && !record.isDamaged && llvm::all_of(record.methods, isSeen);
  }

  bool isDoneTo(llvm::function_ref<bool(PathId)> names) {
    return llvm::any_of(graph.functions(), [&](const FunctionBody *function) {
      return hasEvent(*function, [&](const Event &event) { return isDoneBy(event, names); });
    });
  }

  bool isDoneBy(const Event &event, llvm::function_ref<bool(PathId)> names) {
    const auto isIt = [&](const Operand &operand) { return operand.path && names(operand.path); };
    if (isIt(event.subject) && one(event))
      return true;
    if (llvm::none_of(event.operands, isIt))
      return false;
    switch (event.kind) {
    case EventKind::Bind:
      return isDone(event.subject.path);
    case EventKind::Call:
      return isDoneIn(event, isIt);
    case EventKind::Construct:
      return event.trait != Trait::SchedulesRate;
    case EventKind::Combine:
      return !writesFile(event.operation);
    case EventKind::Return:
      return true;
    default:
      return false;
    }
  }

  /// By a function that gets it.
  bool isDoneIn(const Event &call, llvm::function_ref<bool(const Operand &)> isIt) {
    const auto callees = graph.candidates(call);
    return callees.empty() || llvm::any_of(callees, [&](const FunctionBody *callee) {
             for (size_t i = 0; i < call.operands.size(); ++i)
               if (isIt(call.operands[i]) &&
                   (i >= callee->parameters.size() || isDone(callee->parameters[i].place.path)))
                 return true;
             return false;
           });
  }

  const Source &source;
  const PathTable &paths;
  const CallGraph &graph;
  llvm::function_ref<bool(const Event &)> one;
  llvm::DenseSet<const ir::Symbol *> searched; ///< Variables and members.
};

} // namespace

bool mayBeDone(const UnitAnalysis &unit, const Source &source, PathId place,
               llvm::function_ref<bool(const Event &)> one) {
  return Search(unit, source, one).isDone(place);
}

} // namespace gradtidy
