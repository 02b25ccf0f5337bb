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
    const Event *creation = value.freshOnHost;
    const Operand *target = deviceIn(move);
    if (!creation || !isMadeUp(*creation) || !value.hasDimensions || !target ||
        !mayBeGpu(visit, *target) || !contains(visit, move.subject.expr, creation->site))
      return;

    const bool isConstant = nameOf(*creation) == "tensor";
    Finding finding;
    finding.level = Level::Likely;
    finding.location = creation->site->getBeginLoc();
    finding.range = move.site->getSourceRange();
    finding.message = isConstant
                          ? "these constants are copied to the GPU each time; the tensor can "
                            "be made and moved once"
                          : "the tensor is made on the CPU and copied to the GPU each time, "
                            "instead of being made there";
    if (!isConstant)
      finding.fixes = makeThere(visit, *creation, *target);
    reporter.report(std::move(finding));
  }

private:
  /// Whether the event happens in a forward pass, or what that calls, or in every round of a loop
  /// that trains.
  static bool isHot(const Visit &visit) {
    if (trainingLoopAround(visit).loop)
      return true;
    llvm::SmallVector<const Event *, 8> frames(visit.callers);
    frames.push_back(&visit.event);
    for (const Event *frame : llvm::reverse(frames)) {
      if (frame->function->isConditional(frame->site))
        return false;
      if (computes(*frame->function))
        return true;
    }
    return false;
  }

  /// Whether a method of a module makes tensors of tensors.
  static bool computes(const FunctionBody &function) {
    return function.isModuleMethod && function.returnsTensors &&
           llvm::any_of(function.parameters, [](const FunctionBody::Parameter &parameter) {
             return parameter.place.role == TypeRole::Tensor;
           });
  }

  /// What the tensor is moved to: a device, or to where another tensor is.
  static const Operand *deviceIn(const Event &move) {
    const auto isTensor = [](const Operand &operand) { return operand.role == TypeRole::Tensor; };
    const Operand *target = targetOf(move);
    const auto *other = llvm::find_if(move.operands, isTensor);
    return target || other == move.operands.end() ? target : other;
  }

  static llvm::StringRef nameOf(const Event &creation) {
    const auto *call = llvm::dyn_cast<clang::CallExpr>(creation.site);
    const clang::FunctionDecl *factory = call ? call->getDirectCallee() : nullptr;
    return factory && factory->getIdentifier() ? factory->getName() : llvm::StringRef();
  }

  /// Whether the factory makes up the values.
  static bool isMadeUp(const Event &creation) {
    return !nameOf(creation).empty() && creation.operation != Operation::WrapMemory;
  }

  /// Gives the device to the factory, where it is all that the move is told.
  static Fix makeThere(const Visit &visit, const Event &creation, const Operand &target) {
    const auto *move = llvm::dyn_cast<clang::CXXMemberCallExpr>(visit.event.site);
    const auto *call = llvm::cast<clang::CallExpr>(creation.site);
    if (!move || call->getBeginLoc().isMacroID() || move->getEndLoc().isMacroID() ||
        target.role == TypeRole::Tensor)
      return {};
    const auto isGiven = [](const clang::Expr *argument) {
      return !llvm::isa<clang::CXXDefaultArgExpr>(argument);
    };
    const auto given = llvm::count_if(move->arguments(), isGiven);
    const std::string device = given == 0 ? "torch::kCUDA" : textOf(visit, target.expr).str();
    const bool hasOptions = llvm::any_of(creation.operands, [](const Operand &operand) {
      return operand.role == TypeRole::Device && operand.expr;
    });
    const bool isDirect = move->getImplicitObjectArgument()->IgnoreUnlessSpelledInSource() == call;
    if (given > 1 || device.empty() || hasOptions || !isDirect)
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
