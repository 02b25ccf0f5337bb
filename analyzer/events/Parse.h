// Reads the IR back from the text that Print.h writes.
#pragma once

#include "LoweredUnit.h"
#include "analyzer/ir/Places.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace gradtidy {

/// A unit that was read, and what places in it are called.
struct ParsedUnit {
  std::unique_ptr<LoweredUnit> unit;
  std::unique_ptr<const ir::Places> places;
};

/// Reads \p text; operators and phrases are those of \p model, which must outlive the result.
/// Locations are made by \p locations; without it they mean nothing but their places, and have no
/// order. An error names the line. Time and memory are linear in the size of the text.
llvm::Expected<ParsedUnit> parseIr(llvm::StringRef text, const Model &model,
                                   ir::Locations *locations = nullptr);

} // namespace gradtidy
