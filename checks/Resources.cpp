#include "Resources.h"

#include "analyzer/idioms/CodeForms.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

using ir::Node;
using ir::NodeKind;
using ir::Symbol;

/// How deep resources are followed into functions that they are handed to, and functions to their
/// callers.
constexpr unsigned maxDepth = 4;

Trait traitOf(const Node &call) { return call.isCall() ? traitOfCallee(call) : Trait::None; }

bool acquires(Trait trait) {
  return trait == Trait::GetsMemory || trait == Trait::CreatesHandle ||
         trait == Trait::CreatesResource || trait == Trait::GetsCheaply;
}

/// The local variable whose address \p argument is, or null.
const Symbol *variableAt(const Node *argument) {
  bool isAddress = false;
  for (argument = &argument->spelled(); argument; argument = &argument->spelled()) {
    const bool isAddressOf = argument->kind == NodeKind::Unary && argument->op == "&";
    if (!isAddressOf && argument->kind != NodeKind::Cast && argument->kind != NodeKind::Parentheses)
      break;
    if (argument->children.empty())
      return nullptr;
    isAddress |= isAddressOf;
    argument = argument->children.front();
  }
  const Symbol *variable = isAddress ? ir::variableIn(argument) : nullptr;
  return variable && variable->isLocal && !variable->isStatic && variable->type &&
                 !variable->type->isReference
             ? variable
             : nullptr;
}

/// Whether \p value is a null pointer, however written, or a value that is made of nothing.
bool isNothing(const Node *value) {
  const Node *spelled = ir::stripped(value);
  return ir::isNull(value) || spelled->integer == 0 ||
         (spelled->kind == NodeKind::List && spelled->children.empty());
}

/// Whether \p call is left out where \p variable holds something.
bool dependsOn(const Symbol &variable, const Node &call) {
  for (const Node *around = call.parent; around; around = around->parent)
    if (around->kind == NodeKind::If && around->condition && !isWithin(&call, *around->condition) &&
        mentions(around->condition, canonical(&variable)))
      return true;
  return false;
}

/// Whether \p site is in a closure that the function of \p variable makes.
bool isInClosure(const Node &site, const Symbol &variable) {
  for (const Node *around = site.parent; around; around = around->parent)
    if (around->kind == NodeKind::Lambda)
      return !llvm::is_contained(around->declared, variable.owner);
  return false;
}

/// Whether \p node names a function, or is one: what may release what it is handed out with.
bool isFunction(const Node &node) {
  return node.kind == NodeKind::Lambda ||
         (node.kind == NodeKind::Reference && node.symbol && node.symbol->isFunction() &&
          !(node.parent && node.parent->isCall() && node.parent->callee() == &node));
}

class UseReader {
public:
  explicit UseReader(const UnitAnalysis &unit) : unit(unit) {}

  /// Reads what is done with \p variable in \p body, the code of a function.
  void read(const Symbol &variable, const Node *body, unsigned depth = 0) {
    if (!seen.insert(&variable).second)
      return;
    ir::forEach(body, [&](const Node &node) {
      if (node.kind == NodeKind::Reference && node.symbol == &variable)
        readUse(node, variable, body, depth);
    });
  }

  ResourceUses uses;

private:
  void readUse(const Node &name, const Symbol &variable, const Node *body, unsigned depth);
  void readArgument(const Node &call, const Node &argument, bool isAddress, const Symbol &variable,
                    unsigned depth);
  void readCallee(const Node &call, const Symbol &callee, const Node &argument, unsigned depth);

  const UnitAnalysis &unit;
  llvm::SmallPtrSet<const Symbol *, 4> seen;
};

void UseReader::readUse(const Node &name, const Symbol &variable, const Node *body,
                        unsigned depth) {
  bool isAddress = false;
  for (const Node *at = &name; const Node *around = at->parent; at = around) {
    switch (around->kind) {
    case NodeKind::Parentheses:
      continue;
    case NodeKind::Cast:
    case NodeKind::FunctionalCast:
      if (around->type && around->type->isVoid)
        return;
      continue;
    case NodeKind::Conditional:
      if (around->condition == at)
        return;
      continue;
    case NodeKind::Unary:
      isAddress |= around->op == "&";
      if (around->op == "&")
        continue;
      uses.escapes |= around->op == "++" || around->op == "--";
      return;
    case NodeKind::Binary:
      if (around->op == "+" || around->op == "-" || around->op == ",")
        continue;
      uses.escapes |= around->isAssignment() &&
                      (around->children.front() != at || !isNothing(around->children.back()));
      return;
    case NodeKind::Subscript:
      uses.escapes |= around->children.front() != at;
      return;
    case NodeKind::If:
    case NodeKind::While:
    case NodeKind::Do:
    case NodeKind::For:
    case NodeKind::Compound:
      return;
    case NodeKind::Declaration:
      for (const Symbol *declared : around->declared)
        if (declared->init && isWithin(&name, *declared->init)) {
          if (isAddress || declared->isStatic || !declared->type->isPointer)
            break;
          return read(*declared, body, depth); // Another name.
        }
      uses.escapes = true;
      return;
    case NodeKind::KernelCall:
      uses.isComputedWith = true;
      return;
    case NodeKind::Call:
      return readArgument(*around, *at, isAddress, variable, depth);
    default:
      uses.escapes = true;
      return;
    }
  }
  uses.escapes = true;
}

void UseReader::readArgument(const Node &call, const Node &argument, bool isAddress,
                             const Symbol &variable, unsigned depth) {
  const Symbol *callee = calleeOf(call);
  const Trait trait = traitOf(call);
  if (acquires(trait))
    return;
  if (trait == Trait::GivesBack) {
    uses.isReleased = true;
    if (depth == 0 && !isInClosure(call, variable))
      uses.release = {&call, callee};
    return;
  }
  if (trait == Trait::SetsStream && call.arguments.front() == &argument) {
    uses.isGivenStream = true;
    return;
  }
  const Node *around = call.parent;
  if (around && around->kind == NodeKind::KernelCall) { // What stands in `<<<…>>>`.
    uses.isComputedWith = true;
    return;
  }
  if (!callee) {
    uses.escapes = true;
    return;
  }
  if (callee->isUser)
    return isAddress ? void(uses.escapes = true) : readCallee(call, *callee, argument, depth);
  if (callee->operation == Operation::WrapMemory) { // A tensor, perhaps with what frees it.
    for (const Node *given : call.arguments)
      ir::forEach(given, [&](const Node &node) { uses.escapes |= isFunction(node); });
    return;
  }
  const auto isLent = [](const Symbol *parameter) {
    return parameter->type->isReference && !parameter->type->isConst;
  };
  uses.isComputedWith = true;
  uses.escapes |= !(call.type && (call.type->isVoid || call.type->isArithmetic)) ||
                  llvm::any_of(callee->parameters, isLent);
}

void UseReader::readCallee(const Node &call, const Symbol &callee, const Node &argument,
                           unsigned depth) {
  const FunctionBody *body = unit.callGraph().bodyOf(callee);
  const size_t index = llvm::find(call.arguments, &argument) - call.arguments.begin();
  if (!body || depth == maxDepth || index >= body->function->parameters.size() ||
      body->function->parameters[index]->type->isReference)
    uses.escapes = true;
  else
    read(*body->function->parameters[index], body->body, depth + 1);
}

} // namespace

std::vector<Acquisition> acquisitionsIn(const FunctionBody &function) {
  std::vector<Acquisition> acquired;
  ir::forEach(function.body, [&](const Node &node) {
    if (!acquires(traitOf(node)) || node.arguments.empty())
      return;
    const Symbol *variable = variableAt(node.arguments.front());
    if (variable && (!variable->init || isNothing(variable->init)) && !dependsOn(*variable, node))
      acquired.push_back({&node, calleeOf(node), variable});
  });
  return acquired;
}

ResourceUses usesOf(const Acquisition &acquired, const FunctionBody &function,
                    const UnitAnalysis &unit) {
  UseReader reader(unit);
  reader.read(*acquired.variable, function.body);
  return reader.uses;
}

static bool worksOnTensors(const FunctionBody &function, const UnitAnalysis &unit, unsigned depth) {
  const auto isOnTensors = [](const KernelLaunch &launch) { return launch.isOnTensors; };
  const KernelCare &care = function.kernelCare;
  const auto &parameters = function.function->parameters;
  if (llvm::any_of(care.launches, isOnTensors) || llvm::any_of(care.calls, isOnTensors) ||
      llvm::is_contained(unit.program().launchers(), &function) ||
      llvm::any_of(parameters, [](const Symbol *each) { return each->type->leadsToTensors; }))
    return true;
  return depth < maxDepth &&
         llvm::any_of(
             parameters, [](const Symbol *each) { return each->type->isPointer; }) &&
         llvm::any_of(
             unit.callGraph().callersOf(function),
             [&](const FunctionBody *caller) { return worksOnTensors(*caller, unit, depth + 1); });
}

bool worksOnTensors(const FunctionBody &function, const UnitAnalysis &unit) {
  return worksOnTensors(function, unit, 0);
}

} // namespace gradtidy
