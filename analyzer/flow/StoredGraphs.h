// What a program does with the graphs of tensors that members hold, whichever object's they are: a
// rollout keeps what it computes in a list of a structure, for an update that detaches it.
#pragma once

#include "CallGraph.h"

namespace gradtidy {

class StoredGraphs {
public:
  /// All arguments must outlive this object.
  StoredGraphs(const CallGraph &graph, const PathTable &paths) : graph(graph), paths(paths) {}

  /// Whether a function detaches what the member \p field holds, or reads numbers of it, and none
  /// is seen to use its graph.
  bool areCutOff(const ir::Symbol &member) const;

private:
  enum class Use : unsigned char { None, Values, Graph };
  class Search;

  const CallGraph &graph;
  const PathTable &paths;
  mutable llvm::DenseMap<const void *, bool> known;
};

} // namespace gradtidy
