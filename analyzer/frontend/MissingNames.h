// What a missing header would have declared. Without it clang drops every statement that uses one of
// its names, `for (auto i : tqdm::range(n)) { … }` with its body included; with a stand-in for the
// name, of a type that is not known, the statement stays in the syntax tree.
#pragma once

#include "clang/AST/DeclBase.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "llvm/ADT/DenseMap.h"

#include <utility>

namespace gradtidy {

/// Answers for names that clang looked up in vain, where it would look for a typing error: a
/// namespace before `::`, and a variable of dependent type in an expression. Names of types are left
/// to clang, which recovers well from these.
class MissingNames : public clang::ExternalSemaSource {
public:
  /// \param headerIsMissing is read at each name: code whose headers are all there has clang's own
  ///                        errors and suggestions.
  MissingNames(clang::Sema &sema, const bool &headerIsMissing)
      : sema(sema), headerIsMissing(headerIsMissing) {}

  clang::TypoCorrection CorrectTypo(const clang::DeclarationNameInfo &name, int lookupKind,
                                    clang::Scope *, clang::CXXScopeSpec *qualifier,
                                    clang::CorrectionCandidateCallback &wanted,
                                    clang::DeclContext *memberOf, bool enteringContext,
                                    const clang::ObjCObjectPointerType *) override;

private:
  clang::NamedDecl *declare(clang::IdentifierInfo &name, clang::DeclContext &context,
                            bool isNamespace);
  bool isValue(clang::SourceLocation name) const;

  clang::Sema &sema;
  const bool &headerIsMissing;
  llvm::DenseMap<std::pair<clang::DeclContext *, const clang::IdentifierInfo *>, clang::NamedDecl *>
      namespaces, values;
};

} // namespace gradtidy
