#include "Memory.h"

#include "Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"

using namespace clang;

namespace gradtidy {

/// Whether the variable holds its object until its scope ends, and no other variable shares that.
static bool isOwner(const VarDecl &variable) {
  const QualType type = variable.getType();
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!variable.hasLocalStorage() || type->isReferenceType() || type->isAnyPointerType())
    return false;
  if (isa<ParmVarDecl>(variable))
    return !record || isStandard(record);
  // An image that is a copy of another one shares its memory.
  const Expr *made = variable.getInit() ? strip(variable.getInit()) : nullptr;
  while (const auto *construct = dyn_cast_or_null<CXXConstructExpr>(made)) {
    if (!construct->getNumArgs() || !construct->getConstructor()->isCopyOrMoveConstructor())
      return true;
    made = strip(construct->getArg(0));
  }
  return !made || !made->isLValue() || !record || isStandard(record);
}

static const CXXRecordDecl *recordOf(const Expr *object) {
  return strip(object)->getType()->getAsCXXRecordDecl();
}

/// Whether the object is a std::unique_ptr that deletes what it holds.
static bool deletes(const CXXRecordDecl *record) {
  const auto *pointer = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
  if (!pointer || !isStandard(pointer) || pointer->getName() != "unique_ptr")
    return false;
  const auto deleter = pointer->getTemplateArgs().asArray();
  const CXXRecordDecl *kind =
      deleter.size() == 2 ? deleter[1].getAsType()->getAsCXXRecordDecl() : nullptr;
  return kind && isStandard(kind) && kind->getName() == "default_delete";
}

namespace {

/// Follows a pointer to the variable in whose memory it points.
class OwnerSearch {
public:
  OwnerSearch(const Vocabulary &vocabulary, const ASTContext &context)
      : vocabulary(vocabulary), context(context) {}

  MemoryOwner search(const Expr *pointer) {
    const VarDecl *variable = holderOf(memoryOf(pointer));
    return {variable, isComputed};
  }

private:
  /// The object in whose memory \p pointer points, or null.
  const Expr *memoryOf(const Expr *pointer) {
    pointer = strip(pointer);
    if (!pointer->getType()->isPointerType()) // An array, or what an address is taken of.
      return pointer;
    if (const auto *sum = dyn_cast<BinaryOperator>(pointer); sum && sum->isAdditiveOp()) {
      const bool isFirst = sum->getLHS()->getType()->isPointerType();
      noteIndex(isFirst ? sum->getRHS() : sum->getLHS());
      return memoryOf(isFirst ? sum->getLHS() : sum->getRHS());
    }
    const Expr *object = nullptr;
    if (const auto *call = dyn_cast<CXXMemberCallExpr>(pointer))
      object = call->getImplicitObjectArgument();
    else if (const auto *member = dyn_cast<MemberExpr>(pointer); member && !member->isArrow())
      object = member->getBase(); // `image.data`
    return object && ownsElements(object) ? object : nullptr;
  }

  /// The variable of which \p object is, or is an element or a member.
  const VarDecl *holderOf(const Expr *object) {
    if (!object)
      return nullptr;
    object = strip(object);
    if (const auto *reference = dyn_cast<DeclRefExpr>(object)) {
      const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
      return variable && isOwner(*variable) ? variable : nullptr;
    }
    if (const auto *member = dyn_cast<MemberExpr>(object))
      return member->isArrow() ? nullptr : holderOf(member->getBase());
    if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(object))
      return strip(subscript->getBase())->getType()->isArrayType()
                 ? holderOf(*subscript, subscript->getBase(), subscript->getIdx())
                 : nullptr;
    const auto *call = dyn_cast<CXXOperatorCallExpr>(object);
    return call && call->getOperator() == OO_Subscript && ownsElements(call->getArg(0))
               ? holderOf(*call, call->getArg(0), call->getArg(1))
               : nullptr;
  }

  const VarDecl *holderOf(const Expr &element, const Expr *list, const Expr *index) {
    noteIndex(index);
    const CXXRecordDecl *record = recordOf(&element);
    // Of an image, what is put into the list may share the memory.
    return isComputed && record && !isStandard(record) ? nullptr : holderOf(list);
  }

  void noteIndex(const Expr *index) {
    isComputed |= index->isValueDependent() || !index->isIntegerConstantExpr(context);
  }

  bool ownsElements(const Expr *object) const {
    const CXXRecordDecl *record = recordOf(object);
    return record && (vocabulary.traitOf(record) == Trait::OwnsElements || deletes(record));
  }

  const Vocabulary &vocabulary;
  const ASTContext &context;
  bool isComputed = false;
};

} // namespace

MemoryOwner ownerOf(const Expr *pointer, const Vocabulary &vocabulary, const ASTContext &context) {
  return OwnerSearch(vocabulary, context).search(pointer);
}

const VarDecl *holderOf(const Expr *pointer, const Vocabulary &vocabulary,
                        const ASTContext &context) {
  if (const VarDecl *owner = ownerOf(pointer, vocabulary, context).variable)
    return owner;
  const auto *reference = dyn_cast<DeclRefExpr>(strip(pointer));
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return variable && variable->hasLocalStorage() && variable->getType()->isPointerType() ? variable
                                                                                         : nullptr;
}

/// Whether a function of the library reads or writes what the pointers that it gets lead to.
static bool readsMemory(const FunctionDecl &callee) {
  const StringRef name = simpleName(&callee);
  if (!isa<CXXMethodDecl>(callee) && !isStandard(&callee) && callee.getBuiltinID() == 0)
    return false;
  return llvm::is_contained({"memcpy", "memmove", "memset", "copy", "copy_n", "fill", "fill_n",
                             "accumulate", "transform", "max_element", "min_element", "sort"},
                            name) ||
         (isStandard(&callee) &&
          llvm::is_contained({"assign", "insert", "append", "write", "read"}, name));
}

static HostRead readThrough(const VarDecl &variable, const Stmt &body, const FunctionCode &function,
                            Vocabulary &vocabulary) {
  if (const auto *reference = dyn_cast<DeclRefExpr>(&body))
    return reference->getDecl() == &variable ? readBy(function, *reference, vocabulary)
                                             : HostRead::None;
  HostRead most = HostRead::None;
  for (const Stmt *child : body.children())
    if (child)
      most = std::max(most, readThrough(variable, *child, function, vocabulary));
  return most;
}

/// Whether \p code goes to elements by \p pointer.
static bool indexes(const Stmt &code, const ParmVarDecl &pointer) {
  const auto isPointer = [&](const Expr *expr) {
    const auto *reference = dyn_cast<DeclRefExpr>(strip(expr));
    return reference && reference->getDecl() == &pointer;
  };
  if (const auto *access = dyn_cast<ArraySubscriptExpr>(&code);
      access && isPointer(access->getBase()))
    return true;
  if (const auto *sum = dyn_cast<BinaryOperator>(&code);
      sum && sum->isAdditiveOp() && (isPointer(sum->getLHS()) || isPointer(sum->getRHS())))
    return true;
  return llvm::any_of(code.children(),
                      [&](const Stmt *child) { return child && indexes(*child, pointer); });
}

/// What the function that \p call calls, one of the user's, does with the pointer \p argument.
static HostRead readByCallee(const CallExpr &call, const Stmt &argument) {
  const FunctionDecl *callee = call.getDirectCallee();
  const bool isOnHost = callee && !isStandard(callee) && !callee->hasAttr<CUDAGlobalAttr>();
  const Stmt *body = isOnHost ? callee->getBody(callee) : nullptr;
  for (unsigned i = 0; body && i < std::min(call.getNumArgs(), callee->getNumParams()); ++i)
    if (call.getArg(i) == &argument && indexes(*body, *callee->getParamDecl(i)))
      return HostRead::Elements;
  return HostRead::None;
}

/// Whether the call is told how large a tensor is: by that alone it knows what it gets.
static bool isToldSizes(const CallExpr &call, Vocabulary &vocabulary) {
  return llvm::any_of(call.arguments(), [&](const Expr *argument) {
    const auto *size = dyn_cast<CXXMemberCallExpr>(strip(argument));
    return size &&
           vocabulary.roleOf(size->getImplicitObjectArgument()->getType()) == TypeRole::Tensor &&
           size->getDirectCallee() &&
           vocabulary.operationOf(size->getDirectCallee()) == Operation::CountElements;
  });
}

HostRead readBy(const FunctionCode &function, const Expr &pointer, Vocabulary &vocabulary) {
  const auto allIf = [](bool reads) { return reads ? HostRead::All : HostRead::None; };
  const Stmt *inner = &pointer;
  for (const Stmt *outer = function.statementAround(inner); outer;
       outer = function.statementAround(inner = outer)) {
    if (const auto *access = dyn_cast<ArraySubscriptExpr>(outer))
      return inner == access->getBase() ? HostRead::Elements : HostRead::None;
    const auto *unary = dyn_cast<UnaryOperator>(outer);
    if (unary && !unary->isIncrementDecrementOp())
      return unary->getOpcode() == UO_Deref ? HostRead::Elements : HostRead::None;
    if (const auto *call = dyn_cast<CallExpr>(outer))
      return call->getDirectCallee() && readsMemory(*call->getDirectCallee()) ? HostRead::All
             : isToldSizes(*call, vocabulary) ? HostRead::Packed
                                              : readByCallee(*call, *inner);
    if (const auto *construct = dyn_cast<CXXConstructExpr>(outer))
      return allIf(vocabulary.traitOf(construct->getConstructor()->getParent()) ==
                   Trait::OwnsElements);
    if (const auto *declaration = dyn_cast<DeclStmt>(outer)) {
      const auto *variable =
          declaration->isSingleDecl() ? dyn_cast<VarDecl>(declaration->getSingleDecl()) : nullptr;
      return variable && variable->getType()->isPointerType()
                 ? readThrough(*variable, *function.body, function, vocabulary)
                 : HostRead::None;
    }
    const auto *arithmetic = dyn_cast<BinaryOperator>(outer);
    if (arithmetic && arithmetic->getOpcode() == BO_Assign) {
      const auto *target = dyn_cast<DeclRefExpr>(strip(arithmetic->getLHS()));
      const auto *variable = target ? dyn_cast<VarDecl>(target->getDecl()) : nullptr;
      return variable && variable->isLocalVarDecl() && inner == arithmetic->getRHS()
                 ? readThrough(*variable, *function.body, function, vocabulary)
                 : HostRead::None;
    }
    if (!isa<CastExpr, ParenExpr, FullExpr, MaterializeTemporaryExpr>(outer) && !unary &&
        !(arithmetic && arithmetic->isAdditiveOp()))
      return HostRead::None;
  }
  return HostRead::None;
}

} // namespace gradtidy
