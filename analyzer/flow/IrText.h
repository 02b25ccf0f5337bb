// A unit as text: its IR, and what the engine knows of the values in it (docs/ir.md).
#pragma once

#include "IrRequest.h"
#include "analyzer/events/lowering/LoweredUnit.h"

#include "llvm/Support/Error.h"

#include <string>

namespace gradtidy {

/// The functions of the user that the unit shows, as print() writes them (Print.h). Names of files
/// are relative to \p root, where they lie below it. The error says that there is no such function,
/// and names others.
llvm::Expected<std::string> irOf(clang::ASTContext &context, const Model &model,
                                 const UserCode &userCode, llvm::StringRef root,
                                 const IrRequest &request);

} // namespace gradtidy
