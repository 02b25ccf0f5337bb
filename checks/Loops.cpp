#include "Loops.h"

#include "Calls.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"

namespace gradtidy {

llvm::SmallVector<const ir::Node *, 8> loopsAround(const Visit &visit) {
  llvm::SmallVector<const ir::Node *, 8> loops;
  loops.append(visit.event.function->loopsAround(visit.event.site));
  for (const Event *caller : llvm::reverse(visit.callers))
    loops.append(caller->function->loopsAround(caller->site));
  return loops;
}

bool comesBehind(const Event &event, llvm::function_ref<bool(const Event &)> isOther) {
  const std::vector<Block> &blocks = event.function->blocks;
  llvm::SmallVector<unsigned, 16> pending;
  for (unsigned number = 0; number < blocks.size(); ++number)
    if (llvm::any_of(blocks[number].events, isOther))
      pending.push_back(number);
  const auto isHere = [&](const Event &other) { return &other == &event; };
  for (unsigned number : pending) {
    const std::vector<Event> &events = blocks[number].events;
    if (std::find_if(llvm::find_if(events, isOther) + 1, events.end(), isHere) != events.end())
      return true;
  }
  llvm::SmallDenseSet<unsigned, 16> reached;
  while (!pending.empty())
    for (const Block::Edge &edge : blocks[pending.pop_back_val()].edges)
      if (reached.insert(edge.target).second) {
        if (llvm::any_of(blocks[edge.target].events, isHere))
          return true;
        pending.push_back(edge.target);
      }
  return false;
}

bool runsAgain(const Visit &visit) {
  return comesBehind(visit.event, [&](const Event &other) { return &other == &visit.event; });
}

bool givesParameters(const ir::Node &loop) {
  return calledAspects(loop.object).has(Aspect::ListsParameters);
}

bool isUpToCallers(const Event &event, llvm::ArrayRef<const Event *> callers,
                   llvm::ArrayRef<const Event *> others) {
  while (!callers.empty() && !others.empty() && callers.front() == others.front()) {
    callers = callers.drop_front();
    others = others.drop_front();
  }
  const auto isConditional = [](const Event *each) {
    return each->function->isConditional(each->site);
  };
  return !callers.empty() &&
         (isConditional(&event) || llvm::any_of(callers.drop_front(), isConditional));
}

bool contains(const UnitVisit &visit, const ir::Node *outer, const ir::Node *inner) {
  return contains(visit.source, outer, inner->begin());
}

bool contains(const UnitVisit &visit, const ir::Node *outer, clang::SourceLocation inner) {
  return contains(visit.source, outer, inner);
}

bool contains(const Source &sources, const ir::Node *outer, const ir::Node *inner) {
  return contains(sources, outer, inner->begin());
}

bool contains(const Source &sources, const ir::Node *outer, clang::SourceLocation inner) {
  clang::SourceLocation place = sources.manager.getExpansionLoc(inner);
  return !sources.isBefore(place, sources.manager.getExpansionLoc(outer->begin())) &&
         !sources.isBefore(sources.manager.getExpansionLoc(outer->end()), place);
}

const ir::Node *loopBegunBy(const Visit &visit) {
  const Event &begin = visit.event;
  if (!beginsBatches(begin))
    return nullptr;
  const ir::Node *head = begin.function->statementOf(begin.site);
  const ir::Node *loop = head ? head->parent : nullptr;
  return loop && loop->isLoop() && loop->init == head ? loop : nullptr;
}

const ir::Node *loopOutlivedBy(const Visit &visit, PathId place) {
  const PathTable &paths = visit.unit.tables().paths;
  const PathStep &root = paths.last(paths.rootOf(place));
  if (root.kind == PathStep::Temporary)
    return nullptr;
  const ir::Symbol *variable = root.kind == PathStep::Variable ? root.symbol() : nullptr;
  auto outlived = [&](const FunctionBody &function, const ir::Node *site) {
    for (const ir::Node *loop : function.loopsAround(site))
      if (!variable || !contains(visit, loop, variable->location))
        return loop;
    return static_cast<const ir::Node *>(nullptr);
  };
  // A local variable begins anew with each call of its function.
  auto isOwnOf = [&](const FunctionBody &function) {
    return variable && (variable->isLocal || variable->kind == ir::SymbolKind::Parameter) &&
           !variable->isStatic && variable->owner == function.function;
  };
  const FunctionBody *function = visit.event.function;
  const ir::Node *loop = outlived(*function, visit.event.site);
  for (const Event *caller : llvm::reverse(visit.callers)) {
    if (loop || isOwnOf(*function))
      break;
    function = caller->function;
    loop = outlived(*function, caller->site);
  }
  return loop;
}

bool isOver(const Event &begin, const ir::Node &loop) {
  const ir::Node *head = loop.init;
  return head && beginsBatches(begin) && begin.function->statementOf(begin.site) == head;
}

namespace {

bool isTraining(const Visit &visit, const Event &event) {
  return event.kind == EventKind::Backward || event.kind == EventKind::Step ||
         visit.unit.effects().callsTraining(event) ||
         (isModuleCall(event) && visit.unit.uses().mayBeNeeded(event));
}

bool trains(const Visit &visit, const FunctionBody &function,
            llvm::function_ref<bool(const ir::Node *)> isMeant) {
  return llvm::any_of(function.blocks, [&](const Block &block) {
    return llvm::any_of(block.events, [&](const Event &event) {
      return isTraining(visit, event) && isMeant(event.site);
    });
  });
}

} // namespace

std::vector<const ir::Node *> trainingSites(const Visit &visit, const FunctionBody &function) {
  std::vector<const ir::Node *> sites;
  for (const Block &block : function.blocks)
    for (const Event &event : block.events)
      if (isTraining(visit, event))
        sites.push_back(event.site);
  return sites;
}

/// Whether a round of \p loop, or a run of the function, may go without \p site, and not only for
/// the choice of a branch that trains.
static bool isLeftOut(const Visit &visit, const FunctionBody &function, const ir::Node *site,
                      const ir::Node *loop,
                      bool (FunctionBody::*isConditional)(const ir::Node *, const ir::Node *)
                          const) {
  while ((function.*isConditional)(site, loop)) {
    const ir::Node *branch = site;
    const ir::Node *choice = function.statementAround(branch);
    const auto isChoice = [&] {
      return choice->kind == ir::NodeKind::If && branch != choice->condition;
    };
    for (; choice && choice != loop && !isChoice(); choice = function.statementAround(choice))
      branch = choice;
    if (!choice || choice == loop || (function.*isConditional)(site, choice) ||
        !trainsIn(visit, function, branch))
      return true;
    site = choice;
  }
  return false;
}

/// \param isLeftOut Whether a round of the loop, or a run of the function, may go without the site.
static TrainingLoop trainingLoopAround(
    const Visit &visit, const ir::Node *inner,
    llvm::function_ref<bool(const FunctionBody &, const ir::Node *site, const ir::Node *loop)>
        isLeftOut) {
  TrainingLoop result;
  const Frames frames = framesOf(visit);
  for (const Event *frame : llvm::reverse(frames)) {
    const FunctionBody &function = *frame->function;
    const ir::Node *site = inner && frame == &visit.event ? inner : frame->site;
    const auto mayLack = [&](const ir::Node *loop) { return isLeftOut(function, site, loop); };
    for (const ir::Node *loop : function.loopsAround(site)) {
      const auto isIts = [&](const ir::Node *site) {
        const auto loops = function.loopsAround(site);
        return !loops.empty() && loops.front() == loop;
      };
      if (mayLack(loop))
        return {};
      if (trains(visit, function, isIts))
        return {loop, frame, result.depth};
      if (trainsIn(visit, function, loop))
        return {};
      ++result.depth;
    }
    if (mayLack(nullptr))
      return {};
  }
  return {};
}

TrainingLoop trainingLoopAround(const Visit &visit, const ir::Node *inner) {
  return trainingLoopAround(
      visit, inner, [](const FunctionBody &function, const ir::Node *site, const ir::Node *loop) {
        return function.isConditional(site, loop);
      });
}

TrainingLoop trainingLoopOrBranchAround(const Visit &visit, const ir::Node *inner) {
  return trainingLoopAround(
      visit, inner, [&](const FunctionBody &function, const ir::Node *site, const ir::Node *loop) {
        return isLeftOut(visit, function, site, loop, &FunctionBody::isLeftOut);
      });
}

bool stepsOptimizer(const FunctionBody &function) {
  return hasEvent(function,
                  [&](const Event &event) {
                    return event.kind == EventKind::Step &&
                           function.loopsAround(event.site).empty();
                  }) &&
         !hasEvent(function, [](const Event &event) {
           return event.kind == EventKind::Construct && event.resultRole == TypeRole::Optimizer;
         });
}

bool isTrainingStep(const FunctionBody &function) {
  return stepsOptimizer(function) &&
         hasEvent(function, [](const Event &event) { return event.kind == EventKind::Backward; });
}

/// Whether the event is a call of a module with layers, and not itself part of what a module does
/// in its forward pass.
static bool isCallOfLayers(const Visit &visit) {
  const Event &event = visit.event;
  const FunctionBody &outermost = *visit.shown().function;
  return isModuleCall(event) && !event.isStateless && !event.module().isStateless &&
         !(outermost.isModuleMethod && outermost.returnsTensors);
}

bool isEvaluation(const Visit &visit) {
  return isCallOfLayers(visit) && !visit.unit.uses().mayBeDifferentiated(visit.site);
}

bool isCutOff(const Visit &visit) {
  return isCallOfLayers(visit) && visit.unit.uses().isCutOff(visit.site);
}

/// Whether the forward pass is run by no other call than \p caller, which is the \p depth-th.
static bool isOnlyCaller(const Visit &visit, const Event &caller, size_t depth) {
  const SiteTable &sites = visit.unit.tables().sites;
  const size_t inner = sites.callers(visit.site).size() - depth;
  return llvm::all_of(visit.observations(), [&](const Observation &other) {
    const llvm::ArrayRef<const Event *> others = sites.callers(other.site);
    return &sites.event(other.site) != &visit.shown() || others.size() <= inner ||
           others[others.size() - 1 - inner] == &caller;
  });
}

/// Whether one of the two is in the unit, and the other in a source that is analysed with it.
static bool isInOtherSource(const Event &a, const Event &b) {
  return a.function->linkedFrom != b.function->linkedFrom;
}

const Event &takerOf(const Visit &visit) { return takerOf(visit, 0); }

const Event &takerOf(const Visit &visit, unsigned shared) {
  llvm::ArrayRef<const Event *> callers = visit.unit.tables().sites.callers(visit.site);
  const Event *taker = &visit.shown();
  for (; shared > 0; --shared) {
    taker = callers.back();
    callers = callers.drop_back();
  }
  const Event *reader = visit.unit.uses().readerOf(visit.site);
  for (; !callers.empty() && reader && taker->function->returnsTensors &&
         taker->function != reader->function &&
         (isOnlyCaller(visit, *callers.back(), callers.size()) ||
          isInOtherSource(*taker, *callers.back()));
       callers = callers.drop_back())
    taker = callers.back();
  return *taker;
}

bool trainsIn(const Visit &visit, const FunctionBody &function, const ir::Node *statement) {
  return trains(visit, function,
                [&](const ir::Node *site) { return contains(visit, statement, site); });
}

/// Whether \p site stands behind \p statement in \p block.
static bool isBehind(const Visit &visit, const ir::Node *site, const ir::Node *statement,
                     const ir::Node &block) {
  return contains(visit, &block, site) && visit.source.isBefore(statement->end(), site->begin());
}

bool trainsBehind(const Visit &visit, const FunctionBody &function, const ir::Node *statement,
                  const ir::Node &block) {
  return trains(visit, function,
                [&](const ir::Node *site) { return isBehind(visit, site, statement, block); });
}

bool areInOrBehind(const Visit &visit, llvm::ArrayRef<const ir::Node *> sites,
                   const ir::Node *statement, const ir::Node &block) {
  return llvm::any_of(sites, [&](const ir::Node *site) {
    return contains(visit, statement, site) || isBehind(visit, site, statement, block);
  });
}

} // namespace gradtidy
