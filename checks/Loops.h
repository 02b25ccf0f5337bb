// The loops around an event, and what is trained in them.
#pragma once

#include "Check.h"

namespace gradtidy {

/// The loops around the event in its function and, outside of that, around the calls that lead
/// there; innermost first.
llvm::SmallVector<const ir::Node *, 8> loopsAround(const Visit &visit);

/// The loop over the batches of a loader that the event begins, or null.
const ir::Node *loopBegunBy(const Visit &visit);

/// The innermost loop around the event that the object at \p place is older than, or null.
const ir::Node *loopOutlivedBy(const Visit &visit, PathId place);

/// Whether control can come to \p event from one that \p isOther, within the function.
bool comesBehind(const Event &event, llvm::function_ref<bool(const Event &)> isOther);

/// Whether control can come back to the event within its function.
bool runsAgain(const Visit &visit);

/// Whether the loop goes over what a module gives as its parameters.
bool givesParameters(const ir::Node &loop);

/// Whether the callers decide on the event: behind the call at which the ways through \p callers
/// and through \p others part, something is asked before it. A function that both training and
/// evaluation call does for the one what it leaves out for the other.
bool isUpToCallers(const Event &event, llvm::ArrayRef<const Event *> callers,
                   llvm::ArrayRef<const Event *> others);

/// A loop each round of which trains and runs an event.
struct TrainingLoop {
  const ir::Node *loop = nullptr; ///< Null if there is none.
  const Event *event = nullptr;   ///< In the function of the loop: the event, or the call of it.
  unsigned depth = 0;             ///< The number of loops between the two.
};

/// The innermost loop around the event, or around the calls that lead there, that itself trains,
/// not only in a loop within it. None where something is asked before the event, or before the loop
/// \p inner around it.
TrainingLoop trainingLoopAround(const Visit &visit, const ir::Node *inner = nullptr);

/// The same, also where the event is in a branch that trains, or what stands before it may end the
/// loop.
TrainingLoop trainingLoopOrBranchAround(const Visit &visit, const ir::Node *inner = nullptr);

/// Whether the function steps an optimizer that it has not made, outside of loops.
bool stepsOptimizer(const FunctionBody &function);

/// Whether the function is a step of a training: the same, and it runs a backward.
bool isTrainingStep(const FunctionBody &function);

/// Whether \p loop goes over the batches of a loader that \p begin begins to give.
bool isOver(const Event &begin, const ir::Node &loop);

/// Whether \p inner stands in \p outer.
bool contains(const UnitVisit &visit, const ir::Node *outer, const ir::Node *inner);
bool contains(const UnitVisit &visit, const ir::Node *outer, clang::SourceLocation inner);
bool contains(const Source &sources, const ir::Node *outer, const ir::Node *inner);
bool contains(const Source &sources, const ir::Node *outer, clang::SourceLocation inner);

/// Whether the event is a call of a module with layers whose result no backward can reach, and
/// which is not itself part of what a module does in its forward pass.
bool isEvaluation(const Visit &visit);

/// The same, but of a call whose result is detached before the backwards that follow.
bool isCutOff(const Visit &visit);

/// The event that the program takes for a forward pass: that of a helper which only hands on what a
/// module gives is the call of the helper, if it is the only one or comes from another source.
const Event &takerOf(const Visit &visit);

/// The same of a helper that is called through the innermost \p shared of the calls, which is not
/// called only there.
const Event &takerOf(const Visit &visit, unsigned shared);

/// Whether \p function runs a backward, or a forward that one needs, in \p statement.
bool trainsIn(const Visit &visit, const FunctionBody &function, const ir::Node *statement);

/// The same for what stands behind \p statement in \p block.
bool trainsBehind(const Visit &visit, const FunctionBody &function, const ir::Node *statement,
                  const ir::Node &block);

/// The events for which these two look, for who asks of many statements.
std::vector<const ir::Node *> trainingSites(const Visit &visit, const FunctionBody &function);

/// Whether one of \p sites stands in \p statement, or behind it in \p block.
bool areInOrBehind(const Visit &visit, llvm::ArrayRef<const ir::Node *> sites,
                   const ir::Node *statement, const ir::Node &block);

} // namespace gradtidy
