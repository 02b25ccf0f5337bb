#include "Temporaries.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

static Trait traitOf(const Type *type) {
  return type && type->record ? type->record->trait : Trait::None;
}

static bool isView(const Type *type) { return traitOf(type) == Trait::ViewsElements; }

static bool ownsElements(const Type *type) { return traitOf(type) == Trait::OwnsElements; }

/// Whether the class is that of images over memory which is not their own.
static bool isOfImages(const Symbol *record) {
  return record && !record->isStandard && record->trait == Trait::OwnsElements;
}

/// Whether it is a plain pointer to numbers, or to whatever.
static bool isMemory(const Type *type) {
  return type && type->isPointer && type->pointee &&
         (type->pointee->isVoid || type->pointee->isArithmetic);
}

// --- tensors ------------------------------------------------------------------------------------

/// Whether the function makes a tensor, or several, in memory of their own.
/// \param isOfMemory That is asked, not whether the object that holds their shapes is new.
static bool isNew(const Symbol &callee, bool isOfMemory) {
  switch (callee.operation) {
  case Operation::WrapMemory:
    return !isOfMemory;
  case Operation::View:
  case Operation::Permute:
  case Operation::Index:
    return false;
  case Operation::None:
  case Operation::Rearrange:
    break;
  default:
    return true; // Losses and the like.
  }
  switch (callee.purpose) {
  case FunctionRole::Create:
  case FunctionRole::CreateLike:
  case FunctionRole::NonDifferentiable:
  case FunctionRole::Reduce:
    return true;
  default:
    return callee.trait == Trait::KeepsStrides || callee.trait == Trait::MakesNew ||
           callee.trait == Trait::GivesIndices;
  }
}

/// Whether all that `to()` is told is a device.
static bool onlyMoves(const Node &call) {
  bool isTold = false;
  for (const Node *argument : call.arguments) {
    if (argument->kind == NodeKind::DefaultArgument)
      break;
    const Type *type = originalOf(argument)->type;
    if (type && type->isBoolean)
      continue;
    if (!type || type->role != TypeRole::Device)
      return false;
    isTold = true;
  }
  return isTold;
}

/// When the tensor ends, by what it is made of: of its memory, or of the object that holds its
/// shape, which a view has of its own.
static Dangling follow(const Node *tensor, bool isOfMemory) {
  tensor = strip(tensor);
  if (asConstruction(tensor))
    return tensor->symbol && tensor->symbol->isCopying
               ? follow(tensor->arguments.front(), isOfMemory)
               : Dangling();
  const Symbol *callee = asCall(tensor) ? tensor->symbol : nullptr;
  if (!callee)
    return {};
  const Node *object = objectOf(*tensor);
  const bool isMade = makesValue(*tensor);
  if (object && object->type && isModule(object->type->role))
    return isForward(callee) && isMade ? Dangling{Ending::Mostly, tensor} : Dangling();
  if (callee->isStandard && callee->name == "get" && tensor->arguments.size() == 1) {
    const Node *tuple = asCall(strip(tensor->arguments.front())); // `std::get<0>(x.max(1))`
    return tuple && tuple->symbol && makesValue(*tuple) && isNew(*tuple->symbol, isOfMemory)
               ? Dangling{Ending::Always, tuple}
               : Dangling();
  }
  if (!isMade) // `x.clone().mul_(2)` is the clone.
    return object && callee->worksInPlace ? follow(object, isOfMemory) : Dangling();
  const Node *base = object || tensor->arguments.empty() ? object : tensor->arguments.front();
  if (!callee->isFramework || tensor->type->isPointer || !base)
    return {};
  const Dangling before = follow(base, isOfMemory);
  const auto unlessSame = [&](Ending ending) {
    if (before.ending == Ending::None)
      return Dangling{ending, tensor, base};
    return Dangling{before.ending == Ending::Always ? Ending::Always : Ending::Mostly, tensor};
  };
  if (callee->trait == Trait::SharesHandle)
    return before;
  if (callee->purpose == FunctionRole::MoveToCpu || callee->purpose == FunctionRole::MoveToCuda)
    return unlessSame(Ending::Copied);
  if (callee->purpose == FunctionRole::Move)
    return unlessSame(onlyMoves(*tensor) ? Ending::Copied : Ending::Mostly);
  if (callee->trait == Trait::Packs)
    return unlessSame(Ending::Packed);
  if (sharesMemory(callee->operation) || callee->purpose == FunctionRole::Detach)
    return isOfMemory ? before : Dangling{Ending::Always, tensor};
  return isNew(*callee, isOfMemory) ? Dangling{Ending::Always, tensor} : Dangling();
}

// --- pointers -----------------------------------------------------------------------------------

namespace {

/// Who holds a value when its full expression has ended.
struct Keeping {
  bool isKept = false;
  const Symbol *variable = nullptr;
};

/// What a call, which gets the pointer as an argument, makes of it.
enum class Passing : unsigned char { Lost, Kept, Wrapped };

} // namespace

static Keeping keptIn(const Node &declaration, const Node *value, bool isWrapped,
                      const FunctionBody &function) {
  for (const Symbol *variable : declaration.declared)
    if (variable->isVariable() && variable->init == value &&
        (isWrapped || variable->type->isPointer))
      return {function.mentions(*variable), variable};
  return {};
}

static Passing passingTo(const Node &call, const Node *argument, bool isWrapped) {
  const Symbol *callee = call.symbol;
  if (!callee)
    return Passing::Lost;
  if (call.op == "=")
    return isWrapped && call.arguments[1] == argument ? Passing::Kept : Passing::Lost;
  if (callee->operation == Operation::WrapMemory) {
    const bool hasDeleter =
        llvm::any_of(call.arguments, [](const Node *each) { return isClosure(each->type); });
    return call.arguments.front() == argument && !hasDeleter ? Passing::Wrapped : Passing::Lost;
  }
  return callee->isStandard && (callee->name == "push_back" || callee->name == "emplace_back")
             ? Passing::Kept
             : Passing::Lost;
}

/// Whether a constructor of the user's leaves in a member the pointer that it gets as \p argument.
static bool keepsPointer(const Node &construct, const Node *argument) {
  const Symbol *definition = definitionOf(construct.symbol);
  return definition && llvm::any_of(definition->initializers, [&](const Initializer &init) {
           const Symbol *parameter = variableOf(init.value);
           return init.member && init.member->type->isPointer && parameter &&
                  parameter->kind == SymbolKind::Parameter &&
                  parameter->index < construct.arguments.size() &&
                  construct.arguments[parameter->index] == argument;
         });
}

static Keeping keepingOf(const Node &pointer, const FunctionBody &function) {
  bool isWrapped = false;
  const Node *inner = &pointer;
  for (const Node *outer : function.around(&pointer)) {
    if (outer->kind == NodeKind::Declaration)
      return keptIn(*outer, inner, isWrapped, function);
    if (outer->kind == NodeKind::Return)
      return {true};
    if (outer->kind == NodeKind::Binary) {
      if (outer->op == "=" && outer->children.back() == inner)
        return {true, variableOf(outer->children.front())};
      if ((outer->op != "+" && outer->op != "-") || !outer->type->isPointer)
        return {};
    } else if (outer->kind == NodeKind::Conditional) {
      if (outer->condition == inner)
        return {};
    } else if (asConstruction(outer)) {
      const bool keeps = isOfImages(gradtidy::classOf(outer->symbol)) ||
                         keepsPointer(*outer, inner) || (isWrapped && outer->symbol->isCopying);
      if (!keeps)
        return {};
      isWrapped = true;
    } else if (outer->isCall()) {
      const Passing passing = passingTo(*outer, inner, isWrapped);
      if (passing != Passing::Wrapped)
        return {passing == Passing::Kept, variableOf(objectOf(*outer))};
      isWrapped = true;
    } else if (outer->kind == NodeKind::List) { // `Image image{rows, cols, pointer}`
      if (!outer->type || !outer->type->record)
        return {};
      isWrapped = true;
    } else if (!isCast(*outer) && outer->kind != NodeKind::Parentheses) {
      return {};
    }
    inner = outer;
  }
  return {};
}

/// Whether \p value is what `contiguous()` gives.
static bool packs(const Node *value) {
  const Node *call = asCall(originalOf(value));
  return call && traitOfCallee(*call) == Trait::Packs;
}

/// Whether the function asks whether \p tensor is contiguous, or makes it so, as resize_() does.
static bool knowsOrder(const FunctionBody &function, Entity tensor) {
  bool isFound = false;
  forEach(function.body, [&](const Node &code) {
    const std::optional<Assignment> assigned = asAssignment(code);
    isFound |= code.calledAspects().hasAny({Aspect::TellsLayout, Aspect::DropsLayout}) &&
               entityOf(strip(objectOf(code))) == tensor;
    isFound |= assigned && entityOf(strip(assigned->target)) == tensor && packs(assigned->value);
    isFound |= llvm::is_contained(code.declared, tensor) && packs(tensor->init);
  });
  return isFound;
}

Dangling leftByPointer(const Node &pointer, const FunctionBody &function) {
  const Node *tensor = objectOf(pointer);
  Dangling left =
      tensor && isMemory(pointer.type) ? follow(tensor, /*isOfMemory=*/true) : Dangling();
  const Keeping keeping = left.ending == Ending::None ? Keeping() : keepingOf(pointer, function);
  const Entity original = entityOf(strip(left.original));
  if (!keeping.isKept ||
      (left.ending == Ending::Packed && original && knowsOrder(function, original)))
    return {};
  left.keeper = keeping.variable;
  return left;
}

Dangling leftByWrapping(const Node &wrapping, const FunctionBody &function) {
  const Node *pointer = strip(wrapping.arguments.front());
  while (pointer->kind == NodeKind::Binary && (pointer->op == "+" || pointer->op == "-")) {
    const Node *left = pointer->children.front();
    pointer = strip(left->type && left->type->isPointer ? left : pointer->children.back());
  }
  const bool isOfObject =
      pointer->kind == NodeKind::MemberCall || pointer->kind == NodeKind::Member;
  const Node *list = isOfObject && pointer->object ? strip(pointer->object) : nullptr;
  // An image may share its memory with others, if it is no copy.
  const bool isTemporary = list && makesValue(*list) && ownsElements(list->type) &&
                           (list->type->record->isStandard || list->calls(Aspect::CopiesMemory));
  return isTemporary && keepingOf(*pointer, function).isKept ? Dangling{Ending::Always, list}
                                                             : Dangling();
}

// --- views --------------------------------------------------------------------------------------

/// Whether \p number is a value that a parameter of the type \p taken gets in a place of its own.
static bool isOwnNumber(const Node &number, const Type *taken) {
  const bool isPlace = entityOf(&number) || number.kind == NodeKind::Subscript ||
                       (number.isCall() && !makesValue(number));
  return !isPlace || (taken && taken->bits != number.type->bits);
}

/// Whether what the view \p construct is made of ends with the expression.
static bool isOfTemporary(const Node &construct) {
  const Node *elements = strip(construct.arguments.front());
  if (elements->kind == NodeKind::List)
    return !elements->children.empty();
  if (isArithmetic(*elements)) { // The view is of this one number.
    const auto parameters =
        construct.symbol ? construct.symbol->parameters : llvm::ArrayRef<const Symbol *>();
    return isOwnNumber(*elements, parameters.empty() ? nullptr : parameters.front()->type);
  }
  return makesValue(*elements) && ownsElements(elements->type);
}

/// Of a braced list of constants, compilers may keep the one copy for good, but need not.
static Ending endingOf(const Node &elements) {
  const auto isLiteral = [](const Node *number) {
    number = strip(number);
    const bool isNegative = number->kind == NodeKind::Unary;
    return (isNegative ? strip(number->children.front()) : number)->kind == NodeKind::Integer;
  };
  return elements.kind == NodeKind::List && llvm::all_of(elements.children, isLiteral)
             ? Ending::Mostly
             : Ending::Always;
}

static bool isLocalList(const Node &elements) {
  const Symbol *variable = variableOf(&elements);
  return variable && variable->hasLocalStorage() && !variable->type->isReference &&
         (variable->type->isArray || ownsElements(variable->type));
}

/// The temporary list of which \p element, no temporary itself, is an element or a part, or leads
/// to one.
static const Node *temporaryAround(const Node *element) {
  const Node *call = asCall(strip(element));
  const Symbol *record = call ? gradtidy::classOf(call->symbol) : nullptr;
  const Node *made = record ? asCall(strip(objectOf(*call))) : nullptr;
  if (!made || !made->symbol)
    return nullptr;
  const bool leadsToObject =
      call->type->isPointer && call->type->pointee && call->type->pointee->record;
  const Symbol *outer = record->owner; // Of an item of a dictionary.
  const bool isOfList =
      record->trait == Trait::OwnsElements || (outer && outer->trait == Trait::OwnsElements);
  if (!isOfList || (makesValue(*call) && !leadsToObject))
    return nullptr;
  if (!makesValue(*made) || made->type->isPointer)
    return temporaryAround(made);
  return made->symbol->isFramework || holdsTensors(made->type) ? made : nullptr;
}

bool leadsElsewhere(const Type *type) { return isView(type); }

bool leadsIntoObject(const Node &call) {
  const Node *object = objectOf(call);
  if (!object || !call.symbol)
    return false;
  if (isView(object->type))
    return isView(call.type);
  if (isMemory(call.type) && call.symbol->isStandard && ownsElements(object->type))
    return true;
  return isTensor(object) && call.symbol->isFramework &&
         (isMemory(call.type) || isView(call.type) ||
          call.symbol->operation == Operation::AccessElements);
}

Dangling leftByView(const Node *value, bool leavesFunction) {
  value = strip(value);
  if (!value || !isView(value->type))
    return {};
  if (asConstruction(value)) {
    if (value->arguments.empty() || value->arguments[0]->kind == NodeKind::DefaultArgument)
      return {};
    const Node *elements = strip(value->arguments[0]);
    if (isView(elements->type))
      return leftByView(elements, leavesFunction);
    const bool ends = value->writtenArguments() == 1 &&
                      (isOfTemporary(*value) || (leavesFunction && isLocalList(*elements)));
    return ends ? Dangling{endingOf(*elements), elements} : Dangling();
  }
  const Node *object =
      value->isCall() && value->symbol && makesValue(*value) ? objectOf(*value) : nullptr;
  if (!object)
    return {};
  if (isView(object->type)) // `x.sizes().slice(1)`
    return leftByView(object, leavesFunction);
  return isTensor(object) ? follow(object, /*isOfMemory=*/false) : Dangling();
}

Dangling leftByVariable(const Symbol &variable, const FunctionBody &function) {
  const Node *value = variable.init;
  if (!value || isDependent(*value) || !function.mentions(variable))
    return {};
  Dangling left;
  const Node *list = as(NodeKind::List, strip(value)); // `Space space{{2}}`
  if (isView(variable.type)) {
    left = leftByView(value, /*leavesFunction=*/false);
  } else if (variable.type->isReference || variable.type->isPointer) {
    if (const Node *temporary = temporaryAround(value))
      left = {Ending::Always, temporary};
  } else if (list) {
    for (const Node *member : list->children)
      if (left.ending == Ending::None)
        left = leftByView(member, /*leavesFunction=*/false);
  }
  if (left.ending != Ending::None && !variable.isImplicit)
    left.keeper = &variable;
  return left;
}

Dangling leftByPointerTo(const Node &assignment) {
  const Node *list = assignment.type && assignment.type->isPointer
                         ? temporaryAround(assignment.children.back())
                         : nullptr;
  return list ? Dangling{Ending::Always, list, nullptr, variableOf(assignment.children.front())}
              : Dangling();
}

} // namespace gradtidy
