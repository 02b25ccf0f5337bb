// Numbers that a program reads only to be told when something goes wrong.
#pragma once

#include "analyzer/events/Event.h"

namespace gradtidy {

/// Whether the number that \p read gives is read for nothing but an assertion: it ends the program
/// with an error, or says that there is a NaN. Not where the preprocessor keeps it for debugging.
bool isAsserted(const clang::CallExpr &read, const FunctionBody &function,
                const clang::ASTContext &context);

} // namespace gradtidy
