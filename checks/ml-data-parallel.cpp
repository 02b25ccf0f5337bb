// One process that hands each batch out to several GPUs copies the parameters to all of them in
// every step, and keeps gradients, optimizer and loss on the first. A process for each GPU does
// not.

#include "Check.h"
#include "Loops.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class DataParallel : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.operation == Operation::SpreadBatch;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const TrainingLoop training = trainingLoopAround(visit);
    if (!training.loop || !reported.insert(training.loop).second)
      return;
    Finding finding(Level::Advice, visit.event,
                    "one process hands every batch out to several GPUs, and the first of them "
                    "does most of the work: a process for each GPU scales better");
    finding.notes.push_back({*training.loop, "the training does so in each round"});
    reporter.report(std::move(finding));
  }

private:
  llvm::SmallPtrSet<const ir::Node *, 4> reported; ///< Loops, once each.
};

} // namespace

std::unique_ptr<Check> makeDataParallel() { return std::make_unique<DataParallel>(); }

} // namespace gradtidy
