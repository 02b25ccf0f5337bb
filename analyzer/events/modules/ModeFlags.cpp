#include "ModeFlags.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <utility>

namespace gradtidy {
namespace {

using Arguments = std::vector<const clang::Expr *>;

struct FlagFacts {
  unsigned mentions = 0, reads = 0;
  std::vector<const clang::Expr *> asked;
  llvm::SmallPtrSet<const clang::BinaryOperator *, 2> assignments;
};

class Collector : public clang::RecursiveASTVisitor<Collector> {
public:
  explicit Collector(Vocabulary &vocabulary)
      : vocabulary(vocabulary), isUserCode(vocabulary.code().isUserCode()) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(clang::Decl *declaration) {
    if (isPassedOver(declaration, isUserCode))
      return true;
    auto *inner = llvm::dyn_cast_or_null<clang::FunctionDecl>(declaration);
    const clang::FunctionDecl *outer = inner ? std::exchange(function, inner) : function;
    bool result = RecursiveASTVisitor::TraverseDecl(declaration);
    function = outer;
    return result;
  }

  bool VisitFieldDecl(clang::FieldDecl *field) {
    if (isModeFlag(field))
      flags[field->getCanonicalDecl()];
    return true;
  }

  bool VisitMemberExpr(clang::MemberExpr *member) {
    if (const clang::FieldDecl *field = flagOf(member))
      ++flags[field].mentions;
    return true;
  }

  bool VisitImplicitCastExpr(clang::ImplicitCastExpr *cast) {
    const clang::FieldDecl *field =
        cast->getCastKind() == clang::CK_LValueToRValue ? flagOf(cast->getSubExpr()) : nullptr;
    if (!field)
      return true;
    FlagFacts &facts = flags[field];
    ++facts.reads;
    if (classOf(function) == field->getParent()->getCanonicalDecl() &&
        !llvm::isa<clang::CXXConstructorDecl>(function))
      facts.asked.push_back(cast->getSubExpr());
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator *operation) {
    if (operation->getOpcode() == clang::BO_Assign)
      if (const clang::FieldDecl *field = flagOf(operation->getLHS()))
        flags[field].assignments.insert(operation);
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (const clang::CXXRecordDecl *record = classOf(function);
        record && simpleName(callee) == "is_training")
      asking.insert(record);
    if (isFactory(callee))
      construct(call->getType(), {call->arg_begin(), call->arg_end()});
    return true;
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construction) {
    construct(construction->getType(), {construction->arg_begin(), construction->arg_end()});
    return true;
  }

  /// Whether all objects say that they train, and always do.
  bool isStuck(const clang::FieldDecl *field, FlagFacts &facts) const {
    const auto *record = llvm::cast<clang::CXXRecordDecl>(field->getParent());
    const auto made = constructions.find(record->getCanonicalDecl());
    if (facts.asked.empty() || made == constructions.end() || record->isDependentContext() ||
        asking.contains(record->getCanonicalDecl()) ||
        llvm::any_of(record->methods(), [](const clang::CXXMethodDecl *method) {
          return simpleName(method) == "train" || simpleName(method) == "eval";
        }))
      return false;
    return llvm::all_of(record->ctors(),
                        [&](const clang::CXXConstructorDecl *constructor) {
                          return constructor->isDeleted() ||
                                 constructor->isCopyOrMoveConstructor() ||
                                 setsTrue(constructor, field, facts, made->second);
                        }) &&
           facts.mentions == facts.reads && facts.assignments.empty();
  }

  llvm::MapVector<const clang::FieldDecl *, FlagFacts> flags;

private:
  bool isModeFlag(const clang::FieldDecl *field) const {
    const auto *record = llvm::dyn_cast<clang::CXXRecordDecl>(field->getParent());
    if (!record || !field->getType()->isBooleanType() ||
        vocabulary.roleOf(record) != TypeRole::Module)
      return false;
    const std::string lower = field->getName().lower();
    llvm::StringRef name = lower;
    name.consume_front("m_");
    name = name.trim('_');
    name.consume_front("is");
    name = name.trim('_');
    return name == "training" || name == "train";
  }

  const clang::FieldDecl *flagOf(const clang::Expr *expr) const {
    const auto *member = llvm::dyn_cast<clang::MemberExpr>(expr->IgnoreParens());
    const auto *field =
        member ? llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
    return field && isUserCode(field) && isModeFlag(field) ? field->getCanonicalDecl() : nullptr;
  }

  /// A module of that type is made, or its holder with the same arguments. Copies are none, nor are
  /// empty holders.
  void construct(clang::QualType type, Arguments arguments) {
    const clang::CXXRecordDecl *record = vocabulary.classOf(type);
    if (!record || vocabulary.roleOf(record) != TypeRole::Module || !isUserCode(record))
      return;
    bool isNew = llvm::none_of(arguments, [&](const clang::Expr *argument) {
      return vocabulary.classOf(argument->getType()) == record ||
             argument->IgnoreImplicit()->getType()->isNullPtrType();
    });
    if (isNew)
      constructions[record->getCanonicalDecl()].push_back(std::move(arguments));
  }

  static bool isTrue(const clang::Expr *value, const clang::ASTContext &context) {
    bool result = false;
    value = value ? strip(value) : nullptr;
    return value && !value->isValueDependent() &&
           value->EvaluateAsBooleanCondition(result, context) && result;
  }

  /// Takes those assignments of \p facts away that make sure of it.
  bool setsTrue(const clang::CXXConstructorDecl *constructor, const clang::FieldDecl *field,
                FlagFacts &facts, const std::vector<Arguments> &made) const {
    const clang::Expr *value = field->getInClassInitializer();
    const clang::FunctionDecl *definition = nullptr;
    if (constructor->hasBody(definition)) {
      for (const clang::CXXCtorInitializer *initialiser :
           llvm::cast<clang::CXXConstructorDecl>(definition)->inits()) {
        if (initialiser->isDelegatingInitializer())
          return true; // The other constructor is asked, too.
        if (initialiser->isWritten() && initialiser->getMember() &&
            initialiser->getMember()->getCanonicalDecl() == field)
          value = initialiser->getInit();
      }
      for (const clang::Stmt *statement : definition->getBody()->children())
        if (const auto *assignment = llvm::dyn_cast_or_null<clang::BinaryOperator>(statement);
            assignment && facts.assignments.erase(assignment)) {
          --facts.mentions;
          value = assignment->getRHS();
        }
    } else if (!constructor->isDefaulted()) {
      return false;
    }
    const clang::ASTContext &context = field->getASTContext();
    const auto *reference =
        llvm::dyn_cast_or_null<clang::DeclRefExpr>(value ? strip(value) : nullptr);
    const auto *parameter =
        reference ? llvm::dyn_cast<clang::ParmVarDecl>(reference->getDecl()) : nullptr;
    if (!parameter)
      return isTrue(value, context);
    // All constructions that may be by this constructor.
    const unsigned index = parameter->getFunctionScopeIndex();
    return llvm::all_of(made, [&](const Arguments &arguments) {
      if (arguments.size() > constructor->getNumParams() ||
          arguments.size() < constructor->getMinRequiredArguments())
        return true;
      return isTrue(index < arguments.size() ? arguments[index]
                                             : constructor->getParamDecl(index)->getDefaultArg(),
                    context);
    });
  }

  Vocabulary &vocabulary;
  const CodeMap::IsUserCode &isUserCode;
  const clang::FunctionDecl *function = nullptr;
  llvm::DenseSet<const clang::CXXRecordDecl *> asking; ///< Those that call is_training().
  llvm::DenseMap<const clang::CXXRecordDecl *, std::vector<Arguments>> constructions;
};

} // namespace

std::vector<ModeFlag> findStuckModeFlags(clang::ASTContext &context, Vocabulary &vocabulary) {
  Collector collector(vocabulary);
  for (clang::Decl *declaration : context.getTraversalScope())
    collector.TraverseDecl(declaration);
  std::vector<ModeFlag> stuck;
  for (auto &[field, facts] : collector.flags)
    if (collector.isStuck(field, facts)) {
      CodeMap &map = vocabulary.code();
      ModeFlag &flag = stuck.emplace_back();
      flag.field = map.symbol(field);
      for (const clang::Expr *asked : facts.asked)
        flag.asked.push_back(map.node(asked));
    }
  return stuck;
}

} // namespace gradtidy
