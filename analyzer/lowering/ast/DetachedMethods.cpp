#include "DetachedMethods.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace gradtidy {

/// Whether it is the definition of a method, out of its class, that stands for itself: a method
/// whose parameters have unknown types is declared in the class, and once more where it is defined.
static bool isDetached(const CXXMethodDecl *definition) {
  return definition->isInvalidDecl() && definition->hasBody() && definition->isOutOfLine() &&
         !definition->getPreviousDecl();
}

static const CXXMethodDecl *declarationOf(const CXXMethodDecl *definition,
                                          const ASTContext &context) {
  for (const Decl *member : definition->getParent()->decls())
    if (const auto *method = dyn_cast<CXXMethodDecl>(member);
        method && method->isInvalidDecl() && !method->hasBody() &&
        method->getDeclName() == definition->getDeclName() &&
        context.hasSameType(method->getType(), definition->getType()))
      return method;
  return nullptr;
}

static void find(const Decl *declaration, const ASTContext &context, DetachedMethods &found) {
  if (const auto *scope = dyn_cast<DeclContext>(declaration);
      scope && (scope->isFileContext() || isa<LinkageSpecDecl>(scope)))
    for (const Decl *inner : scope->decls())
      find(inner, context, found);
  const auto *definition = dyn_cast<CXXMethodDecl>(declaration);
  if (!definition || !isDetached(definition))
    return;
  if (const CXXMethodDecl *method = declarationOf(definition, context)) {
    found.definitions[method->getCanonicalDecl()] = definition;
    found.declarations[definition->getCanonicalDecl()] = method->getCanonicalDecl();
  }
}

DetachedMethods findDetachedMethods(const ASTContext &context) {
  DetachedMethods found;
  if (context.getDiagnostics().hasErrorOccurred())
    for (const Decl *declaration : context.getTraversalScope())
      find(declaration, context, found);
  return found;
}

} // namespace gradtidy
