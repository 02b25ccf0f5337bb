#include "Value.h"

#include "Words.h"

namespace gradtidy {

Value joined(const Value &a, const Value &b, Tables &tables) {
  Value result;
  result.autograd = joined(a.autograd, b.autograd, tables);
  result.autograd.cut = commonCut(a, b);
  result.storage = commonStorage(a.storage, b.storage, tables);
  result.lending = joined(a.lending, b.lending, tables);
  result.look = joined(a.look, b.look);
  result.placement = joined(a.placement, b.placement, tables);
  result.layout = {tables.types.join(a.layout.type, b.layout.type),
                   onBoth(a.layout.permuted, b.layout.permuted)};
  result.meaning = joined(a.meaning, b.meaning);
  result.origin = {onBoth(a.origin.made, b.origin.made),
                   tables.sources.join(a.origin.copied, b.origin.copied)};
  return result;
}

void describe(Words &words, const Value &value, PathId path, const Tables &tables) {
  words.addType(value.layout.type);
  words.add("permuted by", value.layout.permuted);
  describe(words, value.autograd, path, tables);
  describe(words, value.placement);
  describe(words, value.meaning);
  words.add("made by", value.origin.made);
  words.addPaths("copied from parameters of", value.origin.copied);
  describe(words, value.lending);
  describe(words, value.storage);
  describe(words, value.look);
}

} // namespace gradtidy
