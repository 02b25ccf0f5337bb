#include "Declarations.h"
#include "Vocabulary.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"

namespace gradtidy {
namespace {

class Collector : public clang::RecursiveASTVisitor<Collector> {
public:
  explicit Collector(const Model &model) : model(model) {}

  DeclaredNames found;

  bool TraverseStmt(clang::Stmt *) { return true; }

  bool VisitNamedDecl(const clang::NamedDecl *declaration) {
    if (declaration->getDeclContext()->isFunctionOrMethod() ||
        llvm::isa<clang::UsingDecl, clang::UsingShadowDecl, clang::TypedefNameDecl,
                  clang::TemplateTypeParmDecl, clang::NonTypeTemplateParmDecl>(declaration))
      return true;
    found.names.insert(nameOf(declaration));
    return true;
  }

  bool VisitTypedefNameDecl(const clang::TypedefNameDecl *alias) {
    if (const clang::CXXRecordDecl *record = alias->getUnderlyingType()->getAsCXXRecordDecl())
      addAlias(alias, record);
    else if (const auto *generic =
                 alias->getUnderlyingType()->getAs<clang::TemplateSpecializationType>())
      if (const clang::TemplateDecl *pattern = generic->getTemplateName().getAsTemplateDecl())
        addAlias(alias, pattern);
    return true;
  }

  bool VisitUsingShadowDecl(const clang::UsingShadowDecl *shadow) {
    addAlias(shadow, shadow->getTargetDecl());
    return true;
  }

  bool VisitCXXRecordDecl(const clang::CXXRecordDecl *record) {
    if (record->isThisDeclarationADefinition())
      for (const clang::CXXBaseSpecifier &base : record->bases())
        if (const clang::CXXRecordDecl *parent = base.getType()->getAsCXXRecordDecl())
          found.bases[nameOf(record)].push_back(nameOf(parent));
    return true;
  }

private:
  std::string nameOf(const clang::NamedDecl *declaration) const {
    return model.canonicalName(qualifiedName(declaration));
  }

  void addAlias(const clang::NamedDecl *alias, const clang::NamedDecl *target) {
    const std::string name = nameOf(alias), other = nameOf(target);
    if (name != other && !alias->getDeclContext()->isFunctionOrMethod())
      found.aliases.try_emplace(name, other);
  }

  const Model &model;
};

} // namespace

DeclaredNames declaredNames(clang::ASTContext &context, const Model &model) {
  Collector collector(model);
  collector.TraverseDecl(context.getTranslationUnitDecl());
  return std::move(collector.found);
}

} // namespace gradtidy
