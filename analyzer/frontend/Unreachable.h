// Code that no control reaches since a call before it, of a function of the user's, is declared to
// never return. It is named: a change under review may hide code behind such a declaration.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

#include <set>
#include <string>

namespace gradtidy {

class UserCode;

/// Where such code begins in the functions of \p declarations: "/a/loop.h:12". Code without calls,
/// such as a `return` behind the call, does not count.
std::set<std::string> unreachableCode(llvm::ArrayRef<clang::Decl *> declarations,
                                      const UserCode &userCode, clang::ASTContext &context);

} // namespace gradtidy
