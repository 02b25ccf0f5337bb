// Where tensors are, as far as the program says.
#pragma once

#include "Path.h"

namespace gradtidy {

struct Device {
  enum Kind : unsigned char {
    Unknown,
    Unset, ///< Options that name no device: the CPU for a new tensor, no change for a move.
    Cpu,
    Cuda,   ///< `id` is the index of the device.
    Symbol, ///< Whatever the program chooses: `id` is the path of the value that says so.
  };
  Kind kind = Unknown;
  PathId id = 0;

  bool isKnown() const { return kind == Cpu || kind == Cuda || kind == Symbol; }
  bool operator==(const Device &) const = default;
};

} // namespace gradtidy
