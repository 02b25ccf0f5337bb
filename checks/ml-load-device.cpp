// torch::load() puts parameters where they were when they were saved, unless it is told a device. A
// module that was moved before is where the file says after it.

#include "Calls.h"
#include "Check.h"
#include "Devices.h"

namespace gradtidy {
namespace {

class LoadDevice : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &forward = visit.event;
    if (forward.kind != EventKind::Forward)
      return;
    const ModuleFacts module = visit.before.module(forward.subject);
    const bool asksForPlaces = forward.function->asksForPlaces;
    if (const Event *load = module.placed;
        load && load->kind == EventKind::Load && !module.device.isKnown() && !asksForPlaces &&
        !load->function->asksForPlaces && !isOwnFile(visit, *load))
      for (const Operand &input : forward.operands) {
        const Device device =
            input.isTensor && !input.isMovedThere ? visit.before.valueOf(input).device : Device();
        if (visit.unit.mayBeGpu(device))
          return report(visit, *load, device, "that of the inputs",
                        "used here with inputs on " + nameOf(visit, device), reporter);
      }
    if (const Event *load = module.reloaded;
        load && !asksForPlaces && !load->function->asksForPlaces && !isOwnFile(visit, *load) &&
        visit.unit.mayBeGpu(module.left) && !isOwnDevice(visit, module.left))
      report(visit, *load, module.left, "where they were before",
             "used here; the program has chosen " + nameOf(visit, module.left), reporter);
  }

private:
  static void report(const Visit &visit, const Event &load, Device device, llvm::StringRef place,
                     std::string use, Reporter &reporter) {
    Finding finding;
    // A program for GPUs alone may load what such a program has saved.
    finding.level = device.kind == Device::Symbol ? Level::Likely : Level::Advice;
    finding.location = load.site->getBeginLoc();
    finding.range = load.site->getSourceRange();
    finding.message = ("after this the parameters are on the device that the file says: nothing "
                       "moves them to " +
                       place)
                          .str();
    finding.notes.push_back({visit.event.site->getBeginLoc(), std::move(use)});
    reporter.report(std::move(finding));
  }

  static bool saves(const FunctionBody &function) {
    return llvm::any_of(function.blocks, [](const Block &block) {
      return llvm::any_of(block.events,
                          [](const Event &event) { return calledName(event.site) == "save"; });
    });
  }

  /// Whether the same run may have written the file, from the same device.
  static bool isOwnFile(const Visit &visit, const Event &load) {
    return saves(*load.function) || saves(*visit.event.function) ||
           llvm::any_of(visit.callers,
                        [](const Event *caller) { return saves(*caller->function); });
  }
};

} // namespace

std::unique_ptr<Check> makeLoadDevice() { return std::make_unique<LoadDevice>(); }

} // namespace gradtidy
