// A module's parameters are wherever it was moved to. A tensor that forward() creates without a
// device is on the CPU all the same, and the first operation with both throws on a GPU.

#include "Check.h"
#include "Devices.h"
#include "Fixes.h"
#include "Moments.h"

namespace gradtidy {
namespace {

class ForwardTensorDevice : public Check {
public:
  bool wants(const Moment &moment) const override { return meetsOtherDevice(moment); }

  void on(const Visit &visit, Reporter &reporter) override {
    for (const Clash &clash : visit.before.clashes(visit.event))
      if (isOfOwnModule(visit, clash))
        report(visit, clash, reporter);
  }

private:
  static void report(const Visit &visit, const Clash &clash, Reporter &reporter) {
    const Event &creation = *clash.hostPlaced;
    // What a module is given beside its input it need not use.
    const bool isBeside =
        visit.event.kind == EventKind::Forward && clash.host != &visit.event.operands.front();
    const bool isMoved = visit.unit.program().movesModuleOf(*creation.function);
    Finding finding(!isMoved   ? Level::Advice
                    : isBeside ? Level::Likely
                               : Level::Certain,
                    creation, "this tensor is created on the CPU, wherever the module is");
    finding.notes.push_back({visit.event, "it meets the module's tensors here"});
    repair(visit, creation, finding);
    reporter.report(std::move(finding));
  }

  static void repair(const Visit &visit, const Event &creation, Finding &finding) {
    const ir::Node *call = ir::asCall(creation.site);
    std::string device = deviceOfModule(visit, *creation.function);
    if (!call || device.empty() || call->begin().isMacroID())
      return;
    for (const Operand &operand : creation.operands)
      if (operand.role == TypeRole::Device && operand.expr) {
        llvm::StringRef options = textOf(visit, operand.expr);
        const std::string both = phrase(visit.unit.code(), Phrase::DeviceOptions,
                                        {{"type", options}, {"device", device}});
        if (!options.empty() && !both.empty())
          finding.fixes.push_back(clang::FixItHint::CreateReplacement(operand.expr->range, both));
        return;
      }
    finding.fixes.push_back(
        clang::FixItHint::CreateInsertion(call->brackets.getEnd(), ", " + device));
  }

  /// Where the module is, as it can be written in a function of it.
  static std::string deviceOfModule(const Visit &visit, const FunctionBody &function) {
    for (const FunctionBody::Parameter &parameter : function.parameters)
      if (parameter.place.role == TypeRole::Tensor)
        return phrase(visit.unit.code(), Phrase::TensorDevice,
                      {{"tensor", parameter.declaration->spelling}});
    return function.isModuleMethod ? phrase(visit.unit.code(), Phrase::ModuleDevice) : "";
  }
};

} // namespace

std::unique_ptr<Check> makeForwardTensorDevice() { return std::make_unique<ForwardTensorDevice>(); }

} // namespace gradtidy
