// A tensor holds its graph, and the graph holds every activation of the forward pass. Summed up or
// collected over iterations, none of them can be freed.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"
#include "Moments.h"

namespace gradtidy {
namespace {

class LossAccumulation : public Check {
public:
  bool wants(const Moment &moment) const override { return storesGraph(moment); }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    bool adds = event.kind == EventKind::Overwrite ||
                (event.kind == EventKind::Combine && event.subject.escapes && !computes(event));
    const Uses &uses = visit.unit.uses();
    // Lists that are emptied for each backward may keep more than that needs; a tensor is not
    // emptied.
    const bool isInVain = event.kind == EventKind::Overwrite && uses.isCutOff(visit.site);
    if ((!adds && event.kind != EventKind::Bind) ||
        (uses.mayBeDifferentiated(visit.site) && !isInVain))
      return;
    const Operand *stored = attachedOperand(visit);
    if (!stored)
      return;
    PathId place = visit.before.place(event.subject.path);
    const PathStep &last = visit.unit.tables().paths.last(place);
    bool isSum = isMadeOfLast(visit, *stored) || (adds && event.subject.role == TypeRole::Tensor);
    bool grows = adds || isSum || (last.kind == PathStep::Element && last.index < 0);
    const ir::Node *loop = loopOutlivedBy(visit, place);
    if (isOfForward(visit, place) || isNextLayer(visit, *stored, place))
      return;
    bool isRecorded =
        loop && (recordsIn(visit, *stored, loop) || isMadeOfLeaves(visit, *stored, loop, isSum));
    if (!isRecorded && (grows || !isKeptByModule(visit, place)))
      return;

    if (loop && hasEventIn(visit, loop, [&](const Event &other) {
          const PathTable &paths = visit.unit.tables().paths;
          return other.kind == EventKind::Detach && other.subject.escapes &&
                 paths.rootOf(other.subject.path) == paths.rootOf(place);
        }))
      return; // In place, behind this or in the next round.

    bool isEmptied = loop && isEmptiedIn(visit, place, loop);
    Finding finding(grows && !isEmptied && !isCuredByGuard(visit, *stored, place) ? Level::Certain
                                                                                  : Level::Advice,
                    event);
    std::string name = visit.unit.tables().paths.spelling(event.subject.path);
    name = name.empty() ? "this" : "'" + name + "'";
    finding.message = isEmptied
                          ? name + " keeps the graphs of all iterations alive until it is emptied"
                      : grows ? name + " keeps the graph of every iteration alive: accumulate a "
                                       "number or a detached tensor"
                              : name + " keeps the graph of this iteration alive until it is "
                                       "overwritten";
    if (loop && grows)
      finding.notes.push_back({loop->begin(), name + " outlives the iterations of this loop"});
    if (stored->role == TypeRole::Tensor)
      finding.fixes = append(visit, stored->expr, phrase(visit.unit.code(), Phrase::Detach));
    reporter.report(std::move(finding));
  }

private:
  /// Whether an object that is none of the standard library makes a tensor of those it is given:
  /// `scaler.scale(loss)`.
  static bool computes(const Event &event) {
    const ir::Symbol *method = event.site->symbol;
    return event.subject.role != TypeRole::Tensor && event.resultRole == TypeRole::Tensor &&
           method && !method->isStandard;
  }

  static const Operand *attachedOperand(const Visit &visit) {
    for (const Operand &operand : visit.event.operands)
      if (operand.isTensor && (visit.before.valueOf(operand).autograd.graph & Graph::Attached))
        return &operand;
    return nullptr;
  }

  /// Whether the graphs of a local variable are all of forward passes that no backward goes
  /// through: these want a guard, which leaves nothing to keep.
  static bool isCuredByGuard(const Visit &visit, const Operand &stored, PathId place) {
    const Tables &tables = visit.unit.tables();
    const PathStep &root = tables.paths.last(tables.paths.rootOf(place));
    const auto *variable = root.kind == PathStep::Variable ? root.symbol() : nullptr;
    if (!variable || !variable->isLocal || !variable->hasLocalStorage())
      return false;
    bool isPassed = false;
    for (SiteId site : tables.histories.members(visit.before.valueOf(stored).autograd.graphs))
      if (isModuleCall(tables.sites.event(site))) {
        isPassed = true;
        if (visit.unit.uses().mayBeDifferentiated(site))
          return false;
      }
    return isPassed;
  }

  /// Whether what was stored in the last round is part of what is stored now (`x = x + y`).
  static bool isMadeOfLast(const Visit &visit, const Operand &stored) {
    const SourcesTable &histories = visit.unit.tables().histories;
    return llvm::is_contained(histories.members(visit.before.valueOf(stored).autograd.graphs),
                              visit.site);
  }

  /// Whether \p stored is what one of several modules makes of what \p place holds: the layers of
  /// a network, of which each iteration runs the next.
  static bool isNextLayer(const Visit &visit, const Operand &stored, PathId place) {
    const Event *pass = visit.before.valueOf(stored).origin.made;
    if (!pass || pass->kind != EventKind::Forward)
      return false;
    const PathTable &paths = visit.unit.tables().paths;
    const PathId module = visit.before.resolve(pass->subject.path);
    return paths.containerOf(module) != module &&
           llvm::any_of(pass->operands, [&](const Operand &input) {
             return input.path && visit.before.place(input.path) == place;
           });
  }

  /// Whether \p loop now and then begins with an empty \p place.
  static bool isEmptiedIn(const Visit &visit, PathId place, const ir::Node *loop) {
    return hasEventIn(visit, loop, [&](const Event &event) {
      return event.kind == EventKind::Bind && event.operands.empty() &&
             event.site->kind != ir::NodeKind::Declaration && event.subject.path == place;
    });
  }

  /// Whether there is such an event in \p loop, in the event's function or one that leads there.
  static bool hasEventIn(const Visit &visit, const ir::Node *loop,
                         llvm::function_ref<bool(const Event &)> isSuch) {
    const auto has = [&](const FunctionBody &function) {
      return llvm::any_of(function.blocks, [&](const Block &block) {
        return llvm::any_of(block.events, [&](const Event &event) {
          return isSuch(event) && contains(visit, loop, event.site);
        });
      });
    };
    return has(*visit.event.function) ||
           llvm::any_of(visit.callers, [&](const Event *call) { return has(*call->function); });
  }

  /// Whether the graph of the value comes from a forward pass in \p loop.
  static bool recordsIn(const Visit &visit, const Operand &value, const ir::Node *loop) {
    const Tables &tables = visit.unit.tables();
    for (SiteId site : tables.histories.members(visit.before.valueOf(value).autograd.graphs)) {
      const Event &event = tables.sites.event(site);
      if (!isModuleCall(event))
        continue;
      const auto isInLoop = [&](const Event &each) {
        return llvm::is_contained(each.function->loopsAround(each.site), loop);
      };
      if (isInLoop(event) || llvm::any_of(tables.sites.callers(site),
                                          [&](const Event *caller) { return isInLoop(*caller); }))
        return true;
    }
    return false;
  }

  /// Whether \p value is made in \p loop of leaf tensors that are trained there without a module.
  /// Of those that are no part of a sum, which may be copies of weights: whether it is a loss.
  static bool isMadeOfLeaves(const Visit &visit, const Operand &value, const ir::Node *loop,
                             bool isSum) {
    const PathTable &paths = visit.unit.tables().paths;
    const PathStep &root = paths.last(paths.rootOf(value.path));
    bool isMadeHere =
        root.kind == PathStep::Temporary ||
        (root.kind == PathStep::Variable && contains(visit, loop, root.symbol()->location));
    if (!isMadeHere || !trainsIn(visit, *visit.event.function, loop))
      return false;
    return isSum || llvm::any_of(visit.event.function->blocks, [&](const Block &block) {
             return llvm::any_of(block.events, [&](const Event &event) {
               return event.kind == EventKind::Backward && event.subject.path == value.path;
             });
           });
  }

  /// Whether \p place is a local variable of a method that makes tensors for a caller: a recurrent
  /// forward pass, whose graph he may need.
  static bool isOfForward(const Visit &visit, PathId place) {
    const PathTable &paths = visit.unit.tables().paths;
    const FunctionBody &function = *visit.event.function;
    return function.isModuleMethod && function.returnsTensors &&
           paths.last(paths.rootOf(place)).kind == PathStep::Variable;
  }

  /// Whether \p place is a member of a module, written in its forward pass.
  static bool isKeptByModule(const Visit &visit, PathId place) {
    const PathTable &paths = visit.unit.tables().paths;
    return visit.event.function->isModuleMethod &&
           paths.rootOf(place) == visit.event.function->thisObject;
  }
};

} // namespace

std::unique_ptr<Check> makeLossAccumulation() { return std::make_unique<LossAccumulation>(); }

} // namespace gradtidy
