// A GPU works behind the program's back until the program wants to see a number: then it waits
// until everything that was asked for is done. Once a step, that is the price of a progress report;
// for every element of a batch, it is most of the time.

#include "Check.h"
#include "Loops.h"

#include "clang/AST/StmtCXX.h"
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
    if (const clang::Stmt *loop = visit.event.elementLoop.loop; loop && loop != training.loop)
      onElement(visit, *loop, training, reporter);
    else if (training.loop && training.depth == 1 && isOfEachParameter(visit))
      onParameter(visit, training, reporter);
    else if (training.loop && training.depth == 0)
      onRound(visit, training, reporter);
  }

  /// A number of each parameter, such as the norm of its gradient.
  static bool isOfEachParameter(const Visit &visit) {
    const auto loops = loopsAround(visit);
    const auto *loop = llvm::dyn_cast<clang::CXXForRangeStmt>(loops.front());
    return loop && givesParameters(*loop);
  }

  static void onParameter(const Visit &visit, const TrainingLoop &training, Reporter &reporter) {
    Finding finding;
    finding.level = Level::Likely;
    finding.location = visit.event.site->getBeginLoc();
    finding.range = visit.event.site->getSourceRange();
    finding.message = "reading a number of each parameter from the GPU waits for it as many times "
                      "in every round of the training; stack them, and read once";
    finding.notes.push_back({training.loop->getBeginLoc(), "the training is here"});
    reporter.report(std::move(finding));
  }

  static void onRound(const Visit &visit, const TrainingLoop &training, Reporter &reporter) {
    Finding finding;
    finding.location = training.event->site->getBeginLoc();
    finding.range = training.event->site->getSourceRange();
    const bool isCalled = training.event != &visit.event;
    const bool isLast = !isCalled && visit.event.lastOfLoop == training.loop;
    const clang::Stmt *before = isCalled ? nullptr : visit.event.readBefore;
    finding.level = isLast || before ? Level::Likely : Level::Advice;
    finding.message = std::string(isCalled ? "this call reads" : "reading") +
                      " a number from the GPU" + (isCalled ? ", which" : "") +
                      " waits for it in every round of the training";
    if (isLast)
      finding.message += ", and only that of the last round is used";
    else if (before)
      finding.message += ", and it was read before";
    if (before)
      finding.notes.push_back({before->getBeginLoc(), "it was read here"});
    if (isCalled)
      finding.notes.push_back({visit.event.site->getBeginLoc(), "it is read here"});
    reporter.report(std::move(finding));
  }

  /// Said once of each loop. What runs once may take its time.
  void onElement(const Visit &visit, const clang::Stmt &loop, const TrainingLoop &training,
                 Reporter &reporter) {
    const Event &read = visit.event;
    if (read.function->isConditional(read.site, &loop) ||
        first.try_emplace(&loop, read.site).first->second != read.site)
      return;
    Finding finding;
    const bool isComputed = read.elementLoop.isComputed;
    const bool isRepeated = loopsAround(visit).back() != &loop || isOfModule(visit);
    finding.level = isRepeated && (!isComputed || training.loop) ? Level::Likely : Level::Advice;
    finding.location = read.site->getBeginLoc();
    finding.range = read.site->getSourceRange();
    finding.message =
        isComputed ? "reading a number that is computed from each element waits for the GPU for "
                     "every one; computed for all at once, and copied, they wait once"
                   : "reading a tensor's elements from the GPU one by one waits for it for every "
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
