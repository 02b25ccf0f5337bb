// Whose memory a pointer leads to, and who reads there.
#pragma once

#include "Vocabulary.h"
#include "analyzer/lowering/ast/FunctionCode.h"

namespace gradtidy {

/// Where a pointer leads.
struct MemoryOwner {
  const clang::VarDecl *variable = nullptr;
  bool isComputed = false; ///< To a place within that is computed: perhaps another one each time.
};

/// The local variable in whose memory \p pointer points, or none: an array, a variable whose
/// address is taken, an object that owns its elements, as the model says, or what such a pointer
/// leads to (`data()`, `&values[0]`, `data() + n`). It is gone when the variable's scope ends,
/// unless the object is moved elsewhere.
MemoryOwner ownerOf(const clang::Expr *pointer, const Vocabulary &vocabulary,
                    const clang::ASTContext &context);

/// The local variable by which the memory is freed to which \p pointer points: its owner, or a
/// plain pointer that was given it. Null if that is not known.
const clang::VarDecl *holderOf(const clang::Expr *pointer, const Vocabulary &vocabulary,
                               const clang::ASTContext &context);

/// What the function itself reads or writes where \p pointer points, as plain memory of the host:
/// `p[i]`, `std::copy(p, p + n, …)`, `std::vector(p, p + n)`, an image over it; be it by way of a
/// variable. What other functions do with a pointer is not known.
HostRead readBy(const FunctionCode &function, const clang::Expr &pointer, Vocabulary &vocabulary);

} // namespace gradtidy
