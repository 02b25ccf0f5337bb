// The one list of checks, from which everything that names checks derives (see Catalogue.def).
#pragma once

#include "Finding.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>

namespace gradtidy {

class Check;

enum class FixSupport : unsigned char { NoFix, Fix };
enum class FixtureStatus : unsigned char { ToCome, Proven };

/// One row of the catalogue.
struct CatalogueRow {
  llvm::StringLiteral name; ///< "ml-…"; also the name of its file, page, tests and fixture folder.
  Level level;              ///< The level of its surest findings.
  FixSupport fix;
  FixtureStatus fixture;
  llvm::StringLiteral summary; ///< One line, lower case, without a full stop.
  std::unique_ptr<Check> (*make)();
};

/// All checks, sorted by name.
llvm::ArrayRef<CatalogueRow> catalogue();

/// The row of that name, or null.
const CatalogueRow *findRow(llvm::StringRef name);

} // namespace gradtidy
