// An operation works on one device. Tensors of several (or a module on one and its input on
// another) make it throw; scalars of the host are the exception.

#include "Check.h"
#include "Devices.h"
#include "Fixes.h"
#include "Moments.h"

namespace gradtidy {
namespace {

class DeviceMismatch : public Check {
public:
  bool wants(const Moment &moment) const override { return meetsOtherDevice(moment); }

  void on(const Visit &visit, Reporter &reporter) override {
    if (visit.before.lacksGpu)
      return; // Everything is on the CPU.
    for (const Clash &clash : visit.before.clashes(visit.event))
      if (!isOfOwnModule(visit, clash) && !isWithoutGpu(visit, clash) &&
          visit.unit.program().mayBeGpu(clash.otherDevice))
        return report(visit, clash, reporter);
  }

private:
  /// Whether the module is on the CPU for want of a GPU only, which the program fails to name
  /// before it comes here: ml-hardcoded-device says so.
  static bool isWithoutGpu(const Visit &visit, const Clash &clash) {
    return isModule(clash.host->role) && clash.otherPlaced && clash.otherPlaced->namesGpu &&
           isChosenByCaller(visit);
  }

  static void report(const Visit &visit, const Clash &clash, Reporter &reporter) {
    Finding finding(Level::Certain, visit.event,
                    "tensors on different devices meet here: one on " +
                        nameOf(visit, clash.hostDevice) + ", one on " +
                        nameOf(visit, clash.otherDevice));
    if (isOwnDevice(visit, clash.otherDevice) && !visit.unit.program().movesModules())
      finding.level = Level::Advice;
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
