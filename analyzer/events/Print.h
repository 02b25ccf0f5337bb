// Events as text, for tests and for people who debug the lowering.
#pragma once

#include "Event.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace gradtidy {

llvm::StringRef name(EventKind kind);

/// One line per event, blocks and edges in between.
void print(llvm::raw_ostream &out, const FunctionBody &body, const PathTable &paths);

} // namespace gradtidy
