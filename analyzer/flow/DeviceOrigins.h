// Which devices the variables, members and parameters of a program may name, whatever the flow.
#pragma once

#include "analyzer/ir/LoweredUnit.h"
#include "analyzer/ir/Path.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace gradtidy {

class DeviceOrigins {
public:
  /// Both must outlive this object.
  DeviceOrigins(const LoweredUnit &unit, const PathTable &paths);

  /// Whether the device at \p path may be of \p kind, a GPU or the CPU: not if all it gets its
  /// value from names the other.
  bool mayBe(Device::Kind kind, PathId path) const;

private:
  /// What a path is known by, whatever object it is a part of; null if it is not to be known.
  const void *keyOf(PathId path) const;
  void add(const Event &event);
  /// The initializer of a variable or member where no function initializes it.
  void addInitializer(PathId path);

  const LoweredUnit &unit;
  const PathTable &paths;
  llvm::DenseMap<const void *, std::vector<Operand>> origins;
  llvm::DenseSet<const void *> initialized; ///< Variables and members.
};

} // namespace gradtidy
