#include "KeptSamples.h"

#include "Samples.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace gradtidy {
namespace {

/// What \p call computes in place, where to do so twice gives something else than once.
const Expr *changedBy(const CallExpr &call, Vocabulary &vocabulary) {
  const FunctionDecl *callee = call.getDirectCallee();
  const Expr *object = callee ? objectOf(&call) : nullptr;
  if (!object || vocabulary.roleOf(object->getType()) != TypeRole::Tensor)
    return nullptr;
  const Operator *run = vocabulary.operatorOf(callee);
  return run && run->changesElements() && run->dependsOnFirst() && !run->isIdempotent ? object
                                                                                      : nullptr;
}

/// One function that gives samples.
class GivingFunction {
public:
  GivingFunction(const FunctionDecl &function, Vocabulary &vocabulary)
      : function(function), vocabulary(vocabulary) {
    if (function.doesThisDeclarationHaveABody())
      visit(function.getBody());
  }

  /// What changes a member that the function returns, or elements of it.
  SampleChange changeOfMember() const {
    for (const auto &[change, owner] : changes)
      if (isa<FieldDecl>(owner) && returned.contains(owner))
        return change;
    return {};
  }
  /// What changes the first argument.
  SampleChange changeOfArgument() const {
    for (const auto &[change, owner] : changes)
      if (function.getNumParams() > 0 && owner == function.getParamDecl(0))
        return change;
    return {};
  }
  /// Whether it returns a view of a member.
  bool givesMember() const { return !returned.empty(); }

private:
  void visit(const Stmt *statement) {
    if (!statement || isa<LambdaExpr>(statement))
      return;
    const bool isChoice = isa<IfStmt, SwitchStmt, AbstractConditionalOperator>(statement);
    choices += isChoice;
    for (const Stmt *child : statement->children()) {
      if (isa<CompoundStmt>(statement)) {
        const auto *expr = dyn_cast_or_null<Expr>(child);
        isDropped = expr && !asAssignment(strip(expr));
      }
      visit(child);
    }
    choices -= isChoice;
    if (const auto *call = dyn_cast<CallExpr>(statement)) {
      const bool isCertain = choices == 0 && !mayHaveLeft;
      const Expr *changed = isCertain ? changedBy(*call, vocabulary) : nullptr;
      if (const ValueDecl *owner = changed ? ownerOf(*changed) : nullptr)
        changes.push_back({{vocabulary.code().node(call), isDropped}, owner});
    } else if (const auto *result = dyn_cast<ReturnStmt>(statement)) {
      mayHaveLeft = true;
      if (result->getRetValue())
        noteReturned(*result->getRetValue());
    }
    const auto *expr = dyn_cast<Expr>(statement);
    if (const auto assigned = expr ? asAssignment(expr) : std::nullopt)
      if (const ValueDecl *entity = entityOf(strip(assigned->target)))
        replaced.insert(entity);
  }

  /// The views of members in what is returned, be it a sample of several.
  void noteReturned(const Expr &value) {
    const Expr *expr = strip(&value);
    if (const ValueDecl *owner = ownerOf(*expr); owner && isa<FieldDecl>(owner)) {
      returned.insert(owner);
    } else if (const auto *list = dyn_cast<InitListExpr>(expr)) {
      for (const Expr *part : list->inits())
        noteReturned(*part);
    } else if (const auto *made = dyn_cast<CXXConstructExpr>(expr)) {
      for (const Expr *part : made->arguments())
        noteReturned(*part);
    } else if (const auto *call = dyn_cast<CallExpr>(expr)) {
      if (const Expr *changed = changedBy(*call, vocabulary)) // It returns its object.
        noteReturned(*changed);
    }
  }

  /// The member or parameter in whose memory the elements of \p tensor lie, or null.
  const ValueDecl *ownerOf(const Expr &tensor, unsigned depth = 0) const {
    const Expr *expr = strip(&tensor);
    if (depth == 16)
      return nullptr;
    if (const auto *member = dyn_cast<MemberExpr>(expr)) {
      const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
      const Expr *base = strip(member->getBase());
      if (!field || replaced.contains(field))
        return nullptr;
      return isa<CXXThisExpr>(base) ? field : ownerOf(*base, depth + 1);
    }
    if (const VarDecl *variable = variableOf(expr)) {
      if (replaced.contains(variable))
        return nullptr;
      if (isa<ParmVarDecl>(variable))
        return variable;
      return variable->isLocalVarDecl() && variable->getInit()
                 ? ownerOf(*variable->getInit(), depth + 1)
                 : nullptr;
    }
    if (const auto *made = dyn_cast<CXXConstructExpr>(expr))
      return isCopyOrMove(made) ? ownerOf(*made->getArg(0), depth + 1) : nullptr;
    const auto *call = dyn_cast<CallExpr>(expr);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee)
      return nullptr;
    if (simpleName(callee) == "move" && isStandard(callee) && call->getNumArgs() == 1)
      return ownerOf(*call->getArg(0), depth + 1);
    const Expr *object = objectOf(call);
    if (!object)
      return nullptr;
    const bool isTensor = vocabulary.roleOf(object->getType()) == TypeRole::Tensor;
    const auto *operation = dyn_cast<CXXOperatorCallExpr>(call);
    const bool isElement = operation && operation->getOperator() == OO_Subscript &&
                           (!isTensor || operation->getArg(1)->getType()->isIntegerType());
    const bool isView = isTensor && vocabulary.operationOf(callee) == Operation::View;
    const bool isOfList = !isTensor && isStandard(callee) && simpleName(callee) == "at";
    return isElement || isView || isOfList || changedBy(*call, vocabulary)
               ? ownerOf(*object, depth + 1)
               : nullptr;
  }

  const FunctionDecl &function;
  Vocabulary &vocabulary;
  llvm::SmallVector<std::pair<SampleChange, const ValueDecl *>, 4> changes; ///< And of what.
  llvm::SmallPtrSet<const ValueDecl *, 4> returned; ///< Members of which views are returned.
  llvm::SmallPtrSet<const ValueDecl *, 4> replaced; ///< What has had another tensor so far.
  unsigned choices = 0;                             ///< The branches around what is visited.
  bool mayHaveLeft = false;                         ///< The function may not come here.
  bool isDropped = false; ///< Nobody takes the value of the statement that is visited.
};

const CXXRecordDecl *recordOf(QualType type) {
  type = type.getNonReferenceType();
  if (const QualType object = pointee(type); !object.isNull())
    type = object;
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && !record->isLambda() ? record->getDefinition() : nullptr;
}

/// What a transform changes of the samples that it is given.
SampleChange changeBy(const CXXRecordDecl &transform, Vocabulary &vocabulary) {
  for (const CXXMethodDecl *method : transform.methods())
    if (const FunctionDecl *body = method->getDefinition();
        body && (simpleName(method) == "apply" || method->getOverloadedOperator() == OO_Call))
      if (const SampleChange change = GivingFunction(*body, vocabulary).changeOfArgument())
        return change;
  return {};
}

} // namespace

SampleChange changeOfKeptSamples(QualType dataset, Vocabulary &vocabulary) {
  const CXXRecordDecl *record = recordOf(dataset), *transform = nullptr;
  while (record && vocabulary.traitOf(record) == Trait::MapsSamples) {
    const auto *map = dyn_cast<ClassTemplateSpecializationDecl>(record);
    const ArrayRef<TemplateArgument> types =
        map ? map->getTemplateArgs().asArray() : ArrayRef<TemplateArgument>();
    if (types.size() < 2 || types[0].getKind() != TemplateArgument::Type ||
        types[1].getKind() != TemplateArgument::Type)
      return {};
    record = recordOf(types[0].getAsType());
    transform = recordOf(types[1].getAsType());
  }
  if (!record)
    return {};
  bool isKept = vocabulary.traitOfClass(*record) == Trait::KeepsSamples;
  for (const CXXMethodDecl *method : record->methods())
    if (const FunctionDecl *body = method->getDefinition();
        body && givesSamples(*method) && !vocabulary.isFramework(record)) {
      const GivingFunction giving(*body, vocabulary);
      if (const SampleChange change = giving.changeOfMember())
        return change;
      isKept |= giving.givesMember();
    }
  return isKept && transform ? changeBy(*transform, vocabulary) : SampleChange();
}

} // namespace gradtidy
