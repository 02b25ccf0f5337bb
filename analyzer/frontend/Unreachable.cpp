#include "Unreachable.h"
#include "Paths.h"
#include "UserCode.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"
#include "clang/Basic/Builtins.h"
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

class Finder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  Finder(const UserCode &userCode, clang::ASTContext &context)
      : userCode(userCode), context(context) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitFunctionDecl(const clang::FunctionDecl *function) override {
    if (function->doesThisDeclarationHaveABody() && !function->isDependentContext())
      look(*function, *function->getBody());
    return true;
  }
  bool VisitLambdaExpr(const clang::LambdaExpr *lambda) override {
    if (!lambda->getCallOperator()->isDependentContext())
      look(*lambda->getCallOperator(), *lambda->getBody());
    return true;
  }

  std::set<std::string> places;

private:
  bool isUsers(const clang::CallExpr &call) const {
    const clang::FunctionDecl *callee = call.getDirectCallee();
    return !callee || callee->getBuiltinID() == clang::Builtin::BI__builtin_unreachable ||
           callee->getBuiltinID() == clang::Builtin::BI__builtin_trap ||
           userCode.contains(callee->getLocation(), context.getSourceManager());
  }

  /// Whether \p code, without closures in it, has a call of such a function of the user's.
  bool mayHide(const clang::Stmt &code) const {
    llvm::SmallVector<const clang::Stmt *, 64> open = {&code};
    while (!open.empty()) {
      const clang::Stmt *next = open.pop_back_val();
      if (const auto *call = llvm::dyn_cast_or_null<clang::CallExpr>(next);
          call && isDeclaredEndless(*call) && isUsers(*call))
        return true;
      if (next && !llvm::isa<clang::LambdaExpr>(next))
        open.append(next->child_begin(), next->child_end());
    }
    return false;
  }

  using Blocks = llvm::SmallPtrSet<const clang::CFGBlock *, 16>;

  void look(const clang::FunctionDecl &function, clang::Stmt &body) {
    if (!userCode.contains(function.getLocation(), context.getSourceManager()) || !mayHide(body))
      return;
    const std::unique_ptr<clang::CFG> cfg =
        clang::CFG::buildCFG(&function, &body, &context, clang::CFG::BuildOptions());
    if (!cfg)
      return;
    Blocks seen;
    const auto nothing = [](const clang::CFGBlock &) { return false; };
    visitFrom(cfg->getEntry(), seen, nothing);
    for (const clang::CFGBlock *block : *cfg)
      if (isBehindEndlessCall(*block) && !seen.contains(block))
        visitFrom(*block, seen, [&](const clang::CFGBlock &each) {
          const clang::CallExpr *call = firstCall(each);
          if (call)
            add(call->getBeginLoc());
          return call != nullptr;
        });
  }

  /// Visits what control reaches from \p start and is not \p seen, until \p visit says so.
  static void visitFrom(const clang::CFGBlock &start, Blocks &seen,
                        llvm::function_ref<bool(const clang::CFGBlock &)> visit) {
    llvm::SmallVector<const clang::CFGBlock *, 16> open = {&start};
    while (!open.empty()) {
      const clang::CFGBlock *block = open.pop_back_val();
      if (!seen.insert(block).second)
        continue;
      if (visit(*block))
        return;
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

  /// What \p block calls first that may return, or null.
  static const clang::CallExpr *firstCall(const clang::CFGBlock &block) {
    for (const clang::CFGElement &element : block)
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
};

} // namespace

std::set<std::string> unreachableCode(llvm::ArrayRef<clang::Decl *> declarations,
                                      const UserCode &userCode, clang::ASTContext &context) {
  Finder finder(userCode, context);
  for (const clang::Decl *declaration : declarations)
    finder.TraverseDecl(declaration);
  return std::move(finder.places);
}

} // namespace gradtidy
