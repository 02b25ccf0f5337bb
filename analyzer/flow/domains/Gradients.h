// The gradients of what an optimizer steps, and what else is known of it.
#pragma once

#include "analyzer/flow/Tables.h"

namespace gradtidy {

class Words;

/// Where the gradients of an optimizer's parameters may be in their life. A set of bits: one for
/// every possibility.
struct Gradients {
  enum : std::uint8_t {
    Untouched = 1 << 0, ///< As the function found them.
    Clean = 1 << 1,     ///< Cleared.
    Fresh = 1 << 2,     ///< Hold contributions no step has used yet.
    Used = 1 << 3,      ///< A step has used them; nothing was added since.
    Stale = 1 << 4,     ///< Added to what a step has used already.
    Unknown = 1 << 5,   ///< Code that cannot be seen may have cleared them.
    Lost = 1 << 6,      ///< Cleared while they held contributions that no step has used.
  };
  std::uint8_t possible = Untouched;
  Witness step = {};     ///< The step that used them, for Used and Stale.
  Witness backward = {}; ///< What was added: to used gradients, for Stale; or at all.
  Witness cleared = {};  ///< What cleared them, for Lost.

  void clear(const Event *event = nullptr);
  void mayBeCleared();
  /// Code that cannot be followed gets hold of the gradients only. It will not clear what a
  /// backward has just added: the step that follows would be in vain.
  void mayBeRewritten();
  void contribute(const Event &backward);
  void use(const Event &step);

  void join(const Gradients &other, Junction junction);

  bool operator==(const Gradients &) const = default;
};

/// What is known of an optimizer.
struct OptimizerFacts {
  SourcesId owned = noSources; ///< The modules and tensors whose parameters it updates.
  SourcesId whole = noSources; ///< The modules of which it certainly has all parameters.
  Gradients gradients;
  bool needsClosure = false; ///< A step of it calls a closure, several times.
  /// What has put another module into the place of one that it owns, or another layer into it.
  const Event *outdated = nullptr;
  PathId outdatedPart = noPath; ///< That module.
  bool operator==(const OptimizerFacts &) const = default;
};

void describe(Words &words, const OptimizerFacts &optimizer);

} // namespace gradtidy
