#include "Program.h"

#include "clang/AST/ParentMapContext.h"
#include "clang/AST/QualTypeNames.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace rewrites {

//===- Types ----------------------------------------------------------------------------------===//

/// Whether \p declaration lies in a namespace of the framework.
static bool isOfFramework(const Decl *declaration) {
  static const llvm::StringSet<> names = {"at", "torch", "c10", "c10d", "gradtidy"};
  const DeclContext *outermost = nullptr;
  for (const DeclContext *at = declaration->getDeclContext(); at; at = at->getParent())
    if (isa<NamespaceDecl>(at))
      outermost = at;
  return outermost && names.contains(cast<NamespaceDecl>(outermost)->getName());
}

bool isTensor(QualType type) {
  const auto *record = type.isNull() ? nullptr : type->getAsCXXRecordDecl();
  return record && record->getName() == "Tensor" && isOfFramework(record);
}

bool isRelevant(QualType type) {
  if (type->isBooleanType())
    return true;
  const auto *record = type->getAsCXXRecordDecl();
  if (!record)
    return false;
  if (isOfFramework(record))
    return true;
  if (const auto *holder = dyn_cast<ClassTemplateSpecializationDecl>(record);
      holder && holder->isInStdNamespace())
    return llvm::any_of(holder->getTemplateArgs().asArray(), [](const TemplateArgument &argument) {
      return argument.getKind() == TemplateArgument::Type &&
             !argument.getAsType()->isBooleanType() && isRelevant(argument.getAsType());
    });
  return record->hasDefinition() && llvm::any_of(record->bases(), [](const CXXBaseSpecifier &base) {
           return isRelevant(base.getType());
         });
}

//===- Statements -----------------------------------------------------------------------------===//

namespace {

class FreeVariables : public RecursiveASTVisitor<FreeVariables> {
public:
  bool VisitDeclRefExpr(DeclRefExpr *use) {
    const auto *variable = use->getDecl();
    const bool isLocal = isa<BindingDecl>(variable) ||
                         (isa<VarDecl>(variable) && cast<VarDecl>(variable)->hasLocalStorage());
    if (isLocal)
      used.insert(variable);
    return true;
  }
  bool VisitVarDecl(VarDecl *variable) {
    declared.insert(variable);
    return true;
  }
  bool VisitBindingDecl(BindingDecl *binding) {
    declared.insert(binding);
    return true;
  }
  bool VisitCXXThisExpr(CXXThisExpr *) {
    usesThis = true;
    return true;
  }

  llvm::SetVector<const ValueDecl *> used, declared;
  bool usesThis = false;
};

/// Looks for what leaves a statement.
class Leaving : public RecursiveASTVisitor<Leaving> {
public:
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool TraverseForStmt(ForStmt *loop) { return traverseLoop(loop); }
  bool TraverseWhileStmt(WhileStmt *loop) { return traverseLoop(loop); }
  bool TraverseDoStmt(DoStmt *loop) { return traverseLoop(loop); }
  bool TraverseCXXForRangeStmt(CXXForRangeStmt *loop) { return traverseLoop(loop); }
  bool TraverseSwitchStmt(SwitchStmt *statement) {
    ++switches;
    const bool goesOn = RecursiveASTVisitor::TraverseSwitchStmt(statement);
    --switches;
    return goesOn;
  }
  bool VisitReturnStmt(ReturnStmt *) { return false; }
  bool VisitGotoStmt(GotoStmt *) { return false; }
  bool VisitCoreturnStmt(CoreturnStmt *) { return false; }
  bool VisitContinueStmt(ContinueStmt *) { return loops > 0; }
  bool VisitBreakStmt(BreakStmt *) { return loops > 0 || switches > 0; }

private:
  template <class Loop> bool traverseLoop(Loop *loop) {
    ++loops;
    bool goesOn = true;
    for (Stmt *child : loop->children())
      goesOn = goesOn && (!child || TraverseStmt(child));
    --loops;
    return goesOn;
  }
  unsigned loops = 0, switches = 0;
};

} // namespace

std::optional<std::vector<const ValueDecl *>> freeVariables(const Stmt *statement) {
  FreeVariables visitor;
  visitor.TraverseStmt(const_cast<Stmt *>(statement));
  if (visitor.usesThis)
    return std::nullopt;
  std::vector<const ValueDecl *> result;
  for (const ValueDecl *variable : visitor.used)
    if (!visitor.declared.contains(variable))
      result.push_back(variable);
  return result;
}

bool mayLeave(const Stmt *statement) {
  return !Leaving().TraverseStmt(const_cast<Stmt *>(statement));
}

//===- Program --------------------------------------------------------------------------------===//

class Program::Reader : public RecursiveASTVisitor<Reader> {
public:
  explicit Reader(Program &program) : program(program) {}

  bool VisitFunctionDecl(FunctionDecl *function) {
    if (!function->doesThisDeclarationHaveABody() || function->isImplicit() || function->isMain() ||
        isa<CXXMethodDecl>(function) || !isFree(function))
      return true;
    const Decl *whole = function->getDescribedFunctionTemplate();
    const auto range = program.range((whole ? whole : function)->getSourceRange());
    if (range && !function->getPreviousDecl())
      functions[function] = {function, *range, {}};
    return true;
  }
  bool VisitCompoundStmt(CompoundStmt *block) {
    for (const Stmt *child : block->body()) {
      if (program.statementRange(child))
        program.statements.push_back(child);
      if (const auto *declaration = dyn_cast<DeclStmt>(child))
        readLocal(declaration, block);
    }
    return true;
  }
  bool VisitStmt(Stmt *statement) {
    if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(statement) &&
        program.range(statement->getSourceRange()))
      program.loops.push_back(statement);
    return true;
  }
  bool VisitCallExpr(CallExpr *call) {
    if (call->isPRValue() && isTensor(call->getType()) && program.range(call->getSourceRange()))
      program.calls.push_back(call);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *use) {
    const auto range = program.range(use->getSourceRange());
    if (!range || program.text(*range) != use->getNameInfo().getAsString())
      return readFunctionUse(use);
    if (const auto local = locals.find(use->getDecl()); local != locals.end())
      local->second.uses.push_back(*range);
    if (const auto *parameter = dyn_cast<ParmVarDecl>(use->getDecl()))
      program.parameterUses[parameter].push_back(*range);
    if (isTensor(use->getType()) && isOperand(use))
      program.tensorUses.push_back(use);
    return readFunctionUse(use);
  }
  bool VisitLambdaExpr(LambdaExpr *lambda) {
    for (const LambdaCapture &capture : lambda->explicit_captures())
      if (capture.capturesVariable())
        if (const auto local = locals.find(capture.getCapturedVar()); local != locals.end())
          local->second.isNamedByCapture = true;
    return true;
  }

  llvm::MapVector<const ValueDecl *, Local> locals;
  llvm::MapVector<const FunctionDecl *, Function> functions;

private:
  static bool isFree(const FunctionDecl *function) {
    return function->getDeclContext()->getRedeclContext()->isFileContext() &&
           !function->isOutOfLine();
  }
  bool readFunctionUse(DeclRefExpr *use) {
    const auto *function = dyn_cast<FunctionDecl>(use->getDecl());
    if (function && function->getPrimaryTemplate())
      function = function->getPrimaryTemplate()->getTemplatedDecl();
    if (const auto found = functions.find(function); found != functions.end())
      found->second.uses.push_back(use);
    return true;
  }
  void readLocal(const DeclStmt *declaration, const CompoundStmt *block) {
    if (!declaration->isSingleDecl() || !program.range(declaration->getSourceRange()))
      return;
    const auto *variable = dyn_cast<VarDecl>(declaration->getSingleDecl());
    if (variable && variable->hasLocalStorage() && !variable->isConstexpr() &&
        !isa<DecompositionDecl>(variable) && variable->getIdentifier())
      locals[variable] = {variable, declaration, block, {}};
  }
  /// Whether the value is used where it stands, neither assigned to nor moved, captured or
  /// addressed.
  bool isOperand(const DeclRefExpr *use) {
    for (const auto &parent : program.context.getParents(*use)) {
      const auto *expression = parent.get<Expr>();
      if (!expression || isa<UnaryOperator, LambdaExpr, InitListExpr>(expression))
        return false;
      if (const auto *call = dyn_cast<CXXOperatorCallExpr>(expression);
          call && (call->isAssignmentOp() || call->getOperator() == OO_Amp) &&
          call->getArg(0) == use)
        return false;
    }
    return true;
  }

  Program &program;
};

Program::Program(ASTContext &context) : context(context) {
  const SourceManager &sources = context.getSourceManager();
  source = sources.getBufferData(sources.getMainFileID());
  std::vector<Decl *> scope;
  for (Decl *declaration : context.getTranslationUnitDecl()->decls())
    if (!declaration->isImplicit() &&
        sources.isInMainFile(sources.getExpansionLoc(declaration->getLocation())))
      scope.push_back(declaration);
  context.setTraversalScope(scope);
  if (!scope.empty())
    if (const auto whole = range(scope.front()->getSourceRange()))
      first = whole->begin;
  Reader reader(*this);
  for (Decl *declaration : scope)
    reader.TraverseDecl(declaration);
  for (auto &[variable, local] : reader.locals)
    locals.push_back(std::move(local));
  for (auto &[declaration, function] : reader.functions)
    functions.push_back(std::move(function));
}

std::optional<Range> Program::range(SourceRange source) const {
  const SourceManager &sources = context.getSourceManager();
  if (source.isInvalid() || source.getBegin().isMacroID() || source.getEnd().isMacroID() ||
      !sources.isInMainFile(source.getBegin()) || !sources.isInMainFile(source.getEnd()))
    return std::nullopt;
  const Range result{sources.getFileOffset(source.getBegin()), tokenAt(source.getEnd()).end};
  if (result.end < result.begin)
    return std::nullopt;
  return result;
}

/// The statement that \p statement ends with.
static const Stmt *lastPart(const Stmt *statement) {
  if (const auto *branch = dyn_cast<IfStmt>(statement))
    return lastPart(branch->getElse() ? branch->getElse() : branch->getThen());
  if (const auto *loop = dyn_cast<ForStmt>(statement))
    return lastPart(loop->getBody());
  if (const auto *loop = dyn_cast<WhileStmt>(statement))
    return lastPart(loop->getBody());
  if (const auto *loop = dyn_cast<CXXForRangeStmt>(statement))
    return lastPart(loop->getBody());
  return statement;
}

std::optional<Range> Program::statementRange(const Stmt *statement) const {
  auto result = range(statement->getSourceRange());
  if (!result || !isa<Expr, ReturnStmt, BreakStmt, ContinueStmt, DoStmt>(lastPart(statement)))
    return result;
  const SourceLocation behind = Lexer::findLocationAfterToken(
      statement->getEndLoc(), tok::semi, context.getSourceManager(), context.getLangOpts(),
      /*SkipTrailingWhitespaceAndNewLine=*/false);
  if (behind.isInvalid())
    return std::nullopt;
  result->end = context.getSourceManager().getFileOffset(behind);
  return result;
}

Range Program::tokenAt(SourceLocation location) const {
  const SourceManager &sources = context.getSourceManager();
  const unsigned begin = sources.getFileOffset(location);
  return {begin, begin + Lexer::MeasureTokenLength(location, sources, context.getLangOpts())};
}

std::optional<std::string> Program::oneLine(Range range) const {
  if (text(range).contains("//"))
    return std::nullopt;
  std::string result = text(range).str();
  llvm::replace(result, '\n', ' ');
  return result;
}

std::string Program::typeName(QualType type) const {
  PrintingPolicy policy(context.getLangOpts());
  policy.SuppressUnwrittenScope = true;
  policy.adjustForCPlusPlus();
  return TypeName::getFullyQualifiedName(type.getCanonicalType(), context, policy);
}

} // namespace rewrites
