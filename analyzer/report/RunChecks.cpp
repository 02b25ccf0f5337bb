#include "RunChecks.h"

#include "checks/Catalogue.h"
#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

llvm::ArrayRef<RunCheck> runChecks() {
  static constexpr RunCheck all[] = {
      {"run-dead-units", Level::Likely, "most units behind a ReLU are 0 for all samples"},
      {"run-gradient-scale", Level::Likely,
       "the gradients of a layer vanish, or those of all explode"},
      {"run-label-range", Level::Certain,
       "labels for which there is no class, targets that are no probabilities, indices without a "
       "row"},
      {"run-not-finite", Level::Certain, "an operation or its derivative makes NaN or infinity"},
      {"run-unchanged-parameters", Level::Likely,
       "the optimizer has parameters that get no gradient"},
  };
  return all;
}

std::optional<RunCheck> findAnyCheck(llvm::StringRef name) {
  if (const CatalogueRow *row = findRow(name))
    return RunCheck{row->name, row->level, row->summary};
  const auto *found =
      llvm::find_if(runChecks(), [&](const RunCheck &one) { return one.name == name; });
  return found == runChecks().end() ? std::nullopt : std::optional(*found);
}

} // namespace gradtidy
