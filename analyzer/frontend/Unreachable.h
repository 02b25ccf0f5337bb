// Code that no control reaches since what the user declares says so before it: a call of a
// function, constructor or destructor that is declared to never return, or that calls such a one on
// all ways, `__builtin_unreachable()`, or `__builtin_assume(false)`. It is named: a change under
// review may hide code behind such a declaration.
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
