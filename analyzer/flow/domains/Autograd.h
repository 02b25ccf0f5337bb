// What a backward through a value reaches: its graph, the modules and leaves behind it, and what
// keeps gradients from getting there. Transfer: Graphs.cpp, Cuts.cpp.
#pragma once

#include "analyzer/flow/SharedMap.h"
#include "analyzer/flow/Tables.h"

namespace gradtidy {

class Words;

/// Whether a backward through a value finds a graph. A set of bits: one for every possibility.
struct Graph {
  enum : std::uint8_t {
    Unknown = 1 << 0,
    Detached = 1 << 1,   ///< There is none, and none was wanted.
    Attached = 1 << 2,   ///< There is one.
    Unrecorded = 1 << 3, ///< There would be one, but recording was disabled.
  };
};

/// The graphs that are certainly part of that of a value.
struct LastGraphs {
  SourcesId sites = noSources;  ///< The forwards of which it is what their last run recorded.
  const Event *again = nullptr; ///< One that took up a graph through which a backward had gone.
  const Event *freed = nullptr; ///< One of which it is what an earlier run recorded, freed since.

  bool operator==(const LastGraphs &) const = default;
};

/// What holds of each of two values; what holds of one that is made of both.
LastGraphs commonGraphs(const LastGraphs &a, const LastGraphs &b, Tables &tables);
LastGraphs unitedGraphs(const LastGraphs &a, const LastGraphs &b, Tables &tables);

struct Autograd {
  SourcesId sources = noSources; ///< The modules and leaf tensors a backward through it reaches.
  SourcesId history = noSources; ///< The forwards and stores it went through, even if detached.
  SourcesId graphs = noSources;  ///< Those of them whose graphs are part of its own.
  LastGraphs latest;
  std::uint8_t graph = Graph::Unknown;
  bool isRecorded = false; ///< An operation that was recorded has given it: perhaps no leaf itself.
  bool isParameter = false; ///< A module has registered it, to be trained.
  Witness disabled = {};    ///< What kept its graph from being recorded.
  /// What has computed it of a leaf, so that it is none.
  const Event *derived = nullptr;
  /// An operation without a gradient, of what may have one: it is computed of its result, and of
  /// nothing else that has a graph.
  const Event *cut = nullptr;
  /// The same of a term of one element that was added to it.
  const Event *idleTerm = nullptr;

  /// Whether a backward through it may reach anything.
  bool mayHaveGraph() const { return graph & (Graph::Attached | Graph::Unknown); }

  /// The modules, leaves and graphs that \p part adds to a value which is made of it, too.
  void add(const Autograd &part, Tables &tables);

  bool operator==(const Autograd &) const = default;
};

/// The forwards of whose last graphs nobody knows for certain that a backward has gone through, and
/// those of which that may have kept the graph.
struct OpenGraphs {
  SourcesId untouched = noSources, kept = noSources;
  SharedMap<SiteId, const Event *> backwards; ///< The last through each: a witness.
  bool operator==(const OpenGraphs &other) const {
    return untouched == other.untouched && kept == other.kept;
  }
};

/// That of either of two values, but for Autograd::cut, which depends on more (see commonCut()).
Autograd joined(const Autograd &a, const Autograd &b, Tables &tables);

/// \p path is that of the value: nothing is said where it is only made of itself.
void describe(Words &words, const Autograd &autograd, PathId path, const Tables &tables);

} // namespace gradtidy
