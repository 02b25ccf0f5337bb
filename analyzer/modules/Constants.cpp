#include "Constants.h"

#include "ModuleUses.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

namespace gradtidy {

using namespace ir;

namespace {

bool isInteger(Entity entity) {
  return entity && entity->type && entity->type->isInteger && !entity->type->isBoolean;
}

/// The number that an operator makes of two; nothing if it overflows or divides by zero.
std::optional<std::int64_t> computed(llvm::StringRef op, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if (op == "+")
    return llvm::AddOverflow(left, right, result) ? std::nullopt : std::optional(result);
  if (op == "-")
    return llvm::SubOverflow(left, right, result) ? std::nullopt : std::optional(result);
  if (op == "*")
    return llvm::MulOverflow(left, right, result) ? std::nullopt : std::optional(result);
  if (right <= 0)
    return std::nullopt;
  return op == "/"   ? std::optional(left / right)
         : op == "%" ? std::optional(left % right)
                     : std::nullopt;
}

} // namespace

class Constants::Collector {
public:
  explicit Collector(Constants &constants) : values(constants.values) {}

  void visit(const LoweredUnit::Contents &unit) {
    for (const auto &body : unit.functions)
      if (!body->function->isClosure) // It is a part of the code around it.
        visit(*body->function);
  }

private:
  void visit(const Symbol &function) {
    if (function.isVirtual || !function.overridden.empty())
      openParameters(function); // Calls of what it overrides hand them over, too.
    for (const Symbol *parameter : function.parameters)
      visit(parameter->init);
    for (const Initializer &initializer : function.initializers) {
      if (initializer.member)
        give(canonical(initializer.member), initializer.value);
      visit(initializer.value);
    }
    visit(function.body);
  }

  void visit(const Node *root) {
    forEach(root, [&](const Node &node) { look(node); });
  }

  void look(const Node &node) {
    if (const std::optional<Assignment> assigned = asAssignment(node))
      give(entityOf(withoutParentheses(assigned->target)), assigned->value);
    switch (node.kind) {
    case NodeKind::Declaration:
      for (const Symbol *variable : node.declared) {
        if (variable->isVariable() && variable->isRangeElement)
          open(canonical(variable));
        else if (variable->isVariable() && variable->init)
          give(canonical(variable), variable->init);
      }
      break;
    case NodeKind::Reference:
    case NodeKind::Member:
      lookAtName(node);
      break;
    case NodeKind::List:
      fill(node, node.children);
      break;
    case NodeKind::Construct:
    case NodeKind::Temporary:
      if (node.symbol && definitionOf(node.symbol) && !node.symbol->inherited)
        hand(node.arguments, *node.symbol);
      else if (holdsModules(node.type) && !ModuleUses::handsOnModule(node))
        construct(modulesIn(node.type), node.arguments); // By the constructor of a holder.
      break;
    case NodeKind::Unary:
      if (node.op == "&")
        lookAtAddress(node);
      break;
    default:
      if (node.isCall())
        lookAtCall(node);
      break;
    }
  }

  void lookAtCall(const Node &call) {
    const Symbol *callee = calleeOf(call);
    if (isFactory(callee) || ModuleUses::makesElement(call)) {
      const Type *made = isFactory(callee) && call.type ? call.type->pointee : call.type;
      if (made && made->record)
        construct(made->record, call.arguments);
    } else if (callee) {
      const bool isOperator = call.kind == NodeKind::OperatorCall && callee->isMethod();
      hand(call.arguments.drop_front(isOperator), *callee); // Without the object.
    }
  }

  void lookAtName(const Node &node) {
    if (node.symbol && node.symbol->isFunction() && !isCallee(node))
      openParameters(*node.symbol); // Whoever gets hold of it may call it.
    const Entity entity = entityOf(&node);
    if (!isInteger(entity))
      return;
    if (seen.insert(entity).second && entity->init && !entity->isLocal)
      give(entity, entity->init); // Of members, and of what is global.
    if (!node.isOnlyRead && !isRead(node))
      open(entity);
  }

  static bool isCallee(const Node &node) { return node.parent && node.parent->callee() == &node; }

  /// Whether a name that leads to the object itself leads to what does not write it.
  static bool isRead(const Node &name) {
    const Node *value = &name, *around = name.parent;
    while (around && (around->kind == NodeKind::Parentheses ||
                      (around->kind == NodeKind::Other && around->range == value->range)))
      value = std::exchange(around, around->parent);
    if (!around)
      return false;
    if (const std::optional<Assignment> assigned = asAssignment(*around))
      return assigned->target == value;
    if (around->kind == NodeKind::Lambda) // It is named again where the closure uses it.
      return true;
    if (around->kind == NodeKind::Declaration)
      return llvm::all_of(around->declared,
                          [](const Symbol *each) { return each->type && each->type->isConst; });
    if (asConstruction(around) && (!definitionOf(around->symbol) || around->symbol->inherited))
      return holdsModules(around->type);
    if (!around->isCall() && !asConstruction(around))
      return false;
    const Symbol *callee = asConstruction(around) ? around->symbol : calleeOf(*around);
    return isFactory(callee) || (around->isCall() && ModuleUses::makesElement(*around)) ||
           takesAsConst(*around, *value, callee);
  }

  static bool takesAsConst(const Node &call, const Node &value, const Symbol *callee) {
    const auto *const argument = llvm::find(call.arguments, &value);
    const bool isOperator = call.kind == NodeKind::OperatorCall && callee && callee->isMethod();
    const size_t index = argument - call.arguments.begin();
    if (!callee || argument == call.arguments.end() || index < isOperator ||
        index - isOperator >= callee->parameters.size())
      return false;
    const Type *type = callee->parameters[index - isOperator]->type;
    return type && (!type->isReference || type->isConst) && !type->isPointer;
  }

  /// What leads to an object of the program may write all of it, if nobody sees how.
  void lookAtAddress(const Node &address) {
    const Type *type = address.children.empty() ? nullptr : address.children.front()->type;
    const Node *around = address.parent;
    while (around && around->kind == NodeKind::Parentheses)
      around = around->parent;
    const bool isHandedOut = around && (around->kind == NodeKind::Cast ||
                                        (around->isCall() && !definitionOf(calleeOf(*around))));
    if (type && type->record && type->record->isUser && isHandedOut)
      openMembers(*type->record);
  }

  /// `Options{4, 2}`
  void fill(const Node &list, llvm::ArrayRef<const Node *> parts) {
    const Symbol *record = list.type && !list.type->isPointer ? list.type->record : nullptr;
    if (!record || !record->isUser || parts.empty())
      return;
    const llvm::ArrayRef<const Symbol *> members = ir::classOf(*record).members;
    const bool isKnown = record->bases.empty() && parts.size() <= members.size() &&
                         llvm::none_of(parts, [](const Node *part) {
                           return part->kind == NodeKind::Other && !part->integer; // `.size = 4`
                         });
    if (!isKnown)
      return openMembers(*record);
    for (auto [member, part] : llvm::zip(members, parts))
      give(canonical(member), part);
  }

  /// What constructors of the classes take of what a holder, or a factory, hands on.
  void construct(llvm::ArrayRef<const Symbol *> records, llvm::ArrayRef<const Node *> arguments) {
    for (const Symbol *record : records)
      if (record->isUser)
        for (const Symbol *constructor : ir::classOf(*record).constructors)
          if (mayTake(*constructor, arguments))
            hand(arguments, *constructor);
  }

  static bool mayTake(const Symbol &constructor, llvm::ArrayRef<const Node *> arguments) {
    const llvm::ArrayRef<const Symbol *> parameters = constructor.parameters;
    if (arguments.size() > parameters.size())
      return false;
    for (auto [parameter, argument] : llvm::zip(parameters, arguments))
      if (parameter->type && argument->type &&
          parameter->type->isArithmetic != argument->type->isArithmetic)
        return false;
    return llvm::all_of(parameters.drop_front(arguments.size()),
                        [](const Symbol *parameter) { return parameter->hasDefault; });
  }

  void hand(llvm::ArrayRef<const Node *> arguments, const Symbol &callee) {
    const Symbol *definition = definitionOf(&callee);
    if (!definition)
      return;
    for (auto [index, parameter] : llvm::enumerate(definition->parameters)) {
      const Node *argument = index < arguments.size() ? arguments[index] : parameter->init;
      if (argument)
        give(canonical(parameter), argument);
      else
        open(canonical(parameter));
    }
  }

  void give(Entity entity, const Node *value) {
    if (!isInteger(entity))
      return;
    if (entity->type->isReference && !entity->type->isConst)
      return open(entity);
    values[entity].given.push_back(value);
  }

  void open(Entity entity) {
    if (isInteger(entity))
      values[entity].isOpen = true;
  }
  void openMembers(const Symbol &record) {
    for (const Symbol *member : ir::classOf(record).members)
      open(canonical(member));
  }
  void openParameters(const Symbol &function) {
    if (const Symbol *definition = definitionOf(&function))
      for (const Symbol *parameter : definition->parameters)
        open(canonical(parameter));
  }

  llvm::DenseMap<Entity, Values> &values;
  llvm::DenseSet<Entity> seen;
};

Constants::Constants(const LoweredUnit::Contents &unit) { Collector(*this).visit(unit); }

std::optional<std::int64_t> Constants::of(const Node *expr) const {
  if (!expr)
    return std::nullopt;
  const Node &written = expr->kind == NodeKind::DefaultArgument ? *stripped(expr) : *expr;
  if (written.integer)
    return written.integer;
  const Node &node = *stripped(&written);
  if (node.integer || !node.type || !node.type->isInteger || node.type->isBoolean)
    return node.integer;
  if (node.kind == NodeKind::Binary && node.children.size() == 2 && !node.isAssignment()) {
    const auto left = of(node.children[0]), right = of(node.children[1]);
    return left && right ? computed(node.op, *left, *right) : std::nullopt;
  }
  if (node.kind == NodeKind::Unary && node.op == "-" && !node.children.empty()) {
    const auto value = of(node.children.front());
    return value ? computed("-", 0, *value) : std::nullopt;
  }
  if (const Entity entity = entityOf(&node))
    return ofEntity(entity);
  return std::nullopt;
}

std::optional<std::int64_t> Constants::ofEntity(Entity entity) const {
  const auto found = values.find(entity);
  if (found == values.end() || found->second.isOpen || found->second.given.empty())
    return std::nullopt;
  if (const auto cached = known.find(entity); cached != known.end())
    return cached->second;
  if (!active.insert(entity).second)
    return std::nullopt;
  std::optional<std::int64_t> common = of(found->second.given.front());
  for (const Node *value : llvm::drop_begin(found->second.given))
    if (common && of(value) != common)
      common = std::nullopt;
  active.erase(entity);
  if (active.empty())
    known[entity] = common;
  return common;
}

} // namespace gradtidy
