// What the elements of a tensor stand for: samples and steps of sequences, random numbers.
// Transfer: Orders.cpp.
#pragma once

#include "analyzer/flow/Tables.h"

namespace gradtidy {

class Words;

/// Which of the first two dimensions of a tensor counts the samples of a batch; the other one
/// counts the steps of sequences, if it has any.
struct SampleOrder {
  const Event *told = nullptr; ///< What tells it; null if nothing does.
  /// Where nothing does: what the function is given, as which or the other way round it is.
  const ir::Symbol *parameter = nullptr;
  bool isSecond = false;   ///< It is the second, or that which is the second of the parameter.
  bool isSequence = false; ///< A layer has made it, step by step.
  bool isState = false;    ///< A layer, and it is what is left behind the last step.
  bool isBatch = false;    ///< The same: certainly of a batch, not of one sequence.

  bool isKnown() const { return told || parameter; }
  bool operator==(const SampleOrder &) const = default;
};

struct Meaning {
  SampleOrder order;             ///< Of its dimensions.
  const Event *padded = nullptr; ///< What has filled up the shorter of its sequences.
  bool isNoise = false;          ///< Several random samples, perhaps on another device.
  bool isMadeUp = false;         ///< Computed from nothing but what factories make of no data.

  bool operator==(const Meaning &) const = default;
};

/// That of either of two values.
Meaning joined(const Meaning &a, const Meaning &b);

void describe(Words &words, const Meaning &meaning);

} // namespace gradtidy
