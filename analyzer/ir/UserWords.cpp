#include "UserWords.h"

#include "llvm/ADT/STLExtras.h"

#include <initializer_list>
#include <string>

namespace gradtidy::words {

using llvm::StringRef;

namespace {

using Words = std::initializer_list<StringRef>;

bool hasAny(StringRef name, Words words) {
  return llvm::any_of(words, [&](StringRef word) { return name.contains_insensitive(word); });
}

bool isAny(StringRef name, Words words) { return llvm::is_contained(words, name); }

} // namespace

bool isForward(StringRef name) { return name == forward; }
bool speaksOfForward(StringRef name) { return hasAny(name, {forward}); }

bool isModeFlag(StringRef name) {
  const std::string lower = name.lower();
  name = lower;
  name.consume_front("m_");
  name = name.trim('_');
  name.consume_front("is");
  name = name.trim('_');
  return isAny(name, {"training", "train"});
}

bool speaksOfMode(StringRef name) {
  return hasAny(name,
                {"train", "eval", "infer", "test", "mode", "phase", "stage", "epoch", "step"});
}

bool speaksOfSampling(StringRef name) {
  return name.starts_with_insensitive("mc") ||
         hasAny(name, {"_mc", "mcd", "monte", "bayes", "uncertain", "stochastic"});
}

bool speaksOfActiveDropout(StringRef name) {
  return hasAny(name, {"dropout", "montecarlo", "monte_carlo", "uncertain"});
}

bool speaksOfWaiting(StringRef name) { return hasAny(name, {"sync", "dummy"}); }

bool speaksOfNoUse(StringRef name) {
  return name.starts_with("_") || hasAny(name, {"unused", "dummy"});
}

bool speaksOfDebugging(StringRef text) { return hasAny(text, {"debug"}); }

bool speaksOfLogging(StringRef name) {
  return hasAny(name, {"log", "print", "record", "metric", "scalar", "report", "plot"});
}

bool speaksOfChecking(StringRef name) { return hasAny(name, {"check"}); }

bool speaksOfErrors(StringRef name) {
  return (speaksOfChecking(name) && hasAny(name, {"cuda", "launch", "kernel", "error"})) ||
         (hasAny(name, {"last"}) && hasAny(name, {"error"}));
}

bool speaksOfLayout(StringRef name) {
  return hasAny(name, {"contiguous"}) || isAny(name, {"stride", "strides"});
}

bool isGuard(StringRef name) { return name.ends_with("Guard"); }
bool speaksOfGpu(StringRef name) { return hasAny(name, {"cuda", "gpu"}); }
bool givesDevice(StringRef name) { return isAny(name, {"device", "options"}); }
bool choosesDevice(StringRef name) { return isAny(name, {"set_device", "setDevice"}); }

bool speaksOfShuffling(StringRef name) { return hasAny(name, {"shuffle", "permutation"}); }
bool speaksOfChance(StringRef name) { return name.contains("rand"); }
bool speaksOfSeeds(StringRef name) { return name.contains("seed"); }

bool speaksOfReading(StringRef name) {
  return hasAny(name, {"imread", "imdecode", "load", "read", "open", "decode"});
}

bool saves(StringRef name) { return name == "save"; }

bool givesEntry(StringRef name) {
  return isAny(name.lower(), {"get", "getitem", "get_item", "__getitem__", "at"});
}

bool countsEntries(StringRef name) {
  return isAny(name.lower(), {"size", "length", "len", "__len__"});
}

bool reachesValues(StringRef name) {
  return isAny(name,
               {"weight", "bias", "load", "parameters", "named_parameters", "buffers", "apply",
                "set_requires_grad", "children", "modules", "eval", "named_buffers"});
}

bool setsRate(StringRef name) { return isAny(name, {"set_lr", "lr"}); }

} // namespace gradtidy::words
