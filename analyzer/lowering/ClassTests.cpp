#include "ClassTests.h"

#include "analyzer/lowering/ast/Syntax.h"
#include "analyzer/lowering/ast/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace gradtidy {
namespace {

class ClassTestReader {
public:
  ClassTestReader(const FunctionCode &function, Vocabulary &vocabulary, const ASTContext &context)
      : function(function), vocabulary(vocabulary), context(context) {}

  std::optional<ClassTest> read(const Stmt &statement) {
    if (const auto *cast = dyn_cast<CXXDynamicCastExpr>(&statement))
      return ofCast(*cast);
    if (const auto *made = dyn_cast<CXXConstructExpr>(&statement))
      return ofKey(*made);
    const auto *call = dyn_cast<CallExpr>(&statement);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (const auto *operation = dyn_cast_or_null<CXXOperatorCallExpr>(call);
        operation && operation->getNumArgs() == 2 &&
        (operation->getOperator() == OO_EqualEqual || operation->getOperator() == OO_ExclaimEqual))
      return ofComparison(*operation, operation->getArg(0), operation->getArg(1),
                          operation->getOperator() == OO_EqualEqual);
    if (const auto *operation = dyn_cast<BinaryOperator>(&statement);
        operation && operation->isEqualityOp() && !operation->isTypeDependent())
      return ofComparison(*operation, operation->getLHS(), operation->getRHS(),
                          operation->getOpcode() == BO_EQ);
    if (callee && isStandard(callee) && simpleName(callee) == "dynamic_pointer_cast" &&
        call->getNumArgs() == 1)
      return ofPointers(*call);
    return std::nullopt;
  }

private:
  /// The class of a holder of modules that \p type is, or null.
  const CXXRecordDecl *holderOf(QualType type) const {
    const CXXRecordDecl *record = type.isNull() ? nullptr : type->getAsCXXRecordDecl();
    return record && record->hasDefinition() && !record->isPolymorphic() &&
                   vocabulary.roleOf(record) == TypeRole::ModuleHolder
               ? record
               : nullptr;
  }

  /// Whether objects of \p type are modules, which know their class at run time.
  bool isModule(QualType type) const {
    const CXXRecordDecl *record = type.isNull() ? nullptr : type->getAsCXXRecordDecl();
    return record && record->hasDefinition() && record->isPolymorphic() &&
           vocabulary.roleOf(record) == TypeRole::Module;
  }

  /// The `typeid` whose value, or a number or name that stands for it, \p expr is; or null.
  const CXXTypeidExpr *typeidIn(const Expr *expr, unsigned depth = 0) const {
    expr = strip(expr);
    if (const auto *asked = dyn_cast<CXXTypeidExpr>(expr))
      return asked;
    if (depth > 4)
      return nullptr;
    if (const VarDecl *variable = variableOf(expr))
      return variable->hasInit() && !isa<ParmVarDecl>(variable) &&
                     variable->getType().getNonReferenceType().isConstQualified()
                 ? typeidIn(variable->getInit(), depth + 1)
                 : nullptr;
    if (const auto *made = dyn_cast<CXXConstructExpr>(expr)) // `std::type_index(typeid(x))`
      return made->getNumArgs() == 1 && isStandard(made->getConstructor())
                 ? typeidIn(made->getArg(0), depth + 1)
                 : nullptr;
    const auto *call = dyn_cast<CallExpr>(expr);
    const Expr *object = call ? methodObject(call) : nullptr; // `typeid(x).hash_code()`
    return object && call->getDirectCallee() && isStandard(call->getDirectCallee()) &&
                   call->getNumArgs() == 0
               ? typeidIn(object, depth + 1)
               : nullptr;
  }

  QualType askedBy(const CXXTypeidExpr &asked) const {
    if (asked.isTypeOperand())
      return asked.getTypeOperand(context).getNonReferenceType();
    return asked.getExprOperand()->getType();
  }

  /// Whether \p expr tells the class of a module that something holds: `any.type_info()`.
  bool givesClass(const Expr *expr) const {
    const auto *call = dyn_cast<CallExpr>(strip(expr));
    return call && call->getDirectCallee() &&
           vocabulary.traitOf(call->getDirectCallee()) == Trait::GivesClass;
  }

  std::optional<ClassTest> ofComparison(const Expr &whole, const Expr *left, const Expr *right,
                                        bool isEqual) const {
    const CXXTypeidExpr *first = typeidIn(left), *second = typeidIn(right);
    if (const CXXTypeidExpr *asked = first ? first : second;
        asked && givesClass(first ? right : left) && holderOf(askedBy(*asked)))
      return about(ClassTest::Comparison, whole, *holderOf(askedBy(*asked)));
    if (!first || !second)
      return std::nullopt;
    if (holderOf(askedBy(*first)))
      std::swap(first, second);
    const CXXRecordDecl *holder = holderOf(askedBy(*second));
    if (!holder || !isModule(askedBy(*first)))
      return std::nullopt;
    ClassTest test = about(ClassTest::Comparison, whole, *holder);
    const std::string name =
        second->isTypeOperand()
            ? written(second->getTypeOperandSourceInfo()->getTypeLoc().getSourceRange())
            : std::string();
    if (!name.empty() && !first->isTypeOperand() && isPlain(left) && isPlain(right)) {
      const std::string asking = askingFor(first->getExprOperand(), name);
      if (!asking.empty() && isCondition(whole))
        propose(test, whole, (isEqual ? "" : "!") + asking);
    }
    return test;
  }

  /// Whether \p side is a `typeid` as it stands.
  static bool isPlain(const Expr *side) { return isa<CXXTypeidExpr>(strip(side)); }

  /// `std::type_index(typeid(x))` that is not compared.
  std::optional<ClassTest> ofKey(const CXXConstructExpr &made) const {
    const CXXRecordDecl *record = made.getConstructor()->getParent();
    const auto *asked = made.getNumArgs() == 1 && isStandard(record) && record->getIdentifier() &&
                                record->getName() == "type_index"
                            ? dyn_cast<CXXTypeidExpr>(strip(made.getArg(0)))
                            : nullptr;
    if (!asked)
      return std::nullopt;
    const Stmt *outer = function.statementAround(&made);
    while (isa_and_nonnull<CastExpr, ParenExpr, MaterializeTemporaryExpr, FullExpr>(outer))
      outer = function.statementAround(outer);
    const auto *compared = dyn_cast_or_null<CXXOperatorCallExpr>(outer);
    if (isa_and_nonnull<CXXRewrittenBinaryOperator>(outer) ||
        (compared && compared->isComparisonOp()))
      return std::nullopt;
    if (const CXXRecordDecl *holder = holderOf(askedBy(*asked)))
      return about(ClassTest::Key, *asked, *holder);
    if (asked->isTypeOperand() || !isModule(askedBy(*asked)))
      return std::nullopt;
    ClassTest lookup;
    lookup.form = ClassTest::Lookup;
    return lookup;
  }

  std::optional<ClassTest> ofCast(const CXXDynamicCastExpr &cast) const {
    const QualType to = cast.getTypeAsWritten(), from = cast.getSubExpr()->getType();
    const bool isPointer = to->isPointerType();
    const CXXRecordDecl *holder =
        holderOf(isPointer ? to->getPointeeType() : to.getNonReferenceType());
    if (!holder || !isModule(isPointer ? from->getPointeeType() : from))
      return std::nullopt;
    ClassTest test = about(isPointer ? ClassTest::Pointer : ClassTest::Reference, cast, *holder);
    if (!isPointer)
      return test;
    std::string name = written(cast.getAngleBrackets());
    name = llvm::StringRef(name).trim("<>* ").str();
    const std::string asking = askingFor(cast.getSubExpr(), name);
    if (name.empty() || asking.empty())
      return test;
    if (const Expr *dereferenced = dereferencedFor(cast))
      propose(test, *dereferenced, asking); // `(*dynamic_cast<Holder *>(&m))->weight`
    else if (isCondition(cast))
      propose(test, cast, asking);
    return test;
  }

  std::optional<ClassTest> ofPointers(const CallExpr &call) const {
    const CXXRecordDecl *holder = holderOf(pointee(call.getType()));
    if (!holder || !isModule(pointee(call.getArg(0)->getType())))
      return std::nullopt;
    return about(ClassTest::Pointer, call, *holder);
  }

  ClassTest about(ClassTest::Form form, const Expr &whole, const CXXRecordDecl &holder) const {
    ClassTest test;
    test.form = form;
    test.range = whole.getSourceRange();
    test.holder = holder.getNameAsString();
    const CXXRecordDecl *held = vocabulary.heldBy(&holder);
    test.held = held ? held->getNameAsString() : std::string();
    return test;
  }

  void propose(ClassTest &test, const Expr &replaced, std::string text) const {
    if (replaced.getBeginLoc().isMacroID() || replaced.getEndLoc().isMacroID() ||
        function.function->isTemplateInstantiation())
      return;
    test.replaced = replaced.getSourceRange();
    test.replacement = std::move(text);
  }

  std::string written(SourceRange range) const {
    if (range.isInvalid() || range.getBegin().isMacroID() || range.getEnd().isMacroID())
      return {};
    return Lexer::getSourceText(CharSourceRange::getTokenRange(range), context.getSourceManager(),
                                context.getLangOpts())
        .str();
  }

  /// `module.as<Holder>()`, which is empty if it is none of that class.
  std::string askingFor(const Expr *module, const std::string &holder) const {
    module = module->IgnoreParenImpCasts();
    const char *access = module->getType()->isPointerType() ? "->" : ".";
    if (const auto *address = dyn_cast<UnaryOperator>(module)) {
      if (address->getOpcode() != UO_AddrOf && address->getOpcode() != UO_Deref)
        return {};
      access = address->getOpcode() == UO_AddrOf ? "." : "->";
      module = address->getSubExpr()->IgnoreParenImpCasts();
    } else if (const auto *pointed = dyn_cast<CXXOperatorCallExpr>(module);
               pointed && pointed->getOperator() == OO_Star) {
      access = "->";
      module = pointed->getArg(0)->IgnoreParenImpCasts();
    } else if (const auto *call = dyn_cast<CXXMemberCallExpr>(module)) {
      const Expr *pointer = call->getImplicitObjectArgument()->IgnoreParenImpCasts();
      if (simpleName(call->getDirectCallee()) != "get" || pointee(pointer->getType()).isNull())
        return {};
      access = "->";
      module = pointer;
    }
    const std::string text =
        isa<DeclRefExpr, MemberExpr>(module) ? written(module->getSourceRange()) : std::string();
    return text.empty() ? text : text + access + "as<" + holder + ">()";
  }

  /// Whether nothing but the truth of \p expr is asked for.
  bool isCondition(const Expr &expr) const {
    const Stmt *inner = &expr;
    for (const Stmt *outer = function.statementAround(inner); outer;
         outer = function.statementAround(inner = outer)) {
      if (isa<ParenExpr, ImplicitCastExpr, ExprWithCleanups, CXXRewrittenBinaryOperator>(outer))
        continue;
      if (const auto *operation = dyn_cast<UnaryOperator>(outer))
        return operation->getOpcode() == UO_LNot;
      if (const auto *operation = dyn_cast<BinaryOperator>(outer))
        return operation->isLogicalOp();
      if (const auto *branch = dyn_cast<IfStmt>(outer))
        return inner == branch->getCond();
      if (const auto *loop = dyn_cast<WhileStmt>(outer))
        return inner == loop->getCond();
      const auto *choice = dyn_cast<ConditionalOperator>(outer);
      return choice && inner == choice->getCond();
    }
    return false;
  }

  /// The parentheses of `(*cast)->…`, or null.
  const Expr *dereferencedFor(const CXXDynamicCastExpr &cast) const {
    const auto *star = dyn_cast_or_null<UnaryOperator>(function.statementAround(&cast));
    const auto *parens = star && star->getOpcode() == UO_Deref
                             ? dyn_cast_or_null<ParenExpr>(function.statementAround(star))
                             : nullptr;
    const Stmt *outer = parens ? function.statementAround(parens) : nullptr;
    while (outer && isa<ImplicitCastExpr>(outer))
      outer = function.statementAround(outer);
    const auto *arrow = dyn_cast_or_null<CXXOperatorCallExpr>(outer);
    return arrow && arrow->getOperator() == OO_Arrow ? parens : nullptr;
  }

  const FunctionCode &function;
  Vocabulary &vocabulary;
  const ASTContext &context;
};

} // namespace

std::optional<ClassTest> classTestOf(const Stmt &statement, const FunctionCode &function,
                                     Vocabulary &vocabulary, const ASTContext &context) {
  if (!isa<CXXDynamicCastExpr, CallExpr, BinaryOperator, CXXConstructExpr>(statement))
    return std::nullopt;
  return ClassTestReader(function, vocabulary, context).read(statement);
}

} // namespace gradtidy
