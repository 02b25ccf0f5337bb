#include "GradientModes.h"

#include "analyzer/events/values/Values.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace gradtidy {
namespace {

class Search {
public:
  explicit Search(Vocabulary &vocabulary) : vocabulary(vocabulary) {}

  bool isIn(const CXXRecordDecl *record) {
    record = record ? record->getDefinition() : nullptr;
    if (!record || vocabulary.isFramework(record))
      return false;
    for (const CXXMethodDecl *method : record->methods())
      if (simpleName(method) == "train")
        return isIn(*method);
    return llvm::any_of(record->bases(), [&](const CXXBaseSpecifier &base) {
      return isIn(base.getType()->getAsCXXRecordDecl());
    });
  }

private:
  bool isIn(const CXXMethodDecl &method) {
    if (vocabulary.isFramework(&method) || !seen.insert(method.getCanonicalDecl()).second)
      return false;
    const FunctionDecl *pattern = method.getTemplateInstantiationPattern();
    const FunctionDecl *body = nullptr;
    const bool isSeen = method.hasBody(body) || (pattern && pattern->hasBody(body));
    return !isSeen || isIn(body->getBody());
  }

  bool isIn(const Stmt *statement) {
    if (!statement)
      return false;
    if (const auto *call = dyn_cast<CallExpr>(statement)) {
      const FunctionDecl *callee = call->getDirectCallee();
      const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
      const bool isTrain = method && simpleName(method) == "train";
      if ((callee && vocabulary.roleOf(callee) == FunctionRole::RequireGrad) ||
          (isTrain && isIn(*method)))
        return true;
    }
    return llvm::any_of(statement->children(), [&](const Stmt *child) { return isIn(child); });
  }

  Vocabulary &vocabulary;
  llvm::SmallPtrSet<const CXXMethodDecl *, 4> seen;
};

} // namespace

bool switchesGradients(const CXXRecordDecl &record, Vocabulary &vocabulary) {
  return Search(vocabulary).isIn(&record);
}

} // namespace gradtidy
