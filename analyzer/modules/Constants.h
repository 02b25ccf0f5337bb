// Integers that have one value in the whole program, whoever writes them down: a size that main()
// hands to the constructor of a module, a field of a configuration that nobody changes.
#pragma once

#include "Forms.h"
#include "analyzer/ir/LoweredUnit.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <cstdint>
#include <optional>

namespace gradtidy {

class Constants {
public:
  /// Visits the code of the user's functions. The unit must outlive this object.
  explicit Constants(const LoweredUnit::Contents &unit);

  /// The integer that \p expr is, whenever it is evaluated; nothing if there is not one, or it is
  /// not known. Objects of a class are not told apart.
  std::optional<std::int64_t> of(const ir::Node *expr) const;

private:
  class Collector;

  struct Values {
    llvm::SmallVector<const ir::Node *, 2> given;
    bool isOpen = false; ///< It changes, or others may write it.
  };

  std::optional<std::int64_t> ofEntity(Entity entity) const;

  llvm::DenseMap<Entity, Values> values;
  mutable llvm::DenseMap<Entity, std::optional<std::int64_t>> known;
  mutable llvm::SmallPtrSet<Entity, 8> active;
};

} // namespace gradtidy
