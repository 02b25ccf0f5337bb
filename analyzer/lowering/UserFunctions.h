// The functions, classes and lasting objects of the user that a unit shows.
#pragma once

#include "clang/AST/DeclCXX.h"

#include <vector>

namespace gradtidy {

class UserCode;

/// What stands in user code.
struct UserDeclarations {
  /// The functions with bodies, as they stand: template instantiations and lambdas, and templates
  /// that nothing instantiates.
  std::vector<const clang::FunctionDecl *> functions;
  /// The definitions of classes; of templates those that nothing instantiates, too.
  std::vector<const clang::CXXRecordDecl *> classes;
  /// The definitions of objects that live until the program ends.
  std::vector<const clang::VarDecl *> lasting;
};

/// Those in the context's traversal scope.
UserDeclarations userDeclarations(clang::ASTContext &context, const UserCode &userCode);

} // namespace gradtidy
