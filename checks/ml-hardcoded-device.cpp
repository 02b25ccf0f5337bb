// Where the program has a model is decided in one place. A module that names a GPU itself breaks
// wherever that is another one, or none.

#include "Check.h"
#include "Devices.h"
#include "analyzer/ir/UserWords.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class HardcodedDevice : public Check {
public:
  bool wants(const Moment &moment) const override { return moment.event.namesGpu; }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &named = visit.event;
    const FunctionBody &function = *named.function;
    if (isSettled(visit))
      return;
    // What asks for devices itself, means the one that it names, but for what it always does.
    const bool isBesideChoice = !function.isModuleMethod && !function.isConditional(named.site) &&
                                keepsChosenDevice(function);
    if (function.asksForDevices && !isBesideChoice)
      return;
    const bool isOfModule =
        function.isModuleMethod && !isMove(function) && !isUnderFlag(function, named.site);
    // What asks anything before may have been told the device, by a name or a flag.
    const bool isElsewhere =
        isBesideChoice || (!isOfModule && !function.isConditional(named.site) &&
                           (isChosenByCaller(visit) || isChosenBySibling(visit)));
    const bool isOfLibrary = !isOfModule && !isElsewhere && isBesideInputs(visit);
    if (!isOfModule && !isElsewhere && !isOfLibrary && !function.function->isMain)
      return;
    if (!reported.insert(function.function).second)
      return;
    Finding finding(isOfModule || isElsewhere || isOfLibrary ? Level::Likely : Level::Advice,
                    named);
    finding.message =
        isOfModule    ? "the module names a GPU here, wherever its parameters and inputs are"
        : isOfLibrary ? "a GPU is named here, wherever the tensors are that the function gets"
        : isElsewhere ? "a GPU is named here although the program asks whether there is one"
                      : "the program fails here on a machine without a GPU, and cannot be told "
                        "another device";
    reporter.report(std::move(finding));
  }

private:
  static bool speaksOfGpus(const ir::Symbol &symbol) { return words::speaksOfGpu(symbol.name); }

  /// Whether the event names the GPU of memory for the kernels of a library, which run on tensors
  /// that others hand in.
  static bool isBesideInputs(const Visit &visit) {
    const FunctionBody &function = *visit.event.function;
    // A GPU without a number is the current one.
    return !visit.unit.program().isProgram() && !function.kernelCare.launches.empty() &&
           !function.kernelCare.choosesDevice && !function.isConditional(visit.event.site) &&
           llvm::any_of(function.parameters, [](const auto &parameter) {
             return parameter.place.role == TypeRole::Tensor;
           });
  }

  /// `cuda()`, `toGpu()`: what moves a module says so.
  static bool isMove(const FunctionBody &function) { return speaksOfGpus(*function.function); }

  /// `if (wasOnGpu) to(kCUDA);`
  static bool isUnderFlag(const FunctionBody &function, const ir::Node *site) {
    for (const ir::Node *outer = site; outer; outer = function.statementAround(outer))
      if (const ir::Node *choice = ir::as(ir::NodeKind::If, outer)) {
        const ir::Node *asked = &choice->condition->spelled();
        const ir::Node *variable = ir::as(ir::NodeKind::Reference, asked);
        const ir::Node *member = ir::as(ir::NodeKind::Member, asked);
        if ((variable && speaksOfGpus(*variable->symbol)) ||
            (member && speaksOfGpus(*member->symbol)))
          return true;
      }
    return false;
  }

  /// Whether another method of the class chooses the device of its objects.
  static bool isChosenBySibling(const Visit &visit) {
    const ir::Symbol &function = *visit.event.function->function;
    return function.isMethod() &&
           llvm::any_of(ir::classOf(*function.owner).methods, [&](const ir::Method &sibling) {
             const FunctionBody *body = visit.unit.callGraph().bodyOf(*sibling.symbol);
             return body && keepsChosenDevice(*body);
           });
  }

  /// Whether a caller has made sure that there is a GPU.
  static bool isSettled(const Visit &visit) {
    return llvm::any_of(visit.callers, [](const Event *caller) {
      return caller->function->asksForDevices &&
             (!choosesDevice(*caller->function) || caller->function->isConditional(caller->site));
    });
  }

  llvm::SmallPtrSet<const ir::Symbol *, 4> reported; ///< Functions, once each.
};

} // namespace

std::unique_ptr<Check> makeHardcodedDevice() { return std::make_unique<HardcodedDevice>(); }

} // namespace gradtidy
