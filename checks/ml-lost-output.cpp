// What a layer computes reaches the loss through the variable that takes it. Where that gets
// another value before it is read, or is never read at all, no gradient comes back to the layer: it
// keeps the weights that it was made with.

#include "Check.h"
#include "Fixes.h"

namespace gradtidy {
namespace {

/// The life of a local variable, statement by statement.
class Life {
public:
  Life(const ir::Symbol &variable, const UnitVisit &visit) : variable(variable), visit(visit) {}

  /// What comes of the value that the statement gives to the variable.
  struct End {
    bool isLost = false;
    const ir::Node *overwritten =
        nullptr; ///< What gives it another value; null if nothing reads it.
  };

  End behind(const ir::Node &definition) {
    const ir::Node *inner = &definition;
    // A way that leaves a branch reads nothing.
    for (const ir::Node *around = inner->parent; around; inner = around, around = around->parent) {
      if (around->isLoop() || around->kind == ir::NodeKind::Switch ||
          around->kind == ir::NodeKind::Lambda || around->kind == ir::NodeKind::Other)
        return {isDeclaredIn(*around), kill};
      if (around->kind != ir::NodeKind::Compound)
        continue;
      const auto *next = llvm::find(around->children, inner) + 1;
      for (; next < around->children.end(); ++next)
        if (const Fate fate = of(**next); fate == Fate::Read)
          return {};
        else if (fate == Fate::Overwritten)
          return {true, kill};
      if (isDeclaredIn(*around))
        return {true, kill};
    }
    return {true, kill};
  }

private:
  enum class Fate { Kept, Read, Overwritten };

  bool mentions(const ir::Node &node) const {
    bool found = false;
    ir::forEach(&node, [&](const ir::Node &part) {
      found |= part.symbol == &variable && part.kind == ir::NodeKind::Reference;
      for (const ir::Symbol *body :
           part.kind == ir::NodeKind::Lambda ? part.declared : llvm::ArrayRef<const ir::Symbol *>())
        if (const ir::Node *code = visit.unit.code().codeOf(*body))
          found |= mentions(*code);
    });
    return found;
  }

  bool isDeclaredIn(const ir::Node &block) const {
    bool found = false;
    ir::forEach(&block, [&](const ir::Node &part) {
      found |=
          part.kind == ir::NodeKind::Declaration && llvm::is_contained(part.declared, &variable);
    });
    return found;
  }

  /// The value that \p node gives to the variable if it does nothing else, or null.
  const ir::Node *given(const ir::Node &node) const {
    const bool isCall =
        node.kind == ir::NodeKind::OperatorCall && node.op == "=" && node.arguments.size() == 2;
    return isCall && ir::variableIn(node.arguments[0]) == &variable ? node.arguments[1] : nullptr;
  }

  Fate of(const ir::Node &node) {
    if (!mentions(node))
      return node.kind == ir::NodeKind::Return || node.kind == ir::NodeKind::Throw
                 ? Fate::Overwritten         // The variable ends.
             : leavesLoop(node) ? Fate::Read // Who knows where that leads.
                                : Fate::Kept;
    if (const ir::Node *value = given(node)) {
      if (mentions(*value))
        return Fate::Read;
      if (!kill)
        kill = &node;
      return Fate::Overwritten;
    }
    switch (node.kind) {
    case ir::NodeKind::Compound:
      for (const ir::Node *child : node.children)
        if (const Fate fate = of(*child); fate != Fate::Kept)
          return fate;
      return Fate::Kept;
    case ir::NodeKind::If: {
      if ((node.init && mentions(*node.init)) || (node.condition && mentions(*node.condition)))
        return Fate::Read;
      const Fate taken = node.body ? of(*node.body) : Fate::Kept;
      const Fate other = node.otherwise ? of(*node.otherwise) : Fate::Kept;
      if (taken == Fate::Read || other == Fate::Read)
        return Fate::Read;
      return taken == Fate::Overwritten && other == Fate::Overwritten ? Fate::Overwritten
                                                                      : Fate::Kept;
    }
    default:
      return Fate::Read;
    }
  }

  static bool leavesLoop(const ir::Node &node) {
    bool found = false;
    ir::forEach(&node, [&](const ir::Node &part) {
      found |= part.kind == ir::NodeKind::Break || part.kind == ir::NodeKind::Continue;
    });
    return found;
  }

  const ir::Symbol &variable;
  const UnitVisit &visit;
  const ir::Node *kill = nullptr;
};

class LostOutput : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Forward && moment.event.hasParameters &&
           moment.event.resultRole == TypeRole::Tensor &&
           moment.before.gradMode().possible == GradMode::On;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &pass = visit.event;
    const Taker taker = takerOf(visit);
    if (!taker.variable || !isPlain(*taker.variable, visit) || hasEffects(pass, visit))
      return;
    const Life::End end = Life(*taker.variable, visit).behind(*taker.statement);
    if (!end.isLost ||
        (end.overwritten ? isSameModule(visit, *end.overwritten) : !mayBeUnread(visit, taker)))
      return;
    const std::string name = "'" + taker.variable->spelling.str() + "'";
    Finding finding(Level::Certain, pass,
                    "the output of '" + textOf(visit, pass.subject.expr).str() + "' is lost: " +
                        (end.overwritten ? name + " gets another value before it is read"
                                         : name + " is never read") +
                        ", so no gradient reaches these layers");
    if (end.overwritten)
      finding.notes.push_back({*end.overwritten, name + " gets the other value here"});
    reporter.report(std::move(finding));
  }

private:
  /// What takes the output: a variable, in a statement that does nothing else with it.
  struct Taker {
    const ir::Symbol *variable = nullptr;
    const ir::Node *statement = nullptr;
  };

  static Taker takerOf(const Visit &visit) {
    const ir::Node *value = visit.event.site;
    for (const ir::Node *around = value->parent; around; value = around, around = around->parent) {
      switch (around->kind) {
      case ir::NodeKind::Declaration:
        for (const ir::Symbol *variable : around->declared)
          if (variable->init && &variable->init->spelled() == &value->spelled())
            return {variable, around};
        return {};
      case ir::NodeKind::OperatorCall:
        if (around->op == "=") {
          const ir::Symbol *variable = ir::variableIn(around->arguments[0]);
          const bool isStatement = visit.event.function->expressionStatementOf(around) == around;
          return isStatement ? Taker{variable, around} : Taker{};
        }
        [[fallthrough]];
      case ir::NodeKind::Call:
      case ir::NodeKind::MemberCall:
        if (!isOperator(*around, visit))
          return {};
        break;
      case ir::NodeKind::Construct:
      case ir::NodeKind::Parentheses:
        break;
      default:
        return {};
      }
    }
    return {};
  }

  /// Whether the call runs an operator of the framework that changes none of its operands.
  static bool isOperator(const ir::Node &call, const Visit &visit) {
    return hasEvent(*visit.event.function, [&](const Event &event) {
      return event.site == &call && event.kind == EventKind::Combine && event.run &&
             event.resultRole == TypeRole::Tensor && !event.changesElements &&
             !event.subject.escapes;
    });
  }

  /// Whether the variable is a tensor of the function alone that has no other name.
  static bool isPlain(const ir::Symbol &variable, const Visit &visit) {
    const bool isOwn = variable.isLocal || variable.kind == ir::SymbolKind::Parameter;
    if (!isOwn || variable.isStatic || variable.type->isReference || variable.type->isPointer ||
        variable.location.isMacroID())
      return false;
    bool hasOther = false;
    ir::forEach(visit.event.function->body, [&](const ir::Node &part) {
      for (const ir::Symbol *other : part.kind == ir::NodeKind::Declaration
                                         ? part.declared
                                         : llvm::ArrayRef<const ir::Symbol *>())
        hasOther |= other->isVariable() && other->type->isReference && other->init &&
                    ir::variableIn(ir::stripped(other->init)) == &variable;
      for (const ir::Symbol *body :
           part.kind == ir::NodeKind::Lambda ? part.declared : llvm::ArrayRef<const ir::Symbol *>())
        ir::forEach(visit.unit.code().codeOf(*body),
                    [&](const ir::Node &each) { hasOther |= each.symbol == &variable; });
    });
    return !hasOther;
  }

  /// Whether the forward pass does more than to compute its output.
  static bool hasEffects(const Event &pass, const Visit &visit) {
    llvm::SmallPtrSet<const FunctionBody *, 8> seen;
    return hasEffects(pass, visit.unit, seen);
  }

  static bool hasEffects(const Event &pass, const UnitAnalysis &unit,
                         llvm::SmallPtrSetImpl<const FunctionBody *> &seen) {
    const FunctionBody *body = unit.callGraph().calleeOf(pass);
    if (!body)
      return !unit.modules().isLayer(pass);
    if (!seen.insert(body).second)
      return false;
    const PathTable &paths = unit.tables().paths;
    return hasEvent(*body, [&](const Event &event) {
      if (event.kind == EventKind::Forward)
        return hasEffects(event, unit, seen);
      if (event.kind == EventKind::Call)
        return !unit.effects().isHarmless(event);
      const bool isChange = event.kind == EventKind::Bind || event.kind == EventKind::Overwrite ||
                            event.kind == EventKind::SetMode || event.changesElements ||
                            (event.kind == EventKind::Combine && event.subject.escapes);
      const PathStep &root = paths.last(paths.rootOf(event.subject.path));
      return isChange && event.subject.path && root.kind == PathStep::This;
    });
  }

  /// Whether what overwrites the output is one of the same module: the first pass warms it up.
  static bool isSameModule(const Visit &visit, const ir::Node &overwriting) {
    return hasEvent(*visit.event.function, [&](const Event &event) {
      if (event.kind != EventKind::Forward || event.subject.path != visit.event.subject.path)
        return false;
      for (const ir::Node *around = event.site; around; around = around->parent)
        if (around == &overwriting)
          return true;
      return false;
    });
  }

  /// Whether it is a mistake that nothing reads the variable: in a forward pass, which is there for
  /// its result. Elsewhere it may be to warm up, or to measure.
  static bool mayBeUnread(const Visit &visit, const Taker &taker) {
    const FunctionBody &function = *visit.event.function;
    const llvm::StringRef name = taker.variable->name;
    const bool isMeant = name.starts_with("_") || name.contains_insensitive("unused") ||
                         name.contains_insensitive("dummy") ||
                         visit.source.text(taker.statement->range).contains("maybe_unused");
    return function.isModuleMethod && function.returnsTensors && !isMeant &&
           !visit.unit.modules().normalizesBatches(visit.event);
  }
};

} // namespace

std::unique_ptr<Check> makeLostOutput() { return std::make_unique<LostOutput>(); }

} // namespace gradtidy
