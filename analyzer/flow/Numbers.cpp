#include "Numbers.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <utility>

namespace gradtidy {

const Numbers::Index &Numbers::indexOf(const FunctionBody &function) const {
  std::unique_ptr<const Index> &known = indices[&function];
  if (known)
    return *known;
  auto made = std::make_unique<Index>();
  for (const Block &block : function.blocks)
    for (const Event &event : block.events) {
      if (event.operation == Operation::ReadScalar || event.operation == Operation::CountElements ||
          event.kind == EventKind::Call)
        made->events[event.site].push_back(&event);
      if (event.kind == EventKind::Return && !event.operands.empty())
        made->returned.push_back(event.operands.front().expr);
      if (event.kind == EventKind::Bind && event.isArithmetic && event.subject.path &&
          event.site->kind != ir::NodeKind::Binary) // The initializers of a constructor.
        if (const PathStep &member = paths.last(event.subject.path);
            member.kind == PathStep::Member)
          made->given[member.symbol()].push_back(event.site);
    }
  const auto give = [&](const ir::Node *place, llvm::ArrayRef<const ir::Node *> values) {
    place = ir::stripped(place);
    if (place && place->symbol &&
        (place->kind == ir::NodeKind::Reference || place->kind == ir::NodeKind::Member))
      llvm::append_range(made->given[place->symbol], values);
  };
  ir::forEach(function.body, [&](const ir::Node &node) {
    if (node.kind == ir::NodeKind::Binary && node.isAssignment())
      give(node.children[0], node.children[1]);
    else if (node.kind == ir::NodeKind::MemberCall && node.symbol && node.symbol->isStandard)
      give(node.object, node.arguments); // `values.push_back(loss.item<float>())`
  });
  return *(known = std::move(made));
}

bool Numbers::anyGiven(
    const ir::Symbol &variable, const FunctionBody &function,
    llvm::function_ref<bool(const ir::Node *value, const FunctionBody &giver)> visit) const {
  const auto anyIn = [&](const FunctionBody &giver) {
    const Index &index = indexOf(giver);
    const auto given = index.given.find(&variable);
    return given != index.given.end() &&
           llvm::any_of(given->second, [&](const ir::Node *value) { return visit(value, giver); });
  };
  if ((variable.isLocal && variable.init && visit(variable.init, function)) || anyIn(function))
    return true;
  if (variable.kind == ir::SymbolKind::Member)
    for (const ir::Method &method : ir::classOf(*variable.owner).methods)
      if (const FunctionBody *body = graph.bodyOf(*method.symbol);
          body && body != &function && anyIn(*body))
        return true;
  return false;
}

/// One search, which asks each expression and each variable once.
class Numbers::Trail {
public:
  Trail(const Numbers &numbers, llvm::ArrayRef<const Event *> callers)
      : numbers(numbers), callers(callers) {}

  const Event *readFor(const ir::Node *expr, const FunctionBody &function) {
    const ir::Node *node = expr ? ir::stripped(&expr->spelled()) : nullptr;
    if (!node || isOver() || !seen.insert(node).second)
      return nullptr;
    switch (node->kind) {
    case ir::NodeKind::Reference:
    case ir::NodeKind::Member:
      return node->symbol ? readFor(*node->symbol, function) : nullptr;
    case ir::NodeKind::Binary:
    case ir::NodeKind::Unary:
    case ir::NodeKind::FunctionalCast:
    case ir::NodeKind::List:
    case ir::NodeKind::Other:
      return readForAny(node->children, function);
    case ir::NodeKind::Construct:
    case ir::NodeKind::Temporary:
      return readForAny(node->arguments, function);
    case ir::NodeKind::Conditional:
      return readForAny(llvm::ArrayRef(node->children).drop_front(), function);
    default:
      return node->isCall() ? readForCall(*node, function) : nullptr;
    }
  }

private:
  static constexpr unsigned limit = 100; ///< Of expressions.
  bool isOver() const { return seen.size() >= limit; }

  const Event *readForAny(llvm::ArrayRef<const ir::Node *> nodes, const FunctionBody &function) {
    for (const ir::Node *node : nodes) {
      if (isOver())
        return nullptr;
      if (const Event *read = readFor(node, function))
        return read;
    }
    return nullptr;
  }

  const Event *readForCall(const ir::Node &call, const FunctionBody &function) {
    const Index &index = numbers.indexOf(function);
    if (const auto events = index.events.find(&call); events != index.events.end())
      for (const Event *event : events->second) {
        if (event->operation == Operation::ReadScalar)
          return event;
        if (const FunctionBody *body = bodyOf(*event))
          if (const Event *read = readForAny(numbers.indexOf(*body).returned, *body))
            return read;
      }
    const bool isOfStandard = call.symbol && call.symbol->isStandard;
    return isOfStandard ? readForAny(call.arguments, function) : nullptr;
  }

  /// The same for a variable, by what gives it its value in the function.
  const Event *readFor(const ir::Symbol &variable, const FunctionBody &function) {
    if (!asked.insert({&variable, &function}).second)
      return nullptr;
    if (variable.kind == ir::SymbolKind::Parameter && variable.owner == function.function &&
        !callers.empty() && bodyOf(*callers.back()) == &function &&
        variable.index < callers.back()->operands.size()) {
      const Event &call = *callers.back();
      const auto all = std::exchange(callers, callers.drop_back());
      const Event *read = readFor(call.operands[variable.index].expr, *call.function);
      callers = all;
      return read;
    }
    const Event *read = nullptr;
    numbers.anyGiven(variable, function, [&](const ir::Node *value, const FunctionBody &giver) {
      if (!isOver())
        read = readFor(value, giver);
      return read || isOver();
    });
    return read;
  }

  const FunctionBody *bodyOf(const Event &call) const { return numbers.graph.calleeOf(call); }

  const Numbers &numbers;
  llvm::ArrayRef<const Event *> callers;
  llvm::SmallPtrSet<const ir::Node *, 16> seen;
  llvm::DenseSet<std::pair<const ir::Symbol *, const FunctionBody *>> asked;
};

const Event *Numbers::readFor(const ir::Node *expr, const FunctionBody &function,
                              llvm::ArrayRef<const Event *> callers) const {
  return Trail(*this, callers).readFor(expr, function);
}

} // namespace gradtidy
