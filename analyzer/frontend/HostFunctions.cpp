#include "HostFunctions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"

namespace gradtidy {

void offerToHost(clang::Decl &declaration) {
  const auto *function = llvm::dyn_cast<clang::FunctionDecl>(&declaration);
  const bool isOfToolkit = function && function->getDeclName().isIdentifier() &&
                           (function->getName() == "min" || function->getName() == "max");
  if (isOfToolkit && function->hasAttr<clang::CUDADeviceAttr>() &&
      !function->hasAttr<clang::CUDAHostAttr>())
    declaration.addAttr(clang::CUDAHostAttr::CreateImplicit(declaration.getASTContext(),
                                                            declaration.getLocation()));
}

} // namespace gradtidy
