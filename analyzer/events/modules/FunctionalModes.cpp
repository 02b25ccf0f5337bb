#include "FunctionalModes.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gradtidy {

static bool isMode(StringRef name) { return name == "train" || name == "training"; }

static bool isTrue(const Expr *expr) {
  const auto *literal = dyn_cast<CXXBoolLiteralExpr>(strip(expr));
  return literal && literal->getValue();
}

static bool isZero(const Expr *expr) {
  expr = strip(expr);
  if (const auto *number = dyn_cast<FloatingLiteral>(expr))
    return number->getValue().isZero();
  const auto *number = dyn_cast<IntegerLiteral>(expr);
  return number && number->getValue().isZero();
}

/// Whether \p statement does nothing with \p variable but hand it on as a constant.
static bool leavesAlone(const Stmt *statement, const VarDecl &variable) {
  if (!statement)
    return true;
  const auto *cast = dyn_cast<ImplicitCastExpr>(statement);
  if (cast && cast->getType().isConstQualified() && variableOf(cast->getSubExpr()) == &variable)
    return true;
  const auto *reference = dyn_cast<DeclRefExpr>(statement);
  return !(reference && reference->getDecl() == &variable) &&
         llvm::all_of(statement->children(),
                      [&](const Stmt *child) { return leavesAlone(child, variable); });
}

/// What a local variable is made of that nothing changes; \p expr if it is something else.
static const Expr *madeOf(const Expr *expr) {
  const VarDecl *variable = variableOf(expr);
  const auto *function = variable ? dyn_cast<FunctionDecl>(variable->getDeclContext()) : nullptr;
  const bool isFixed =
      function && function->hasBody() && variable->hasLocalStorage() && variable->hasInit() &&
      !variable->getType()->isReferenceType() &&
      (variable->getType().isConstQualified() || leavesAlone(function->getBody(), *variable));
  return isFixed ? strip(variable->getInit()) : expr;
}

/// Whether the options that \p expr makes say that the function trains. Not where code that cannot
/// be seen, or a variable that may change, has a part in them, or nothing is dropped.
static bool meansTraining(const Expr *expr, const Vocabulary &vocabulary) {
  std::optional<bool> said;
  for (expr = madeOf(strip(expr));;) {
    if (const auto *setter = dyn_cast<CXXMemberCallExpr>(expr)) {
      const StringRef name = simpleName(setter->getMethodDecl());
      if (setter->getNumArgs() == 1 && name == "p" && isZero(setter->getArg(0)))
        return false;
      if (setter->getNumArgs() == 1 && isMode(name) && !said)
        said = isTrue(setter->getArg(0));
      expr = strip(setter->getImplicitObjectArgument());
      continue;
    }
    const auto *construct = dyn_cast<CXXConstructExpr>(expr);
    if (construct && construct->getConstructor()->isCopyOrMoveConstructor()) {
      expr = madeOf(strip(construct->getArg(0)));
      continue;
    }
    const bool isNew = construct || isa<InitListExpr>(expr);
    const CXXRecordDecl *record = isNew ? expr->getType()->getAsCXXRecordDecl() : nullptr;
    return record && said.value_or(vocabulary.traitOf(record) == Trait::TrainsByDefault);
  }
}

/// Whether \p call of a batch normalisation is given running statistics, which it uses in
/// evaluation. Without them it has no other way than to train.
static bool keepsStatistics(const CallExpr &call, const FunctionDecl &callee) {
  for (unsigned i = 0; i < call.getNumArgs() && i < callee.getNumParams(); ++i)
    if (callee.getParamDecl(i)->getName() == "running_mean")
      return isa<MemberExpr, CXXThisExpr>(originalOf(strip(call.getArg(i))));
  return false;
}

/// Whether \p callee trains where it is given \p arguments.
static bool trainsWith(const FunctionDecl &callee, llvm::ArrayRef<const Expr *> arguments,
                       const Vocabulary &vocabulary) {
  for (auto [parameter, argument] : llvm::zip(callee.parameters(), arguments)) {
    const CXXRecordDecl *record = parameter->getType().getNonReferenceType()->getAsCXXRecordDecl();
    if (parameter->getType()->isFloatingType() && isZero(argument))
      return false;
    if (parameter->getType()->isBooleanType() && isMode(parameter->getName()))
      return isTrue(argument);
    if (record && record->getName().ends_with("Options"))
      return meansTraining(argument, vocabulary);
  }
  return false;
}

/// Whether \p rate is the same in both modes: a number, or a member that holds one.
static bool isFixedRate(const Expr *rate) {
  rate = madeOf(strip(rate));
  if (isa<FloatingLiteral>(rate))
    return !isZero(rate);
  const auto *member = dyn_cast<MemberExpr>(rate);
  while (member && isa<FieldDecl>(member->getMemberDecl())) {
    const Expr *object = strip(member->getBase());
    if (isa<CXXThisExpr>(object))
      return true;
    member = dyn_cast<MemberExpr>(object);
  }
  return false;
}

/// Whether \p call computes more than dropout, and drops as it is told by a rate alone.
static bool dropsByRate(const CallExpr &call, const FunctionDecl &callee) {
  for (unsigned i = 0; i < call.getNumArgs() && i < callee.getNumParams(); ++i)
    if (const ParmVarDecl *parameter = callee.getParamDecl(i);
        parameter->getName() == "dropout_p" && parameter->getType()->isFloatingType())
      return !isa<CXXDefaultArgExpr>(call.getArg(i)) && isFixedRate(call.getArg(i));
  return false;
}

bool ignoresMode(const CallExpr &call, Vocabulary &vocabulary) {
  const FunctionDecl *callee = call.getDirectCallee();
  if (callee && vocabulary.isFramework(callee) && dropsByRate(call, *callee))
    return true;
  if (!callee || vocabulary.traitOf(callee) != Trait::ModeDependent)
    return false;
  const StringRef name = simpleName(callee);
  return (name.contains("dropout") || (name == "batch_norm" && keepsStatistics(call, *callee))) &&
         trainsWith(*callee, {call.getArgs(), call.getNumArgs()}, vocabulary);
}

bool ignoresMode(const CXXRecordDecl &layer, llvm::ArrayRef<const Expr *> arguments,
                 Vocabulary &vocabulary) {
  const auto *named = arguments.empty() ? nullptr : dyn_cast<DeclRefExpr>(strip(arguments.front()));
  const auto *callee = named ? dyn_cast<FunctionDecl>(named->getDecl()) : nullptr;
  return callee && vocabulary.isFramework(&layer) &&
         vocabulary.traitOf(callee) == Trait::ModeDependent &&
         simpleName(callee).contains("dropout") && trainsWith(*callee, arguments, vocabulary);
}

bool samplesOnPurpose(const CXXMethodDecl &method) {
  const auto says = [](StringRef name) {
    const std::string lower = name.lower();
    return StringRef(lower).starts_with("mc") ||
           llvm::any_of(std::initializer_list<StringRef>{"_mc", "mcd", "monte", "bayes",
                                                         "uncertain", "stochastic"},
                        [&](StringRef word) { return StringRef(lower).contains(word); });
  };
  return says(simpleName(&method)) || says(method.getParent()->getName());
}

} // namespace gradtidy
