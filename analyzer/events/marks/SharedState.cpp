#include "SharedState.h"

#include "Samples.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace gradtidy {

/// Whether values of that type are there to keep threads apart.
static bool isForThreads(QualType type) {
  const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (const QualType object = record ? pointee(type) : QualType(); !object.isNull())
    return isForThreads(object);
  return record &&
         llvm::any_of(llvm::ArrayRef<StringRef>{"mutex", "lock_", "_lock", "spinlock", "once_flag",
                                                "atomic_flag", "semaphore", "condition_variable",
                                                "barrier"},
                      [&](StringRef part) { return record->getName().contains_insensitive(part); });
}

namespace {

/// Finds what the code that gives a sample changes of what all copies of its object share.
class Changes {
public:
  /// All workers have one object if \p isOne.
  Changes(bool isOne, Vocabulary &vocabulary) : isOne(isOne), vocabulary(vocabulary) {}

  const ValueDecl *shared = nullptr;
  const Stmt *change = nullptr;
  bool isGuarded = false; ///< Something keeps the workers apart.

  void visit(const FunctionDecl &function, unsigned depth = 0) {
    const FunctionDecl *body = function.getDefinition();
    if (body && body->doesThisDeclarationHaveABody() && depth < 4 && visited.insert(body).second)
      visit(body->getBody(), *body, depth);
  }

private:
  void visit(const Stmt *statement, const FunctionDecl &function, unsigned depth) {
    if (!statement)
      return;
    if (const auto *expr = dyn_cast<Expr>(statement)) {
      isGuarded |= isForThreads(expr->getType());
      changesHandle = false;
      if (const Expr *target = changedBy(*expr))
        note(*target, *expr);
      const auto *call = dyn_cast<CallExpr>(expr);
      for (unsigned i = 0; call && i < call->getNumArgs(); ++i) // `distribution(engine)`
        if (const Expr &argument = *call->getArg(i); drawsNumbers(argument))
          note(argument, *expr);
      const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
      isGuarded |= simpleName(callee) == "call_once" || simpleName(callee).contains("exchange");
      if (callee && isOwn(*call, *callee, function))
        visit(*callee, depth + 1);
    } else if (const auto *declared = dyn_cast<DeclStmt>(statement)) {
      for (const Decl *each : declared->decls())
        if (const auto *variable = dyn_cast<VarDecl>(each))
          isGuarded |= isForThreads(variable->getType());
    }
    for (const Stmt *child : statement->children())
      visit(child, function, depth);
  }

  /// Whether the function called is the object's own, or no method.
  bool isOwn(const CallExpr &call, const FunctionDecl &callee, const FunctionDecl &caller) const {
    if (vocabulary.isFramework(&callee) || isStandard(&callee))
      return false;
    const auto *method = dyn_cast<CXXMethodDecl>(&callee);
    if (!method || method->isStatic())
      return true;
    const Expr *object = objectOf(&call);
    return isa<CXXMethodDecl>(caller) && object && isa<CXXThisExpr>(strip(object));
  }

  bool drawsNumbers(const Expr &expr) const {
    const CXXRecordDecl *record = expr.isLValue() ? expr.getType()->getAsCXXRecordDecl() : nullptr;
    return record && vocabulary.traitOf(record) == Trait::DrawsNumbers;
  }

  /// What \p expr changes, if it changes something.
  const Expr *changedBy(const Expr &expr) {
    if (const auto *step = dyn_cast<UnaryOperator>(&expr); step && step->isIncrementDecrementOp())
      return step->getSubExpr();
    if (const auto *assignment = dyn_cast<BinaryOperator>(&expr);
        assignment && assignment->isAssignmentOp())
      return assignment->getLHS();
    const auto *call = dyn_cast<CallExpr>(&expr);
    const auto *callee = call ? dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee()) : nullptr;
    const Expr *object = callee ? objectOf(call) : nullptr;
    if (!object)
      return nullptr;
    if (vocabulary.roleOf(object->getType()) == TypeRole::Tensor) {
      const auto *operation = dyn_cast<CXXOperatorCallExpr>(call);
      const bool isRebound = operation && operation->getOperator() == OO_Equal;
      changesHandle = isRebound;
      return vocabulary.changesObject(*call) ? object : nullptr;
    }
    return changesObject(*callee) ? object : nullptr;
  }

  /// Whether a method of the standard library changes its object, as against handing out a part.
  bool changesObject(const CXXMethodDecl &method) const {
    if (method.isConst() || method.isStatic() || !isStandard(&method))
      return false;
    if (vocabulary.traitOf(method.getParent()) == Trait::DrawsNumbers)
      return true;
    return llvm::is_contained(llvm::ArrayRef<StringRef>{"push_back", "emplace_back", "pop_back",
                                                        "push", "pop", "push_front", "pop_front",
                                                        "insert", "emplace", "try_emplace",
                                                        "insert_or_assign", "erase", "clear",
                                                        "resize", "seekg", "read", "getline"},
                              simpleName(&method));
  }

  void note(const Expr &target, const Expr &by) {
    const ValueDecl *owner = sharedBy(target);
    if (owner && !shared) {
      shared = owner;
      change = &by;
    }
  }

  /// What all workers share of which \p target is a part; null where it is an element that is
  /// chosen by its number: each worker has other samples.
  const ValueDecl *sharedBy(const Expr &target) {
    // Through a pointer, or the handle of a tensor.
    bool isReached = target.getType()->isPointerType();
    const Expr *expr = target.IgnoreParenImpCasts();
    while (true) {
      if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(expr))
        expr = temporary->getSubExpr()->IgnoreParenImpCasts();
      else if (const auto *bound = dyn_cast<CXXBindTemporaryExpr>(expr))
        expr = bound->getSubExpr()->IgnoreParenImpCasts();
      else if (const auto *star = dyn_cast<UnaryOperator>(expr);
               star && star->getOpcode() == UO_Deref) {
        isReached = true;
        expr = star->getSubExpr()->IgnoreParenImpCasts();
      } else if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(expr);
                 operation &&
                 (operation->getOperator() == OO_Star || operation->getOperator() == OO_Arrow)) {
        isReached = true;
        expr = operation->getArg(0)->IgnoreParenImpCasts();
      } else if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(expr);
                 operation && operation->getOperator() == OO_Subscript &&
                 isMap(operation->getArg(0)->getType())) {
        expr = operation->getArg(0)->IgnoreParenImpCasts();
      } else if (const auto *member = dyn_cast<MemberExpr>(expr)) {
        const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
        if (!field)
          return asGlobal(dyn_cast<VarDecl>(member->getMemberDecl()));
        const Expr *base = member->getBase()->IgnoreParenImpCasts();
        if (isa<CXXThisExpr>(base)) {
          const QualType type = field->getType();
          isReached |= isOne || type->isReferenceType() ||
                       (vocabulary.roleOf(type) == TypeRole::Tensor && !changesHandle);
          return isReached && !isUnique(type) ? field : nullptr;
        }
        isReached |= member->isArrow();
        expr = base;
      } else {
        break;
      }
    }
    const auto *reference = dyn_cast<DeclRefExpr>(expr);
    return reference ? asGlobal(dyn_cast<VarDecl>(reference->getDecl())) : nullptr;
  }

  static bool isMap(QualType type) {
    const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
    return record && isStandard(record) && record->getName().contains("map");
  }

  static bool isUnique(QualType type) {
    const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
    return record && record->getName() == "unique_ptr";
  }

  static const ValueDecl *asGlobal(const VarDecl *variable) {
    return variable && variable->hasGlobalStorage() && variable->getTSCSpec() == TSCS_unspecified &&
                   !variable->getType().isConstQualified()
               ? variable
               : nullptr;
  }

  const bool isOne;
  bool changesHandle = false; ///< Of what is looked at: the handle of a tensor, not its elements.
  Vocabulary &vocabulary;
  llvm::SmallPtrSet<const FunctionDecl *, 8> visited;
};

} // namespace

/// Whether all workers have the one object of a class that derives of \p record.
static bool isStateful(const CXXRecordDecl &record, const Vocabulary &vocabulary) {
  if (vocabulary.traitOf(&record) == Trait::SharedByWorkers)
    return true;
  return record.hasDefinition() && llvm::any_of(record.bases(), [&](const CXXBaseSpecifier &base) {
           const CXXRecordDecl *parent = base.getType()->getAsCXXRecordDecl();
           return parent && isStateful(*parent, vocabulary);
         });
}

void markShared(LoaderOptions &options, QualType dataset, Vocabulary &vocabulary) {
  for (const CXXRecordDecl *record : sampleClasses(dataset, vocabulary)) {
    Changes changes(isStateful(*record, vocabulary), vocabulary);
    for (const CXXMethodDecl *method : record->methods())
      if (givesSamples(*method))
        changes.visit(*method);
    if (changes.isGuarded || !changes.shared)
      continue;
    options.shared = vocabulary.code().symbol(changes.shared);
    options.change = vocabulary.code().node(changes.change);
    return;
  }
}

} // namespace gradtidy
