#include "SharedState.h"

#include "CodeForms.h"
#include "Samples.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

using namespace ir;

/// Whether values of that type are there to keep threads apart.
static bool isForThreads(const Type *type) {
  const Type *object = behindPointers(type);
  return object && object->record &&
         llvm::any_of(
             llvm::ArrayRef<llvm::StringRef>{"mutex", "lock_", "_lock", "spinlock", "once_flag",
                                             "atomic_flag", "semaphore", "condition_variable",
                                             "barrier"},
             [&](llvm::StringRef part) { return object->record->name.contains_insensitive(part); });
}

static bool isMap(const Node &object) {
  const Symbol *record = object.type ? object.type->record : nullptr;
  return record && record->isStandard && record->name.contains("map");
}

/// Whether it is an engine, and no copy of one.
static bool isEngine(const Node &expr) {
  const Symbol *record = expr.type ? expr.type->record : nullptr;
  return record && record->trait == Trait::DrawsNumbers && !makesValue(expr);
}

/// Whether a method of the standard library changes its object, as against handing out a part.
static bool changesOwn(const Symbol &method) {
  if (method.isConstMethod || method.isStaticMethod || !method.isStandard)
    return false;
  return (method.owner && method.owner->trait == Trait::DrawsNumbers) ||
         llvm::is_contained({"push_back", "emplace_back", "pop_back", "push", "pop", "push_front",
                             "pop_front", "insert", "emplace", "try_emplace", "insert_or_assign",
                             "erase", "clear", "resize", "seekg", "read", "getline"},
                            method.name);
}

/// What \p expr changes, if it changes something.
static const Node *changedBy(const Node &expr) {
  if ((expr.kind == NodeKind::Unary && (expr.op == "++" || expr.op == "--")) || expr.isAssignment())
    return expr.children.front();
  const Node *object = expr.isCall() && expr.symbol ? objectOf(expr) : nullptr;
  if (!object || !object->type)
    return nullptr;
  const bool isChanged =
      object->type->role == TypeRole::Tensor ? changesObject(expr) : changesOwn(*expr.symbol);
  return isChanged ? object : nullptr;
}

static const Symbol *asGlobal(const Symbol *variable) {
  return variable && variable->isStatic && !variable->isOfThread && variable->type &&
                 !variable->type->isConst
             ? variable
             : nullptr;
}

namespace {

/// Finds what the code that gives a sample changes of what all copies of its object share.
class Changes {
public:
  /// All workers have one object if \p isOne.
  explicit Changes(bool isOne) : isOne(isOne) {}

  const Symbol *shared = nullptr;
  const Node *change = nullptr;
  bool isGuarded = false; ///< Something keeps the workers apart.

  void visit(const Symbol &function, unsigned depth = 0) {
    const Symbol *definition = function.definition;
    if (definition && depth < 4 && visited.insert(definition).second)
      forEach(definition->body, [&](const Node &code) { visit(code, *definition, depth); });
  }

private:
  void visit(const Node &code, const Symbol &function, unsigned depth) {
    isGuarded |= code.isExpression && isForThreads(code.type);
    for (const Symbol *declared : code.declared)
      isGuarded |= isForThreads(declared->type);
    if (const Node *target = changedBy(code))
      note(*target, code);
    if (!code.isCall())
      return;
    for (const Node *argument : code.arguments) // `distribution(engine)`
      if (isEngine(*argument))
        note(*argument, code);
    isGuarded |= code.calledName() == "call_once" || code.calledName().contains("exchange");
    if (code.symbol && isOwn(code, function))
      visit(*code.symbol, depth + 1);
  }

  /// Whether the function called is the object's own, or no method.
  static bool isOwn(const Node &call, const Symbol &caller) {
    const Symbol &callee = *call.symbol;
    if (callee.isFramework || callee.isStandard)
      return false;
    return !callee.isMethod() || callee.isStaticMethod ||
           (caller.isMethod() && as(NodeKind::This, strip(objectOf(call))));
  }

  void note(const Node &target, const Node &by) {
    const Symbol *owner =
        shared ? nullptr : sharedBy(target, by.kind == NodeKind::OperatorCall && by.op == "=");
    if (owner) {
      shared = owner;
      change = &by;
    }
  }

  /// What all workers share of which \p target is a part; null where it is an element that is
  /// chosen by its number: each worker has other samples.
  /// \param isRebound If it is a tensor: its handle is changed, not its elements.
  const Symbol *sharedBy(const Node &target, bool isRebound) const {
    // Through a pointer, or the handle of a tensor.
    bool isReached = target.type && target.type->isPointer;
    const Node *expr = withoutParentheses(&target);
    while (true) {
      const bool isOperator = expr->kind == NodeKind::OperatorCall;
      const bool isUnary =
          expr->kind == NodeKind::Unary || (isOperator && expr->arguments.size() == 1);
      if (isUnary && (expr->op == "*" || expr->op == "->")) {
        isReached = true;
        expr = expr->children.back();
      } else if (isOperator && expr->op == "[]" && isMap(*expr->arguments.front())) {
        expr = expr->arguments.front();
      } else if (expr->kind == NodeKind::Member && expr->symbol) {
        const Symbol &member = *expr->symbol;
        if (member.kind != SymbolKind::Member)
          return asGlobal(&member);
        const Node *base = withoutParentheses(expr->object);
        if (as(NodeKind::This, base)) {
          const Type &type = *member.type;
          isReached |= isOne || type.isReference || (type.role == TypeRole::Tensor && !isRebound);
          return isReached && type.name != "unique_ptr" ? &member : nullptr;
        }
        isReached |= base->type && base->type->isPointer;
        expr = base;
      } else {
        break;
      }
      expr = withoutParentheses(expr);
    }
    return expr->kind == NodeKind::Reference ? asGlobal(expr->symbol) : nullptr;
  }

  const bool isOne;
  llvm::SmallPtrSet<const Symbol *, 8> visited;
};

} // namespace

void markShared(LoaderOptions &options, const Type *dataset) {
  for (const Symbol *record : sampleClasses(dataset)) {
    Changes changes(traitOfClass(record) == Trait::SharedByWorkers);
    for (const Method &method : ir::classOf(*record).methods)
      if (givesSamples(*method.symbol))
        changes.visit(*method.symbol);
    if (changes.isGuarded || !changes.shared)
      continue;
    options.shared = changes.shared;
    options.change = changes.change;
    return;
  }
}

} // namespace gradtidy
