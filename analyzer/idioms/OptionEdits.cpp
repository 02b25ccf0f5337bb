#include "OptionEdits.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

static bool isOptions(const Type *type) {
  const Type *object = behindPointers(type);
  return object && traitOfClass(object->record) == Trait::StepOptions;
}

/// Whether values of the type are options, or lists of them, and no handles to some.
static bool holdsOptions(const Type *type) {
  if (!type || !type->record || type->pointee)
    return false;
  return type->record->isStandard && type->name == "vector" && !type->arguments.empty()
             ? holdsOptions(type->arguments.front())
             : isOptions(type);
}

static bool isOptimizer(const Node &expr) {
  return expr.type && expr.type->role == TypeRole::Optimizer;
}

/// Whether the method only gives a part of the object, to be changed.
static bool isAccessor(const Symbol &method) {
  const Type &given = *method.type;
  return method.parameters.size() <= 1 && (given.isReference || given.isPointer) &&
         holdsOptions(given.isPointer ? given.pointee : &given);
}

static bool isSetter(const Symbol &method) {
  return !method.isConstMethod && method.parameters.size() == 1 && !method.name.empty() &&
         traitOfClass(gradtidy::classOf(&method)) == Trait::StepOptions;
}

// --- what a function does with options ----------------------------------------------------------

namespace {

/// What a function does with a variable where it names it.
enum class Mention : unsigned char {
  Edit,   ///< It changes options.
  Read,   ///< It reads a number of them.
  Copied, ///< They are copied.
  Other,
};

struct Mentions {
  struct Found {
    const Node *site;
    Mention kind;
  };
  std::vector<Found> found;
  bool isCaptured = false;

  bool has(Mention kind) const {
    return llvm::any_of(found, [&](const Found &each) { return each.kind == kind; });
  }
  /// Edit if that is all, but for reading; else Other.
  Mention only() const {
    const bool isOther = isCaptured || has(Mention::Other) || has(Mention::Copied);
    return isOther ? Mention::Other : has(Mention::Edit) ? Mention::Edit : Mention::Read;
  }
};

} // namespace

static Mentions mentionsOf(const Symbol &variable, const FunctionBody &function);

/// Whether all that \p outer does to the number \p inner is to read it.
static bool reads(const Node &outer, const Node &inner) {
  if (!isArithmetic(inner))
    return false;
  switch (outer.kind) {
  case NodeKind::Parentheses:
  case NodeKind::Member:
    return false;
  case NodeKind::Unary:
    return outer.op != "&" && outer.op != "*" && outer.op != "++" && outer.op != "--";
  case NodeKind::Binary:
    return !outer.isAssignment() || outer.children.front() != &inner;
  case NodeKind::Declaration: {
    const Symbol *variable = onlyVariableOf(outer);
    return variable && !variable->type->isReference;
  }
  default:
    break;
  }
  const auto arguments = argumentsOf(outer);
  const size_t index = llvm::find(arguments, &inner) - arguments.begin();
  const bool isGiven = index < arguments.size() && outer.symbol;
  const Type *type = isGiven && index < outer.symbol->parameters.size()
                         ? outer.symbol->parameters[index]->type
                         : nullptr;
  return !type || !type->isReference || type->isConst;
}

/// What the function does by another name that \p declaration gives what is mentioned: as the
/// element of a loop, or a part.
static Mention ofName(const Node &declaration, const FunctionBody &function) {
  const Node *loop = as(NodeKind::RangeFor, function.statementAround(&declaration));
  const Symbol *variable = onlyVariableOf(declaration);
  const bool isRange = loop && variable && variable->isImplicit;
  const Symbol *name = isRange ? loop->symbol : variable;
  if (!name || !(name->type->isReference || name->type->isPointer))
    return isRange ? Mention::Read : Mention::Other; // A copy speaks for itself.
  return mentionsOf(*name, function).only();
}

static Mention kindOf(const Node &mention, const FunctionBody &function) {
  bool isEdited = false;
  const Node *inner = &mention;
  for (const Node *outer : function.around(&mention)) {
    if (reads(*outer, *inner))
      return Mention::Read;
    if (outer->kind == NodeKind::MemberCall && outer->callee() == inner) {
      const Symbol *method = outer->symbol;
      if (!method)
        return Mention::Other;
      if (isSetter(*method))
        isEdited = true;
      else if (isArithmetic(*outer) && makesValue(*outer))
        return Mention::Read;
      else if (!isAccessor(*method) && !isArithmetic(*outer))
        return Mention::Other;
    } else if (outer->kind == NodeKind::Unary) {
      if (outer->op != "&" && outer->op != "*")
        return Mention::Other;
    } else if (outer->kind == NodeKind::OperatorCall) {
      if (outer->op != "[]" || outer->arguments.front() != inner)
        return Mention::Other;
    } else if (outer->kind == NodeKind::Binary) { // Of a number, or what nobody knows.
      return isArithmetic(*inner) ? Mention::Edit : Mention::Other;
    } else if (asConstruction(outer)) {
      return !isEdited && outer->symbol->isCopying ? Mention::Copied : Mention::Other;
    } else if (outer->isCall()) {
      return isFactory(outer->symbol) ? Mention::Copied : Mention::Other;
    } else if (outer->kind == NodeKind::Declaration) {
      return ofName(*outer, function);
    } else if (outer->kind != NodeKind::Parentheses && outer->kind != NodeKind::Member &&
               !isCast(*outer)) {
      return isEdited && !outer->isExpression && outer->kind != NodeKind::Return ? Mention::Edit
                                                                                 : Mention::Other;
    }
    inner = outer;
  }
  return Mention::Other;
}

static Mentions mentionsOf(const Symbol &variable, const FunctionBody &function) {
  Mentions all;
  const auto isIt = [&](const Node &code) {
    return code.kind == NodeKind::Reference && code.symbol == &variable;
  };
  forEach(function.body, [&](const Node &code) {
    if (isIt(code))
      all.found.push_back({&code, kindOf(code, function)});
    if (code.kind == NodeKind::Lambda)
      for (const Node *captured : code.children)
        all.isCaptured |= captured->isExpression && isIt(*originalOf(captured));
  });
  return all;
}

// --- whose options they are ---------------------------------------------------------------------

/// Whether \p code asks an optimizer, or what is already one's, for its options.
static bool asksOptimizer(const Node *code) {
  bool isFound = false;
  forEach(code, [&](const Node &call) {
    isFound |= call.kind == NodeKind::MemberCall &&
               (isOptimizer(*call.object) || (call.symbol && isAccessor(*call.symbol) &&
                                              as(NodeKind::Reference, strip(call.object))));
  });
  return isFound;
}

/// Whether an optimizer gets parameters that it was not made with.
static bool addsParameters(const Node *code) {
  bool isFound = false;
  forEach(code, [&](const Node &call) {
    isFound |= call.kind == NodeKind::MemberCall && isOptimizer(*call.object) &&
               llvm::any_of(call.arguments,
                            [](const Node *argument) { return isOptions(argument->type); });
  });
  return isFound;
}

/// The object of which \p options are a part.
static const Node *wholeOf(const Node *options, bool &isDefault) {
  options = strip(options);
  while (options->kind == NodeKind::MemberCall && options->symbol) {
    if (options->symbol->operation == Operation::GiveDefaults)
      isDefault = true;
    else if (!isSetter(*options->symbol) && !isAccessor(*options->symbol))
      break;
    options = strip(options->object);
  }
  return options;
}

/// Whether all copies of the variable were made before \p edit, one of them for an optimizer.
static bool isBehindCopies(const Node &edit, const Symbol &variable, const FunctionBody &function) {
  const Mentions all = mentionsOf(variable, function);
  const bool isOwn = llvm::any_of(all.found, [&](const Mentions::Found &each) {
    return each.kind == Mention::Edit && llvm::is_contained(function.around(each.site), &edit);
  });
  if (!isOwn || all.isCaptured || all.has(Mention::Other))
    return false;
  const auto loops = function.loopsAround(&edit);
  const auto isLater = [&](const Mentions::Found &each) {
    const bool sharesLoop = llvm::any_of(function.loopsAround(each.site), [&](const Node *loop) {
      return llvm::is_contained(loops, loop);
    });
    return each.kind == Mention::Copied && (sharesLoop || !isBefore(*each.site, edit, function));
  };
  return all.has(Mention::Copied) && llvm::none_of(all.found, isLater);
}

bool isLostCopy(const Symbol &variable, const FunctionBody &function) {
  if (!variable.isLocal || !variable.init || variable.type->isReference ||
      !holdsOptions(variable.type))
    return false;
  const Node *source = variable.init;
  forEach(variable.isRangeElement ? function.body : nullptr, [&](const Node &loop) {
    if (loop.kind == NodeKind::RangeFor && loop.symbol == &variable)
      source = loop.object;
  });
  return asksOptimizer(source) && mentionsOf(variable, function).only() == Mention::Edit;
}

bool isLostEdit(const Node &call, const FunctionBody &function) {
  if (call.kind != NodeKind::MemberCall || !call.symbol || !isSetter(*call.symbol) ||
      !isOptions(call.object->type))
    return false;
  bool isDefault = false;
  const Node *whole = wholeOf(call.object, isDefault);
  if (const Symbol *bound = variableOf(whole);
      bound && bound->isLocal && bound->type->isReference && bound->init)
    whole = wholeOf(bound->init, isDefault);
  if (isDefault)
    return whole->kind != NodeKind::This && !addsParameters(function.body);
  const Symbol *variable = variableOf(whole);
  return variable && variable->isLocal && !variable->isStatic && !variable->type->isReference &&
         holdsOptions(variable->type) && isBehindCopies(call, *variable, function);
}

} // namespace gradtidy
