// The analysis of one translation unit: the events of every function, with the states before them.
// Made once per unit and shared by all checks.
#pragma once

#include "Counts.h"
#include "Interpreter.h"
#include "analyzer/ir/LoweredUnit.h"

namespace gradtidy {

class UnitAnalysis {
public:
  /// Is told of each function that is followed from its beginning, and of null behind the last.
  using Follower = llvm::function_ref<void(const FunctionBody *)>;

  /// Analyses the functions of \p unit, which must outlive this object, as must \p snapshots.
  UnitAnalysis(LoweredUnit &unit, Interest interest, Follower follower,
               Snapshots *snapshots = nullptr);
  UnitAnalysis(const UnitAnalysis &) = delete;

  /// What is known whatever the flow.
  const LoweredUnit &code() const { return lowered; }
  const CallGraph &callGraph() const { return graph; }
  const Effects &effects() const { return sideEffects; }
  const ProgramFacts &program() const { return ofProgram; }
  const Counts &counts() const { return sizeCounts; }

  /// What the interest wants to see, in the order of the flow: once per event, calling context and
  /// partition.
  const std::vector<Observation> &observations() const { return interpreter.observations(); }

  /// What becomes of forwards, stores and retained graphs in the unit.
  const Uses &uses() const { return interpreter.uses(); }

  /// The interned paths, sets and sites in observations.
  const Tables &tables() const { return interned; }

  /// What computes the values of a tensor.
  struct Producer {
    const Event *event = nullptr; ///< Null if nobody knows.
    Operation operation = Operation::None;
  };

  /// The same, seen through the forward passes of the user's modules and of containers of layers.
  Producer producerOf(const Value &value) const;

  /// What the loss that \p producer computes is of those of all elements.
  Reduction reductionOf(const Producer &producer) const;

  /// See Interpreter.
  Interpreter::Receiver receiverOf(const Event &forward, unsigned operand) const {
    return interpreter.receiverOf(forward, operand);
  }
  std::optional<bool> takesSecond(const Event &forward) const {
    return interpreter.takesSecond(forward);
  }
  const Event *endTakenBy(const Event &forward) const { return interpreter.endTakenBy(forward); }

  /// Functions that are too large, or call too deep, to be followed to the end.
  llvm::ArrayRef<const FunctionBody *> cutShort() const { return interpreter.cutShort(); }

private:
  const LoweredUnit &lowered;
  Tables interned;
  CallGraph graph;
  Effects sideEffects;
  StoredGraphs storedGraphs;
  ProgramFacts ofProgram;
  MemberLists memberLists;
  Numbers numbers;
  Counts sizeCounts;
  Interpreter interpreter;
};

} // namespace gradtidy
