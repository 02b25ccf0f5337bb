#include "Meaning.h"

#include "analyzer/flow/Words.h"

namespace gradtidy {

Meaning joined(const Meaning &a, const Meaning &b) {
  return {a.order == b.order ? a.order : SampleOrder(), onBoth(a.padded, b.padded),
          a.isNoise && b.isNoise, a.isMadeUp && b.isMadeUp};
}

void describe(Words &words, const Meaning &meaning) {
  const SampleOrder &order = meaning.order;
  words.add(order.isSecond ? "samples second" : "samples first", order.told);
  words.addIf(order.isSequence, "sequence");
  words.addIf(order.isState, "final state");
  words.add("padded by", meaning.padded);
  words.addIf(meaning.isNoise, "noise");
  words.addIf(meaning.isMadeUp, "made up");
}

} // namespace gradtidy
