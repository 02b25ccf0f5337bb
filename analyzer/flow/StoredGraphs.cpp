#include "StoredGraphs.h"

namespace gradtidy {

/// Follows tensors through one function.
class StoredGraphs::Search {
public:
  Search(const FunctionBody &body, const PathTable &paths) : body(body), paths(paths) {}

  /// What the function does with what the member \p field of an object holds.
  Use ofMember(const void *field) {
    return ofAll([&](PathId path) {
      const PathStep &last = paths.last(path);
      return last.kind == PathStep::Member && last.identity == field;
    });
  }

private:
  Use ofAll(llvm::function_ref<bool(PathId)> isOne) {
    Use use = Use::None;
    for (const Block &block : body.blocks)
      for (const Event &event : block.events) {
        const auto isIt = [&](const Operand &operand) {
          const PathId path = paths.containerOf(operand.path);
          return path && isOne(path);
        };
        if (isIt(event.subject))
          use = std::max(use, ofSubject(event));
        if (llvm::any_of(event.operands, isIt))
          use = std::max(use, ofOperand(event));
      }
    return use;
  }

  Use ofResult(const Event &event) {
    if (event.isArithmetic || event.isAttribute)
      return Use::Values;
    if (!event.result)
      return Use::None;
    return paths.last(event.result).kind == PathStep::Returned ? Use::Graph : ofLocal(event.result);
  }

  Use ofLocal(PathId place) {
    if (!followed.insert(place).second)
      return Use::None;
    return ofAll([&](PathId path) { return path == place; });
  }

  Use ofSubject(const Event &event) {
    switch (event.kind) {
    case EventKind::Detach:
      return Use::Values;
    case EventKind::Bind: // It gets another value.
    case EventKind::EndLifetime:
    case EventKind::Access:
    case EventKind::Assign:
      return Use::None;
    case EventKind::Combine:
      if (event.isArithmetic && event.subject.role != TypeRole::Tensor)
        return Use::None; // `list.push_back(x)`, `list.size()`
      [[fallthrough]];
    case EventKind::Construct:
    case EventKind::Move:
      return ofResult(event);
    default:
      return Use::Graph;
    }
  }

  Use ofOperand(const Event &event) {
    switch (event.kind) {
    case EventKind::Bind: {
      const PathStep &place = paths.last(event.subject.path);
      const ir::Symbol *variable = place.kind == PathStep::Variable ? place.symbol() : nullptr;
      return variable && variable->isLocal && variable->hasLocalStorage()
                 ? ofLocal(event.subject.path)
                 : Use::Graph;
    }
    case EventKind::Combine:
      return event.subject.escapes ? Use::Graph : ofResult(event); // Added to something else.
    case EventKind::Construct:
    case EventKind::Move:
      return ofResult(event);
    case EventKind::Create: // Like it.
      return Use::Values;
    default:
      return Use::Graph;
    }
  }

  const FunctionBody &body;
  const PathTable &paths;
  llvm::SmallDenseSet<PathId, 4> followed;
};

bool StoredGraphs::areCutOff(const ir::Symbol &member) const {
  const auto [entry, isNew] = known.try_emplace(&member);
  if (!isNew)
    return entry->second;
  Use use = Use::None;
  for (const FunctionBody *body : graph.functions())
    use = std::max(use, Search(*body, paths).ofMember(&member));
  return known[&member] = use == Use::Values;
}

} // namespace gradtidy
