// Guards with a name in whose lifetime nothing happens.
#pragma once

#include "analyzer/lowering/ast/FunctionCode.h"
#include "analyzer/lowering/ast/Vocabulary.h"

namespace clang {
class DeclStmt;
} // namespace clang

namespace gradtidy {

/// Whether the block in which \p declaration stands, that of a guard, ends without anything that
/// the guard could make a difference to: only modes are set, devices chosen, texts printed.
bool guardsNothing(const clang::DeclStmt &declaration, const FunctionCode &function,
                   Vocabulary &vocabulary, const clang::ASTContext &context);

} // namespace gradtidy
