// What tests of units look for in them.
#pragma once

#include "analyzer/ir/LoweredUnit.h"

#include "llvm/ADT/StringRef.h"

namespace gradtidy::test {

/// The first function of that name; the test fails where there is none.
const FunctionBody &functionOf(const LoweredUnit &unit, llvm::StringRef name);

/// The first event of that kind; the test fails where there is none.
const Event &firstOf(const FunctionBody &function, EventKind kind);

} // namespace gradtidy::test
