// A tensor that is made on the CPU and then moved costs a copy over the bus and holds the CPU up,
// each time; the factory can make it on the GPU.

#include "Check.h"
#include "Devices.h"
#include "Fixes.h"
#include "Loops.h"

#include "clang/AST/ExprCXX.h"

namespace gradtidy {
namespace {

class CreateThenMove : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &move = visit.event;
    if (move.kind != EventKind::Move || !move.subject.expr || !isHot(visit))
      return;
    const Value value = visit.before.valueOf(move.subject);
    const Operand *target = targetOf(move);
    const bool isNew = value.made && value.made->kind == EventKind::Create &&
                       move.subject.expr->IgnoreUnlessSpelledInSource() == value.made->site;
    if (!target || !isNew || !isMadeOnHost(*value.made, value) || !mayBeGpu(visit, *target))
      return;

    Finding finding;
    finding.level = Level::Likely;
    finding.location = value.made->site->getBeginLoc();
    finding.range = move.site->getSourceRange();
    finding.message = "the tensor is made on the CPU and copied to the GPU each time, instead of "
                      "being made there";
    finding.fixes = makeThere(visit, *value.made, *target);
    reporter.report(std::move(finding));
  }

private:
  /// Whether the event happens in a forward pass or in every round of a loop that trains.
  static bool isHot(const Visit &visit) {
    const FunctionBody &function = *visit.event.function;
    if (function.isConditional(visit.event.site))
      return false;
    if (function.isModuleMethod && function.returnsTensors && !function.parameters.empty())
      return function.parameters.front().place.role == TypeRole::Tensor;
    return trainingLoopAround(visit).loop != nullptr;
  }

  /// Whether the factory makes up the values, and puts them on the CPU for want of a device.
  static bool isMadeOnHost(const Event &creation, const Value &value) {
    const auto *call = llvm::dyn_cast<clang::CallExpr>(creation.site);
    return value.device.kind == Device::Cpu && value.hasDimensions && call && !creation.isData &&
           creation.operation != Operation::WrapMemory && call->getDirectCallee() &&
           call->getDirectCallee()->getName() != "tensor";
  }

  /// Gives the device to the factory, where it is all that the move is told.
  static Fix makeThere(const Visit &visit, const Event &creation, const Operand &target) {
    const auto *move = llvm::dyn_cast<clang::CXXMemberCallExpr>(visit.event.site);
    const auto *call = llvm::cast<clang::CallExpr>(creation.site);
    if (!move || call->getBeginLoc().isMacroID() || move->getEndLoc().isMacroID())
      return {};
    const auto isGiven = [](const clang::Expr *argument) {
      return !llvm::isa<clang::CXXDefaultArgExpr>(argument);
    };
    const auto given = llvm::count_if(move->arguments(), isGiven);
    const std::string device = given == 0 ? "torch::kCUDA" : textOf(visit, target.expr).str();
    const bool hasOptions = llvm::any_of(creation.operands, [](const Operand &operand) {
      return operand.role == TypeRole::Device && operand.expr;
    });
    if (given > 1 || device.empty() || hasOptions)
      return {};
    const clang::SourceLocation end = endOf(visit, call);
    return {clang::FixItHint::CreateInsertion(call->getRParenLoc(), ", " + device),
            clang::FixItHint::CreateRemoval(
                clang::CharSourceRange::getCharRange(end, endOf(visit, move)))};
  }
};

} // namespace

std::unique_ptr<Check> makeCreateThenMove() { return std::make_unique<CreateThenMove>(); }

} // namespace gradtidy
