#include "Temporaries.h"

#include "analyzer/events/values/Syntax.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace gradtidy {
namespace {

/// When a tensor that an expression makes ends, and what it may be instead.
struct Transient {
  Ending ending = Ending::None;
  const Expr *made = nullptr;     ///< The call that makes it.
  const Expr *original = nullptr; ///< What it may be itself.
};

/// Follows tensors to what they are made of: of their memory, or of the objects that hold their
/// shapes, which views have of their own.
class Follower {
public:
  Follower(bool isOfMemory, Vocabulary &vocabulary)
      : isOfMemory(isOfMemory), vocabulary(vocabulary) {}

  Transient follow(const Expr *tensor) const;

private:
  Transient followValue(const CallExpr &call, const FunctionDecl &callee, const Expr *base) const;
  bool isNew(const CallExpr &call, const FunctionDecl &callee) const;
  bool onlyMoves(const CallExpr &call) const;

  bool isOfMemory;
  Vocabulary &vocabulary;
};

Transient Follower::follow(const Expr *tensor) const {
  tensor = strip(tensor);
  if (const auto *construct = dyn_cast<CXXConstructExpr>(tensor))
    return construct->getNumArgs() == 1 && isCopyOrMove(construct) ? follow(construct->getArg(0))
                                                                   : Transient();
  const auto *call = dyn_cast<CallExpr>(tensor);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee)
    return {};
  const Expr *object = objectOf(call);
  if (object && isModule(vocabulary.roleOf(object->getType())))
    return isForward(callee) && call->isPRValue() ? Transient{Ending::Mostly, call} : Transient();
  if (isStandard(callee) && simpleName(callee) == "get" && call->getNumArgs() == 1) {
    const auto *tuple = dyn_cast<CallExpr>(strip(call->getArg(0))); // `std::get<0>(x.max(1))`
    const FunctionDecl *maker = tuple ? tuple->getDirectCallee() : nullptr;
    return maker && tuple->isPRValue() && isNew(*tuple, *maker) ? Transient{Ending::Always, tuple}
                                                                : Transient();
  }
  if (!call->isPRValue()) // `x.clone().mul_(2)` is the clone.
    return object && vocabulary.worksInPlace(callee) ? follow(object) : Transient();
  if (!vocabulary.isFramework(callee) || call->getType()->isPointerType())
    return {};
  const Expr *base = object ? object : call->getNumArgs() ? call->getArg(0) : nullptr;
  return base ? followValue(*call, *callee, base) : Transient();
}

Transient Follower::followValue(const CallExpr &call, const FunctionDecl &callee,
                                const Expr *base) const {
  const Operation operation = vocabulary.operationOf(&callee);
  const FunctionRole role = vocabulary.roleOf(&callee);
  const Trait trait = vocabulary.traitOf(&callee);
  const Transient before = follow(base);
  const auto unlessSame = [&](Ending ending) {
    if (before.ending == Ending::None)
      return Transient{ending, &call, base};
    return Transient{before.ending == Ending::Always ? Ending::Always : Ending::Mostly, &call};
  };
  if (trait == Trait::SharesHandle)
    return before;
  if (role == FunctionRole::MoveToCpu || role == FunctionRole::MoveToCuda)
    return unlessSame(Ending::Copied);
  if (role == FunctionRole::Move)
    return unlessSame(onlyMoves(call) ? Ending::Copied : Ending::Mostly);
  if (trait == Trait::Packs)
    return unlessSame(Ending::Packed);
  if (sharesMemory(operation) || role == FunctionRole::Detach)
    return isOfMemory ? before : Transient{Ending::Always, &call};
  return isNew(call, callee) ? Transient{Ending::Always, &call} : Transient();
}

/// Whether the function makes a tensor, or several, in memory of their own.
bool Follower::isNew(const CallExpr &call, const FunctionDecl &callee) const {
  const Operation operation = vocabulary.operationOf(&callee);
  switch (operation) {
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
  switch (vocabulary.roleOf(&callee)) {
  case FunctionRole::Create:
  case FunctionRole::CreateLike:
  case FunctionRole::NonDifferentiable:
  case FunctionRole::Reduce:
    return true;
  default:
    break;
  }
  const Trait trait = vocabulary.traitOf(&callee);
  return trait == Trait::KeepsStrides || trait == Trait::MakesNew || trait == Trait::GivesIndices;
}

/// Whether all that `to()` is told is a device.
bool Follower::onlyMoves(const CallExpr &call) const {
  bool isTold = false;
  for (const Expr *argument : call.arguments()) {
    if (isa<CXXDefaultArgExpr>(argument))
      break;
    const QualType type = originalOf(argument)->getType();
    if (type->isBooleanType())
      continue;
    if (vocabulary.roleOf(type) != TypeRole::Device)
      return false;
    isTold = true;
  }
  return isTold;
}

DanglingView danglingView(const Transient &transient, Vocabulary &vocabulary, Values &values) {
  if (transient.ending == Ending::None)
    return {};
  DanglingView left{.ending = transient.ending,
                    .temporary = vocabulary.code().node(transient.made)};
  if (transient.original) {
    left.copy = values.pathOf(transient.made);
    left.original = values.pathOf(transient.original);
  }
  return left;
}

// --- pointers -----------------------------------------------------------------------------------

const VarDecl *variableAt(const Expr *place) {
  const auto *reference = dyn_cast<DeclRefExpr>(place->IgnoreParenImpCasts());
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

/// Who holds a value when its full expression has ended.
struct Keeping {
  bool isKept = false;
  const VarDecl *variable = nullptr;
};

Keeping keptIn(const FunctionCode &function, const DeclStmt &declarations, const Stmt *value,
               bool isWrapped) {
  for (const Decl *declaration : declarations.decls())
    if (const auto *variable = dyn_cast<VarDecl>(declaration);
        variable && variable->getInit() == value &&
        (isWrapped || variable->getType()->isPointerType()))
      return {function.mentions(*variable), variable};
  return {};
}

/// What \p call, which gets the pointer as \p argument, makes of it.
enum class Passing : unsigned char { Lost, Kept, Wrapped };

Passing passingTo(const CallExpr &call, const Stmt *argument, bool isWrapped,
                  Vocabulary &vocabulary) {
  const FunctionDecl *callee = call.getDirectCallee();
  if (!callee)
    return Passing::Lost;
  const auto *operation = dyn_cast<CXXOperatorCallExpr>(&call);
  if (operation && operation->getOperator() == OO_Equal)
    return isWrapped && call.getArg(1) == argument ? Passing::Kept : Passing::Lost;
  if (vocabulary.operationOf(callee) == Operation::WrapMemory) {
    const bool hasDeleter = llvm::any_of(
        call.arguments(), [](const Expr *each) { return Vocabulary::isClosure(each->getType()); });
    return call.getArg(0) == argument && !hasDeleter ? Passing::Wrapped : Passing::Lost;
  }
  const StringRef name = simpleName(callee);
  return isStandard(callee) && (name == "push_back" || name == "emplace_back") ? Passing::Kept
                                                                               : Passing::Lost;
}

/// Whether a constructor of the user's leaves in a member the pointer that it gets as \p argument.
bool keepsPointer(const CXXConstructExpr &construct, const Stmt *argument) {
  const FunctionDecl *definition = nullptr;
  if (!construct.getConstructor()->isDefined(definition))
    return false;
  const auto *constructor = cast<CXXConstructorDecl>(definition);
  return llvm::any_of(constructor->inits(), [&](const CXXCtorInitializer *member) {
    const auto *named = dyn_cast<DeclRefExpr>(strip(member->getInit()));
    const auto *parameter = named ? dyn_cast<ParmVarDecl>(named->getDecl()) : nullptr;
    const unsigned index = parameter ? parameter->getFunctionScopeIndex() : ~0u;
    return member->isMemberInitializer() && member->getMember()->getType()->isPointerType() &&
           index < construct.getNumArgs() && construct.getArg(index) == argument;
  });
}

/// Whether the class is that of images over memory which is not their own.
bool isOfImages(const CXXRecordDecl *record, Vocabulary &vocabulary) {
  return !isStandard(record) && vocabulary.traitOf(record) == Trait::OwnsElements;
}

Keeping keepingOf(const FunctionCode &function, const Expr &pointer, Vocabulary &vocabulary) {
  bool isWrapped = false;
  const Stmt *inner = &pointer;
  for (const Stmt *outer = function.statementAround(inner); outer;
       outer = function.statementAround(inner = outer)) {
    if (const auto *declarations = dyn_cast<DeclStmt>(outer))
      return keptIn(function, *declarations, inner, isWrapped);
    if (isa<ReturnStmt>(outer))
      return {true};
    if (const auto *operation = dyn_cast<BinaryOperator>(outer)) {
      if (operation->getOpcode() == BO_Assign && operation->getRHS() == inner)
        return {true, variableAt(operation->getLHS())};
      if (!operation->isAdditiveOp() || !operation->getType()->isPointerType())
        return {};
    } else if (const auto *choice = dyn_cast<ConditionalOperator>(outer)) {
      if (choice->getCond() == inner)
        return {};
    } else if (const auto *construct = dyn_cast<CXXConstructExpr>(outer)) {
      const bool keeps = isOfImages(construct->getConstructor()->getParent(), vocabulary) ||
                         keepsPointer(*construct, inner);
      if (!keeps && !(isWrapped && isCopyOrMove(construct)))
        return {};
      isWrapped = true;
    } else if (const auto *call = dyn_cast<CallExpr>(outer)) {
      const Passing passing = passingTo(*call, inner, isWrapped, vocabulary);
      const Expr *object = objectOf(call);
      if (passing != Passing::Wrapped)
        return {passing == Passing::Kept, object ? variableAt(object) : nullptr};
      isWrapped = true;
    } else if (isa<InitListExpr>(outer)) { // `Image image{rows, cols, pointer}`
      const bool isObject = cast<InitListExpr>(outer)->getType()->isRecordType();
      if (!isObject)
        return {};
      isWrapped = true;
    } else if (!isa<CastExpr, ParenExpr, FullExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr>(
                   outer)) {
      return {};
    }
  }
  return {};
}

/// Whether \p value is what `contiguous()` gives.
bool packs(const Expr *value, Vocabulary &vocabulary) {
  const auto *call = value ? dyn_cast<CallExpr>(originalOf(value)) : nullptr;
  return call && call->getDirectCallee() &&
         vocabulary.traitOf(call->getDirectCallee()) == Trait::Packs;
}

/// Whether \p part asks whether \p tensor is contiguous, or makes it so, as resize_() does.
bool knowsOrder(const Stmt &part, Entity tensor, Vocabulary &vocabulary) {
  if (const auto *call = dyn_cast<CXXMemberCallExpr>(&part);
      call &&
      (simpleName(call->getMethodDecl()) == "is_contiguous" ||
       simpleName(call->getMethodDecl()) == "resize_") &&
      entityOf(strip(call->getImplicitObjectArgument())) == tensor)
    return true;
  if (const auto *expr = dyn_cast<Expr>(&part))
    if (const std::optional<Assigned> assigned = asAssignment(expr);
        assigned && entityOf(strip(assigned->target)) == tensor &&
        packs(assigned->value, vocabulary))
      return true;
  if (const auto *declarations = dyn_cast<DeclStmt>(&part))
    for (const Decl *declaration : declarations->decls())
      if (const auto *variable = dyn_cast<VarDecl>(declaration);
          variable && variable == tensor && packs(variable->getInit(), vocabulary))
        return true;
  return llvm::any_of(part.children(), [&](const Stmt *child) {
    return child && knowsOrder(*child, tensor, vocabulary);
  });
}

// --- views --------------------------------------------------------------------------------------

bool isView(QualType type, Vocabulary &vocabulary) {
  const CXXRecordDecl *record =
      type.isNull() ? nullptr : type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && vocabulary.traitOf(record) == Trait::ViewsElements;
}

bool ownsElements(const CXXRecordDecl *record, Vocabulary &vocabulary) {
  return record && vocabulary.traitOf(record) == Trait::OwnsElements;
}

/// Whether \p elements, of which a view is made, ends with the expression.
bool isTemporaryList(const Expr *elements, Vocabulary &vocabulary) {
  const Expr *bare = strip(elements);
  if (const auto *list = dyn_cast<InitListExpr>(bare))
    return list->getNumInits() > 0;
  if (isArithmetic(bare)) // The view is of this one number, if the class does not convert it.
    return elements->isPRValue() || isa<MaterializeTemporaryExpr>(elements->IgnoreParens());
  return bare->isPRValue() && ownsElements(bare->getType()->getAsCXXRecordDecl(), vocabulary);
}

bool isLiteral(const Expr *number) {
  number = strip(number);
  const auto *negative = dyn_cast<UnaryOperator>(number);
  return isa<IntegerLiteral>(negative ? strip(negative->getSubExpr()) : number);
}

/// Of a braced list of constants, compilers may keep the one copy for good, but need not.
Ending endingOf(const Expr *elements) {
  const auto *list = dyn_cast<InitListExpr>(strip(elements));
  return list && llvm::all_of(list->inits(), isLiteral) ? Ending::Mostly : Ending::Always;
}

bool isLocalList(const Expr *elements, Vocabulary &vocabulary) {
  const auto *reference = dyn_cast<DeclRefExpr>(strip(elements));
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return variable && variable->hasLocalStorage() && !variable->getType()->isReferenceType() &&
         (variable->getType()->isArrayType() ||
          ownsElements(variable->getType()->getAsCXXRecordDecl(), vocabulary));
}

/// The temporary list of which \p element, no temporary itself, is an element or a part, or leads
/// to one.
const Expr *temporaryAround(const Expr *element, Vocabulary &vocabulary) {
  const auto *call = dyn_cast<CallExpr>(strip(element));
  const auto *method = call ? dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee()) : nullptr;
  const QualType pointee = call ? call->getType()->getPointeeType() : QualType();
  if (!method || !(call->isLValue() || (!pointee.isNull() && pointee->isRecordType())))
    return nullptr;
  const CXXRecordDecl *record = method->getParent();
  const auto *outer = dyn_cast<CXXRecordDecl>(record->getDeclContext()); // An item of a dictionary.
  if (!ownsElements(record, vocabulary) && !ownsElements(outer, vocabulary))
    return nullptr;
  const Expr *object = objectOf(call);
  const auto *made = object ? dyn_cast<CallExpr>(strip(object)) : nullptr;
  if (!made || !made->getDirectCallee())
    return nullptr;
  if (made->isPRValue() && !made->getType()->isPointerType())
    return vocabulary.isFramework(made->getDirectCallee()) ||
                   vocabulary.holdsTensors(made->getType())
               ? made
               : nullptr;
  return temporaryAround(made, vocabulary);
}

} // namespace

DanglingView leftByPointer(const FunctionCode &function, const CallExpr &pointer,
                           Vocabulary &vocabulary, Values &values) {
  const Expr *tensor = objectOf(&pointer);
  const QualType pointee = pointer.getType()->getPointeeType();
  if (!tensor || pointee.isNull() || !(pointee->isVoidType() || pointee->isArithmeticType()))
    return {};
  const Transient transient = Follower(/*isOfMemory=*/true, vocabulary).follow(tensor);
  if (transient.ending == Ending::None)
    return {};
  const Keeping keeping = keepingOf(function, pointer, vocabulary);
  const Entity original = transient.original ? entityOf(strip(transient.original)) : nullptr;
  if (!keeping.isKept || (transient.ending == Ending::Packed && original &&
                          knowsOrder(*function.body, original, vocabulary)))
    return {};
  DanglingView left = danglingView(transient, vocabulary, values);
  left.keeper = function.map.symbol(keeping.variable);
  return left;
}

bool leadsElsewhere(QualType type, Vocabulary &vocabulary) { return isView(type, vocabulary); }

bool leadsIntoObject(const CallExpr &call, const Expr &object, Vocabulary &vocabulary) {
  const FunctionDecl *callee = call.getDirectCallee();
  const QualType type = call.getType(), held = object.getType().getNonReferenceType();
  const QualType pointee = type->getPointeeType();
  const bool isPointer =
      type->isPointerType() && (pointee->isVoidType() || pointee->isArithmeticType());
  if (isView(held, vocabulary))
    return isView(type, vocabulary);
  if (isPointer && isStandard(callee) && ownsElements(held->getAsCXXRecordDecl(), vocabulary))
    return true;
  return vocabulary.roleOf(held) == TypeRole::Tensor && vocabulary.isFramework(callee) &&
         (isPointer || isView(type, vocabulary) ||
          vocabulary.operationOf(callee) == Operation::AccessElements);
}

bool leadsIntoArgument(const CXXConstructExpr &construct, Vocabulary &vocabulary) {
  const CXXRecordDecl *record = construct.getConstructor()->getParent();
  if (construct.getNumArgs() == 0)
    return false;
  if (vocabulary.traitOf(record) == Trait::ViewsElements) {
    const Expr *list = construct.getArg(0)->IgnoreParenImpCasts();
    const CXXRecordDecl *held = list->getType()->getAsCXXRecordDecl();
    return list->getType()->isPointerType() ||
           (held && list->isLValue() && isStandard(held) && ownsElements(held, vocabulary));
  }
  const bool takesPointer = llvm::any_of(construct.arguments(), [](const Expr *argument) {
    const QualType pointee = argument->getType()->getPointeeType();
    return argument->getType()->isPointerType() &&
           (pointee->isVoidType() || pointee->isArithmeticType());
  });
  if (!takesPointer || !record->hasDefinition())
    return false;
  // What has nothing to free does not own what its pointers lead to.
  const auto keepsPointer = [](const FieldDecl *field) {
    return field->getType()->isPointerType();
  };
  return isOfImages(record, vocabulary) ||
         (record->hasTrivialDestructor() && llvm::any_of(record->fields(), keepsPointer));
}

DanglingView leftByWrapping(const FunctionCode &function, const CallExpr &wrapping,
                            Vocabulary &vocabulary) {
  const Expr *pointer = strip(wrapping.getArg(0));
  for (const auto *sum = dyn_cast<BinaryOperator>(pointer); sum && sum->isAdditiveOp();
       sum = dyn_cast<BinaryOperator>(pointer))
    pointer = strip(sum->getLHS()->getType()->isPointerType() ? sum->getLHS() : sum->getRHS());
  const auto *call = dyn_cast<CXXMemberCallExpr>(pointer);
  const Expr *list = call ? strip(call->getImplicitObjectArgument()) : nullptr;
  const CXXRecordDecl *record = list ? list->getType()->getAsCXXRecordDecl() : nullptr;
  // An image may share its memory with others.
  if (!record || !list->isPRValue() || !isStandard(record) || !ownsElements(record, vocabulary))
    return {};
  if (!keepingOf(function, *pointer, vocabulary).isKept)
    return {};
  return {.ending = Ending::Always, .temporary = function.map.node(list)};
}

DanglingView leftByView(const Expr *value, bool leavesFunction, Vocabulary &vocabulary,
                        Values &values) {
  value = strip(value);
  if (!isView(value->getType(), vocabulary))
    return {};
  if (const auto *construct = dyn_cast<CXXConstructExpr>(value)) {
    if (construct->getNumArgs() == 0 || isa<CXXDefaultArgExpr>(construct->getArg(0)))
      return {};
    const Expr *elements = construct->getArg(0);
    if (isView(strip(elements)->getType(), vocabulary))
      return leftByView(elements, leavesFunction, vocabulary, values);
    const bool isSole =
        construct->getNumArgs() == 1 || isa<CXXDefaultArgExpr>(construct->getArg(1));
    const bool ends = isSole && (isTemporaryList(elements, vocabulary) ||
                                 (leavesFunction && isLocalList(elements, vocabulary)));
    return ends ? DanglingView{.ending = endingOf(elements),
                               .temporary = vocabulary.code().node(strip(elements))}
                : DanglingView();
  }
  const auto *call = dyn_cast<CallExpr>(value);
  const Expr *object = call && call->getDirectCallee() ? objectOf(call) : nullptr;
  if (!object || !call->isPRValue())
    return {};
  if (isView(strip(object)->getType(), vocabulary)) // `x.sizes().slice(1)`
    return leftByView(object, leavesFunction, vocabulary, values);
  if (vocabulary.roleOf(object->getType()) != TypeRole::Tensor)
    return {};
  return danglingView(Follower(/*isOfMemory=*/false, vocabulary).follow(object), vocabulary,
                      values);
}

DanglingView leftByVariable(const FunctionCode &function, const VarDecl &variable,
                            Vocabulary &vocabulary, Values &values) {
  const Expr *value = variable.getInit();
  // Since C++23 what a loop goes over lives as long as the loop.
  const bool isRange = variable.isImplicit();
  if (!value || value->isTypeDependent() || !function.mentions(variable) ||
      (isRange && variable.getASTContext().getLangOpts().CPlusPlus23))
    return {};
  DanglingView left;
  if (isView(variable.getType(), vocabulary)) {
    left = leftByView(value, /*leavesFunction=*/false, vocabulary, values);
  } else if (variable.getType()->isReferenceType() || variable.getType()->isPointerType()) {
    if (const Expr *list = temporaryAround(value, vocabulary))
      left = {.ending = Ending::Always, .temporary = function.map.node(list)};
  } else if (const auto *members = dyn_cast<InitListExpr>(strip(value))) { // `Space space{{2}}`
    for (const Expr *member : members->inits())
      if (left.ending == Ending::None && isView(member->getType(), vocabulary))
        left = leftByView(member, /*leavesFunction=*/false, vocabulary, values);
  }
  if (left.ending != Ending::None && !isRange)
    left.keeper = function.map.symbol(&variable);
  return left;
}

DanglingView leftByPointerTo(const BinaryOperator &assignment, Vocabulary &vocabulary) {
  const Expr *list = assignment.getType()->isPointerType()
                         ? temporaryAround(assignment.getRHS(), vocabulary)
                         : nullptr;
  if (!list)
    return {};
  CodeMap &map = vocabulary.code();
  return {.ending = Ending::Always,
          .temporary = map.node(list),
          .keeper = map.symbol(variableAt(assignment.getLHS()))};
}

} // namespace gradtidy
