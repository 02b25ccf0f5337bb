// A dataset gives samples, one by one, in the threads of the loader's workers. The place to bring
// them to the GPU is the training loop: one copy for a whole batch.

#include "Check.h"
#include "Devices.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class DatasetDevice : public Check {
public:
  bool wants(const Moment &moment) const override {
    const Event &event = moment.event;
    const auto isOfDataset = [](const Event *frame) { return frame->function->isOfDataset; };
    return (event.kind == EventKind::Move || event.kind == EventKind::Create) &&
           (isOfDataset(&event) || llvm::any_of(moment.callers, isOfDataset)) &&
           llvm::any_of(event.operands, [](const Operand &operand) {
             return operand.role == TypeRole::Device || operand.device.isKnown();
           });
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &placed = visit.event;
    const bool isPlaced = placed.kind == EventKind::Move || placed.kind == EventKind::Create;
    const Operand *target = isPlaced && !isModule(placed.subject.role) ? targetOf(placed) : nullptr;
    const FunctionBody *method = target ? methodOfDataset(visit) : nullptr;
    // A helper that asks where its tensors are leaves that to others.
    const bool follows = method != placed.function && placed.function->asksForPlaces;
    if (!method || follows || !mayBeGpu(visit, *target) || comesBack(*method) ||
        !reported.insert(method->function).second)
      return;
    const bool isSetUp = method->function->kind == ir::SymbolKind::Constructor;
    const bool isSample = method->function->aspects.has(Aspect::GivesSample);
    if (!isSetUp && !isSample) {
      reported.erase(method->function);
      return; // Whole batches are what should go to the GPU at once.
    }
    const Device device = target->expr ? visit.before.deviceOf(*target) : target->device;
    Finding finding(isSample ? Level::Likely : Level::Advice, placed,
                    isSample ? "each sample is brought to " + nameOf(visit, device) +
                                   " by itself, in the thread that loads it"
                             : "the dataset keeps its data on " + nameOf(visit, device) +
                                   ", and every sample is taken from there by itself");
    if (method != placed.function)
      finding.notes.push_back({method->function->location, "for this method of a dataset"});
    reporter.report(std::move(finding));
  }

private:
  /// The method of a dataset that the event is part of, or null.
  static const FunctionBody *methodOfDataset(const Visit &visit) {
    for (const Event *caller : visit.callers)
      if (caller->function->isOfDataset)
        return caller->function;
    return visit.event.function->isOfDataset ? visit.event.function : nullptr;
  }

  /// Whether \p method brings something to the host: it only computes on the GPU.
  static bool comesBack(const FunctionBody &method) {
    return llvm::any_of(method.blocks, [](const Block &block) {
      return llvm::any_of(block.events, [](const Event &event) {
        return event.kind == EventKind::Move &&
               llvm::any_of(event.operands, [](const Operand &operand) {
                 return operand.device.kind == Device::Cpu;
               });
      });
    });
  }

  llvm::SmallPtrSet<const ir::Symbol *, 4> reported; ///< Methods, once each.
};

} // namespace

std::unique_ptr<Check> makeDatasetDevice() { return std::make_unique<DatasetDevice>(); }

} // namespace gradtidy
