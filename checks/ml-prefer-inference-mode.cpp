// NoGradGuard stops recording, and keeps tensors ready for a graph all the same: each has a counter
// of its changes, each view a record of its base. InferenceMode makes neither. Its tensors take no
// part in autograd later, which is for programs that train nothing.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"
#include "Moments.h"

#include <optional>

namespace gradtidy {
namespace {

class PreferInferenceMode : public Check {
public:
  bool wants(const Moment &moment) const override { return isPass(moment); }

  void on(const Visit &visit, Reporter &reporter) override {
    const GradMode &mode = visit.before.gradMode();
    const llvm::StringRef better = visit.unit.code().phrase(Phrase::InferenceGuard);
    if (better.empty() || !isEvaluation(visit) || mode.possible != GradMode::Off || !mode.set ||
        mode.set->subject.role != TypeRole::NoGradGuard)
      return;
    const Event &guard = *mode.set;
    const ir::Symbol *variable = declaredBy(guard);
    if (!variable || !onlyInfers(visit) || handlesParameters(*guard.function) ||
        (mayLeave(visit, guard) && isChangedElsewhere(visit, guard)))
      return;
    Finding finding(Level::Advice, guard,
                    "nothing in this program is trained: InferenceMode also spares what "
                    "NoGradGuard keeps of each tensor for a graph");
    finding.notes.push_back({visit.shown(), "the first forward pass under the guard is here"});
    finding.fixes.push_back(clang::FixItHint::CreateReplacement(variable->typeRange, better));
    reporter.report(std::move(finding));
  }

private:
  /// The variable that is the guard, if its declaration names its class and no other variable.
  static const ir::Symbol *declaredBy(const Event &guard) {
    const ir::Node *declaration = ir::as(ir::NodeKind::Declaration, guard.site);
    const ir::Symbol *variable =
        declaration && declaration->declared.size() == 1 ? declaration->declared.front() : nullptr;
    const bool isNamed = variable && variable->isVariable() && variable->type->record &&
                         variable->typeRange.isValid();
    const ir::Node *made = isNamed ? ir::asConstruction(variable->init) : nullptr;
    return made && made->arguments.empty() ? variable : nullptr;
  }

  bool onlyInfers(const Visit &visit) {
    if (!isServing)
      isServing = visit.unit.program().onlyInfers();
    return *isServing;
  }

  static bool handlesParameters(const FunctionBody &function) {
    return llvm::any_of(function.blocks, [](const Block &block) {
      return llvm::any_of(block.events, [](const Event &event) {
        return event.givesParameters || event.registers == Registers::Parameter;
      });
    });
  }

  /// Whether a tensor that is made under the guard may outlive it.
  static bool mayLeave(const Visit &visit, const Event &guard) {
    const FunctionBody &function = *guard.function;
    const bool isWhole = function.compoundOf(guard.site) == function.body;
    return !isWhole || function.returnsTensors || visit.unit.uses().isStored(visit.site) ||
           function.function->isClosure ||
           llvm::any_of(function.parameters, [](const FunctionBody::Parameter &parameter) {
             const ir::Type &type = *parameter.declaration->type;
             return parameter.place.isTensor && (type.isReference ? !type.isConst : type.isPointer);
           });
  }

  /// Whether a tensor is changed in place out of the guard's reach, where those that are made under
  /// InferenceMode cannot be.
  static bool isChangedElsewhere(const Visit &visit, const Event &guard) {
    const bool isWhole = guard.function->compoundOf(guard.site) == guard.function->body;
    return visit.unit.program().changesTensors(isWhole ? guard.function : nullptr);
  }

  std::optional<bool> isServing; ///< What the unit says once and for all.
};

} // namespace

std::unique_ptr<Check> makePreferInferenceMode() { return std::make_unique<PreferInferenceMode>(); }

} // namespace gradtidy
