// Whether operations are recorded for a backward, and in which precision they run.
#pragma once

#include "analyzer/flow/Tables.h"

namespace gradtidy {

class Words;

/// Whether operations are recorded for a backward.
struct GradMode {
  enum : std::uint8_t {
    On = 1 << 0,
    Off = 1 << 1,
    Depends = 1 << 2, ///< On values, or on the way taken: which of the two may be known to others.
  };
  std::uint8_t possible = On;
  Witness set = {}; ///< What disabled it.

  bool operator==(const GradMode &) const = default;
};

/// Autocast, and the weights it has made in 16 bits, which it keeps until its cache is cleared
/// (ATen/autocast_mode.h).
struct Autocast {
  enum : std::uint8_t { Off = 1 << 0, On = 1 << 1 };
  std::uint8_t possible = Off;
  bool keeps = true;           ///< The weights.
  SourcesId kept = noSources;  ///< The modules whose weights it has kept.
  SourcesId stale = noSources; ///< Those of them that a step has changed since.
  Witness set = {};            ///< What enabled it.
  Witness step = {};           ///< The step, for `stale`.

  bool operator==(const Autocast &) const = default;
};

void describe(Words &words, const GradMode &mode);
void describe(Words &words, const Autocast &casting);

} // namespace gradtidy
