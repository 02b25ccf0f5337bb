// torch::load() puts parameters where they were when they were saved, unless it is told a device. A
// module that was moved before is where the file says after it.

#include "Calls.h"
#include "Check.h"
#include "Devices.h"
#include "Loops.h"

namespace gradtidy {
namespace {

class LoadDevice : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &forward = visit.event;
    if (forward.kind == EventKind::Load)
      return onLoad(visit, reporter);
    if (forward.kind != EventKind::Forward)
      return;
    const ModuleFacts module = visit.before.module(forward.subject);
    const bool asksForPlaces = forward.function->asksForPlaces;
    if (const Event *load = module.placed;
        load && load->kind == EventKind::Load && !module.device.isKnown() && !asksForPlaces &&
        !load->function->asksForPlaces && !isOwnFile(visit, *load) && !movesBehind(visit, *load))
      for (const Operand &input : forward.operands) {
        const Device device =
            input.isTensor && !input.isMovedThere ? visit.before.valueOf(input).device : Device();
        if (visit.unit.program().mayBeGpu(device))
          return report(*load, forward, device, "that of the inputs",
                        "used here with inputs on " + nameOf(visit, device), reporter);
      }
    if (const Event *load = module.reloaded;
        load && !asksForPlaces && !load->function->asksForPlaces && !isOwnFile(visit, *load) &&
        !movesBehind(visit, *load) && visit.unit.program().mayBeGpu(module.left) &&
        !isOwnDevice(visit, module.left))
      report(*load, forward, module.left, "where they were before",
             "used here; the program has chosen " + nameOf(visit, module.left), reporter);
  }

private:
  /// A member that constructors put on its device, which others use there.
  static void onLoad(const Visit &visit, Reporter &reporter) {
    const Event &load = visit.event;
    const Operand *loaded =
        load.subject.path || load.operands.empty() ? &load.subject : &load.operands.front();
    const ModuleFacts module = visit.before.module(*loaded);
    const PathStep &member = visit.unit.tables().paths.last(loaded->path);
    if (!visit.callers.empty() || module.reloaded || member.kind != PathStep::Member ||
        !visit.unit.program().mayBeGpu(module.left) || load.function->asksForPlaces ||
        llvm::any_of(load.operands, isDevice) || isSavedBefore(visit, load))
      return;
    for (const Observation &other : visit.unit.observations())
      if (const Event &forward = *other.event;
          forward.kind == EventKind::Forward && forward.function != load.function &&
          visit.unit.tables().paths.last(forward.subject.path).subject == member.subject)
        return report(load, forward, module.left, "where they were before",
                      "used here; the program has chosen " + nameOf(visit, module.left), reporter);
  }

  static void report(const Event &load, const Event &forward, Device device, llvm::StringRef place,
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
    finding.notes.push_back({forward.site->getBeginLoc(), std::move(use)});
    reporter.report(std::move(finding));
  }

  /// Whether the function moves the module next, and only an exception keeps it from that.
  static bool movesBehind(const Visit &visit, const Event &load) {
    const FunctionBody &function = *load.function;
    const Operand &loaded =
        load.subject.path || load.operands.empty() ? load.subject : load.operands.front();
    const clang::SourceManager &sources = visit.context.getSourceManager();
    const auto isBehind = [&](const Event &later, const Event &earlier) {
      return sources.isBeforeInTranslationUnit(earlier.site->getBeginLoc(),
                                               later.site->getBeginLoc());
    };
    const auto isBeside = [&](const Event &event) {
      return function.compoundOf(function.statementOf(event.site)) ==
             function.compoundOf(function.statementOf(load.site));
    };
    return llvm::any_of(function.blocks, [&](const Block &block) {
      return llvm::any_of(block.events, [&](const Event &event) {
        return event.kind == EventKind::Move && event.subject.path == loaded.path &&
               isBeside(event) && isBehind(event, load) &&
               (visit.event.function != &function || isBehind(visit.event, event));
      });
    });
  }

  static bool isDevice(const Operand &operand) { return operand.role == TypeRole::Device; }

  static bool isSave(const Event &event) { return calledName(event.site) == "save"; }

  /// Whether the event saves something, or calls a function that does.
  static bool saves(const Visit &visit, const Event &event) {
    const FunctionBody *callee = event.kind == EventKind::Call && event.callee
                                     ? visit.unit.callGraph().bodyOf(*event.callee)
                                     : nullptr;
    return isSave(event) || (callee && visit.unit.callGraph().runs(*callee, isSave));
  }

  /// Whether \p function may have saved something when it comes to \p site, of this or, \p inLoops,
  /// of an earlier round.
  static bool savesBefore(const Visit &visit, const FunctionBody &function, const clang::Stmt *site,
                          bool inLoops) {
    const clang::SourceManager &sources = visit.context.getSourceManager();
    const auto loops = function.loopsAround(site);
    return llvm::any_of(function.blocks, [&](const Block &block) {
      return llvm::any_of(block.events, [&](const Event &event) {
        return saves(visit, event) &&
               (sources.isBeforeInTranslationUnit(event.site->getBeginLoc(), site->getBeginLoc()) ||
                (inLoops && llvm::any_of(loops, [&](const clang::Stmt *loop) {
                   return contains(visit, loop, event.site);
                 })));
      });
    });
  }

  /// Whether the same run may have written the file, from the same device.
  static bool isOwnFile(const Visit &visit, const Event &load) {
    const Event &forward = visit.event;
    const auto mayHaveSaved = [&](const Event &event) {
      return event.function != load.function &&
             savesBefore(visit, *event.function, event.site, false);
    };
    return mayHaveSaved(forward) ||
           llvm::any_of(visit.callers,
                        [&](const Event *caller) { return mayHaveSaved(*caller); }) ||
           isSavedBefore(visit, load);
  }

  /// The same, by what is around the load.
  static bool isSavedBefore(const Visit &visit, const Event &load) {
    const auto mayHaveSaved = [&](const Event &event) {
      const FunctionBody *callee = event.kind == EventKind::Call && event.callee
                                       ? visit.unit.callGraph().bodyOf(*event.callee)
                                       : nullptr;
      return callee == load.function && savesBefore(visit, *event.function, event.site, true);
    };
    return llvm::any_of(load.function->blocks,
                        [](const Block &block) { return llvm::any_of(block.events, isSave); }) ||
           llvm::any_of(
               visit.unit.callGraph().callersOf(*load.function),
               [&](const FunctionBody *caller) { return hasEvent(*caller, mayHaveSaved); });
  }
};

} // namespace

std::unique_ptr<Check> makeLoadDevice() { return std::make_unique<LoadDevice>(); }

} // namespace gradtidy
