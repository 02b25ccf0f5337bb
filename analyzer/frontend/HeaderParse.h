// The declarations of headers, without a source that includes them.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace clang {
class ASTContext;
} // namespace clang

namespace gradtidy {

/// Parses a source that includes \p headers, with the \p flags of the person who runs gradtidy, and
/// shows its AST to \p use. Bodies of functions are skipped. What keeps the source from being
/// compiled, the first error; empty if \p use was called.
std::string parseHeaders(const std::vector<std::string> &headers,
                         const std::vector<std::string> &flags,
                         llvm::function_ref<void(clang::ASTContext &)> use);

} // namespace gradtidy
