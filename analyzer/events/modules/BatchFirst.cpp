#include "BatchFirst.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gradtidy {

/// The object of which \p call sets the option that puts samples first, or null.
static const Expr *putterOf(const CallExpr &call, const Vocabulary &vocabulary) {
  const auto *setter = dyn_cast<CXXMemberCallExpr>(&call);
  const StringRef name = setter ? simpleName(setter->getMethodDecl()) : StringRef();
  return !name.empty() && vocabulary.traitOfOption(name) == Trait::BatchFirstOption
             ? setter->getImplicitObjectArgument()
             : nullptr;
}

static Answer answerOf(const CallExpr &setter, const ASTContext &context) {
  const Expr *value = setter.getNumArgs() == 1 ? setter.getArg(0) : nullptr;
  bool isFirst = false;
  if (!value || value->isValueDependent() || !value->EvaluateAsBooleanCondition(isFirst, context))
    return Answer::Unknown;
  return isFirst ? Answer::Yes : Answer::No;
}

static Answer putsBatchFirst(const Expr *options, const Vocabulary &vocabulary,
                             const ASTContext &context, unsigned depth) {
  options = strip(options);
  if (const auto *setter = dyn_cast<CXXMemberCallExpr>(options))
    return putterOf(*setter, vocabulary)
               ? answerOf(*setter, context)
               : putsBatchFirst(setter->getImplicitObjectArgument(), vocabulary, context, depth);
  if (const auto *made = dyn_cast<CXXConstructExpr>(options))
    return putsBatchFirst({made->getArgs(), made->getNumArgs()}, vocabulary, context);
  if (const auto *list = dyn_cast<InitListExpr>(options))
    return putsBatchFirst(list->inits(), vocabulary, context);
  const VarDecl *variable = variableOf(options);
  const auto *function =
      variable ? dyn_cast<FunctionDecl>(variable->getParentFunctionOrMethod()) : nullptr;
  if (!function || !variable->isLocalVarDecl() || !variable->hasInit() || depth > 2)
    return Answer::Unknown;
  Answer answer = putsBatchFirst(variable->getInit(), vocabulary, context, depth + 1);
  forEach(function->getBody(), [&](const Stmt *statement) {
    const auto *call = dyn_cast<CallExpr>(statement);
    const Expr *object = call ? putterOf(*call, vocabulary) : nullptr;
    while (const auto *chained =
               dyn_cast_or_null<CXXMemberCallExpr>(object ? strip(object) : object))
      object = chained->getImplicitObjectArgument();
    if (object && variableOf(object) == variable)
      answer = answerOf(*call, context);
  });
  return answer;
}

Answer putsBatchFirst(ArrayRef<const Expr *> arguments, const Vocabulary &vocabulary,
                      const ASTContext &context) {
  if (arguments.empty())
    return Answer::Unknown;
  if (llvm::all_of(arguments, [](const Expr *argument) { return isArithmetic(argument); }))
    return Answer::No;
  return arguments.size() == 1 ? putsBatchFirst(arguments.front(), vocabulary, context, 0)
                               : Answer::Unknown;
}

bool changesOrder(const CallExpr &call, const Vocabulary &vocabulary) {
  const Expr *options = putterOf(call, vocabulary);
  return options && isa<MemberExpr>(strip(options));
}

} // namespace gradtidy
