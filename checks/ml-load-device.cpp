// torch::load() puts parameters where they were when they were saved, unless it is told a device. A
// module that was moved before is where the file says after it.

#include "Calls.h"
#include "Check.h"
#include "Devices.h"
#include "Loops.h"

#include "analyzer/flow/Files.h"
#include "analyzer/ir/UserWords.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class LoadDevice : public Check {
public:
  bool wants(const Moment &moment) const override {
    return llvm::is_contained({EventKind::Load, EventKind::Forward}, moment.event.kind) ||
           moment.event.operation == Operation::Save;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &forward = visit.event;
    if (forward.kind == EventKind::Load)
      return storedBy(forward).role == TypeRole::Optimizer ? onOptimizer(visit, reporter)
                                                           : onLoad(visit, reporter);
    if (forward.kind != EventKind::Forward)
      return;
    const ModuleFacts module = visit.before.module(forward.subject);
    if (const Event *load = module.placed;
        load && load->kind == EventKind::Load && !module.device.isKnown() && isLeft(visit, *load)) {
      for (const Operand &input : forward.operands) {
        const Device device = input.isTensor && !input.isMovedThere
                                  ? visit.before.valueOf(input).placement.device
                                  : Device();
        if (visit.unit.program().mayBeGpu(device) && !isOwnFile(visit, *load))
          return report(*load, forward, device, "that of the inputs",
                        "used here with inputs on " + nameOf(visit, device), reporter);
        const Device saved = device.kind == Device::Cpu ? savedFrom(visit, *load) : Device();
        // What is called the same by a text may be another program's.
        if (visit.unit.program().mayBeGpu(saved) &&
            (fileMemberOf(*load) || isOwnFile(visit, *load)))
          return report(*load, forward, saved, "that of the inputs",
                        "used here with inputs on the CPU; the file was saved from " +
                            nameOf(visit, saved),
                        reporter);
      }
    }
    if (const Event *load = module.reloaded;
        load && isLeft(visit, *load) && visit.unit.program().mayBeGpu(module.left) &&
        !isOwnDevice(visit, module.left) && !isOwnFile(visit, *load))
      report(*load, forward, module.left, "where they were before",
             "used here; the program has chosen " + nameOf(visit, module.left), reporter);
  }

private:
  /// The function says where the model is to be, and not where the state of its optimizer is.
  void onOptimizer(const Visit &visit, Reporter &reporter) {
    const Event &load = visit.event;
    const auto isTold = [&](const Event &other) {
      return other.kind == EventKind::Load && isModule(storedBy(other).role) &&
             llvm::any_of(other.operands, [&](const Operand &operand) {
               const Device device =
                   isDevice(operand) && operand.expr ? visit.before.deviceOf(operand) : Device();
               return device.kind == Device::Symbol && visit.unit.program().mayBeGpu(device);
             });
    };
    if (load.site->kind == ir::NodeKind::MemberCall || llvm::any_of(load.operands, isDevice) ||
        !reported.insert(load.site).second)
      return;
    for (const Block &block : load.function->blocks)
      for (const Event &other : block.events)
        if (isTold(other)) {
          Finding finding(Level::Likely, load,
                          "the state of the optimizer comes back to the device that the file says, "
                          "which this machine may not have; name the device here, too");
          finding.notes.push_back({other, "the parameters are put on theirs here"});
          return reporter.report(std::move(finding));
        }
  }

  /// A member that constructors put on its device, which others use there.
  static void onLoad(const Visit &visit, Reporter &reporter) {
    const Event &load = visit.event;
    const Operand &loaded = storedBy(load);
    const ModuleFacts module = visit.before.module(loaded);
    const PathStep &member = visit.unit.tables().paths.last(loaded.path);
    if (!visit.callers.empty() || module.reloaded || member.kind != PathStep::Member ||
        !visit.unit.program().mayBeGpu(module.left) || load.function->asksForPlaces ||
        llvm::any_of(load.operands, isDevice) || isOwnFile(visit, load))
      return;
    for (const Observation &other : visit.observations())
      if (const Event &forward = *other.event;
          forward.kind == EventKind::Forward && forward.function != load.function &&
          visit.unit.tables().paths.last(forward.subject.path).identity == member.identity)
        return report(load, forward, module.left, "where they were before",
                      "used here; the program has chosen " + nameOf(visit, module.left), reporter);
  }

  static void report(const Event &load, const Event &forward, Device device, llvm::StringRef place,
                     std::string use, Reporter &reporter) {
    // A program for GPUs alone may load what such a program has saved.
    Finding finding(device.kind == Device::Symbol ? Level::Likely : Level::Advice, load,
                    ("after this the parameters are on the device that the file says: nothing "
                     "moves them to " +
                     place)
                        .str());
    finding.notes.push_back({forward, std::move(use)});
    reporter.report(std::move(finding));
  }

  /// Whether the module is where the file says when it comes to the forward \p visit.
  static bool isLeft(const Visit &visit, const Event &load) {
    const FunctionBody &user = *visit.event.function;
    return llvm::none_of(load.operands, isDevice) &&
           (&user == load.function || !user.asksForPlaces) && !movesBehind(visit, load);
  }

  /// Whether the function moves the module next: only an exception keeps it from that, or where
  /// something is.
  static bool movesBehind(const Visit &visit, const Event &load) {
    const FunctionBody &function = *load.function;
    const Operand &loaded = storedBy(load);
    const Source &sources = visit.source;
    const auto isBehind = [&](const Event &later, const Event &earlier) {
      return sources.isBefore(earlier.site->begin(), later.site->begin());
    };
    const auto isBeside = [&](const Event &event) {
      return function.compoundOf(function.statementOf(event.site)) ==
             function.compoundOf(function.statementOf(load.site));
    };
    return llvm::any_of(function.blocks, [&](const Block &block) {
      return llvm::any_of(block.events, [&](const Event &event) {
        return event.kind == EventKind::Move && event.subject.path == loaded.path &&
               (function.asksForPlaces || isBeside(event)) && isBehind(event, load) &&
               (visit.event.function != &function || isBehind(visit.event, event));
      });
    });
  }

  static bool isDevice(const Operand &operand) { return operand.role == TypeRole::Device; }

  /// Whether the event saves something, not a module that is on the CPU wherever the program runs.
  static bool isSave(const Visit &visit, const Event &event) {
    return (event.operation == Operation::Save || words::saves(calledName(event.site))) &&
           llvm::none_of(visit.observations(), [&](const Observation &other) {
             return other.event == &event &&
                    other.before.module(storedBy(event)).device.kind == Device::Cpu;
           });
  }

  /// The function of the unit that the event calls, or null.
  static const FunctionBody *calleeOf(const Visit &visit, const Event &event) {
    return event.kind == EventKind::Call && event.callee
               ? visit.unit.callGraph().bodyOf(*event.callee)
               : nullptr;
  }

  /// Whether the event saves something, or calls a function that does.
  static bool saves(const Visit &visit, const Event &event) {
    const auto isOne = [&](const Event &each) { return isSave(visit, each); };
    const FunctionBody *callee = calleeOf(visit, event);
    return isOne(event) || (callee && visit.unit.callGraph().runs(*callee, isOne));
  }

  /// Whether the same run may have written the file, from the same device: it saves something
  /// before it comes to the load, or loads a module again and again, which another thread may save.
  static bool isOwnFile(const Visit &visit, const Event &load) {
    const bool mayShare = llvm::any_of(visit.observations(), [](const Observation &other) {
      return other.event->operation == Operation::Save;
    });
    const PathTable &paths = visit.unit.tables().paths;
    const PathStep &module = paths.last(paths.rootOf(storedBy(load).path));
    const auto repeats = [&](const Event &event) {
      return llvm::any_of(event.function->loopsAround(event.site), [&](const ir::Node *loop) {
        return module.kind != PathStep::Variable ||
               !contains(visit, loop, module.symbol()->location);
      });
    };
    llvm::SmallSetVector<const FunctionBody *, 8> around; // The load, and calls that lead there.
    around.insert(load.function);
    for (unsigned i = 0; i < around.size(); ++i) {
      const FunctionBody &function = *around[i];
      const auto isSavedBefore = [&](const Event &event) {
        return (&event == &load || around.contains(calleeOf(visit, event))) &&
               ((mayShare && repeats(event)) ||
                comesBehind(event, [&](const Event &other) { return saves(visit, other); }));
      };
      if (llvm::any_of(function.blocks, [&](const Block &block) {
            return llvm::any_of(block.events, isSavedBefore);
          }))
        return true;
      around.insert_range(visit.unit.callGraph().callersOf(function));
    }
    return false;
  }

  /// Where the module was when the program saved the file, if it says the name of the file twice,
  /// or a member of its settings.
  static Device savedFrom(const Visit &visit, const Event &load) {
    const ir::Symbol *member = fileMemberOf(load);
    for (const Observation &other : visit.observations())
      if (const Event &save = *other.event;
          save.operation == Operation::Save &&
          ((!save.details->file.empty() && save.details->file == load.details->file) ||
           (member && fileMemberOf(save) == member)))
        return other.before.module(storedBy(save)).device;
    return {};
  }

  /// The data member that names the file, or null.
  static const ir::Symbol *fileMemberOf(const Event &event) {
    for (const Operand &operand : event.operands)
      if (operand.isText && operand.expr)
        if (const ir::Node *name = ir::as(ir::NodeKind::Member, ir::stripped(operand.expr)))
          return name->symbol;
    return nullptr;
  }

  llvm::SmallPtrSet<const ir::Node *, 4> reported; ///< Loads of optimizers, once each.
};

} // namespace

std::unique_ptr<Check> makeLoadDevice() { return std::make_unique<LoadDevice>(); }

} // namespace gradtidy
