#include "SharedFunctions.h"

#include "analyzer/lowering/ast/Syntax.h"
#include "analyzer/lowering/ast/Values.h"
#include "analyzer/source/Paths.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"

#include <set>

namespace gradtidy {
namespace {

class Collector : public clang::RecursiveASTVisitor<Collector> {
public:
  Collector(const clang::ASTContext &context, Vocabulary &vocabulary)
      : context(context), sources(context.getSourceManager()), vocabulary(vocabulary),
        isUserCode(vocabulary.code().isUserCode()) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(clang::Decl *declaration) {
    if (isPassedOver(declaration, isUserCode))
      return true;
    return RecursiveASTVisitor::TraverseDecl(declaration);
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) {
    if (!function->isThisDeclarationADefinition() || !function->hasExternalFormalLinkage())
      return true;
    const std::string source = fileOf(function);
    const bool isApart = source != fileOf(function->getFirstDecl());
    if ((isApart || isDeclaredByHand(*function)) && !isModulesOwn(function))
      add(function, source);
    if (const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function); method && isApart)
      complete(method->getParent());
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *reference) { return use(reference->getDecl()); }
  bool VisitMemberExpr(clang::MemberExpr *member) { return use(member->getMemberDecl()); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construct) {
    return use(construct->getConstructor());
  }
  bool VisitVarDecl(clang::VarDecl *variable) { return use(variable); }

  std::set<SharedFunction> found;

private:
  bool use(const clang::ValueDecl *declaration) {
    if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration))
      need(function);
    else if (const clang::CXXRecordDecl *record = vocabulary.classOf(declaration->getType());
             record && isModule(vocabulary.roleOf(record)) && isUserCode(record) &&
             record->hasDefinition() && used.insert(record->getDefinition()).second)
      for (const clang::CXXMethodDecl *method : record->getDefinition()->methods())
        need(method);
    return true;
  }

  /// What is known of a class comes from all its functions.
  void complete(const clang::CXXRecordDecl *record) {
    if (holdsTraining(context.getCanonicalTagType(record)) && completed.insert(record).second)
      for (const clang::CXXMethodDecl *method : record->methods())
        need(method, /*completesClass=*/true);
  }

  /// Whether a function that no header declares may be called from other sources.
  static bool isDeclaredByHand(const clang::FunctionDecl &function) {
    const bool isForOthers =
        function.getTemplateSpecializationKind() == clang::TSK_ExplicitInstantiationDefinition;
    return !llvm::isa<clang::CXXMethodDecl>(function) && !function.isInlined() &&
           !function.isMain() && (isForOthers || !function.isTemplateInstantiation());
  }

  void need(const clang::FunctionDecl *function, bool completesClass = false) {
    if (!function->isDefined() && !function->isPureVirtual() && !function->isImplicit() &&
        !function->isDefaulted() && !function->isDeleted() && isUserCode(function) &&
        !llvm::isa<clang::CXXDestructorDecl>(function))
      add(function, {}, completesClass);
  }

  void add(const clang::FunctionDecl *function, const std::string &source,
           bool completesClass = false) {
    const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
    const std::string header = fileOf(function->getFirstDecl());
    if (header.empty() || function->isDependentContext() || !matters(function))
      return;
    const clang::CXXRecordDecl *record = method ? method->getParent() : nullptr;
    found.insert({source, header, record ? record->getNameAsString() : "",
                  llvm::isa<clang::CXXConstructorDecl>(function) ? record->getNameAsString()
                                                                 : function->getNameAsString(),
                  completesClass});
  }

  bool holdsTraining(clang::QualType type) {
    return vocabulary.reachesTraining(type) || vocabulary.holdsTensors(type);
  }

  bool matters(const clang::FunctionDecl *function) {
    const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
    return (method && holdsTraining(context.getCanonicalTagType(method->getParent()))) ||
           holdsTraining(function->getReturnType()) ||
           llvm::any_of(function->parameters(), [&](const clang::ParmVarDecl *parameter) {
             return holdsTraining(parameter->getType()) ||
                    (!method && isMemoryOfNumbers(parameter->getType()));
           });
  }

  /// What a launcher of kernels gets of a tensor.
  static bool isMemoryOfNumbers(clang::QualType type) {
    const clang::QualType pointee = type->getPointeeType();
    return type->isPointerType() && pointee->isArithmeticType() && !pointee->isAnyCharacterType() &&
           !pointee->isBooleanType();
  }

  /// Whether callers do nothing with the function but what every module expects of them.
  bool isModulesOwn(const clang::FunctionDecl *function) {
    const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
    return method && isModule(vocabulary.roleOf(method->getParent())) &&
           (llvm::isa<clang::CXXConstructorDecl>(method) || isForward(method));
  }

  std::string fileOf(const clang::Decl *declaration) const {
    if (!declaration)
      return {};
    const clang::FileID file =
        sources.getFileID(sources.getExpansionLoc(declaration->getLocation()));
    const clang::OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
    llvm::SmallString<256> path = entry ? entry->getName() : llvm::StringRef();
    if (!path.empty())
      sources.getFileManager().makeAbsolutePath(path);
    return path.empty() ? std::string() : absolutePath(path);
  }

  const clang::ASTContext &context;
  const clang::SourceManager &sources;
  Vocabulary &vocabulary;
  const CodeMap::IsUserCode &isUserCode;
  llvm::DenseSet<const clang::CXXRecordDecl *> used, completed;
};

} // namespace

std::vector<SharedFunction> findSharedFunctions(clang::ASTContext &context,
                                                Vocabulary &vocabulary) {
  Collector collector(context, vocabulary);
  for (clang::Decl *declaration : context.getTraversalScope())
    collector.TraverseDecl(declaration);
  return {collector.found.begin(), collector.found.end()};
}

} // namespace gradtidy
