// Questions for the class of a module that always have the same answer.
#pragma once

#include "analyzer/lowering/ast/FunctionCode.h"
#include "analyzer/lowering/ast/Vocabulary.h"

namespace gradtidy {

/// What \p statement, in \p function, asks, if it asks whether a module is of the class of a
/// holder.
std::optional<ClassTest> classTestOf(const clang::Stmt &statement, const FunctionCode &function,
                                     Vocabulary &vocabulary, const clang::ASTContext &context);

} // namespace gradtidy
