#include "OptionEdits.h"

#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace gradtidy {
namespace {

using Ancestors = llvm::SmallVector<const Stmt *, 16>;

/// What a function does with a variable where it names it.
enum class Mention : unsigned char {
  Edit,   ///< It changes options.
  Read,   ///< It reads a number of them.
  Copied, ///< They are copied.
  Other,
};

bool isOptions(QualType type, Vocabulary &vocabulary) {
  return vocabulary.traitOfObject(type.getNonReferenceType()) == Trait::StepOptions;
}

/// Whether values of the type are options, or lists of them, and no handles to some.
bool holdsOptions(QualType type, Vocabulary &vocabulary) {
  const auto *record = dyn_cast_or_null<CXXRecordDecl>(type->getAsRecordDecl());
  if (!record || !pointee(type).isNull())
    return false;
  const auto *list = dyn_cast<ClassTemplateSpecializationDecl>(record);
  if (list && isStandard(list) && list->getName() == "vector")
    return holdsOptions(list->getTemplateArgs()[0].getAsType(), vocabulary);
  return isOptions(type, vocabulary);
}

/// Whether the method only gives a part of the object, to be changed.
bool isAccessor(const CXXMethodDecl &method, Vocabulary &vocabulary) {
  const QualType result = method.getReturnType();
  return method.getNumParams() <= 1 && (result->isReferenceType() || result->isPointerType()) &&
         holdsOptions(result->isPointerType() ? result->getPointeeType()
                                              : result.getNonReferenceType(),
                      vocabulary);
}

bool isSetter(const CXXMethodDecl &method, Vocabulary &vocabulary) {
  return !method.isConst() && method.getNumParams() == 1 && method.getIdentifier() &&
         vocabulary.traitOfClass(*method.getParent()) == Trait::StepOptions;
}

/// Goes through a function and says what it does with a variable.
class Mentions {
public:
  Mentions(const VarDecl &variable, Vocabulary &vocabulary)
      : variable(variable), vocabulary(vocabulary) {}

  void visit(const Stmt *statement) {
    if (const auto *reference = dyn_cast<DeclRefExpr>(statement);
        reference && reference->getDecl() == &variable)
      found.push_back({reference, kindOf(reference), loopsAround()});
    if (const auto *closure = dyn_cast<LambdaExpr>(statement))
      for (const LambdaCapture &capture : closure->captures())
        isCaptured |= capture.capturesVariable() && capture.getCapturedVar() == &variable;
    ancestors.push_back(statement);
    for (const Stmt *child : statement->children())
      if (child)
        visit(child);
    ancestors.pop_back();
  }

  struct Found {
    const Expr *site;
    Mention kind;
    Ancestors loops;
  };
  std::vector<Found> found;
  bool isCaptured = false;

private:
  Ancestors loopsAround() const {
    Ancestors loops;
    llvm::copy_if(ancestors, std::back_inserter(loops), [](const Stmt *each) {
      return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(each);
    });
    return loops;
  }

  Mention kindOf(const Expr *inner) const {
    bool isEdited = false;
    for (const Stmt *around : llvm::reverse(ancestors)) {
      if (isa<ParenExpr, MemberExpr, ExprWithCleanups, CXXBindTemporaryExpr,
              MaterializeTemporaryExpr>(around)) {
      } else if (const auto *cast = dyn_cast<CastExpr>(around)) {
        if (cast->getCastKind() == CK_LValueToRValue && cast->getType()->isArithmeticType())
          return Mention::Read;
      } else if (const auto *address = dyn_cast<UnaryOperator>(around)) {
        if (address->getOpcode() != UO_AddrOf && address->getOpcode() != UO_Deref)
          return Mention::Other;
      } else if (const auto *call = dyn_cast<CXXMemberCallExpr>(around);
                 call && call->getCallee() == inner) {
        const CXXMethodDecl *method = call->getMethodDecl();
        if (!method)
          return Mention::Other;
        if (isSetter(*method, vocabulary))
          isEdited = true;
        else if (call->getType()->isArithmeticType() && !call->isLValue())
          return Mention::Read;
        else if (!isAccessor(*method, vocabulary) &&
                 !(call->isLValue() && call->getType()->isArithmeticType()))
          return Mention::Other;
      } else if (const auto *access = dyn_cast<CXXOperatorCallExpr>(around)) {
        if (access->getOperator() != OO_Subscript || access->getArg(0) != inner)
          return Mention::Other;
      } else if (const auto *assignment = dyn_cast<BinaryOperator>(around)) {
        return assignment->isAssignmentOp() && assignment->getLHS() == inner &&
                       assignment->getType()->isArithmeticType()
                   ? Mention::Edit
                   : Mention::Other;
      } else if (const auto *copy = dyn_cast<CXXConstructExpr>(around)) {
        return !isEdited && copy->getConstructor()->isCopyConstructor() ? Mention::Copied
                                                                        : Mention::Other;
      } else if (const auto *made = dyn_cast<CallExpr>(around)) {
        return isFactory(made->getDirectCallee()) ? Mention::Copied : Mention::Other;
      } else if (const auto *declaration = dyn_cast<DeclStmt>(around)) {
        return ofName(*declaration);
      } else {
        return isEdited && !isa<Expr, ReturnStmt>(around) ? Mention::Edit : Mention::Other;
      }
      if (const auto *expr = dyn_cast<Expr>(around))
        inner = expr;
    }
    return Mention::Other;
  }

  /// What the function does by another name that \p declaration gives what is mentioned: as the
  /// element of a loop, or a part.
  Mention ofName(const DeclStmt &declaration) const {
    const auto own = llvm::find(ancestors, &declaration);
    const auto *loop =
        own == ancestors.begin() ? nullptr : dyn_cast<CXXForRangeStmt>(*std::prev(own));
    const bool isRange = loop && loop->getRangeStmt() == &declaration;
    const auto *name = isRange                      ? loop->getLoopVariable()
                       : declaration.isSingleDecl() ? dyn_cast<VarDecl>(declaration.getSingleDecl())
                                                    : nullptr;
    if (!name || !(name->getType()->isReferenceType() || name->getType()->isPointerType()))
      return isRange ? Mention::Read : Mention::Other; // A copy speaks for itself.
    Mentions inner(*name, vocabulary);
    inner.visit(ancestors.front());
    return inner.only();
  }

public:
  /// Edit if that is all, but for reading; else Other.
  Mention only() const {
    const bool isOther = isCaptured || llvm::any_of(found, [](const Found &each) {
                           return each.kind == Mention::Other || each.kind == Mention::Copied;
                         });
    const bool isEdited =
        llvm::any_of(found, [](const Found &each) { return each.kind == Mention::Edit; });
    return isOther ? Mention::Other : isEdited ? Mention::Edit : Mention::Read;
  }

private:
  const VarDecl &variable;
  Vocabulary &vocabulary;
  Ancestors ancestors;
};

/// Whether \p statement asks an optimizer, or what is already one's, for its options.
bool asksOptimizer(const Stmt *statement, Vocabulary &vocabulary) {
  if (const auto *call = dyn_cast<CXXMemberCallExpr>(statement))
    if (const Expr *object = call->getImplicitObjectArgument();
        object &&
        (vocabulary.roleOf(object->getType()) == TypeRole::Optimizer ||
         (isAccessor(*call->getMethodDecl(), vocabulary) && isa<DeclRefExpr>(strip(object)))))
      return true;
  return llvm::any_of(statement->children(),
                      [&](const Stmt *child) { return child && asksOptimizer(child, vocabulary); });
}

/// The loop in \p statement that \p variable is the variable of, or null.
const CXXForRangeStmt *loopOf(const VarDecl &variable, const Stmt *statement) {
  if (const auto *loop = dyn_cast<CXXForRangeStmt>(statement);
      loop && loop->getLoopVariable() == &variable)
    return loop;
  for (const Stmt *child : statement->children())
    if (const CXXForRangeStmt *found = child ? loopOf(variable, child) : nullptr)
      return found;
  return nullptr;
}

/// Whether an optimizer gets parameters that it was not made with.
bool addsParameters(const Stmt *statement, Vocabulary &vocabulary) {
  const auto *call = dyn_cast<CXXMemberCallExpr>(statement);
  const Expr *object = call ? call->getImplicitObjectArgument() : nullptr;
  if (object && vocabulary.roleOf(object->getType()) == TypeRole::Optimizer &&
      llvm::any_of(call->arguments(), [&](const Expr *argument) {
        return isOptions(argument->getType(), vocabulary);
      }))
    return true;
  return llvm::any_of(statement->children(), [&](const Stmt *child) {
    return child && addsParameters(child, vocabulary);
  });
}

/// The object of which \p options are a part.
const Expr *wholeOf(const Expr *options, Vocabulary &vocabulary, bool &isDefault) {
  options = strip(options);
  while (const auto *call = dyn_cast<CXXMemberCallExpr>(options)) {
    const CXXMethodDecl *method = call->getMethodDecl();
    if (!method)
      break;
    if (vocabulary.operationOf(method) == Operation::GiveDefaults)
      isDefault = true;
    else if (!isSetter(*method, vocabulary) && !isAccessor(*method, vocabulary))
      break;
    options = strip(call->getImplicitObjectArgument());
  }
  return options;
}

/// Whether all copies of the variable were made before \p edit, one of them for an optimizer.
bool isBehindCopies(const Expr &edit, const VarDecl &variable, const FunctionDecl &function,
                    Vocabulary &vocabulary) {
  const SourceManager &sources = function.getASTContext().getSourceManager();
  Mentions mentions(variable, vocabulary);
  mentions.visit(function.getBody());
  if (mentions.isCaptured)
    return false;
  const auto own = llvm::find_if(mentions.found, [&](const Mentions::Found &each) {
    return each.kind == Mention::Edit &&
           !sources.isBeforeInTranslationUnit(each.site->getBeginLoc(), edit.getBeginLoc()) &&
           !sources.isBeforeInTranslationUnit(edit.getEndLoc(), each.site->getBeginLoc());
  });
  if (own == mentions.found.end())
    return false;
  bool isCopied = false;
  for (const Mentions::Found &each : mentions.found) {
    if (each.kind == Mention::Other)
      return false;
    if (each.kind != Mention::Copied)
      continue;
    isCopied = true;
    const bool isBefore =
        sources.isBeforeInTranslationUnit(each.site->getBeginLoc(), edit.getBeginLoc());
    const bool sharesLoop = llvm::any_of(
        each.loops, [&](const Stmt *loop) { return llvm::is_contained(own->loops, loop); });
    if (!isBefore || sharesLoop)
      return false;
  }
  return isCopied;
}

} // namespace

bool isLostCopy(const VarDecl &variable, const FunctionDecl &function, Vocabulary &vocabulary) {
  if (!variable.isLocalVarDecl() || !variable.hasInit() ||
      !holdsOptions(variable.getType(), vocabulary))
    return false;
  const CXXForRangeStmt *loop =
      variable.isCXXForRangeDecl() ? loopOf(variable, function.getBody()) : nullptr;
  const Expr *source = loop ? loop->getRangeInit() : variable.getInit();
  if (!asksOptimizer(source, vocabulary))
    return false;
  Mentions mentions(variable, vocabulary);
  mentions.visit(function.getBody());
  return mentions.only() == Mention::Edit;
}

bool isLostEdit(const CallExpr &call, const FunctionDecl &function, Vocabulary &vocabulary) {
  const auto *setter = dyn_cast<CXXMemberCallExpr>(&call);
  const CXXMethodDecl *method = setter ? setter->getMethodDecl() : nullptr;
  if (!method || !setter->getImplicitObjectArgument() || !isSetter(*method, vocabulary) ||
      !isOptions(setter->getImplicitObjectArgument()->getType(), vocabulary))
    return false;
  bool isDefault = false;
  const Expr *whole = wholeOf(setter->getImplicitObjectArgument(), vocabulary, isDefault);
  const auto *alias = dyn_cast<DeclRefExpr>(whole);
  if (const auto *bound = alias ? dyn_cast<VarDecl>(alias->getDecl()) : nullptr;
      bound && bound->isLocalVarDecl() && bound->getType()->isReferenceType() && bound->hasInit())
    whole = wholeOf(bound->getInit(), vocabulary, isDefault);
  if (isDefault)
    return !isa<CXXThisExpr>(whole) && !addsParameters(function.getBody(), vocabulary);
  const auto *reference = dyn_cast<DeclRefExpr>(whole);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return variable && variable->isLocalVarDecl() && variable->hasLocalStorage() &&
         holdsOptions(variable->getType(), vocabulary) &&
         isBehindCopies(call, *variable, function, vocabulary);
}

} // namespace gradtidy
