#include "Event.h"

#include "CalledModule.h"
#include "Typing.h"

namespace gradtidy {

using ir::NodeKind;

FunctionBody::FunctionBody(const ir::Symbol *function, const ir::Node *body)
    : function(function), body(body) {}

FunctionBody::~FunctionBody() = default;

const CalledModule &Event::module() const {
  static const CalledModule none;
  return called ? *called : none;
}

bool Event::isPlainLoss() const {
  return kind == EventKind::Forward ? module().layer.isPlain : order.isPlain;
}

std::optional<double> numberOf(const ir::Node &node, const FunctionBody &function) {
  if (node.integer)
    return static_cast<double>(*node.integer);
  const ir::Symbol *variable = node.isConstant ? nullptr : ir::variableIn(ir::stripped(&node));
  const bool isFixed = variable && variable->isLocal && variable->init &&
                       !function.mayChange(*variable, function.body);
  return isFixed ? numberOf(*variable->init, function) : node.real;
}

LearningRate rateIn(const ir::Node &number, const FunctionBody &function) {
  if (const std::optional<double> value = numberOf(number, function))
    return {&number, *value};
  const ir::Symbol *variable = ir::variableIn(ir::stripped(&number));
  const bool isGiven = variable && variable->kind == ir::SymbolKind::Parameter &&
                       !function.mayChange(*variable, function.body);
  return {nullptr, 0, isGiven ? variable : nullptr};
}

llvm::SmallVector<const ir::Node *, 16> FunctionBody::around(const ir::Node *site) const {
  llvm::SmallVector<const ir::Node *, 16> result;
  while (site && site != body)
    if ((site = site->parent))
      result.push_back(site);
  if (!site)
    result.clear();
  return result;
}

/// Whether \p site stands in \p body, and is not all of it.
static bool standsIn(const ir::Node *body, const ir::Node *site) {
  const bool isAll = site == body;
  while (site && site != body)
    site = site->parent;
  return site && !isAll;
}

const ir::Node *FunctionBody::statementAround(const ir::Node *site) const {
  return standsIn(body, site) ? site->parent : nullptr;
}

const ir::Node *FunctionBody::fullExpressionOf(const ir::Node *site) const {
  if (!site || !site->isExpression)
    return nullptr;
  const ir::Node *whole = site;
  if (standsIn(body, site))
    while (whole != body && whole->parent->isExpression)
      whole = whole->parent;
  return whole;
}

const ir::Node *FunctionBody::expressionStatementOf(const ir::Node *site) const {
  const ir::Node *whole = fullExpressionOf(site);
  return whole && compoundOf(whole) ? whole : nullptr;
}

const ir::Node *FunctionBody::statementOf(const ir::Node *site) const {
  const ir::Node *whole = fullExpressionOf(site);
  if (!whole)
    return site;
  const ir::Node *parent = statementAround(whole);
  return parent && (parent->kind == NodeKind::Declaration || parent->kind == NodeKind::Return)
             ? parent
             : whole;
}

/// Whether \p part runs once, before the first round of the loop it is a part of.
static bool beginsLoop(const ir::Node &part) {
  const ir::Node &loop = *part.parent;
  if (loop.kind == NodeKind::RangeFor) // The range, its beginning and its end have names.
    return part.kind == NodeKind::Declaration && &part != loop.body &&
           !llvm::is_contained(part.declared, loop.symbol);
  return &part == loop.init;
}

/// `do { … } while (false)`, as macros are written.
static bool runsOnce(const ir::Node &loop) {
  const ir::Node *again =
      loop.kind == NodeKind::Do ? ir::withoutParentheses(loop.condition) : nullptr;
  return again && (again->kind == NodeKind::Boolean || again->kind == NodeKind::Integer) &&
         again->integer == 0;
}

llvm::SmallVector<const ir::Node *, 4> FunctionBody::loopsAround(const ir::Node *site) const {
  llvm::SmallVector<const ir::Node *, 4> loops;
  while (site && site != body) {
    const ir::Node *part = std::exchange(site, site->parent);
    if (site && site->isLoop() && !beginsLoop(*part) && !runsOnce(*site))
      loops.push_back(site);
  }
  if (!site)
    loops.clear();
  return loops;
}

/// Whether \p statement may leave the function, which matters if it \p mayReturn, or the round of
/// the loop it stands in.
static bool mayLeave(const ir::Node &statement, bool mayReturn, bool isInSwitch = false,
                     bool isInLoop = false) {
  switch (statement.kind) {
  case NodeKind::Lambda:
    return false;
  case NodeKind::Break:
    return !isInSwitch && !isInLoop;
  case NodeKind::Continue:
    return !isInLoop;
  case NodeKind::Return:
  case NodeKind::Throw:
    return mayReturn;
  default:
    break;
  }
  isInSwitch |= statement.kind == NodeKind::Switch;
  isInLoop |= statement.isLoop();
  return llvm::any_of(statement.children, [&](const ir::Node *child) {
    return mayLeave(*child, mayReturn, isInSwitch, isInLoop);
  });
}

/// Whether \p outer runs \p inner, a child of it, only for what it asks.
static bool isBranch(const ir::Node &outer, const ir::Node *inner) {
  switch (outer.kind) {
  case NodeKind::If:
    return !outer.isConstantBranch && inner != outer.condition && inner != outer.init;
  case NodeKind::Conditional:
    return inner != outer.condition;
  case NodeKind::Binary:
    return (outer.op == "&&" || outer.op == "||") && inner == outer.children.back();
  case NodeKind::Switch:
  case NodeKind::Catch:
    return true;
  default:
    return false;
  }
}

bool FunctionBody::isInBranch(const ir::Node *site) const {
  if (standsIn(body, site))
    for (; site != body; site = site->parent)
      if (isBranch(*site->parent, site))
        return true;
  return false;
}

/// Whether \p site, of which \p around tells what is around it, is within \p within in a branch,
/// or behind a statement that \p mayLeave.
template <typename Leave>
static bool isConditional(const ir::Node *site, llvm::ArrayRef<const ir::Node *> around,
                          const ir::Node *within, Leave mayLeave) {
  const ir::Node *inner = site;
  for (const ir::Node *outer : around) {
    if (outer == within)
      break;
    if (isBranch(*outer, inner))
      return true;
    if (outer->kind == NodeKind::Compound)
      for (const ir::Node *before : outer->children) {
        if (before == inner)
          break;
        if (mayLeave(*before))
          return true;
      }
    inner = outer;
  }
  return false;
}

bool FunctionBody::isConditional(const ir::Node *site, const ir::Node *within) const {
  // A program that ends before it comes there does nothing else instead.
  const bool mayReturn = within || !this->function->isMain;
  return gradtidy::isConditional(site, around(site), within, [&](const ir::Node &before) {
    return mayLeave(before, mayReturn);
  });
}

/// Whether \p statement may go on with the next round of the loop it stands in or, if that does not
/// matter, return.
static bool goesOn(const ir::Node &statement, bool isOfLoop, bool isInLoop = false) {
  switch (statement.kind) {
  case NodeKind::Lambda:
    return false;
  case NodeKind::Continue:
    return !isInLoop;
  case NodeKind::Return:
    return !isOfLoop;
  default:
    break;
  }
  isInLoop |= statement.isLoop();
  return llvm::any_of(statement.children,
                      [&](const ir::Node *child) { return goesOn(*child, isOfLoop, isInLoop); });
}

bool FunctionBody::isLeftOut(const ir::Node *site, const ir::Node *within) const {
  return gradtidy::isConditional(site, around(site), within, [&](const ir::Node &before) {
    return goesOn(before, within != nullptr);
  });
}

bool FunctionBody::mentions(const ir::Symbol &variable) const {
  if (!mentioned) {
    mentioned.emplace();
    ir::forEach(body, [&](const ir::Node &node) {
      if (node.kind == NodeKind::Reference || node.kind == NodeKind::Member)
        mentioned->insert(node.symbol);
    });
  }
  return mentioned->contains(&variable);
}

/// The variable, member or other value that \p node names, or null.
static const ir::Symbol *namedBy(const ir::Node &node) {
  if (node.kind == NodeKind::Reference)
    return node.symbol && node.symbol->kind == ir::SymbolKind::Binding ? node.symbol->owner
                                                                       : node.symbol;
  const bool isField =
      node.kind == NodeKind::Member && node.symbol && node.symbol->kind == ir::SymbolKind::Member;
  return isField ? node.symbol : nullptr;
}

/// Whether the function passes argument \p index on as it gets it: see Symbol::isForwarded.
static bool passesOn(const ir::Symbol &callee, size_t index) {
  const auto &parameters = callee.parameters;
  return !parameters.empty() && parameters[std::min(index, parameters.size() - 1)]->isForwarded;
}

/// Calls \p visit for each variable or member that something in \p node may change, or lends to
/// what may, until that returns true.
static bool forEachChanged(const ir::Node *node,
                           llvm::function_ref<bool(const ir::Symbol &)> visit) {
  if (!node)
    return false;
  if (node->isCall() && node->kind != NodeKind::OperatorCall && node->symbol) {
    for (size_t i = 0; i < node->arguments.size(); ++i) {
      const ir::Node *argument = ir::withoutParentheses(node->arguments[i]);
      const bool isPassedOn = argument && namedBy(*argument) && passesOn(*node->symbol, i);
      if (!isPassedOn && forEachChanged(node->arguments[i], visit))
        return true;
    }
    return forEachChanged(node->callee(), visit);
  }
  const bool isConst = node->type && node->type->isConst;
  const ir::Symbol *named = node->isOnlyRead || isConst ? nullptr : namedBy(*node);
  if (named && visit(*named))
    return true;
  return llvm::any_of(node->children,
                      [&](const ir::Node *child) { return forEachChanged(child, visit); });
}

bool FunctionBody::mayChange(const ir::Symbol &entity, const ir::Node *within) const {
  if (within != body)
    return forEachChanged(within,
                          [&](const ir::Symbol &changed) { return changed.first == entity.first; });
  if (!changed) {
    changed.emplace();
    forEachChanged(body, [&](const ir::Symbol &symbol) {
      changed->insert(symbol.first);
      return false;
    });
  }
  return changed->contains(entity.first);
}

llvm::SmallVector<const ir::Symbol *, 4> FunctionBody::namedIn(const ir::Node *expr) const {
  llvm::SmallVector<const ir::Symbol *, 4> found;
  ir::forEach(expr, [&](const ir::Node &node) {
    if (const ir::Symbol *named = namedBy(node);
        named && (named->isVariable() || named->kind == ir::SymbolKind::Member))
      found.push_back(named);
  });
  return found;
}

const ir::Node *FunctionBody::compoundOf(const ir::Node *statement) const {
  const ir::Node *outer = statementAround(statement);
  return outer && outer->kind == NodeKind::Compound ? outer : nullptr;
}

} // namespace gradtidy
