// Reads the IR back from the text that Print.h writes.
#pragma once

#include "LoweredUnit.h"
#include "Places.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <string>

namespace gradtidy {

/// A unit that was read, and what places in it are called.
struct ParsedUnit {
  std::unique_ptr<LoweredUnit> unit;
  std::unique_ptr<const ir::Places> places;
  llvm::StringSet<> ownFiles; ///< The names of the files that the first text has places in.
};

/// Reads \p text; operators and phrases are those of \p model, which must outlive the result.
/// Locations are made by \p locations; without it they mean nothing but their places, and have no
/// order. An error names the line. Time and memory are linear in the size of the text.
llvm::Expected<ParsedUnit> parseIr(llvm::StringRef text, const Model &model,
                                   ir::Locations *locations = nullptr);

/// Whether the body of a function, which has one, is left out.
using LeavesOut = std::function<bool(const ir::Symbol &)>;

/// Reads the texts of several units of one program, that of the main unit first, and makes one unit
/// of them: a function, class, member or global that several texts name is one, by its USR, as is
/// a header that they include. Of what several texts define the first definition stays, and
/// functions that others than the first text define say so (FunctionBody::linkedFrom). What is
/// defined in two ways, or can be named in its own source only, stays apart.
/// \param leavesOut may be null.
llvm::Expected<ParsedUnit> link(llvm::ArrayRef<llvm::StringRef> texts, const Model &model,
                                ir::Locations *locations = nullptr,
                                const LeavesOut &leavesOut = nullptr);

} // namespace gradtidy
