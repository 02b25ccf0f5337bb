// Flags that module classes keep where the framework's is_training() is meant.
#pragma once

#include "analyzer/events/ModuleClass.h"
#include "analyzer/events/values/Vocabulary.h"

#include "clang/AST/Expr.h"

#include <vector>

namespace clang {
class ASTContext;
} // namespace clang

namespace gradtidy {

/// The flags that say "training" in every object and at all times: each construction in the
/// traversal scope of \p context sets them to true, and nothing changes them later. Classes that
/// ask is_training(), or have a train() or eval() of their own, are left out.
std::vector<ModeFlag> findStuckModeFlags(clang::ASTContext &context, Vocabulary &vocabulary);

} // namespace gradtidy
