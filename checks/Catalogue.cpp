#include "Catalogue.h"
#include "Check.h"

namespace gradtidy {

#define CHECK(FACTORY, NAME, LEVEL, FIX, FIXTURE, SUMMARY) std::unique_ptr<Check> make##FACTORY();
#include "Catalogue.def"

llvm::ArrayRef<CatalogueRow> catalogue() {
  static const CatalogueRow rows[] = {
#define CHECK(FACTORY, NAME, LEVEL, FIX, FIXTURE, SUMMARY)                                         \
  {NAME, Level::LEVEL, FixSupport::FIX, FixtureStatus::FIXTURE, SUMMARY, make##FACTORY},
#include "Catalogue.def"
  };
  return rows;
}

const CatalogueRow *findRow(llvm::StringRef name) {
  for (const CatalogueRow &row : catalogue())
    if (row.name == name)
      return &row;
  return nullptr;
}

} // namespace gradtidy
