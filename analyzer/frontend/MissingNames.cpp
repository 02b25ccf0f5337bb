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
  if (!identifier || enteringContext)
    return {};
  DeclContext *context = sema.getASTContext().getTranslationUnitDecl();
  if (qualifier && qualifier->isSet())
    context = sema.computeDeclContext(*qualifier);
  if (!context || !context->isFileContext() || (memberOf && memberOf != context))
    return {};

  const Name name(context, identifier);
  if (TypoCorrection found = newName(name)) {
    found.setCorrectionRange(qualifier, info);
    return found;
  }
  if (!headerIsMissing)
    return {};

  const bool inFunction =
      (scope && scope->isFunctionPrototypeScope()) || sema.CurContext->isFunctionOrMethod();
  if (lookupKind == Sema::LookupNestedNameSpecifierName ||
      lookupKind == Sema::LookupNamespaceName) {
    NamespaceDecl *space = makeNamespace(name);
    if (inFunction)
      addDeclaringType(*space, info.getLoc());
    return TypoCorrection(space);
  }
  if (lookupKind != Sema::LookupOrdinaryName)
    return {};
  if (wanted.WantExpressionKeywords && isValue(info.getLoc()))
    return TypoCorrection(makeValue(name));
  if (wanted.WantTypeSpecifiers && inFunction && scope && !isTemplate(info.getLoc()))
    return TypoCorrection(makeType(name, scope));
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

NamespaceDecl *MissingNames::makeNamespace(Name name) {
  NamespaceDecl *&made = namespaces[name];
  if (!made)
    made = NamespaceDecl::Create(sema.getASTContext(), name.first, /*Inline=*/false, {}, {},
                                 name.second, /*PrevDecl=*/nullptr, /*Nested=*/false);
  return made;
}

/// Clang takes `space::Type variable(…)` for an expression before it asks what the type is.
void MissingNames::addDeclaringType(NamespaceDecl &space, SourceLocation name) {
  const auto colons = tokenBehind(name);
  const auto type = colons && colons->is(tok::coloncolon) ? identifierBehind(colons->getLocation())
                                                          : std::nullopt;
  if (!type || !identifierBehind(type->second))
    return;
  if (space.lookup(type->first).empty())
    makeType({&space, type->first}, nullptr);
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
NamedDecl *MissingNames::makeType(Name name, Scope *scope) {
  ASTContext &ast = sema.getASTContext();
  TypedefDecl *made = TypedefDecl::Create(ast, name.first, {}, {}, name.second,
                                          ast.getTrivialTypeSourceInfo(ast.DependentTy));
  if (name.first->isTranslationUnit())
    sema.PushOnScopeChains(made, scope, /*AddToContext=*/false);
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

std::optional<std::pair<IdentifierInfo *, SourceLocation>>
MissingNames::identifierBehind(SourceLocation place) const {
  const auto next = tokenBehind(place);
  if (!next || next->isNot(tok::raw_identifier))
    return std::nullopt;
  IdentifierInfo &name = sema.getASTContext().Idents.get(next->getRawIdentifier());
  if (name.isKeyword(sema.getLangOpts()))
    return std::nullopt;
  return std::pair(&name, next->getLocation());
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
