// Numbers that a program reads only to be told when something goes wrong.
#pragma once

#include "analyzer/ir/Event.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceManager.h"

namespace gradtidy {

/// What asks for the number that \p read gives, if it is read for nothing but an assertion: to end
/// the program with an error, to say that there is a NaN, or to remember that, and say it later.
/// Null if it is read for more, or where the preprocessor keeps it for debugging.
const ir::Node *assertionOf(const ir::Node &read, const FunctionBody &function,
                            const clang::SourceManager &sources,
                            const clang::LangOptions &language);

/// Whether nothing is done with the number that \p read gives: it is asked for a branch that is
/// empty, or kept in a variable that nothing names, whatever the preprocessor leaves of the code.
bool isVain(const ir::Node &read, const FunctionBody &function, const clang::SourceManager &sources,
            const clang::LangOptions &language);

} // namespace gradtidy
