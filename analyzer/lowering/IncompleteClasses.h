// Module classes of whose code errors hide a part: clang drops expressions that it cannot make
// sense of.
#pragma once

#include "analyzer/lowering/ast/Vocabulary.h"

#include <vector>

namespace gradtidy {

/// Those of \p records that may have calls in their source that register something and are not in
/// the syntax tree; none where all compiles.
std::vector<const ir::Symbol *> findIncompleteClasses(llvm::ArrayRef<const ir::Symbol *> records,
                                                      const Vocabulary &vocabulary);

} // namespace gradtidy
