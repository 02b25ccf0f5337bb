// Whether layers that run over sequences take samples first, or steps.
#pragma once

#include "ModuleUses.h"
#include "analyzer/ir/Answer.h"

namespace gradtidy {

/// Whether a layer that is made with \p arguments takes samples first.
Answer putsBatchFirst(llvm::ArrayRef<const ir::Node *> arguments, const ModuleUses &uses);

} // namespace gradtidy
