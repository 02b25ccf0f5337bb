#include "MissingNames.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Lex/Lexer.h"
#include "clang/Sema/DeclSpec.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Scope.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/TypoCorrection.h"

namespace gradtidy {

using namespace clang;

TypoCorrection MissingNames::CorrectTypo(const DeclarationNameInfo &info, int lookupKind,
                                         Scope *scope, CXXScopeSpec *qualifier,
                                         CorrectionCandidateCallback &wanted, DeclContext *memberOf,
                                         bool enteringContext, const ObjCObjectPointerType *) {
  sema.DisableTypoCorrection |= headerIsMissing;
  IdentifierInfo *identifier = info.getName().getAsIdentifierInfo();
  if (!identifier || memberOf || enteringContext)
    return {};
  DeclContext *context = sema.getASTContext().getTranslationUnitDecl();
  if (qualifier && qualifier->isSet())
    context = sema.computeDeclContext(*qualifier);
  if (!context || !context->isFileContext())
    return {};

  const Name name(context, identifier);
  if (TypoCorrection found = newName(name)) {
    found.setCorrectionRange(qualifier, info);
    return found;
  }
  if (!headerIsMissing)
    return {};

  if (lookupKind == Sema::LookupNestedNameSpecifierName || lookupKind == Sema::LookupNamespaceName)
    return TypoCorrection(makeNamespace(name));
  if (lookupKind != Sema::LookupOrdinaryName)
    return {};
  if (wanted.WantExpressionKeywords && isValue(info.getLoc()))
    return TypoCorrection(makeValue(name));
  const bool inFunction =
      scope && (scope->isFunctionPrototypeScope() || sema.CurContext->isFunctionOrMethod());
  if (wanted.WantTypeSpecifiers && inFunction && !isTemplate(info.getLoc()))
    return TypoCorrection(makeType(name, *scope));
  return {};
}

TypoCorrection MissingNames::newName(Name name) const {
  const auto *around = dyn_cast<NamespaceDecl>(name.first);
  if (!around)
    return {};
  const auto known =
      renamed.find((around->getQualifiedNameAsString() + "::" + name.second->getName()).str());
  if (known == renamed.end())
    return {};
  TypoCorrection correction;
  for (NamedDecl *declaration : name.first->lookup(&sema.getASTContext().Idents.get(known->second)))
    correction.addCorrectionDecl(declaration);
  return correction;
}

NamedDecl *MissingNames::makeNamespace(Name name) {
  NamedDecl *&made = namespaces[name];
  if (!made)
    made = NamespaceDecl::Create(sema.getASTContext(), name.first, /*Inline=*/false, {}, {},
                                 name.second, /*PrevDecl=*/nullptr, /*Nested=*/false);
  return made;
}

NamedDecl *MissingNames::makeValue(Name name) {
  ASTContext &ast = sema.getASTContext();
  NamedDecl *&made = values[name];
  if (!made)
    made = VarDecl::Create(ast, name.first, {}, {}, name.second, ast.DependentTy,
                           /*TInfo=*/nullptr, SC_Extern);
  return made;
}

/// Clang looks the type up once more: it is found there from now on.
NamedDecl *MissingNames::makeType(Name name, Scope &scope) {
  ASTContext &ast = sema.getASTContext();
  TypedefDecl *made = TypedefDecl::Create(ast, name.first, {}, {}, name.second,
                                          ast.getTrivialTypeSourceInfo(ast.DependentTy));
  if (name.first->isTranslationUnit())
    sema.PushOnScopeChains(made, &scope, /*AddToContext=*/false);
  else
    name.first->addDecl(made);
  return made;
}

/// `name<…>`, for which clang needs a template. It does not survive a type there.
bool MissingNames::isTemplate(SourceLocation name) const {
  const auto next = tokenBehind(name);
  return next && next->is(tok::less);
}

/// `name(…)`, `name.member`, `f(name, …)`; but not the type in `Name variable`.
bool MissingNames::isValue(SourceLocation name) const {
  const auto next = tokenBehind(name);
  return next && next->isOneOf(tok::l_paren, tok::r_paren, tok::period, tok::arrow, tok::comma,
                               tok::semi, tok::l_square);
}

std::optional<Token> MissingNames::tokenBehind(SourceLocation name) const {
  return name.isFileID() ? Lexer::findNextToken(name, sema.getSourceManager(), sema.getLangOpts())
                         : std::nullopt;
}

void UnknownLayouts::CompletedTagDefinition(const TagDecl *tag) {
  auto *record = dyn_cast<CXXRecordDecl>(const_cast<TagDecl *>(tag));
  if (!record)
    return;
  const auto isDependent = [](const FieldDecl *field) {
    return field->getType()->isDependentType();
  };
  if (!record->isDependentContext() && llvm::any_of(record->fields(), isDependent))
    return record->setInvalidDecl();
  const auto isWrong = [](const FieldDecl *field) { return field->isInvalidDecl(); };
  const auto hasNoSize = [](const FieldDecl *field) {
    const CXXRecordDecl *type = field->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    return field->getType()->isIncompleteType() || (type && type->isInvalidDecl());
  };
  if (llvm::any_of(record->fields(), isWrong) && llvm::none_of(record->fields(), hasNoSize))
    record->setInvalidDecl(false);
}

} // namespace gradtidy
