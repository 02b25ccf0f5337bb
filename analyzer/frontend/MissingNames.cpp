#include "MissingNames.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Lex/Lexer.h"
#include "clang/Sema/DeclSpec.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/TypoCorrection.h"

namespace gradtidy {

clang::TypoCorrection
MissingNames::CorrectTypo(const clang::DeclarationNameInfo &name, int lookupKind, clang::Scope *,
                          clang::CXXScopeSpec *qualifier,
                          clang::CorrectionCandidateCallback &wanted, clang::DeclContext *memberOf,
                          bool enteringContext, const clang::ObjCObjectPointerType *) {
  clang::IdentifierInfo *identifier = name.getName().getAsIdentifierInfo();
  if (!headerIsMissing || !identifier || memberOf || enteringContext)
    return {};
  clang::DeclContext *context = sema.getASTContext().getTranslationUnitDecl();
  if (qualifier && qualifier->isSet())
    context = sema.computeDeclContext(*qualifier);
  // Classes know their members, but for those of a base that is not known.
  if (!context || !context->isFileContext())
    return {};

  const bool isNamespace = lookupKind == clang::Sema::LookupNestedNameSpecifierName;
  if (!isNamespace && (lookupKind != clang::Sema::LookupOrdinaryName ||
                       !wanted.WantExpressionKeywords || !isValue(name.getLoc())))
    return {};
  auto &known = isNamespace ? namespaces : values;
  clang::NamedDecl *&decl = known[{context, identifier}];
  if (!decl)
    decl = declare(*identifier, *context, isNamespace);
  return clang::TypoCorrection(decl);
}

clang::NamedDecl *MissingNames::declare(clang::IdentifierInfo &name, clang::DeclContext &context,
                                        bool isNamespace) {
  clang::ASTContext &ast = sema.getASTContext();
  const clang::SourceLocation nowhere;
  if (isNamespace)
    return clang::NamespaceDecl::Create(ast, &context, /*Inline=*/false, nowhere, nowhere, &name,
                                        /*PrevDecl=*/nullptr, /*Nested=*/false);
  return clang::VarDecl::Create(ast, &context, nowhere, nowhere, &name, ast.DependentTy,
                                /*TInfo=*/nullptr, clang::SC_Extern);
}

/// `name(…)`, `name.member`, `f(name, …)`; but not the type in `Name variable`.
bool MissingNames::isValue(clang::SourceLocation name) const {
  if (!name.isFileID())
    return false;
  const auto next = clang::Lexer::findNextToken(name, sema.getSourceManager(), sema.getLangOpts());
  return next && next->isOneOf(clang::tok::l_paren, clang::tok::r_paren, clang::tok::period,
                               clang::tok::arrow, clang::tok::comma, clang::tok::semi,
                               clang::tok::l_square);
}

} // namespace gradtidy
