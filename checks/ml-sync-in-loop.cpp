// A GPU works behind the program's back until the program wants to see a number: then it waits
// until everything that was asked for is done. Once a step, that is the price of a progress report;
// for every element of a batch, it is most of the time.

#include "Check.h"
#include "Loops.h"

#include "clang/AST/ExprCXX.h"

namespace gradtidy {
namespace {

class SyncInLoop : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &read = visit.event;
    if (read.operation == Operation::ReadScalar)
      onRead(visit, reporter);
    else if (read.kind == EventKind::Combine && read.isAttribute)
      onAttribute(visit, reporter);
  }

private:
  static bool isOnGpu(const Visit &visit, const Operand &tensor) {
    return visit.unit.mayBeGpu(visit.before.valueOf(tensor).device);
  }

  static void onRead(const Visit &visit, Reporter &reporter) {
    if (!isOnGpu(visit, visit.event.subject))
      return;
    const TrainingLoop training = trainingLoopAround(visit);
    const bool isOfElement = isElement(visit.event.subject.expr);
    if (!training.loop || (training.depth > 0 && !isOfElement))
      return;
    Finding finding;
    finding.level = training.depth > 0 ? Level::Likely : Level::Advice;
    finding.location = training.event->site->getBeginLoc();
    finding.range = training.event->site->getSourceRange();
    const bool isCalled = training.event != &visit.event;
    finding.message =
        std::string(isCalled ? "this call reads" : "reading") + " a number from the GPU" +
        (isCalled ? ", which" : "") + " waits for it " +
        (training.depth > 0 ? "for every element of the batch" : "in every round of the training");
    if (isCalled)
      finding.notes.push_back({visit.event.site->getBeginLoc(), "it is read here"});
    reporter.report(std::move(finding));
  }

  /// `tensor[i]`, `tensor.index({i})`.
  static bool isElement(const clang::Expr *tensor) {
    const auto *call = llvm::dyn_cast_or_null<clang::CallExpr>(
        tensor ? tensor->IgnoreUnlessSpelledInSource() : nullptr);
    const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee)
      return false;
    return callee->getOverloadedOperator() == clang::OO_Subscript ||
           (callee->getIdentifier() && callee->getName() == "index");
  }

  /// Shape, type and place are known without the values.
  static void onAttribute(const Visit &visit, Reporter &reporter) {
    const Value copy = visit.before.valueOf(visit.event.subject);
    if (!copy.placed || copy.placed->kind != EventKind::Move || copy.device.kind != Device::Cpu ||
        !visit.event.subject.expr ||
        visit.event.subject.expr->IgnoreUnlessSpelledInSource() != copy.placed->site ||
        !isOnGpu(visit, copy.placed->subject) || !trainingLoopAround(visit).loop)
      return;
    Finding finding;
    finding.level = Level::Likely;
    finding.location = copy.placed->site->getBeginLoc();
    finding.range = visit.event.site->getSourceRange();
    finding.message = "the tensor is copied from the GPU only to ask for its shape, which the "
                      "original knows as well";
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeSyncInLoop() { return std::make_unique<SyncInLoop>(); }

} // namespace gradtidy
