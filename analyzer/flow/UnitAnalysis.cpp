#include "UnitAnalysis.h"

#include "Types.h"

namespace gradtidy {

/// Runs the interpreter over the functions of a unit that have to do with training.
static void runAll(const CallGraph &graph, const Effects &effects, Interpreter &interpreter,
                   UnitAnalysis::Follower follower) {
  const auto run = [&](const FunctionBody &body) {
    if (!effects.concernsTraining(body))
      return;
    follower(&body);
    interpreter.run(body);
  };
  // First those nobody in the unit calls: what they call is then seen with what they establish.
  // What is still unseen after that (recursion, closures kept for later) goes by itself.
  for (const FunctionBody *body : graph.relevant())
    if (!graph.isCalledWithin(*body) && !isClosure(*body))
      run(*body);
  for (const FunctionBody *body : graph.relevant())
    if (!interpreter.hasVisited(*body))
      run(*body);
  for (const FunctionBody *body : graph.relevant()) {
    follower(body);
    interpreter.runUntold(*body);
  }
  follower(nullptr);
  interpreter.uses().finish();
}

UnitAnalysis::UnitAnalysis(LoweredUnit &unit, Interest interest, Follower follower,
                           Snapshots *snapshots)
    : lowered(unit), interned{unit.paths()}, graph(lowered), sideEffects(graph, interned.paths),
      storedGraphs(graph, interned.paths), ofProgram(lowered, graph, interned.paths),
      memberLists(graph, interned.paths), numbers(graph, interned.paths),
      sizeCounts(graph, ofProgram, numbers),
      interpreter(interned, graph, sideEffects, storedGraphs, ofProgram, memberLists, numbers,
                  std::move(interest), snapshots) {
  runAll(graph, sideEffects, interpreter, follower);
}

UnitAnalysis::Producer UnitAnalysis::producerOf(const Value &value) const {
  const Event *made = value.origin.made;
  for (unsigned depth = 0; made; ++depth) {
    if (made->operation != Operation::None || depth == Interpreter::maxDepth)
      return {made, made->operation};
    const FunctionBody *body = graph.calleeOf(*made);
    if (!body)
      return {made, made->kind == EventKind::Forward ? interpreter.layerOf(*made).operation
                                                     : Operation::None};
    made = interpreter.returned(*body);
  }
  return {};
}

Reduction UnitAnalysis::reductionOf(const Producer &producer) const {
  if (!producer.event)
    return Reduction::Unknown;
  if (producer.event->kind == EventKind::Forward)
    return interpreter.layerOf(*producer.event).reduction;
  const bool isOfLosses = producer.event->typing && isLoss(producer.event->typing->rule);
  return isOfLosses ? gradtidy::reductionOf(*producer.event) : Reduction::Unknown;
}

} // namespace gradtidy
