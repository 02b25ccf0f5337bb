#include "UserFunctions.h"

#include "analyzer/frontend/UserCode.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"

namespace gradtidy {
namespace {

class Collector : public clang::RecursiveASTVisitor<Collector> {
public:
  Collector(const UserCode &userCode, const clang::SourceManager &sources)
      : userCode(userCode), sources(sources) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }
  bool shouldVisitImplicitCode() const { return false; }

  /// Declarations that are not the user's are not entered: that keeps the framework's out.
  bool TraverseDecl(clang::Decl *declaration) {
    if (declaration && !llvm::isa<clang::TranslationUnitDecl>(declaration) &&
        declaration->getLocation().isValid() &&
        !userCode.contains(declaration->getLocation(), sources))
      return true;
    return RecursiveASTVisitor::TraverseDecl(declaration);
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) {
    if (function->doesThisDeclarationHaveABody() &&
        (!function->isDependentContext() || isUnused(*function)))
      found.functions.push_back(function);
    return true;
  }

  bool VisitCXXRecordDecl(clang::CXXRecordDecl *record) {
    if (record->isThisDeclarationADefinition() &&
        (!record->isDependentContext() || isOnlyWritten(*record)))
      found.classes.push_back(record);
    return true;
  }

  bool VisitVarDecl(clang::VarDecl *variable) {
    if (variable->hasGlobalStorage() && variable->isThisDeclarationADefinition() &&
        !variable->getDeclContext()->isDependentContext())
      found.lasting.push_back(variable);
    return true;
  }

  bool VisitLambdaExpr(clang::LambdaExpr *lambda) {
    if (clang::CXXMethodDecl *function = lambda->getCallOperator();
        function && function->hasBody() && (!function->isDependentContext() || isUnused(*function)))
      found.functions.push_back(function);
    return true;
  }

  UserDeclarations found;

private:
  /// Whether it is a class template that the unit, as far as it compiles, makes no class of.
  static bool isOnlyWritten(const clang::CXXRecordDecl &record) {
    clang::ClassTemplateDecl *generic = record.getDescribedClassTemplate();
    return generic && !record.getDeclContext()->isDependentContext() &&
           llvm::none_of(generic->specializations(), [](const auto *special) {
             return special->hasDefinition() && !special->isInvalidDecl();
           });
  }

  /// Whether the unit never instantiates \p function, which is a template or a member of one.
  static bool isUnused(const clang::FunctionDecl &function) {
    const clang::FunctionTemplateDecl *pattern = function.getDescribedFunctionTemplate();
    if (pattern && !pattern->specializations().empty())
      return false;
    for (const clang::DeclContext *around = function.getDeclContext(); around->isDependentContext();
         around = around->getParent()) {
      if (const auto *outer = llvm::dyn_cast<clang::FunctionDecl>(around))
        return isUnused(*outer);
      const auto *record = llvm::dyn_cast<clang::CXXRecordDecl>(around);
      const bool isOfVariable =
          record && record->isLambda() && !record->getParent()->isDependentContext();
      if (!record || isOfVariable)
        return false;
      const auto mayDefine = [&](const clang::CXXRecordDecl *instance) {
        return pattern || record != function.getDeclContext() || defines(*instance, function);
      };
      if (llvm::any_of(instancesOf(*record), mayDefine))
        return false;
    }
    return true;
  }

  /// Of a class template or a partial specialization; none of another class.
  static llvm::SmallVector<const clang::CXXRecordDecl *, 4>
  instancesOf(const clang::CXXRecordDecl &record) {
    using Partial = clang::ClassTemplatePartialSpecializationDecl;
    const auto *partial = llvm::dyn_cast<Partial>(&record);
    clang::ClassTemplateDecl *generic =
        partial ? partial->getSpecializedTemplate() : record.getDescribedClassTemplate();
    llvm::SmallVector<const clang::CXXRecordDecl *, 4> instances;
    if (generic)
      for (const clang::ClassTemplateSpecializationDecl *each : generic->specializations())
        if (!partial || llvm::dyn_cast_if_present<Partial *>(
                            each->getSpecializedTemplateOrPartial()) == partial)
          instances.push_back(each);
    return instances;
  }

  /// Whether the class has an instance of \p method, of its template, that was asked for.
  static bool defines(const clang::CXXRecordDecl &instance, const clang::FunctionDecl &method) {
    return llvm::any_of(instance.methods(), [&](const clang::CXXMethodDecl *each) {
      const clang::FunctionDecl *origin = each->getInstantiatedFromMemberFunction();
      return origin && origin->getCanonicalDecl() == method.getCanonicalDecl() && each->isDefined();
    });
  }

  const UserCode &userCode;
  const clang::SourceManager &sources;
};

} // namespace

UserDeclarations userDeclarations(clang::ASTContext &context, const UserCode &userCode) {
  Collector collector(userCode, context.getSourceManager());
  for (clang::Decl *declaration : context.getTraversalScope())
    collector.TraverseDecl(declaration);
  return std::move(collector.found);
}

} // namespace gradtidy
