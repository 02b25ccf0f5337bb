// Narrows parsing and matching to user code.
#pragma once

#include "Bodies.h"
#include "UserCode.h"
#include "clang/AST/DeclBase.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Sema/SemaConsumer.h"

#include <vector>

namespace gradtidy {

/// Keeps the bodies of the user's functions only, has no others' function templates instantiated,
/// and collects the user's declarations.
class UserCodeConsumer : public clang::SemaConsumer {
public:
  /// \param leftOut functions whose bodies are skipped, too. All must outlive this object.
  UserCodeConsumer(const UserCode &userCode, const clang::SourceManager &sources,
                   const LeftOut &leftOut)
      : userCode(userCode), sources(sources), leftOut(leftOut) {}

  /// Those parsed so far, outermost only, in their order.
  const std::vector<clang::Decl *> &declarations() const { return found; }

  void InitializeSema(clang::Sema &sema) override;
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override;

  /// Those that are read from a precompiled header are not parsed.
  void HandleInterestingDecl(clang::DeclGroupRef) override {}

  /// A body is skipped only if all consumers agree; others agree by default.
  bool shouldSkipFunctionBody(clang::Decl *declaration) override;

private:
  const UserCode &userCode;
  const clang::SourceManager &sources;
  const LeftOut &leftOut;
  std::vector<clang::Decl *> found;
};

} // namespace gradtidy
