// A forward pass records a graph for the backward that is to come, and keeps all activations alive
// for it. Where none comes, that is memory and time for nothing.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"
#include "Moments.h"
#include "SmokeTests.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class MissingNoGrad : public Check {
public:
  bool wants(const Moment &moment) const override {
    return isPass(moment) || moment.event.kind == EventKind::Backward;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    if (visit.unit.code().phrase(Phrase::DisableGradients).empty())
      return; // The framework knows no other way.
    const Event &forward = visit.event;
    const Answer isDifferentiated = visit.unit.effects().differentiates(forward);
    const bool isCut = isCutOff(visit);
    if (!(isEvaluation(visit) || isCut) || visit.before.gradMode().possible != GradMode::On ||
        visit.before.module(forward.subject).isFrozen || isDifferentiated == Answer::Yes ||
        forward.isGuarded || visit.before.guardElsewhere || mayBeFrozenByMode(visit) ||
        isOnWayToError(visit) || takesNoTensor(visit) || losesGuard(*visit.shown().function))
      return; // Of a guard elsewhere, see ml-guard-other-thread; of one without a name,
              // ml-guard-temporary.
    const Event &shown = visit.shown();
    const Event &culprit = culpritOf(visit);
    if (&shown != &forward && visit.unit.uses().isSetAside(visit.site) && isLinked(visit))
      return; // It is found there: that is where its result is kept.
    if (isGuardedWithInput(visit, culprit))
      return;

    // An unseen method may do other things than a forward pass; who only looks at the shape of the
    // result, tries a module that is new, or looks at what it makes of made-up input, wants to know
    // it once. What helpers leave to their callers may be right.
    // The graph of a single layer keeps little that does not live anyway.
    const ModuleFacts facts = visit.before.module(forward.subject);
    const Uses &uses = visit.unit.uses();
    const bool isOnlyDetached = uses.isDetached(visit.site) &&
                                (isCut || (!uses.isRead(visit.site) && !uses.isStored(visit.site)));
    bool isDoubtful =
        forward.kind == EventKind::Call || isDifferentiated == Answer::Unknown ||
        (isOnlyDetached ? isDetachedAtOnce(visit)
                        : isCut || (!uses.isRead(visit.site) && loopsAround(visit).empty())) ||
        isFirstLook(visit) || isOnSyntheticInput(visit) || isGuardedByCallers(visit) ||
        mayRunUnderGuard(visit) || (shown.module().isLayer && !facts.isTrained);
    Finding finding(isDoubtful ? Level::Advice : Level::Likely, culprit,
                    "this forward pass records a graph that no backward uses");
    if (isCut || isOnlyDetached)
      finding.message += ": its result is detached";
    if (&culprit != &shown)
      finding.notes.push_back({shown, &culprit == passWithin(visit) ? "the method is called here"
                                                                    : "the forward pass is here"});
    if (const Event *reader = uses.readerOf(visit.site);
        reader && reader->site->begin() != shown.site->begin())
      finding.notes.push_back({*reader, "of its result only the numbers are used, here for one"});
    repair(visit, culprit, finding);
    reporter.report(std::move(finding));
  }

private:
  /// Whether a guard stands in \p function that ends with its statement.
  static bool losesGuard(const FunctionBody &function) {
    return hasEvent(function, [](const Event &event) {
      return event.kind == EventKind::EnterGradMode && event.isDiscarded;
    });
  }

  /// The forward pass, or the call of a helper that has no use for its graph, which others have.
  static const Event &culpritOf(const Visit &visit) {
    if (const Event *inner = passWithin(visit))
      return *inner;
    return takerOf(visit, /*shared=*/isSharedWithTraining(visit));
  }

  /// The forward pass that a method of the module runs for itself, as generate() does for every
  /// token: its caller gets no graph of it, and no other that is seen needs one. Null if the event
  /// is none.
  static const Event *passWithin(const Visit &visit) {
    const Uses &uses = visit.unit.uses();
    const size_t depth = visit.unit.tables().sites.callers(visit.site).size();
    if (visit.callers.size() <= depth || uses.isHandedOut(visit.site))
      return nullptr;
    const Event &inner = depth + 1 < visit.callers.size() ? *visit.callers[depth + 1] : visit.event;
    return isModuleCall(inner) && !isNeededElsewhere(visit, inner) ? &inner : nullptr;
  }

  /// Whether one of the calls that lead to \p forward, or run it themselves, needs its graph. Of
  /// callers that nobody sees nothing is known.
  static bool isNeededElsewhere(const Visit &visit, const Event &forward) {
    const Uses &uses = visit.unit.uses();
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      const auto called = llvm::ArrayRef(other.callers).drop_front(!other.callers.empty());
      const bool isRun =
          other.event == &forward ? !other.callers.empty() : llvm::is_contained(called, &forward);
      return isRun && uses.mayBeDifferentiated(other.site) && !uses.isCutOff(other.site);
    });
  }

  /// Whether the forward pass stands in a source that is analysed with the unit.
  static bool isLinked(const Visit &visit) { return !visit.event.function->linkedFrom.empty(); }

  /// Whether a compiled module is given no tensor: that is a method which gets or sets something.
  static bool takesNoTensor(const Visit &visit) {
    const Event &forward = visit.event;
    return forward.subject.role == TypeRole::ScriptModule &&
           llvm::all_of(forward.operands, [&](const Operand &operand) {
             return operand.isTensor && visit.before.valueOf(operand).layout.type == noType;
           });
  }

  /// Whether the branch ends with an exception: nobody goes on from there.
  static bool isOnWayToError(const Visit &visit) {
    const FunctionBody &function = *visit.event.function;
    const ir::Node *branch = function.compoundOf(function.statementOf(visit.event.site));
    if (!branch || branch == function.body || branch->children.empty())
      return false;
    return branch->children.back()->kind == ir::NodeKind::Throw;
  }

  /// Whether eval() disables the gradients of the parameters, too, and may have been called.
  static bool mayBeFrozenByMode(const Visit &visit) {
    const ModuleFacts facts = visit.before.module(visit.event.subject);
    return facts.mode != ModuleFacts::Training &&
           (visit.shown().switchesGradients || (facts.set && facts.set->switchesGradients));
  }

  /// Whether a helper's forward is differentiated when others call the helper. Where it keeps it
  /// in an object that it is given, from which it is detached, backwards that are seen tell.
  static bool isSharedWithTraining(const Visit &visit) {
    const Uses &uses = visit.unit.uses();
    const SiteTable &sites = visit.unit.tables().sites;
    const Event &shown = visit.shown();
    if (sites.callers(visit.site).empty() || !isNeededElsewhere(visit, shown))
      return false;
    return shown.function->returnsTensors || !uses.isCutOff(visit.site) ||
           llvm::any_of(visit.observations(), [&](const Observation &other) {
             return &sites.event(other.site) == &shown && !sites.callers(other.site).empty() &&
                    uses.isUsed(other.site);
           });
  }

  /// Whether the result is detached so soon that the graph takes memory for a moment only, as that
  /// of a target network often is: where it is trained with, no variable keeps the graph.
  static bool isDetachedAtOnce(const Visit &visit) {
    const FunctionBody &function = *visit.shown().function;
    if (!trainsIn(visit, function, function.body)) // A loaded program is no target network.
      return function.returnsTensors && visit.event.subject.role != TypeRole::ScriptModule &&
             !isTrainedElsewhere(visit);
    return llvm::none_of(visit.observations(), [&](const Observation &other) {
      return other.event->kind == EventKind::Backward && other.before.keepsGraph(visit.site);
    });
  }

  /// Whether another function trains the same member: it is no target network.
  static bool isTrainedElsewhere(const Visit &visit) {
    const Tables &tables = visit.unit.tables();
    const auto memberOf = [&](const Event &event) -> const void * {
      const PathStep &last = tables.paths.last(event.subject.path);
      return last.kind == PathStep::Member ? last.identity : nullptr;
    };
    const void *member = memberOf(visit.shown());
    return member && llvm::any_of(visit.observations(), [&](const Observation &other) {
             return isModuleCall(*other.event) && visit.unit.uses().isUsed(other.site) &&
                    memberOf(tables.sites.event(other.site)) == member;
           });
  }

  /// Whether all callers that are known have a guard. Others may not.
  static bool isGuardedByCallers(const Visit &visit) {
    const auto isFurtherOut = [&](const Observation &other) {
      const llvm::ArrayRef<const Event *> callers = other.callers;
      return other.event == &visit.event && callers.size() > visit.callers.size() &&
             callers.take_back(visit.callers.size()) == visit.callers;
    };
    bool isGuarded = false;
    for (const Observation &other : visit.observations())
      if (isFurtherOut(other)) {
        if (other.before.gradMode().possible & GradMode::On)
          return false;
        isGuarded = true;
      }
    return isGuarded;
  }

  /// Whether a closure that somebody runs later may find a guard there: a function of the unit
  /// calls under one what it took from a queue.
  static bool mayRunUnderGuard(const Visit &visit) {
    if (!isClosure(*visit.event.function) || !visit.callers.empty())
      return false;
    const auto disables = [](const Event &event) {
      return (event.kind == EventKind::EnterGradMode || event.kind == EventKind::SetGradMode) &&
             event.constant != true;
    };
    return llvm::any_of(visit.unit.callGraph().functions(), [&](const FunctionBody *body) {
      bool callsTask = false;
      if (hasEvent(*body, disables))
        ir::forEach(body->body, [&](const ir::Node &node) {
          const ir::Node *task =
              node.kind == ir::NodeKind::OperatorCall && node.op == "()" && !node.arguments.empty()
                  ? node.arguments.front()
                  : nullptr;
          callsTask |= task && task->type && task->type->record && task->type->record->isStandard;
        });
      return callsTask;
    });
  }

  /// Whether the guard that a finding asks for, of a forward pass whose result this one gets,
  /// serves both.
  bool isGuardedWithInput(const Visit &visit, const Event &culprit) const {
    const Event &forward = visit.event;
    return llvm::any_of(forward.operands, [&](const Operand &operand) {
      return operand.isTensor && llvm::any_of(visit.unit.tables().histories.members(
                                                  visit.before.valueOf(operand).autograd.graphs),
                                              [&](SiteId site) {
                                                const ir::Node *block = guardOf.lookup(site);
                                                return block && site != visit.site &&
                                                       contains(visit, block, culprit.site);
                                              });
    });
  }

  /// In the outermost block in which nothing behind it is trained; one guard serves all behind it.
  void repair(const Visit &visit, const Event &forward, Finding &finding) {
    const FunctionBody &function = *forward.function;
    const auto [known, isNew] = sitesOf.try_emplace(&function);
    if (isNew)
      known->second = trainingSites(visit, function);
    const std::vector<const ir::Node *> &sites = known->second;
    const ir::Node *place = nullptr;
    for (const ir::Node *statement = function.statementOf(forward.site); statement;
         statement = function.statementAround(statement)) {
      const ir::Node *block = function.compoundOf(statement);
      if (!block)
        continue;
      if (areInOrBehind(visit, sites, statement, *block))
        break;
      place = statement;
    }
    const ir::Node *block = place ? function.compoundOf(place) : nullptr;
    if (finding.level == Level::Likely)
      guardOf[visit.site] = block;
    if (!block || !guarded.insert(block).second)
      return;
    std::string name = "no_grad";
    for (unsigned number = 2; declares(*block, name); ++number)
      name = "no_grad" + std::to_string(number);
    finding.fixes = insertBefore(
        visit, place, phrase(visit.unit.code(), Phrase::DisableGradients, {{"name", name}}));
  }

  /// Whether a statement directly in \p block declares \p name.
  static bool declares(const ir::Node &block, llvm::StringRef name) {
    return llvm::any_of(block.children, [&](const ir::Node *statement) {
      return llvm::any_of(statement->declared,
                          [&](const ir::Symbol *each) { return each->name == name; });
    });
  }

  /// See trainingSites().
  llvm::DenseMap<const FunctionBody *, std::vector<const ir::Node *>> sitesOf;
  llvm::SmallPtrSet<const ir::Node *, 8> guarded; ///< Blocks that have got a guard.
  /// The block in which each finding wants one, but for advice.
  llvm::DenseMap<SiteId, const ir::Node *> guardOf;
};

} // namespace

std::unique_ptr<Check> makeMissingNoGrad() { return std::make_unique<MissingNoGrad>(); }

} // namespace gradtidy
