// A unit as text: its IR, and what the engine knows of the values in it (docs/ir.md).
#pragma once

#include "IrRequest.h"
#include "analyzer/ir/LoweredUnit.h"
#include "analyzer/ir/Places.h"

#include "llvm/Support/Error.h"

#include <string>

namespace gradtidy {

/// What \p request wants to see of \p unit, as print() writes it (Print.h). Names of files are
/// relative to \p root, where they lie below it. The error says that there is no such function, and
/// names others.
llvm::Expected<std::string> irOf(LoweredUnit &unit, const clang::SourceManager &sources,
                                 llvm::StringRef root, const IrRequest &request);

} // namespace gradtidy
