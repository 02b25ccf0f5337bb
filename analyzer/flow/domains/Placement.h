// Where a tensor is: its device, what has put it there, and copies that are still under way.
#pragma once

#include "analyzer/flow/Tables.h"
#include "analyzer/ir/Device.h"

namespace gradtidy {

class Words;

struct Placement {
  Device device;
  bool hasDimensions = false; ///< Certainly more than a scalar, which may be on any device.
  Witness placed = {};        ///< What put it on its device.
  /// Where the other ways bring a tensor from the device of the module whose method runs, what
  /// makes one on the CPU.
  const Event *madeOnHost = nullptr;
  /// A factory that made it on the CPU, or made one of those tensors from which alone it is
  /// computed, all made there.
  const Event *freshOnHost = nullptr;
  /// What copies it to the host, for which nobody has waited yet, and from where.
  const Event *copying = nullptr;
  Device copiedFrom = {};

  /// It is where \p before was.
  void stayOn(const Placement &before) {
    device = before.device;
    hasDimensions = before.hasDimensions;
    placed = before.placed;
    madeOnHost = before.madeOnHost;
  }

  bool operator==(const Placement &) const = default;
};

/// That of either of two values.
Placement joined(const Placement &a, const Placement &b, const Tables &tables);

void describe(Words &words, const Placement &placement);

} // namespace gradtidy
