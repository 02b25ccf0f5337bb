// From the AST and the CFG of a function to its events. The only folder that looks at expressions.
#pragma once

#include "analyzer/ir/Event.h"
#include "analyzer/lowering/ast/Vocabulary.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace gradtidy {

/// Lowers \p function, which must have a body and depend on no template parameter.
/// Null where clang cannot build a CFG for it.
std::unique_ptr<FunctionBody> lower(const clang::FunctionDecl *function, PathTable &paths,
                                    Vocabulary &vocabulary, clang::ASTContext &context);

} // namespace gradtidy
