// An operation works on one device. Tensors of several (or a module on one and its input on
// another) make it throw; scalars of the host are the exception.

#include "Check.h"
#include "Devices.h"
#include "Fixes.h"
#include "Moments.h"
#include "Types.h"

namespace gradtidy {
namespace {

class DeviceMismatch : public Check {
public:
  bool wants(const Moment &moment) const override {
    return meetsOtherDevice(moment) || wrapsHostMemory(moment.event) || takesOnHost(moment.event);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    if (visit.before.lacksGpu)
      return; // Everything is on the CPU.
    if (wrapsHostMemory(visit.event))
      return onMemory(visit, reporter);
    if (takesOnHost(visit.event) && reportHostArgument(visit, reporter))
      return;
    for (const Clash &clash : visit.before.clashes(visit.event))
      if (!isOfOwnModule(visit, clash) && !isWithoutGpu(visit, clash) &&
          visit.unit.program().mayBeGpu(clash.otherDevice))
        return report(visit, clash, reporter);
  }

private:
  /// Whether the event makes a tensor over the memory of an array or container of C++.
  static bool wrapsHostMemory(const Event &event) {
    const ir::Node *call = ir::asCall(event.site);
    if (event.operation != Operation::WrapMemory || !call || call->arguments.empty())
      return false;
    const ir::Node &pointer = ir::stripped(call->arguments.front())->spelled();
    const ir::Symbol *callee = pointer.isCall() ? pointer.symbol : nullptr;
    // What smart pointers and spans lead to may be anywhere.
    const bool isOfContainer = callee && callee->isStandard && callee->owner &&
                               !callee->owner->name.contains("ptr") &&
                               callee->owner->name != "span";
    return isOfContainer || (pointer.type && pointer.type->isArray);
  }

  /// Such a tensor that is told to be on a GPU.
  static void onMemory(const Visit &visit, Reporter &reporter) {
    for (const Operand &operand : visit.event.operands) {
      const Device device =
          operand.role == TypeRole::Device ? visit.before.deviceOf(operand) : Device();
      const ir::Symbol *named = operand.expr ? ir::variableIn(ir::stripped(operand.expr)) : nullptr;
      const bool isOfCaller =
          named && named->kind == ir::SymbolKind::Parameter && visit.callers.empty();
      if (isOfCaller || !visit.unit.program().mayBeGpu(device))
        continue; // Options that a caller gives need not name a device at all.
      Finding finding(device.kind == Device::Cuda ? Level::Certain : Level::Likely, visit.event,
                      "the memory is the host's, but the tensor is told to be on " +
                          nameOf(visit, device) + ": make it on the CPU and move it there");
      return reporter.report(std::move(finding));
    }
  }

  static bool takesOnHost(const Event &event) {
    return llvm::any_of(event.operands, [](const Operand &each) { return each.isForHost; });
  }

  static bool reportHostArgument(const Visit &visit, Reporter &reporter) {
    for (const Operand &operand : visit.event.operands) {
      const Placement &placement = visit.before.valueOf(operand).placement;
      // Where nothing has placed it, it is only taken to be where the module is.
      if (!operand.isForHost || !placement.placed ||
          !visit.unit.program().mayBeGpu(placement.device))
        continue;
      Finding finding(Level::Certain, visit.event,
                      nameOf(visit, operand, "the tensor") + " has to be on the CPU, and is on " +
                          nameOf(visit, placement.device));
      finding.notes.push_back(
          {*placement.placed, "it is on " + nameOf(visit, placement.device) + " since here"});
      reporter.report(std::move(finding));
      return true;
    }
    return false;
  }

  /// Whether the module is on the CPU for want of a GPU only, which the program fails to name
  /// before it comes here: ml-hardcoded-device says so.
  static bool isWithoutGpu(const Visit &visit, const Clash &clash) {
    return isModule(clash.host->role) && clash.otherPlaced && clash.otherPlaced->namesGpu &&
           isChosenByCaller(visit);
  }

  /// Whether a module of the user's, of which no source has the code, may move what it is given.
  static bool isUnseenPass(const Visit &visit) {
    const Event &event = visit.event;
    return event.kind == EventKind::Forward && event.callee && event.callee->isUser &&
           !visit.unit.callGraph().calleeOf(event);
  }

  static void report(const Visit &visit, const Clash &clash, Reporter &reporter) {
    Finding finding(Level::Certain, visit.event,
                    "tensors on different devices meet here: one on " +
                        nameOf(visit, clash.hostDevice) + ", one on " +
                        nameOf(visit, clash.otherDevice));
    if (isOwnDevice(visit, clash.otherDevice) && !visit.unit.program().movesModules())
      finding.level = Level::Advice;
    else if (isUnseenPass(visit))
      finding.level = Level::Likely;
    if (clash.hostPlaced)
      finding.notes.push_back(
          {*clash.hostPlaced, "this one is on " + nameOf(visit, clash.hostDevice) + " since here"});
    if (clash.otherPlaced)
      finding.notes.push_back(
          {*clash.otherPlaced,
           "this one is on " + nameOf(visit, clash.otherDevice) + " since here"});
    repair(visit, clash, finding);
    reporter.report(std::move(finding));
  }

  /// What the source calls the device of the other: as it was told where that was moved there,
  /// which holds on all ways.
  static std::string otherDeviceOf(const Visit &visit, const Clash &clash) {
    const Event *move = clash.otherPlaced;
    const Operand *target = move && move->kind == EventKind::Move ? targetOf(*move) : nullptr;
    const std::string told = target && target->path && !target->device.isKnown()
                                 ? spellingOf(visit, {Device::Symbol, target->path})
                                 : "";
    return told.empty() ? spellingOf(visit, clash.otherDevice) : told;
  }

  static void repair(const Visit &visit, const Clash &clash, Finding &finding) {
    const std::string device = otherDeviceOf(visit, clash);
    if (device.empty())
      return;
    if (clash.host->role == TypeRole::Tensor) {
      finding.fixes = append(visit, clash.host->expr,
                             phrase(visit.unit.code(), Phrase::Move, {{"device", device}}));
    } else if (isModule(clash.host->role)) {
      const FunctionBody &function = *visit.event.function;
      std::string object = memberPrefix(visit, *clash.host);
      auto loops = function.loopsAround(visit.event.site);
      const ir::Node *place = loops.empty() ? function.statementOf(visit.event.site) : loops.back();
      if (!object.empty() && function.compoundOf(place))
        finding.fixes = insertBefore(
            visit, place,
            callOf(object, phrase(visit.unit.code(), Phrase::MoveModule, {{"device", device}})));
    }
  }
};

} // namespace

std::unique_ptr<Check> makeDeviceMismatch() { return std::make_unique<DeviceMismatch>(); }

} // namespace gradtidy
