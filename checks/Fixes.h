// Repairs that several checks make: text put in as a statement of its own, laid out like its
// neighbours.
#pragma once

#include "Check.h"

#include <optional>

namespace gradtidy {

/// The source text of what stands before a member call on \p object: "optimizer." or "optimizer->".
/// Empty where it cannot be written elsewhere (macros, calls with effects).
std::string memberPrefix(const Visit &visit, const Operand &object);

/// Puts \p text as a statement in a line of its own before \p statement. None in a macro.
std::optional<clang::FixItHint> insertBefore(const Visit &visit, const clang::Stmt *statement,
                                             llvm::StringRef text);

/// The same after \p statement and its semicolon.
std::optional<clang::FixItHint> insertAfter(const Visit &visit, const clang::Stmt *statement,
                                            llvm::StringRef text);

} // namespace gradtidy
