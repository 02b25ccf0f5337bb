#include "Ranks.h"

#include "CodeForms.h"
#include "analyzer/ir/UserWords.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

using namespace ir;

/// The class of an object, be it behind a pointer of any kind, or null.
static const Symbol *classBehind(const Type *type) {
  type = behindPointers(type);
  const bool isPointer = type && type->record && type->record->aspects.has(Aspect::SmartPointer) &&
                         !type->arguments.empty();
  return isPointer ? type->arguments.front()->record : type ? type->record : nullptr;
}

static Trait traitBehind(const Type *type) { return traitOfClass(classBehind(type)); }

static bool isGroup(const Type *type) { return traitBehind(type) == Trait::JoinsRanks; }

static bool joinsRanks(const Symbol &method) {
  return traitOfClass(gradtidy::classOf(&method)) == Trait::JoinsRanks;
}

bool isExchange(const Symbol &function) {
  if (!function.isMethod())
    return function.operation == Operation::Exchange;
  return joinsRanks(function) && function.aspects.has(Aspect::ExchangesTensors);
}

static bool isRank(const Node &expr) {
  return expr.kind == NodeKind::MemberCall && expr.calls(Aspect::TellsRank) &&
         isGroup(expr.object->type);
}

/// Whether \p code makes a GPU the current one.
static bool choosesDevice(const Node &code) {
  return code.isCall() && code.symbol &&
         (code.symbol->trait == Trait::ChoosesDevice || words::choosesDevice(code.symbol->name));
}

/// Whether \p device is not written as the constants that it is made of.
static bool isComputed(const Node &device) {
  if (device.arguments.size() > 1)
    return device.arguments[1]->kind != NodeKind::DefaultArgument &&
           !as(NodeKind::Integer, strip(device.arguments[1]));
  bool isNamed = false;
  if (device.arguments.size() == 1 && device.arguments[0]->type->record &&
      !device.symbol->isCopying) // Text.
    forEach(device.arguments[0],
            [&](const Node &each) { isNamed |= each.kind == NodeKind::Reference; });
  return isNamed;
}

namespace {

/// Reads a function in which a group is made.
class Ranks {
public:
  explicit Ranks(const FunctionBody &function) : function(function) {}

  RankGroup find() {
    collect(*function.body, /*isInClosure=*/false);
    if (groups.size() != 1 || isAlone)
      return group;
    forEach(function.body, [&](const Node &code) { visit(code); });
    if (!isHandedOn)
      group.variable = groups.front();
    return group;
  }

private:
  /// The groups, the variables that hold the rank, and what else is said of processes.
  void collect(const Node &code, bool isInClosure) {
    if (const Symbol *made = asConstruction(&code) ? gradtidy::classOf(code.symbol) : nullptr)
      group.choosesDevice |= made->trait == Trait::ChoosesDevice ||
                             (made->role == TypeRole::Device &&
                              made->trait != Trait::TensorOptions && isComputed(code));
    isHandedOn |= isInClosure && code.isCall() && code.symbol && isExchange(*code.symbol);
    group.choosesDevice |=
        choosesDevice(code) || llvm::is_contained({"setenv", "putenv"}, code.calledName());
    isInClosure |= code.kind == NodeKind::Lambda;
    for (const Symbol *declared : code.declared)
      if (declared->isVariable() && !isInClosure)
        collect(*declared);
    for (const Node *child : code.children)
      collect(*child, isInClosure);
  }

  void collect(const Symbol &variable) {
    if (isGroup(variable.type)) {
      groups.push_back(&variable);
      forEach(variable.init, [&](const Node &made) { readConstruction(made); });
    } else if (variable.init && isRank(*strip(variable.init))) {
      ranks.insert(&variable);
    }
  }

  /// `ProcessGroupGloo(store, rank, size)`, be it by a factory.
  void readConstruction(const Node &made) {
    if (!(made.isCall() || asConstruction(&made)) || !isGroup(made.type) ||
        made.arguments.size() < 3)
      return;
    const Node *rank = strip(made.arguments[1]);
    const Node *size = as(NodeKind::Integer, strip(made.arguments[2]));
    isAlone |= size && size->integer <= 1;
    const Symbol *variable = variableOf(rank);
    if (variable && variable->owner == function.function)
      ranks.insert(variable);
    else
      group.choosesMore |= rank->kind != NodeKind::Integer;
  }

  void visit(const Node &code) {
    if (code.kind == NodeKind::String)
      group.isOnOneMachine |= code.op == "localhost" || code.op == "127.0.0.1";
    const Symbol *record = code.isExpression ? classBehind(code.type) : nullptr;
    group.isOnOneMachine |= record && record->aspects.has(Aspect::SharesMachine);
    if (code.kind == NodeKind::Reference && code.symbol == groups.front())
      isHandedOn |= isInClosure(code) || !isObjectOfMethod(code);
    else if (code.kind == NodeKind::Reference ? ranks.contains(code.symbol) : isRank(code))
      noteRank(code);
  }

  bool isInClosure(const Node &code) const {
    return llvm::any_of(function.around(&code),
                        [](const Node *each) { return each->kind == NodeKind::Lambda; });
  }

  /// Whether the mention is nothing but the object of a call of the group's own methods.
  bool isObjectOfMethod(const Node &mention) const {
    for (const Node *outer : function.around(&mention)) {
      if (outer->kind == NodeKind::Member)
        return outer->symbol && joinsRanks(*outer->symbol);
      const bool isAccess =
          outer->kind == NodeKind::OperatorCall && (outer->op == "->" || outer->op == "*");
      if (!isAccess && !isCast(*outer) && outer->kind != NodeKind::Parentheses &&
          outer->kind != NodeKind::Unary)
        return false;
    }
    return false;
  }

  /// What the rank decides on where it is mentioned.
  void noteRank(const Node &mention) {
    if (isInClosure(mention) || !isForGroup(mention))
      group.choosesMore = true;
  }

  /// Whether it decides on nothing there but the device, the samples, and what is written out.
  bool isForGroup(const Node &mention) {
    const Node *inner = &mention;
    bool isQuestion = false;
    for (const Node *outer : function.around(&mention)) {
      const Trait trait = traitBehind(outer->type);
      const bool isGiven = trait == Trait::JoinsRanks || trait == Trait::SplitsSamples;
      if (asConstruction(outer)) {
        const bool isDevice = outer->type->role == TypeRole::Device;
        group.choosesDevice |= isDevice;
        if (isGiven || isDevice)
          return true;
        if (outer->arguments.size() > 1)
          return false;
      } else if (outer->isCall()) {
        return isGiven || outer->op == "<<" || choosesDevice(*outer); // Counts already.
      } else if (outer->kind == NodeKind::If) {
        return outer->condition == inner && !outer->otherwise;
      } else if (outer->kind == NodeKind::Declaration) {
        return isRank(*inner) && onlyVariableOf(*outer); // Into one of the variables.
      } else if (outer->kind == NodeKind::Binary) {
        isQuestion |= isComparison(*outer);
      } else if (!isCast(*outer) && outer->kind != NodeKind::Parentheses &&
                 !(isQuestion && outer->kind == NodeKind::Unary)) {
        return false;
      }
      inner = outer;
    }
    return false;
  }

  const FunctionBody &function;
  RankGroup group;
  llvm::SmallVector<const Symbol *, 1> groups;
  llvm::SmallPtrSet<const Symbol *, 2> ranks;
  bool isAlone = false;    ///< A group is of one process.
  bool isHandedOn = false; ///< Others get hold of the group, or a closure may do what it is for.
};

} // namespace

RankGroup rankGroupOf(const FunctionBody &function) { return Ranks(function).find(); }

} // namespace gradtidy
