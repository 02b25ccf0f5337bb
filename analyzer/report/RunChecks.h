// What only a run shows: the findings of gradtidy watch that no check of the catalogue makes.
#pragma once

#include "checks/Finding.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace gradtidy {

struct RunCheck {
  llvm::StringLiteral name; ///< "run-…"; also the name of its page in docs/checks.
  Level level;
  llvm::StringLiteral summary; ///< One line, lower case, without a full stop.
};

/// All of them, sorted by name.
llvm::ArrayRef<RunCheck> runChecks();

/// The check of that name, of the catalogue or of a run; none if there is no such check.
std::optional<RunCheck> findAnyCheck(llvm::StringRef name);

} // namespace gradtidy
