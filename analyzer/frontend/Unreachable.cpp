#include "Unreachable.h"
#include "Bodies.h"
#include "Paths.h"
#include "UserCode.h"

#include "clang/AST/DeclObjC.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

namespace {

/// Whether what \p call calls is declared to never return.
bool isDeclaredEndless(const clang::CallExpr &call) {
  if (const clang::FunctionDecl *callee = call.getDirectCallee())
    return callee->isNoReturn() || callee->isAnalyzerNoReturn();
  const clang::QualType type = call.getCallee()->getType();
  const auto *pointer = type->getAs<clang::PointerType>();
  const auto *function = (pointer ? pointer->getPointeeType() : type)->getAs<clang::FunctionType>();
  return function && function->getExtInfo().getNoReturn();
}

/// What \p statement calls: a function or a constructor; null if that is not known.
const clang::FunctionDecl *calleeOf(const clang::Stmt &statement) {
  if (const auto *construction = llvm::dyn_cast<clang::CXXConstructExpr>(&statement))
    return construction->getConstructor();
  const auto *call = llvm::dyn_cast<clang::CallExpr>(&statement);
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  const auto *method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  return method && method->isVirtual() ? nullptr : callee;
}

/// Calls \p visit for each statement in the body of \p function, and in the initializers of a
/// constructor, but for those in closures.
void forEachStatement(const clang::FunctionDecl &function,
                      llvm::function_ref<void(const clang::Stmt &)> visit) {
  llvm::SmallVector<const clang::Stmt *, 64> open = {function.getBody()};
  if (const auto *constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function))
    for (const clang::CXXCtorInitializer *initializer : constructor->inits())
      open.push_back(initializer->getInit());
  while (!open.empty()) {
    const clang::Stmt *next = open.pop_back_val();
    if (!next)
      continue;
    visit(*next);
    if (!llvm::isa<clang::LambdaExpr>(next))
      open.append(next->child_begin(), next->child_end());
  }
}

class Finder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  Finder(const UserCode &userCode, clang::ASTContext &context)
      : userCode(userCode), context(context) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitFunctionDecl(const clang::FunctionDecl *function) override {
    if (function->doesThisDeclarationHaveABody() && !function->isDependentContext())
      add(*function);
    return true;
  }
  bool VisitLambdaExpr(const clang::LambdaExpr *lambda) override {
    if (!lambda->getCallOperator()->isDependentContext())
      add(*lambda->getCallOperator());
    return true;
  }
  bool VisitBlockDecl(const clang::BlockDecl *block) override {
    if (isUsers(*block))
      logUnfollowed({placeOf("block", block->getLocation(), context.getSourceManager())});
    return true;
  }
  bool VisitObjCMethodDecl(const clang::ObjCMethodDecl *method) override {
    if (method->hasBody() && isUsers(*method))
      logUnfollowed({placeOf(*method, context.getSourceManager())});
    return true;
  }
  bool VisitFieldDecl(const clang::FieldDecl *field) override {
    if (const clang::Expr *value = field->getInClassInitializer();
        value && isUsers(*field) && !field->getDeclContext()->isDependentContext())
      initializers.push_back(value);
    return true;
  }

  /// The places, once all declarations were visited.
  std::set<std::string> find() && {
    // A function that calls one that never returns may be another such.
    while (!waiting.empty()) {
      const clang::FunctionDecl *function = waiting.pop_back_val();
      Caller &caller = callers[function];
      caller.isWaiting = false;
      if (caller.looks++ < maxLooks && !look(*function))
        markEndless(*function);
    }
    for (const clang::Expr *value : initializers)
      if (const auto *call = llvm::dyn_cast<clang::CallExpr>(value->IgnoreImplicit());
          call && isEndless(*call))
        add(value->getBeginLoc());
    return std::move(places);
  }

private:
  /// A function calls each of others; each that proves endless has it looked at again.
  static constexpr unsigned maxLooks = 8;
  struct Caller {
    unsigned looks = 0;
    bool isWaiting = false;
  };
  using Blocks = llvm::SmallPtrSet<const clang::CFGBlock *, 16>;

  bool isUsers(const clang::Decl &declaration) const {
    return userCode.contains(declaration.getLocation(), context.getSourceManager());
  }

  /// Whether \p callee is the user's, or does nothing but to say that no control reaches it.
  bool isUsersWord(const clang::FunctionDecl *callee) const {
    return !callee || callee->getBuiltinID() || isUsers(*callee) ||
           (callee->isInStdNamespace() && callee->getDeclName().isIdentifier() &&
            callee->getName() == "unreachable");
  }

  /// The user's class of \p type, whose destructor runs at the end of its lifetime; or null.
  const clang::CXXRecordDecl *classOf(clang::QualType type) const {
    const clang::CXXRecordDecl *record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    return record && record->hasDefinition() && isUsers(*record) ? record : nullptr;
  }

  /// The user's classes of the objects that \p statement makes and whose lifetimes end by
  /// themselves.
  llvm::SmallVector<const clang::CXXRecordDecl *, 2> madeBy(const clang::Stmt &statement) const {
    llvm::SmallVector<const clang::CXXRecordDecl *, 2> made;
    const auto add = [&](clang::QualType type) {
      if (const clang::CXXRecordDecl *record = classOf(type))
        made.push_back(record);
    };
    if (const auto *temporary = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(&statement))
      add(temporary->getType());
    else if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(&statement))
      for (const clang::Decl *each : declaration->decls())
        if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(each))
          add(variable->getType());
    return made;
  }

  /// Whether control does not get past \p statement, as the user says.
  bool isEndless(const clang::Stmt &statement) const {
    if (llvm::any_of(madeBy(statement), [](const clang::CXXRecordDecl *each) {
          return each->isAnyDestructorNoReturn();
        }))
      return true;
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(&statement))
      return call->isBuiltinAssumeFalse(context) ||
             (isDeclaredEndless(*call) && isUsersWord(call->getDirectCallee()));
    const clang::FunctionDecl *callee = calleeOf(statement); // A constructor.
    return callee && callee->isNoReturn() && isUsers(*callee);
  }

  void add(const clang::FunctionDecl &function) {
    if (!isUsers(function))
      return;
    bool mayHide = false;
    forEachStatement(function, [&](const clang::Stmt &statement) {
      mayHide |= isEndless(statement);
      if (const clang::FunctionDecl *callee = calleeOf(statement); callee && isUsers(*callee))
        callersOf[callee->getCanonicalDecl()].insert(&function);
      for (const clang::CXXRecordDecl *made : madeBy(statement))
        if (const clang::CXXDestructorDecl *destructor = made->getDestructor())
          callersOf[destructor->getCanonicalDecl()].insert(&function);
    });
    if (mayHide)
      await(function);
  }

  void await(const clang::FunctionDecl &function) {
    if (!std::exchange(callers[&function].isWaiting, true))
      waiting.push_back(&function);
  }

  void markEndless(const clang::FunctionDecl &function) {
    if (!endless.insert(function.getCanonicalDecl()).second)
      return;
    const auto found = callersOf.find(function.getCanonicalDecl());
    if (found != callersOf.end())
      for (const clang::FunctionDecl *caller : found->second)
        await(*caller);
  }

  /// Adds what cannot be reached in \p function. Whether control may get past its end.
  bool look(const clang::FunctionDecl &function) {
    clang::CFG::BuildOptions options;
    options.AddImplicitDtors = true;
    options.AddTemporaryDtors = true;
    options.AddInitializers = true;
    const std::unique_ptr<clang::CFG> cfg =
        clang::CFG::buildCFG(&function, function.getBody(), &context, options);
    if (!cfg)
      return true;
    Blocks seen;
    const auto nothing = [](const clang::CFGBlock &) { return false; };
    visitFrom(cfg->getEntry(), seen, nothing);
    const bool ends = seen.contains(&cfg->getExit());
    for (const clang::CFGBlock *block : cfg->try_blocks()) // Exceptions have no edges, either.
      visitFrom(*block, seen, nothing);
    const auto addFirst = [&](const clang::CFGBlock &block) {
      const clang::CallExpr *call = firstCall(block);
      if (call)
        add(call->getBeginLoc());
      return call != nullptr;
    };
    for (const clang::CFGBlock *block : *cfg) {
      if (!seen.contains(block)) {
        if (isBehindEndlessCall(*block) || block->pred_empty()) // Objects have no such edges.
          visitFrom(*block, seen, addFirst);
      } else if (const auto stop = endIn(*block)) {
        if (const clang::CallExpr *call = firstCall(*block, *stop + 1))
          add(call->getBeginLoc());
        else
          for (const clang::CFGBlock::AdjacentBlock &next : block->succs())
            if (const clang::CFGBlock *reached = next.getReachableBlock();
                reached && !seen.contains(reached))
              visitFrom(*reached, seen, addFirst);
      }
    }
    return ends || function.isNoReturn();
  }

  /// Visits what control reaches from \p start and is not \p seen, until \p visit says so.
  void visitFrom(const clang::CFGBlock &start, Blocks &seen,
                 llvm::function_ref<bool(const clang::CFGBlock &)> visit) const {
    llvm::SmallVector<const clang::CFGBlock *, 16> open = {&start};
    while (!open.empty()) {
      const clang::CFGBlock *block = open.pop_back_val();
      if (!seen.insert(block).second)
        continue;
      if (visit(*block))
        return;
      if (block->hasNoReturnElement() || endIn(*block)) // Clang has the former lead to the exit.
        continue;
      for (const clang::CFGBlock::AdjacentBlock &next : block->succs())
        if (const clang::CFGBlock *reached = next.getReachableBlock())
          open.push_back(reached);
    }
  }

  static bool isBehindEndlessCall(const clang::CFGBlock &block) {
    return llvm::any_of(block.preds(), [](const clang::CFGBlock::AdjacentBlock &before) {
      const clang::CFGBlock *one = before.getPossiblyUnreachableBlock();
      return !before.isReachable() && one && one->hasNoReturnElement();
    });
  }

  /// The index of the first element of \p block that calls a function that proved endless.
  std::optional<unsigned> endIn(const clang::CFGBlock &block) const {
    if (!endless.empty())
      for (const auto [index, element] : llvm::enumerate(block)) {
        const auto statement = element.getAs<clang::CFGStmt>();
        const auto ended = element.getAs<clang::CFGImplicitDtor>();
        const clang::FunctionDecl *callee = statement ? calleeOf(*statement->getStmt())
                                            : ended   ? ended->getDestructorDecl(context)
                                                      : nullptr;
        if (callee && endless.contains(callee->getCanonicalDecl()))
          return unsigned(index);
      }
    return std::nullopt;
  }

  /// What \p block calls first, from an element on, that may return; or null.
  static const clang::CallExpr *firstCall(const clang::CFGBlock &block, size_t from = 0) {
    for (const clang::CFGElement &element : llvm::drop_begin(block, from))
      if (const auto statement = element.getAs<clang::CFGStmt>())
        if (const auto *call = llvm::dyn_cast<clang::CallExpr>(statement->getStmt());
            call && !isDeclaredEndless(*call))
          return call;
    return nullptr;
  }

  void add(clang::SourceLocation location) {
    const clang::SourceManager &sources = context.getSourceManager();
    location = sources.getFileLoc(location);
    if (const auto file = sources.getFileEntryRefForID(sources.getFileID(location)))
      places.insert(cleanPath(*file, sources) + ":" +
                    std::to_string(sources.getSpellingLineNumber(location)));
  }

  const UserCode &userCode;
  clang::ASTContext &context;
  std::set<std::string> places;
  llvm::SmallVector<const clang::Expr *> initializers; ///< Of members.
  llvm::DenseSet<const clang::FunctionDecl *> endless; ///< Proved so: they call others that are.
  llvm::DenseMap<const clang::FunctionDecl *, llvm::SetVector<const clang::FunctionDecl *>>
      callersOf;
  llvm::DenseMap<const clang::FunctionDecl *, Caller> callers;
  llvm::SmallVector<const clang::FunctionDecl *> waiting; ///< To be looked at.
};

} // namespace

std::set<std::string> unreachableCode(llvm::ArrayRef<clang::Decl *> declarations,
                                      const UserCode &userCode, clang::ASTContext &context) {
  Finder finder(userCode, context);
  for (const clang::Decl *declaration : declarations)
    finder.TraverseDecl(declaration);
  return std::move(finder).find();
}

} // namespace gradtidy
