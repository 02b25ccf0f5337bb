#include "Counts.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

/// Whether \p number is one that 16 bits cannot hold, or a limit that the standard library tells.
static bool isLimit(const ir::Node *number) {
  constexpr std::int64_t least = 32767;
  if (number && number->integer)
    return *number->integer >= least;
  const ir::Node *call = ir::as(ir::NodeKind::Call, ir::stripped(number));
  return call && call->symbol && call->symbol->isStandard && call->arguments.empty();
}

const Counts::Index &Counts::indexOf(const FunctionBody &function) const {
  std::unique_ptr<const Index> &known = indices[&function];
  if (known)
    return *known;
  auto made = std::make_unique<Index>();
  const auto compare = [&](const ir::Node *below, const ir::Node *above) {
    made->asksForLimit |= isLimit(below) || isLimit(above);
    if (const ir::Symbol *variable = ir::variableIn(ir::stripped(below)))
      made->bounds[variable].push_back(above);
  };
  const auto isTold = [&](const ir::Node *variable, const ir::Node *number) {
    if (const ir::Symbol *name = ir::variableIn(ir::stripped(variable)))
      if (number->integer && *number->integer > 0)
        made->fixed.insert(name);
  };
  ir::forEach(function.body, [&](const ir::Node &node) {
    if (node.kind == ir::NodeKind::RangeFor && node.symbol && node.symbol->type &&
        node.symbol->type->isInteger && ir::asCall(ir::stripped(node.object))) {
      llvm::append_range(made->bounds[node.symbol], ir::stripped(node.object)->arguments);
    } else if (node.kind == ir::NodeKind::Binary && node.children.size() == 2) {
      if (node.op == "<" || node.op == "<=" || node.op == "!=" || node.op == ">=")
        compare(node.children[0], node.children[1]); // `if (i >= n) return;` says the same.
      if (node.op == ">" || node.op == ">=")
        compare(node.children[1], node.children[0]);
      if (node.op == "==" || node.op == "!=")
        isTold(node.children[0], node.children[1]);
    }
  });
  for (const Block &block : function.blocks)
    for (const Event &event : block.events) {
      made->asksForLimit |= event.operation == Operation::FitsCount;
      const ir::Node *call = ir::asCall(event.site);
      if (event.kind != EventKind::Create || !call || call->arguments.empty())
        continue;
      ir::forEach(call->arguments.front(), [&](const ir::Node &node) {
        if (node.symbol && node.type && node.type->isInteger)
          made->sizes.insert(node.symbol); // `torch::zeros({height, width})`
      });
    }
  return *(known = std::move(made));
}

void Counts::forEachCall(
    const FunctionBody &function,
    llvm::function_ref<void(const ir::Node &call, const FunctionBody &caller)> visit) const {
  graph.forEachCall(function, [&](const Event &event) {
    if (event.kind == EventKind::Call && ir::asCall(event.site))
      visit(*event.site, *event.function);
  });
  for (const FunctionBody *launcher : program.launchers())
    for (const KernelLaunch &launch : launcher->kernelCare.launches)
      if (launch.call->symbol && launch.call->symbol->first == function.function->first)
        visit(*launch.call, *launcher);
}

/// One question, which follows each variable once.
class Counts::Reader {
public:
  explicit Reader(const Counts &counts) : counts(counts) {}

  unsigned degreeOf(const ir::Node *number, const FunctionBody &function) {
    const ir::Node *node = number ? ir::stripped(&number->spelled()) : nullptr;
    if (!node || node->integer || ++asked > limit)
      return 0;
    const auto of = [&](const ir::Node *part) { return degreeOf(part, function); };
    switch (node->kind) {
    case ir::NodeKind::Binary:
      return node->children.size() == 2
                 ? degreeOf(*node, of(node->children[0]), of(node->children[1]))
                 : 0;
    case ir::NodeKind::Unary:
      return node->children.empty() ? 0 : of(node->children.front());
    case ir::NodeKind::Conditional: {
      unsigned most = 0;
      for (const ir::Node *value : llvm::ArrayRef(node->children).drop_front())
        most = std::max(most, of(value));
      return most;
    }
    case ir::NodeKind::Construct:
    case ir::NodeKind::FunctionalCast:
    case ir::NodeKind::List:
      return node->children.size() == 1 ? of(node->children.front()) : 0;
    case ir::NodeKind::Reference:
    case ir::NodeKind::Member:
      return node->symbol ? degreeOf(*node->symbol, function) : 0;
    default:
      return node->isCall() ? degreeOfCall(*node, function) : 0;
    }
  }

private:
  static constexpr unsigned limit = 200; ///< Of expressions.

  static unsigned degreeOf(const ir::Node &binary, unsigned left, unsigned right) {
    if (binary.op == "*")
      return left + right;
    if (binary.op == "+" || binary.op == "-")
      return std::max(left, right);
    if (binary.op == "/")
      return left - std::min(left, right);
    return binary.op == "%" ? std::min(left, right) : 0;
  }

  unsigned degreeOfCall(const ir::Node &call, const FunctionBody &function) {
    unsigned degree = 0;
    const Numbers::Index &index = counts.numbers.indexOf(function);
    if (const auto events = index.events.find(&call); events != index.events.end())
      for (const Event *event : events->second) {
        if (event->operation == Operation::CountElements)
          return 1;
        if (const FunctionBody *body = counts.graph.calleeOf(*event))
          for (const ir::Node *value : counts.numbers.indexOf(*body).returned)
            degree = std::max(degree, degreeOf(value, *body));
      }
    if ((call.symbol && call.symbol->isStandard) || call.op == "[]") // `std::min(a, b)`, `sizes[1]`
      for (const ir::Node *argument : call.arguments)
        degree = std::max(degree, degreeOf(argument, function));
    return degree;
  }

  unsigned degreeOf(const ir::Symbol &variable, const FunctionBody &function) {
    const Index &index = counts.indexOf(function);
    if (index.fixed.contains(&variable) || !followed.insert(&variable).second)
      return 0;
    unsigned degree = 0;
    const auto take = [&](const ir::Node *value, const FunctionBody &giver) {
      degree = std::max(degree, degreeOf(value, giver));
      return false;
    };
    counts.numbers.anyGiven(variable, function, take);
    if (const auto bound = index.bounds.find(&variable); degree == 0 && bound != index.bounds.end())
      for (const ir::Node *above : bound->second)
        degree = std::max(degree, std::min(degreeOf(above, function), 1U));
    if (degree == 0 && variable.kind == ir::SymbolKind::Parameter &&
        variable.owner == function.function)
      degree = degreeOfArgument(variable.index, function);
    if (degree == 0 && index.sizes.contains(&variable))
      degree = 1;
    followed.erase(&variable);
    return degree;
  }

  /// The largest that a caller gives for a parameter of \p function.
  unsigned degreeOfArgument(unsigned index, const FunctionBody &function) {
    unsigned degree = 0;
    counts.forEachCall(function, [&](const ir::Node &call, const FunctionBody &caller) {
      if (index < call.arguments.size())
        degree = std::max(degree, degreeOf(call.arguments[index], caller));
    });
    return degree;
  }

  const Counts &counts;
  llvm::SmallPtrSet<const ir::Symbol *, 8> followed;
  unsigned asked = 0;
};

unsigned Counts::degreeOf(const ir::Node *number, const FunctionBody &function) const {
  return Reader(*this).degreeOf(number, function);
}

bool Counts::isBounded(const FunctionBody &function) const {
  llvm::SmallPtrSet<const FunctionBody *, 8> seen = {&function};
  llvm::SmallVector<const FunctionBody *, 8> reached = {&function};
  for (size_t i = 0; i < reached.size(); ++i) {
    if (indexOf(*reached[i]).asksForLimit)
      return true;
    forEachCall(*reached[i], [&](const ir::Node &, const FunctionBody &caller) {
      if (seen.insert(&caller).second)
        reached.push_back(&caller);
    });
  }
  return false;
}

} // namespace gradtidy
