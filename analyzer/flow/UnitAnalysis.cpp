#include "UnitAnalysis.h"

namespace gradtidy {
namespace {

/// Runs the interpreter over the functions of a unit that have to do with training.
class Passes {
public:
  Passes(const CallGraph &graph, const Effects &effects, Interpreter &interpreter)
      : graph(graph), effects(effects), interpreter(interpreter) {}

  void run() {
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

private:
  void run(const FunctionBody &body) {
    if (!begun.insert(&body).second || !effects.concernsTraining(body))
      return;
    runForwards(body); // What modules make of tensors comes first.
    interpreter.run(body);
  }

  /// Runs the forward passes that \p caller, or what it calls, runs.
  void runForwards(const FunctionBody &caller) {
    if (!entered.insert(&caller).second)
      return;
    for (const Block &block : caller.blocks)
      for (const Event &event : block.events) {
        const FunctionBody *callee = event.callee ? graph.bodyOf(*event.callee) : nullptr;
        if (callee && event.kind == EventKind::Call)
          runForwards(*callee);
        else if (callee && event.kind == EventKind::Forward && !graph.isCalledWithin(*callee))
          run(*callee);
      }
  }

  const CallGraph &graph;
  const Effects &effects;
  Interpreter &interpreter;
  llvm::SmallPtrSet<const FunctionBody *, 32> begun, entered;
};

} // namespace

UnitAnalysis::UnitAnalysis(clang::ASTContext &context, const Model &model, const UserCode &userCode,
                           Snapshots *snapshots)
    : lowered(context, model, userCode, interned.paths), graph(lowered),
      sideEffects(lowered, graph, interned.paths), storedGraphs(graph, interned.paths),
      ofProgram(lowered, graph, interned.paths), memberLists(graph, interned.paths),
      numbers(lowered, graph, interned.paths), sizeCounts(graph, ofProgram, numbers),
      interpreter(interned, lowered, graph, sideEffects, storedGraphs, ofProgram, memberLists,
                  numbers, snapshots) {
  Passes(graph, sideEffects, interpreter).run();
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
