#include "KernelLaunches.h"

#include "CodeForms.h"
#include "analyzer/ir/UserWords.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

using namespace ir;

/// Whether \p callee tells how a tensor lies in memory, or sees to that.
static bool asksForLayout(const Symbol &callee) {
  return callee.aspects.has(Aspect::TellsLayout) || words::speaksOfLayout(callee.name);
}

/// Whether \p call is of a function that checks a tensor, or leaves to it what to do with that.
static bool checks(const Node &call) { return words::speaksOfChecking(nameOfCallee(call)); }

/// Whether the function throws, or calls what never returns, for what \p question answers.
static bool isChecked(const Node &question) {
  const Node *inner = &question, *outer = question.parent;
  while (outer && outer->isExpression && !checks(*outer))
    inner = std::exchange(outer, outer->parent);
  if (!outer || outer->kind != NodeKind::If || inner != outer->condition)
    return outer && checks(*outer);
  bool throws = false;
  forEach(outer->body, [&](const Node &node) {
    throws |=
        node.kind == NodeKind::Throw || (node.isCall() && node.symbol && node.symbol->neverReturns);
  });
  return throws;
}

bool isDefaultStream(const Node &stream, const FunctionBody &function) {
  if (stream.kind == NodeKind::DefaultArgument || isNull(&stream) ||
      stripped(&stream)->integer == 0)
    return true;
  const Symbol *variable = variableIn(stripped(&stream));
  return variable && variable->hasLocalStorage() && variable->init &&
         !function.mayChange(*variable, function.body) &&
         isDefaultStream(*variable->init, function);
}

/// What gives the memory of a tensor in \p argument, or in what the variable that it names begins
/// with: a pointer, or an accessor, which knows sizes and strides.
static const Node *memoryIn(const Node &argument, unsigned depth = 0) {
  if (argument.isCall() && isTensor(objectOf(argument))) {
    return argument.type->isPointer || argument.calls(Aspect::GivesAccessor) ? &argument : nullptr;
  }
  const Symbol *variable = argument.kind == NodeKind::Reference ? argument.symbol : nullptr;
  if (variable && variable->hasLocalStorage() && variable->init && depth == 0)
    return memoryIn(*variable->init, depth + 1);
  for (const Node *child : argument.children)
    if (const Node *memory = memoryIn(*child, depth))
      return memory;
  return nullptr;
}

namespace {

class CareReader {
public:
  explicit CareReader(const FunctionBody &function) : function(function) {}

  KernelCare read() {
    forEach(function.body, [&](const Node &code) { visit(code); });
    if (const Symbol *owner = function.function->owner; owner && owner->record)
      for (const Symbol *member : owner->record->members) // A guard that lives with the object.
        noteVariable(*member);
    return std::move(care);
  }

private:
  void visit(const Node &code);
  void noteCall(const Node &call);
  void noteVariable(const Symbol &variable);
  void noteLaunch(const Node &call);
  KernelLaunch launchBy(const Node &call);
  std::optional<RawPointer> rawPointer(const Node &pointer);
  /// Notes what the function does to the layout of each tensor, once for all pointers.
  void noteTensors();

  /// What the function does to how a tensor lies in memory.
  struct Tensor {
    const Node *rearranged = nullptr; ///< What the only assignment gives it, if that permutes.
    bool isAssigned = false;
    bool isSettled = false; ///< The function asks, checks, or assigns another.
  };

  const FunctionBody &function;
  llvm::DenseMap<const Symbol *, Tensor> tensors; ///< Made when asked for.
  bool areTensorsNoted = false;
  KernelCare care;
};

void CareReader::visit(const Node &code) {
  if (code.kind == NodeKind::KernelCall)
    noteLaunch(code);
  if (code.isCall())
    noteCall(code);
  // Of a macro that is not there, nothing else is left.
  if (code.kind == NodeKind::Open && words::speaksOfErrors(code.op))
    care.asksForErrors = care.asksLast = true;
  for (const Symbol *declared : code.declared)
    if (declared->isVariable())
      noteVariable(*declared);
}

void CareReader::noteCall(const Node &call) {
  if (words::speaksOfErrors(nameOfCallee(call)))
    care.asksForErrors = care.asksLast = true;
  const Symbol *callee = call.symbol;
  if (!callee)
    return;
  care.choosesDevice |= callee->trait == Trait::ChoosesDevice;
  care.checksDevice |= callee->aspects.has(Aspect::TellsCuda) && isChecked(call);
  // Whoever waits for the GPU and looks at what that gives is told, too.
  const bool asks = callee->trait == Trait::AsksForErrors ||
                    (callee->operation == Operation::Synchronize && !call.type->isVoid &&
                     !function.expressionStatementOf(&call));
  if (asks)
    care.asksForErrors = care.asksLast = true;
  const auto isPointer = [](const Symbol *parameter) { return parameter->type->isPointer; };
  if (callee->isUser && call.kind != NodeKind::KernelCall &&
      llvm::any_of(callee->parameters, isPointer))
    if (KernelLaunch launch = launchBy(call); launch.isOnTensors) {
      launch.configuration = launch.call;
      care.calls.push_back(std::move(launch));
    }
  care.asksForLayout |=
      asksForLayout(*callee) || (checks(call) && llvm::any_of(call.arguments, isTensor));
}

/// Whether objects of the type choose a device as long as they live, be it by a member. A class
/// that is called a guard, and says nothing of gradients, may be one of devices.
static bool isDeviceGuard(const Type *type, unsigned depth = 0) {
  const Symbol *record = type && !type->isReference && depth < 4 ? type->record : nullptr;
  return record && (record->trait == Trait::ChoosesDevice ||
                    (words::isGuard(record->name) && record->trait != Trait::GradGuard) ||
                    (record->isUser && record->record &&
                     llvm::any_of(record->record->members, [&](const Symbol *member) {
                       return isDeviceGuard(member->type, depth + 1);
                     })));
}

void CareReader::noteVariable(const Symbol &variable) {
  care.choosesDevice |= isDeviceGuard(variable.type);
}

/// What the kernel, or the function, that \p call runs gets of the memory of tensors.
KernelLaunch CareReader::launchBy(const Node &call) {
  KernelLaunch launch;
  launch.call = &call;
  llvm::SmallPtrSet<const Symbol *, 4> seen;
  for (const Node *argument : call.arguments) {
    const Node *memory = memoryIn(*argument);
    launch.isOnTensors |= memory != nullptr;
    if (const Symbol *variable = variableOf(argument);
        variable && variable->kind == SymbolKind::Parameter && variable->type->isPointer)
      launch.handedOn.push_back(variable);
    if (const auto raw = memory ? rawPointer(*memory) : std::nullopt;
        raw && (!raw->tensor || seen.insert(raw->tensor).second))
      launch.pointers.push_back(*raw);
  }
  return launch;
}

void CareReader::noteLaunch(const Node &call) {
  KernelLaunch launch = launchBy(call);
  if (!launch.isOnTensors && launch.handedOn.empty())
    return;
  launch.configuration = call.children[1]; // Behind what is called.
  const auto given = launch.configuration->arguments;
  launch.isOnDefaultStream = given.size() < 4 || isDefaultStream(*given[3], function);
  care.launches.push_back(std::move(launch));
  care.asksLast = false;
}

std::optional<RawPointer> CareReader::rawPointer(const Node &pointer) {
  if (!pointer.type->isPointer)
    return std::nullopt;
  if (!std::exchange(areTensorsNoted, true))
    noteTensors();
  RawPointer raw;
  raw.pointer = &pointer;
  const Node *tensor = objectOf(pointer);
  for (unsigned depth = 0; tensor && depth < 4; ++depth) {
    tensor = originalOf(tensor);
    if (tensor->isCall()) {
      if (!tensor->symbol || tensor->symbol->operation != Operation::Permute)
        return std::nullopt;
      raw.rearranged = tensor;
      return raw;
    }
    const Symbol *variable = variableOf(tensor);
    if (!variable)
      return std::nullopt;
    if (const Tensor known = tensors.lookup(variable); known.rearranged) {
      raw.tensor = raw.tensor ? raw.tensor : variable;
      raw.rearranged = known.rearranged;
      return raw;
    } else if (known.isSettled) {
      return std::nullopt;
    }
    if (!raw.tensor)
      raw.tensor = variable;
    if (variable->kind == SymbolKind::Parameter)
      return raw;
    tensor = variable->hasLocalStorage() ? variable->init : nullptr;
  }
  return std::nullopt;
}

/// What gives \p value its order of dimensions in one of the ways to choose it: `c ? x.t() : x`.
static const Node *rearrangedIn(const Node *value) {
  value = originalOf(value);
  if (value->kind == NodeKind::Conditional)
    for (const Node *choice : value->children)
      if (const Node *found = choice != value->condition ? rearrangedIn(choice) : nullptr)
        return found;
  return value->isCall() && value->symbol && value->symbol->operation == Operation::Permute
             ? value
             : nullptr;
}

void CareReader::noteTensors() {
  llvm::DenseMap<const Symbol *, const Node *> ranges; ///< Of variables of loops.
  const auto settle = [&](const Node *expr) {
    const Symbol *tensor = variableOf(expr);
    if (!tensor)
      return;
    tensors[tensor].isSettled = true;
    // `for (auto &x : {query, key})` asks it of both.
    forEach(ranges.lookup(tensor), [&](const Node &listed) {
      if (listed.kind == NodeKind::Reference && isTensor(&listed))
        tensors[listed.symbol].isSettled = true;
    });
  };
  forEach(function.body, [&](const Node &code) {
    if (code.kind == NodeKind::RangeFor && code.symbol)
      ranges[code.symbol] = code.object;
    const bool isLayout = code.isCall() && code.symbol && asksForLayout(*code.symbol);
    // What makes another tensor contiguous leaves this one as it is.
    if (isLayout && !(code.type && code.type->role == TypeRole::Tensor))
      settle(objectOf(code));
    if (isLayout || checks(code))
      llvm::for_each(code.arguments, settle);
    const std::optional<Assignment> assigned = asAssignment(code);
    if (const Symbol *tensor = assigned ? variableOf(assigned->target) : nullptr) {
      Tensor &known = tensors[tensor];
      known.rearranged = known.isAssigned ? nullptr : rearrangedIn(assigned->value);
      known.isAssigned = known.isSettled = true;
    }
  });
}

} // namespace

KernelCare kernelCareOf(const FunctionBody &function) { return CareReader(function).read(); }

} // namespace gradtidy
