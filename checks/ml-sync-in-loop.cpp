// A GPU works behind the program's back until the program wants to see a number: then it waits
// until everything that was asked for is done. Once a step, that is the price of a progress report;
// for every element of a batch, it is most of the time.

#include "Check.h"
#include "Loops.h"

#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"

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

  void onRead(const Visit &visit, Reporter &reporter) {
    if (!isOnGpu(visit, visit.event.subject))
      return;
    const TrainingLoop training = trainingLoopAround(visit);
    if (const clang::Stmt *loop = visit.event.elementLoop; loop && loop != training.loop)
      onElement(visit, *loop, reporter);
    else if (training.loop && training.depth == 0)
      onRound(visit, training, reporter);
  }

  static void onRound(const Visit &visit, const TrainingLoop &training, Reporter &reporter) {
    Finding finding;
    finding.level = Level::Advice;
    finding.location = training.event->site->getBeginLoc();
    finding.range = training.event->site->getSourceRange();
    const bool isCalled = training.event != &visit.event;
    finding.message = std::string(isCalled ? "this call reads" : "reading") +
                      " a number from the GPU" + (isCalled ? ", which" : "") +
                      " waits for it in every round of the training";
    if (isCalled)
      finding.notes.push_back({visit.event.site->getBeginLoc(), "it is read here"});
    reporter.report(std::move(finding));
  }

  /// Said once of each loop. What runs once may take its time.
  void onElement(const Visit &visit, const clang::Stmt &loop, Reporter &reporter) {
    const Event &read = visit.event;
    if (read.function->isConditional(read.site, &loop) ||
        first.try_emplace(&loop, read.site).first->second != read.site)
      return;
    Finding finding;
    finding.level =
        loopsAround(visit).back() != &loop || isOfModule(visit) ? Level::Likely : Level::Advice;
    finding.location = read.site->getBeginLoc();
    finding.range = read.site->getSourceRange();
    finding.message = "reading a tensor's elements from the GPU one by one waits for it for every "
                      "element; a copy on the CPU, made before the loop, waits once";
    finding.notes.push_back({loop.getBeginLoc(), "the loop is here"});
    reporter.report(std::move(finding));
  }

  /// Whether a module reads it for the tensors that it computes.
  static bool isOfModule(const Visit &visit) {
    const auto computes = [](const Event *frame) {
      return frame->function->isModuleMethod && frame->function->returnsTensors;
    };
    return computes(&visit.event) || llvm::any_of(visit.callers, computes);
  }

  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> first; ///< The first read in each loop.

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
