// Copies between the host and the GPU take the slowest way that there is. What is the same in every
// round of a loop needs one copy before it, and what is only copied back needs none.

#include "Calls.h"
#include "Check.h"
#include "Devices.h"
#include "Loops.h"
#include "Moments.h"

namespace gradtidy {
namespace {

class DevicePingPong : public Check {
public:
  bool wants(const Moment &moment) const override {
    return movesTensor(moment.event) &&
           (mayMoveInVain(moment) || moment.event.namesGpu || moment.event.isAsync);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &move = visit.event;
    const Operand *target = move.kind == EventKind::Move ? targetOf(move) : nullptr;
    if (target &&
        (target->expr ? visit.before.deviceOf(*target) : target->device).kind == Device::Cpu)
      return onReturn(visit, reporter);
    if (!target || !move.subject.expr || isModule(move.subject.role))
      return;
    const Value value = visit.before.valueOf(move.subject);
    const ir::Symbol *member = constantMember(visit, value);
    if (value.placement.device.kind != Device::Cpu ||
        !(member ? mayGoToGpu(visit, *target) : mayBeGpu(visit, *target)))
      return;
    Finding finding(Level::Likely, move);
    if (comesFrom(visit, value, *target)) {
      finding.message = "the tensor is copied from the GPU to the host only to be copied back";
    } else if (member) {
      const ir::Node *loop = trainingLoopAround(visit).loop;
      finding.message =
          "'" + member->spelling.str() + "' is copied to the GPU in every " +
          (loop || visit.event.function->isStep ? "step of the training" : "forward pass") +
          ", and is the same each time";
      if (loop)
        finding.notes.push_back({*loop, "the loop is here"});
    } else if (const ir::Symbol *variable = variableOf(visit)) {
      const ir::Node *loop = loopWithout(visit, *variable, *target);
      if (!loop || !value.placement.hasDimensions || isWrittenOut(value) || isOverMemory(visit))
        return;
      finding.message = "'" + variable->spelling.str() +
                        "' is copied to the GPU in every round of the loop, and is the same each "
                        "time";
      finding.notes.push_back({*loop, "the loop is here"});
    } else {
      return;
    }
    reporter.report(std::move(finding));
  }

private:
  /// What was copied to the GPU from the host is there still.
  static void onReturn(const Visit &visit, Reporter &reporter) {
    const Event *before = visit.before.valueOf(visit.event.subject).placement.placed;
    const ir::Symbol *copy = visit.event.subject.expr ? variableOf(visit) : nullptr;
    if (!copy || !before || before->kind != EventKind::Move || !copy->init ||
        &copy->init->spelled() != before->site || isChanged(visit, visit.event.subject.path) ||
        !isOnHost(visit.before.valueOf(before->subject)) || loopsAround(visit).empty())
      return;
    Finding finding(Level::Likely, visit.event);
    finding.message =
        "'" + copy->spelling.str() + "' is copied back to the host, where it was copied from";
    finding.notes.push_back({*before, "it is copied to the GPU here"});
    reporter.report(std::move(finding));
  }

  static bool isOnHost(const Value &value) {
    return value.placement.device.kind == Device::Cpu || value.placement.freshOnHost;
  }

  /// Whether the function does more with the tensor at \p place than to make it once and to compute
  /// from it.
  static bool isChanged(const Visit &visit, PathId place) {
    const PathTable &paths = visit.unit.tables().paths;
    unsigned made = 0;
    for (const Block &block : visit.event.function->blocks)
      for (const Event &event : block.events)
        if (event.kind == EventKind::Bind && event.subject.path == place)
          ++made;
        else if (event.kind != EventKind::EndLifetime && event.kind != EventKind::Forward &&
                 mayChange(event, place, paths))
          return true;
    return made != 1;
  }

  /// Whether the same expression has just copied the tensor from that GPU.
  static bool comesFrom(const Visit &visit, const Value &value, const Operand &target) {
    const Event *before = value.placement.placed;
    if (!before || before->kind != EventKind::Move ||
        &visit.event.subject.expr->spelled() != before->site)
      return false;
    const Device origin = visit.before.valueOf(before->subject).placement.device;
    return visit.unit.program().mayBeGpu(origin) &&
           origin == (target.expr ? visit.before.deviceOf(target) : target.device);
  }

  /// Of values that the source lists there are few.
  static bool isWrittenOut(const Value &value) {
    return value.origin.made && !value.origin.made->isData && value.origin.made->site->symbol &&
           value.origin.made->site->symbol->trait == Trait::MakesScalar;
  }

  /// Whether the tensor is memory that somebody owns, who may write to it.
  static bool isOverMemory(const Visit &visit) {
    llvm::SmallDenseSet<PathId, 4> wrapped;
    for (const Block &block : visit.event.function->blocks)
      for (const Event &event : block.events)
        if (event.operation == Operation::WrapMemory)
          wrapped.insert(event.result);
        else if (event.kind == EventKind::Bind && !event.operands.empty() &&
                 event.subject.path == visit.event.subject.path &&
                 wrapped.contains(event.operands.front().path))
          return true;
    return false;
  }

  /// The member of its object that the event copies in every round of a loop that trains, in every
  /// forward pass of a module or step of an optimizer, where only constructors make it and others
  /// never change it; else null.
  static const ir::Symbol *constantMember(const Visit &visit, const Value &value) {
    const PathTable &paths = visit.unit.tables().paths;
    const PathId place = visit.event.subject.path;
    if (!place || paths.last(place).kind != PathStep::Member || !value.placement.hasDimensions ||
        paths.rootOf(place) != visit.event.function->thisObject)
      return nullptr;
    const auto *member = paths.last(place).symbol();
    const ir::Node *loop = loopOutlivedBy(visit, visit.before.resolve(place));
    const bool isInTraining = loop && loop == trainingLoopAround(visit).loop;
    return (isInTraining || isInPass(visit)) && visit.unit.effects().isSetUpOnly(*member) ? member
                                                                                          : nullptr;
  }

  /// Whether every forward pass of a module, or step of an optimizer, comes to the event.
  static bool isInPass(const Visit &visit) {
    const FunctionBody &function = *visit.event.function;
    return ((function.isModuleMethod && function.returnsTensors) || function.isStep) &&
           !function.isConditional(visit.event.site);
  }

  static const ir::Symbol *variableOf(const Visit &visit) {
    return ir::variableIn(visit.event.subject.expr);
  }

  /// The innermost loop around the event that runs modules again and again, and leaves \p variable
  /// and what tells the device alone; null if there is none.
  static const ir::Node *loopWithout(const Visit &visit, const ir::Symbol &variable,
                                     const Operand &target) {
    const FunctionBody &function = *visit.event.function;
    const ir::Node *loop = loopOutlivedBy(visit, visit.event.subject.path);
    if (!loop || !llvm::is_contained(function.loopsAround(visit.event.site), loop) ||
        function.isConditional(visit.event.site, loop) || !isFixed(visit, target, loop) ||
        !runsAgain(visit))
      return nullptr;
    const PathTable &paths = visit.unit.tables().paths;
    const PathId place = paths.rootOf(visit.event.subject.path);
    bool runs = false;
    for (const Block &block : function.blocks)
      for (const Event &event : block.events) {
        const bool isInside = contains(visit, loop, event.site);
        if (isInside ? mayChange(event, place, paths) : mayShare(event, place, paths))
          return nullptr;
        runs |= isInside && (isModuleCall(event) || event.kind == EventKind::Backward);
      }
    return runs ? loop : nullptr;
  }

  /// Whether \p target names the same device in every round of \p loop.
  static bool isFixed(const Visit &visit, const Operand &target, const ir::Node *loop) {
    if (target.device.isKnown() || !target.path)
      return true;
    const PathTable &paths = visit.unit.tables().paths;
    const PathStep &root = paths.last(paths.rootOf(target.path));
    return root.kind == PathStep::This ||
           (root.kind == PathStep::Variable && !contains(visit, loop, root.symbol()->location));
  }

  static bool mentions(const Event &event, PathId place, const PathTable &paths) {
    const auto isIt = [&](const Operand &operand) {
      return operand.path && paths.rootOf(operand.path) == place;
    };
    return isIt(event.subject) || llvm::any_of(event.operands, isIt);
  }

  /// Whether the event, in the loop, may change the tensor: all but copies and computations.
  static bool mayChange(const Event &event, PathId place, const PathTable &paths) {
    if (event.kind == EventKind::Call && (event.subject.isClosure || event.subject.escapes))
      return true;
    if (!mentions(event, place, paths))
      return false;
    const bool isPure = event.kind == EventKind::Move || event.kind == EventKind::Forward ||
                        event.kind == EventKind::Combine;
    return !isPure || event.subject.escapes || mayShare(event, place, paths);
  }

  /// Whether the event may give the tensor's memory another name.
  static bool mayShare(const Event &event, PathId place, const PathTable &paths) {
    if (event.memory && event.result && event.kind == EventKind::Create)
      return true;
    if (!mentions(event, place, paths))
      return false;
    const bool isOther = event.kind == EventKind::Bind && paths.rootOf(event.subject.path) != place;
    return isOther || sharesMemory(event.operation) || event.operation == Operation::Index ||
           event.operation == Operation::PointToMemory ||
           event.operation == Operation::AccessElements;
  }
};

} // namespace

std::unique_ptr<Check> makeDevicePingPong() { return std::make_unique<DevicePingPong>(); }

} // namespace gradtidy
