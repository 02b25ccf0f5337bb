#include "IdleGuards.h"

#include "analyzer/lowering/ast/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace gradtidy {
namespace {

class Search {
public:
  explicit Search(Vocabulary &vocabulary) : vocabulary(vocabulary) {}

  /// Whether a guard makes no difference to the statement, all of which is seen.
  bool isIndifferent(const Stmt *statement) {
    if (isa<NullStmt, BreakStmt, ContinueStmt>(statement))
      return true;
    if (const auto *returned = dyn_cast<ReturnStmt>(statement))
      return !returned->getRetValue() || isIndifferent(returned->getRetValue());
    if (const auto *declared = dyn_cast<DeclStmt>(statement))
      return llvm::all_of(declared->decls(), [&](const Decl *each) {
        const auto *variable = dyn_cast<VarDecl>(each);
        return variable && !mayBeGuarded(variable->getType()) &&
               (!variable->hasInit() || isIndifferent(variable->getInit()));
      });
    const auto *expr = dyn_cast<Expr>(statement);
    return expr && (isIndifferent(expr) || isOpenChoice(expr));
  }

private:
  /// `device = torch::Device(torch::kCUDA, options.gpu);` where a missing header hides what
  /// `options` are.
  bool isOpenChoice(const Expr *expr) {
    const auto *choice = dyn_cast<BinaryOperator>(expr->IgnoreParens());
    const auto *made = choice && choice->getOpcode() == BO_Assign && isNamed(choice->getLHS()) &&
                               isOfDevice(choice->getLHS()->getType())
                           ? dyn_cast<CXXUnresolvedConstructExpr>(choice->getRHS())
                           : nullptr;
    return made && isOfDevice(made->getTypeAsWritten()) &&
           llvm::all_of(made->arguments(), [](const Expr *argument) { return isPlace(argument); });
  }

  /// Whether the expression is a name, or a member of one.
  static bool isPlace(const Expr *expr) {
    expr = strip(expr);
    if (const auto *open = dyn_cast<CXXDependentScopeMemberExpr>(expr))
      return open->isImplicitAccess() || isPlace(open->getBase());
    if (const auto *member = dyn_cast<MemberExpr>(expr))
      return isPlace(member->getBase());
    return isa<DeclRefExpr, CXXThisExpr, IntegerLiteral>(expr);
  }

  bool isIndifferent(const Expr *expr) {
    if (expr->isTypeDependent() || expr->containsErrors())
      return false;
    if (isa<CXXDefaultArgExpr>(expr))
      return true;
    if (const auto *call = dyn_cast<CallExpr>(expr))
      return isIndifferentCall(*call);
    if (mayBeGuarded(expr->getType()))
      return false;
    if (const auto *member = dyn_cast<MemberExpr>(expr))
      return (isa<FieldDecl>(member->getMemberDecl()) && isNamed(member)) ||
             isIndifferent(member->getBase());
    if (const auto *made = dyn_cast<CXXConstructExpr>(expr))
      return (isStandard(made->getConstructor()) || isOfDevice(made->getType())) &&
             areIndifferent(made->children());
    const bool isPlain =
        isa<DeclRefExpr, CXXThisExpr, CastExpr, ParenExpr, UnaryOperator, BinaryOperator,
            AbstractConditionalOperator, InitListExpr, FullExpr, MaterializeTemporaryExpr,
            CXXBindTemporaryExpr, IntegerLiteral, FloatingLiteral, StringLiteral, CharacterLiteral,
            CXXBoolLiteralExpr, CXXNullPtrLiteralExpr>(expr);
    return isPlain && areIndifferent(expr->children());
  }

  template <typename Range> bool areIndifferent(const Range &parts) {
    return llvm::all_of(parts, [&](const Stmt *part) {
      const auto *expr = dyn_cast_or_null<Expr>(part);
      return expr && isIndifferent(expr);
    });
  }

  bool isIndifferentCall(const CallExpr &call) {
    const FunctionDecl *callee = call.getDirectCallee();
    if (!callee)
      return false;
    const FunctionRole role = vocabulary.roleOf(callee);
    if (role == FunctionRole::Train || role == FunctionRole::Eval) {
      const auto *method = dyn_cast<CXXMemberCallExpr>(&call);
      return vocabulary.isFramework(callee) && method &&
             isNamed(method->getImplicitObjectArgument()) && areIndifferent(call.arguments());
    }
    const bool isKnown =
        isStandard(callee) ||
        (vocabulary.isFramework(callee) &&
         (isOfDevice(call.getType()) || vocabulary.traitOf(callee) == Trait::AsksForGpu));
    const bool takesCode = llvm::any_of(call.arguments(), [](const Expr *argument) {
      return Vocabulary::isClosure(argument->getType());
    });
    return isKnown && !takesCode && !mayBeGuarded(call.getType()) &&
           areIndifferent(call.children());
  }

  /// `net`, `net->`, `this->net`, `*net`
  static bool isNamed(const Expr *object) {
    object = strip(object);
    if (const auto *arrow = dyn_cast<CXXOperatorCallExpr>(object);
        arrow && arrow->getNumArgs() == 1)
      return isNamed(arrow->getArg(0));
    if (const auto *member = dyn_cast<MemberExpr>(object))
      return isNamed(member->getBase());
    return isa<DeclRefExpr, CXXThisExpr>(object);
  }

  bool isOfDevice(QualType type) { return vocabulary.roleOf(type) == TypeRole::Device; }

  /// Whether a value of the type may be of interest to a guard.
  bool mayBeGuarded(QualType type) {
    return vocabulary.holdsTensors(type) || vocabulary.isTensorList(type) ||
           isModule(vocabulary.roleOf(type)) || vocabulary.reachesTraining(type);
  }

  Vocabulary &vocabulary;
};

} // namespace

/// Whether the source from \p begin on to \p end is \p count statements, and nothing that depends
/// on macros or is left out by them.
static bool isAllOf(SourceLocation begin, SourceLocation end, size_t count,
                    const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  const auto [file, offset] = sources.getDecomposedLoc(begin);
  if (begin.isMacroID() || end.isMacroID() || sources.getFileID(end) != file)
    return false;
  const StringRef text = sources.getBufferData(file);
  Lexer lexer(sources.getLocForStartOfFile(file), context.getLangOpts(), text.begin(),
              text.begin() + offset, text.end());
  Token token;
  size_t found = 0;
  for (lexer.LexFromRawLexer(token); token.isNot(tok::eof) && token.getLocation() < end;
       lexer.LexFromRawLexer(token)) {
    if (token.is(tok::hash) || (token.is(tok::raw_identifier) &&
                                context.Idents.get(token.getRawIdentifier()).hadMacroDefinition()))
      return false;
    found += token.is(tok::semi);
  }
  return found == count;
}

bool guardsNothing(const DeclStmt &declaration, const FunctionCode &function,
                   Vocabulary &vocabulary, const ASTContext &context) {
  const CompoundStmt *block = function.compoundOf(&declaration);
  if (!block || !declaration.isSingleDecl())
    return false;
  const auto statements = llvm::make_range(block->body_begin(), block->body_end());
  const auto rest =
      llvm::drop_begin(llvm::make_range(llvm::find(statements, &declaration), statements.end()));
  Search search(vocabulary);
  if (!llvm::all_of(rest, [&](const Stmt *each) { return search.isIndifferent(each); }))
    return false;
  const SourceLocation end = Lexer::getLocForEndOfToken(
      declaration.getEndLoc(), 0, context.getSourceManager(), context.getLangOpts());
  return end.isValid() && isAllOf(end, block->getRBracLoc(), llvm::range_size(rest), context);
}

} // namespace gradtidy
