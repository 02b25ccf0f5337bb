// Guards with a name in whose lifetime nothing happens.
#pragma once

#include "analyzer/ir/Event.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceManager.h"

namespace gradtidy {

/// Whether the block in which \p declaration stands, that of a guard, ends without anything that
/// the guard could make a difference to: only modes are set, devices chosen, texts printed.
bool guardsNothing(const ir::Node &declaration, const FunctionBody &function,
                   const clang::SourceManager &sources, const clang::LangOptions &language);

} // namespace gradtidy
