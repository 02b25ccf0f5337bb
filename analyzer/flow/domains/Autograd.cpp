#include "Autograd.h"

#include "analyzer/flow/Words.h"

namespace gradtidy {

LastGraphs commonGraphs(const LastGraphs &a, const LastGraphs &b, Tables &tables) {
  return {tables.histories.common(a.sites, b.sites), onBoth(a.again, b.again),
          onBoth(a.freed, b.freed)};
}

LastGraphs unitedGraphs(const LastGraphs &a, const LastGraphs &b, Tables &tables) {
  return {tables.histories.join(a.sites, b.sites), onEither(a.again, b.again),
          onEither(a.freed, b.freed)};
}

void Autograd::add(const Autograd &part, Tables &tables) {
  history = tables.histories.join(history, part.history);
  graphs = tables.histories.join(graphs, part.graphs);
  graph |= part.graph;
}

Autograd joined(const Autograd &a, const Autograd &b, Tables &tables) {
  Autograd result = a;
  result.add(b, tables);
  result.sources = tables.sources.join(a.sources, b.sources);
  result.latest = commonGraphs(a.latest, b.latest, tables);
  result.isRecorded |= b.isRecorded;
  result.isParameter &= b.isParameter;
  result.disabled = onEither(a.disabled, b.disabled);
  result.derived = onBoth(a.derived, b.derived);
  result.idleTerm = onEither(a.idleTerm, b.idleTerm);
  return result;
}

/// Whether nothing is said but that the object at \p path is made of itself and perhaps of others.
static bool saysNothing(SourcesId sources, PathId path, const Tables &tables) {
  const auto members = tables.sources.members(sources);
  return tables.sources.isUnknown(sources) && members.size() == 1 && members.front() == path;
}

void describe(Words &words, const Autograd &autograd, PathId path, const Tables &tables) {
  static constexpr llvm::StringRef graphs[] = {"unknown", "detached", "attached", "not recorded"};
  if (autograd.graph != Graph::Unknown)
    words.add("graph", autograd.graph, graphs);
  if (!saysNothing(autograd.sources, path, tables))
    words.addPaths("from", autograd.sources);
  words.addSites("history", autograd.history);
  words.addSites("graphs", autograd.graphs);
  words.addSites("last graphs", autograd.latest.sites);
  words.add("graph used again by", autograd.latest.again);
  words.add("graph freed by", autograd.latest.freed);
  words.addIf(autograd.isRecorded, "recorded");
  words.addIf(autograd.isParameter, "parameter");
  words.add("disabled by", autograd.disabled.event());
  words.add("derived by", autograd.derived);
  words.add("gradient cut by", autograd.cut);
  words.add("gradient of a term cut by", autograd.idleTerm);
}

} // namespace gradtidy
