#include "UnitAnalysis.h"

namespace gradtidy {

/// Runs the interpreter over the functions of a unit that have to do with training.
static void runAll(const CallGraph &graph, const Effects &effects, Interpreter &interpreter) {
  const auto run = [&](const FunctionBody &body) {
    if (effects.concernsTraining(body))
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
  for (const FunctionBody *body : graph.relevant())
    interpreter.runUntold(*body);
  interpreter.uses().finish();
}

UnitAnalysis::UnitAnalysis(clang::ASTContext &context, const Model &model, const UserCode &userCode,
                           Interest interest, Snapshots *snapshots)
    : lowered(context, model, userCode, interned.paths), graph(lowered),
      sideEffects(lowered, graph, interned.paths), storedGraphs(graph, interned.paths),
      ofProgram(lowered, graph, interned.paths), memberLists(graph, interned.paths),
      numbers(lowered, graph, interned.paths), sizeCounts(graph, ofProgram, numbers),
      interpreter(interned, lowered, graph, sideEffects, storedGraphs, ofProgram, memberLists,
                  numbers, std::move(interest), snapshots) {
  runAll(graph, sideEffects, interpreter);
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

} // namespace gradtidy
