// What a missing header would have declared, and what a framework declares by another name now.
// Without it clang drops every statement that uses one of these names, `for (auto i :
// tqdm::range(n)) { … }` with its body included. Where a stand-in of unknown type is found for the
// name, the statement stays in the syntax tree, as in a template.
#pragma once

#include "clang/AST/ASTMutationListener.h"
#include "clang/Lex/Token.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>
#include <utility>

namespace gradtidy {

/// Answers for names that clang looked up in vain, where it would look for a typing error: with a
/// namespace, a variable of dependent type, or, in functions, a dependent type. Members of classes
/// have none; nor have types in classes, since their objects must have a size. Nor does clang look
/// for similar names then: that takes long, and what it finds is something else.
class MissingNames : public clang::ExternalSemaSource {
public:
  /// \param renamed         new names by the full old ones, as Model::renamed() has them.
  /// \param headerIsMissing is read at each name: code whose headers are all there has clang's own
  ///                        errors and suggestions.
  MissingNames(clang::Sema &sema, const llvm::StringMap<std::string> &renamed,
               const bool &headerIsMissing)
      : sema(sema), renamed(renamed), headerIsMissing(headerIsMissing) {}

  clang::TypoCorrection CorrectTypo(const clang::DeclarationNameInfo &name, int lookupKind,
                                    clang::Scope *scope, clang::CXXScopeSpec *qualifier,
                                    clang::CorrectionCandidateCallback &wanted,
                                    clang::DeclContext *memberOf, bool enteringContext,
                                    const clang::ObjCObjectPointerType *) override;

private:
  using Name = std::pair<clang::DeclContext *, clang::IdentifierInfo *>;

  clang::TypoCorrection newName(Name name) const;
  clang::NamespaceDecl *makeNamespace(Name name);
  /// Where \p name, of the namespace \p space, begins a declaration of a variable.
  void addDeclaringType(clang::NamespaceDecl &space, clang::SourceLocation name);
  clang::NamedDecl *makeValue(Name name);
  clang::NamedDecl *makeType(Name name, clang::Scope *scope);
  bool isTemplate(clang::SourceLocation name) const;
  bool isValue(clang::SourceLocation name) const;
  std::optional<clang::Token> tokenBehind(clang::SourceLocation name) const;
  std::optional<std::pair<clang::IdentifierInfo *, clang::SourceLocation>>
  identifierBehind(clang::SourceLocation place) const;

  clang::Sema &sema;
  const llvm::StringMap<std::string> &renamed;
  const bool &headerIsMissing;
  llvm::DenseMap<Name, clang::NamespaceDecl *> namespaces;
  llvm::DenseMap<Name, clang::NamedDecl *> values;
};

/// Classes with members of unknown types. To clang those that use a name that is missing are invalid,
/// and with them all variables of the class and all that is done with these: yet it gives such a
/// member a type that has a size, and the rest of the class can be understood. The size of closures
/// that capture something of unknown type is asked for, too, and clang does not survive that unless
/// they are invalid.
class UnknownLayouts : public clang::ASTMutationListener {
public:
  void CompletedTagDefinition(const clang::TagDecl *tag) override;
};

} // namespace gradtidy
