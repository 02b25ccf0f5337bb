#include "UserCodeConsumer.h"
#include "HostFunctions.h"

#include "clang/AST/Decl.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

namespace {

/// At the end of a unit clang instantiates the function templates that it uses, and those that a
/// precompiled header left to it. Nobody looks at the bodies of others' functions.
class UserInstantiations : public clang::ExternalSemaSource {
public:
  UserInstantiations(clang::Sema &sema, const UserCode &userCode)
      : sema(sema), userCode(userCode) {}

  void ReadPendingInstantiations(
      llvm::SmallVectorImpl<std::pair<clang::ValueDecl *, clang::SourceLocation>> &fromHeader)
      override {
    const auto isOthers = [&](const auto &pending) { return !isUsers(*pending.first); };
    llvm::erase_if(fromHeader, isOthers);
    llvm::erase_if(sema.PendingInstantiations, isOthers);
  }

  void ReadUndefinedButUsed(
      llvm::MapVector<clang::NamedDecl *, clang::SourceLocation> &undefined) override {
    undefined.remove_if([&](const auto &function) { return !isUsers(*function.first); });
  }

private:
  bool isUsers(const clang::Decl &decl) const {
    return userCode.contains(decl.getLocation(), sema.getSourceManager());
  }

  clang::Sema &sema;
  const UserCode &userCode;
};

} // namespace

void UserCodeConsumer::InitializeSema(clang::Sema &sema) {
  sema.addExternalSource(llvm::makeIntrusiveRefCnt<UserInstantiations>(sema, userCode));
}

bool UserCodeConsumer::shouldSkipFunctionBody(clang::Decl *declaration) {
  if (!userCode.contains(declaration->getLocation(), sources))
    return true;
  const auto *function = llvm::dyn_cast<clang::NamedDecl>(declaration);
  UnderWay::parse(function);
  return function && leftOut.contains(*function, sources);
}

bool UserCodeConsumer::HandleTopLevelDecl(clang::DeclGroupRef group) {
  for (clang::Decl *decl : group) {
    // Instantiations arrive here too; they are reached through their template.
    const auto *function = llvm::dyn_cast<clang::FunctionDecl>(decl);
    if (!decl->getLexicalDeclContext()->isTranslationUnit() ||
        (function && function->isTemplateInstantiation()))
      continue;
    UnderWay::parse(nullptr); // What goes wrong from here on is not the last function's fault.
    if (userCode.contains(decl->getLocation(), sources))
      found.push_back(decl);
    else
      offerToHost(*decl);
  }
  return true;
}

} // namespace gradtidy
