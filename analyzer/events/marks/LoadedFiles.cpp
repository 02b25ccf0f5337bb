#include "LoadedFiles.h"

#include "analyzer/events/Conditions.h"
#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace gradtidy {

static StringRef textIn(const Expr *expr, const Stmt &body) {
  expr = strip(expr);
  while (const auto *made = dyn_cast<CXXConstructExpr>(expr)) {
    if (made->getNumArgs() == 0)
      return {};
    expr = strip(made->getArg(0));
  }
  if (const auto *literal = dyn_cast<StringLiteral>(expr))
    return literal->isOrdinary() ? literal->getString() : StringRef();
  const auto *reference = dyn_cast<DeclRefExpr>(expr);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  const bool isFixed =
      variable && variable->hasInit() && !isa<ParmVarDecl>(variable) &&
      (variable->getType().isConstQualified() || variable->isConstexpr() ||
       (variable->isLocalVarDecl() && !variable->isStaticLocal() && isOnlyRead(&body, variable)));
  return isFixed && variable->getInit() != expr ? textIn(variable->getInit(), body) : StringRef();
}

StringRef fileOf(const CallExpr &call, const Stmt &body) {
  return call.getNumArgs() > 1 ? textIn(call.getArg(1), body) : StringRef();
}

// --- archives

/// The calls that open archives: `archive.load_from(path)`.
static void findOpenings(const Stmt *statement, SmallVectorImpl<const CallExpr *> &found) {
  if (const auto *call = dyn_cast<CXXMemberCallExpr>(statement);
      call && simpleName(call->getDirectCallee()) == "load_from" && call->getNumArgs() > 0)
    found.push_back(call);
  for (const Stmt *child : statement->children())
    if (child)
      findOpenings(child, found);
}

static bool isArchive(const Expr *expr) {
  const CXXRecordDecl *type = expr->getType().getNonReferenceType()->getAsCXXRecordDecl();
  return type && type->getIdentifier() && type->getName() == "InputArchive";
}

bool mayHaveDevice(const CallExpr &load, const Stmt &body) {
  const auto archive = llvm::find_if(load.arguments(), isArchive);
  if (archive == load.arguments().end())
    return false;
  const auto *reference = dyn_cast<DeclRefExpr>(strip(*archive));
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  SmallVector<const CallExpr *, 2> openings;
  findOpenings(&body, openings);
  return !variable || !variable->isLocalVarDecl() || openings.empty() ||
         !llvm::all_of(openings, [](const CallExpr *opening) {
           return isa<CXXDefaultArgExpr>(opening->getArg(opening->getNumArgs() - 1));
         });
}

// --- lists

namespace {

/// What a function does with a list.
class ListUses {
public:
  enum class Kind : unsigned char {
    Look,   ///< Reads of it, or adds to it.
    Number, ///< Takes the element of a number.
    Size,   ///< Asks how many there are.
    Resize, ///< Makes it that long.
    Save,
    Load,
    Lost, ///< May take elements away, or anything.
  };
  struct Use {
    Kind kind;
    const Stmt *site;
    std::uint64_t index = 0;
  };
  std::vector<Use> uses;

  ListUses(const VarDecl &list, Vocabulary &vocabulary) : list(list), vocabulary(vocabulary) {}

  void collect(const Stmt *statement) {
    if (!statement)
      return;
    if (isa<LambdaExpr>(statement)) {
      if (mentions(statement))
        uses.push_back({Kind::Lost, statement});
      return;
    }
    if (const auto *reference = dyn_cast<DeclRefExpr>(statement);
        reference && reference->getDecl() == &list) {
      uses.push_back({Kind::Lost, statement}); // Not one of those below.
      return;
    }
    if (const auto *loop = dyn_cast<CXXForRangeStmt>(statement);
        loop && isList(loop->getRangeInit()))
      return readLoop(*loop);
    if (const auto *call = dyn_cast<CallExpr>(statement))
      return readCall(*call);
    for (const Stmt *child : statement->children())
      collect(child);
  }

private:
  bool isList(const Expr *expr) const {
    const auto *reference = dyn_cast<DeclRefExpr>(strip(expr));
    return reference && reference->getDecl() == &list;
  }

  bool mentions(const Stmt *statement) const {
    const auto *reference = dyn_cast<DeclRefExpr>(statement);
    return (reference && reference->getDecl() == &list) ||
           llvm::any_of(statement->children(),
                        [&](const Stmt *child) { return child && mentions(child); });
  }

  void readLoop(const CXXForRangeStmt &loop) {
    uses.push_back({Kind::Look, &loop});
    collect(loop.getBody());
  }

  void readCall(const CallExpr &call) {
    const FunctionDecl *callee = call.getDirectCallee();
    const auto *method = dyn_cast<CXXMemberCallExpr>(&call);
    const auto *operation = dyn_cast<CXXOperatorCallExpr>(&call);
    const bool isMember = operation && isa_and_nonnull<CXXMethodDecl>(callee);
    const Expr *object = method ? methodObject(&call) : isMember ? call.getArg(0) : nullptr;
    const bool isOfList = object && isList(object);
    if (isOfList)
      uses.push_back(useBy(call, callee));
    else if (object)
      collect(object);
    const unsigned first = operation && object ? 1 : 0;
    for (unsigned i = first; i < call.getNumArgs(); ++i) {
      const Expr *argument = call.getArg(i);
      if (!isList(argument)) {
        collect(argument);
        continue;
      }
      const Operation does = callee ? vocabulary.operationOf(callee) : Operation::None;
      if (does == Operation::Save)
        uses.push_back({Kind::Save, &call});
      else if (callee && vocabulary.roleOf(callee) == FunctionRole::Load)
        uses.push_back({Kind::Load, &call});
      else
        uses.push_back({mayChange(callee, i - first) ? Kind::Lost : Kind::Look, &call});
    }
  }

  Use useBy(const CallExpr &call, const FunctionDecl *callee) const {
    const auto *operation = dyn_cast<CXXOperatorCallExpr>(&call);
    const StringRef name = simpleName(callee);
    if ((operation && operation->getOperator() == OO_Subscript) || name == "at") {
      const unsigned at = operation ? 1 : 0;
      const auto *number = dyn_cast<IntegerLiteral>(strip(call.getArg(at)));
      return number ? Use{Kind::Number, &call, number->getValue().getZExtValue()}
                    : Use{Kind::Look, &call};
    }
    if (name == "front")
      return {Kind::Number, &call, 0};
    if (name == "size" || name == "empty")
      return {Kind::Size, &call};
    if ((name == "resize" || name == "assign") && call.getNumArgs() > 0) {
      const auto *number = dyn_cast<IntegerLiteral>(strip(call.getArg(0)));
      return {number && number->getValue() == 0 ? Kind::Lost : Kind::Resize, &call};
    }
    const bool isLook = name == "push_back" || name == "emplace_back" || name == "begin" ||
                        name == "end" || name == "data" || name == "reserve";
    return {isLook ? Kind::Look : Kind::Lost, &call};
  }

  static bool mayChange(const FunctionDecl *callee, unsigned index) {
    if (!callee || index >= callee->getNumParams())
      return true;
    const QualType type = callee->getParamDecl(index)->getType();
    return type->isReferenceType() && !type.getNonReferenceType().isConstQualified();
  }

  const VarDecl &list;
  Vocabulary &vocabulary;
};

/// How the list begins.
struct Beginning {
  bool isFilled = false;
  bool isOfModule = false;            ///< The parameters of a module.
  std::optional<std::uint64_t> count; ///< How many there are.
};

} // namespace

static Beginning beginningOf(const VarDecl &list, Vocabulary &vocabulary) {
  if (!list.hasInit())
    return {};
  const Expr *init = strip(list.getInit());
  if (const auto *call = dyn_cast<CallExpr>(originalOf(init))) {
    const FunctionDecl *callee = call->getDirectCallee();
    const bool isOfModule = callee && vocabulary.roleOf(callee) == FunctionRole::Parameters;
    return {isOfModule, isOfModule, std::nullopt};
  }
  const auto *made = dyn_cast<CXXConstructExpr>(init);
  if (!made || made->getNumArgs() == 0)
    return {};
  const Expr *first = strip(made->getArg(0));
  if (const auto *braced = dyn_cast<CXXStdInitializerListExpr>(first))
    first = strip(braced->getSubExpr());
  if (const auto *listed = dyn_cast<InitListExpr>(first))
    return {listed->getNumInits() > 0, false, listed->getNumInits()};
  if (!isArithmetic(first))
    return {};
  const auto *number = dyn_cast<IntegerLiteral>(first);
  if (!number)
    return {true, false, std::nullopt};
  const std::uint64_t count = number->getValue().getZExtValue();
  return {count > 0, false, count};
}

const Stmt *fillerOf(const CallExpr &load, const FunctionCode &function, Vocabulary &vocabulary) {
  const auto *reference =
      load.getNumArgs() ? dyn_cast<DeclRefExpr>(strip(load.getArg(0))) : nullptr;
  const auto *list = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!list || !list->isLocalVarDecl() || list->isStaticLocal() ||
      list->getType()->isReferenceType() || !vocabulary.isTensorList(list->getType()))
    return nullptr;
  const SourceManager &sources = function.function->getASTContext().getSourceManager();
  const auto isBefore = [&](const Stmt *a, const Stmt *b) {
    return sources.isBeforeInTranslationUnit(a->getBeginLoc(), b->getBeginLoc());
  };
  const Stmt *round = nullptr; // The outermost loop that begins with the list as it was left.
  for (const Stmt *loop : function.loopsAround(&load))
    if (sources.isBeforeInTranslationUnit(list->getLocation(), loop->getBeginLoc()))
      round = loop;
  const auto isInRound = [&](const Stmt *site) {
    return round && llvm::is_contained(function.loopsAround(site), round);
  };
  ListUses all(*list, vocabulary);
  all.collect(function.body);

  using Kind = ListUses::Kind;
  const Stmt *saved = nullptr, *resized = nullptr;
  bool isAsked = false, isNumbered = false, isNumberedInRound = false;
  std::uint64_t largest = 0;
  for (const ListUses::Use &use : all.uses) {
    if (use.site == &load)
      continue;
    const bool isEarlier = isBefore(use.site, &load);
    if ((isEarlier || isInRound(use.site)) && (use.kind == Kind::Lost || use.kind == Kind::Load))
      return nullptr;
    if (use.kind == Kind::Number && (!isEarlier || isInRound(use.site))) {
      isNumbered = true;
      isNumberedInRound |= isInRound(use.site);
      largest = std::max(largest, use.index);
    }
    if (!isEarlier)
      continue;
    isAsked |= use.kind == Kind::Size;
    const bool isCertain =
        !function.isConditional(use.site) || (function.compoundOf(function.statementOf(use.site)) &&
                                              function.compoundOf(function.statementOf(use.site)) ==
                                                  function.compoundOf(function.statementOf(&load)));
    if (use.kind == Kind::Save && isCertain)
      saved = use.site;
    else if (use.kind == Kind::Resize && isCertain)
      resized = use.site;
  }
  if (saved)
    return saved;
  if (isAsked)
    return nullptr; // It knows where its own begin.
  const Beginning beginning = beginningOf(*list, vocabulary);
  const Stmt *made = list->getInit();
  if (beginning.isOfModule)
    return made;
  if (resized && isNumbered)
    return resized;
  const bool isFew = beginning.count && largest >= *beginning.count;
  if (beginning.isFilled && isNumbered && !isFew)
    return made;
  return round && isNumberedInRound ? &load : nullptr;
}

} // namespace gradtidy
