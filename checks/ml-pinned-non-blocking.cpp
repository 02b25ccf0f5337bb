// With non_blocking the host goes on while a copy is under way. What it copies to the host is not
// there yet; and of memory that is not page-locked there is no such copy, so the host waits after
// all.

#include "Check.h"
#include "Devices.h"
#include "Fixes.h"
#include "Loops.h"

namespace gradtidy {
namespace {

class PinnedNonBlocking : public Check {
public:
  bool wants(const Moment &moment) const override {
    const Event &event = moment.event;
    const auto isCopied = [&](const Operand &operand) {
      return operand.isTensor && moment.before.valueOf(operand).placement.copying;
    };
    return event.isAsync || (event.kind == EventKind::Combine && readsValues(event) &&
                             (isCopied(event.subject) || llvm::any_of(event.operands, isCopied)));
  }

  void on(const Visit &visit, Reporter &reporter) override {
    if (visit.event.isAsync)
      onCopy(visit, reporter);
    if (visit.event.kind == EventKind::Combine)
      onRead(visit, reporter);
  }

private:
  /// Whether the event needs values of tensors, and does not wait for these itself.
  static bool readsValues(const Event &read) {
    return read.operation != Operation::Synchronize &&
           (read.operation == Operation::ReadScalar || read.readsOnHost() ||
            (!read.isAttribute && !keepsValues(read.operation) &&
             (read.isArithmetic || read.resultRole == TypeRole::Tensor) &&
             !(read.subject.path && read.subject.role == TypeRole::None)));
  }

  static void onCopy(const Visit &visit, Reporter &reporter) {
    const Event &copy = visit.event;
    const bool isMove = copy.kind == EventKind::Move;
    const Operand *source = isMove                  ? &copy.subject
                            : copy.operands.empty() ? nullptr
                                                    : &copy.operands.front();
    if (!source || isModule(source->role) || !goesToGpu(visit))
      return;
    const Value value = visit.before.valueOf(*source);
    if (value.placement.device.kind != Device::Cpu || !value.origin.made ||
        !value.origin.made->isPageable || !isInHotLoop(visit))
      return;
    Finding finding(Level::Likely, copy,
                    "the host waits for this copy in spite of 'non_blocking': it is of memory "
                    "that is not page-locked");
    finding.notes.push_back({*value.origin.made, "the tensor is made here"});
    reporter.report(std::move(finding));
  }

  static void onRead(const Visit &visit, Reporter &reporter) {
    const Event &read = visit.event;
    if (!readsValues(read))
      return;
    llvm::SmallVector<const Operand *, 3> tensors{&read.subject};
    for (const Operand &operand : read.operands)
      tensors.push_back(&operand);
    for (const Operand *tensor : tensors) {
      const Value value = tensor->isTensor ? visit.before.valueOf(*tensor) : Value();
      if (!value.placement.copying || (value.placement.copiedFrom.isKnown() &&
                                       !visit.unit.program().mayBeGpu(value.placement.copiedFrom)))
        continue;
      const bool isCertain =
          value.placement.copiedFrom.isKnown() && value.placement.copying->kind == EventKind::Move;
      Finding finding(isCertain ? Level::Certain : Level::Likely, read,
                      "the values may not be here yet: nothing waits for the copy to the host");
      finding.notes.push_back(
          {*value.placement.copying, "the copy begins here, with 'non_blocking'"});
      const ir::Node *statement = read.function->statementOf(read.site);
      if (statement && read.function->compoundOf(statement) &&
          !contains(visit, statement, value.placement.copying->site))
        finding.fixes =
            insertBefore(visit, statement, phrase(visit.unit.code(), Phrase::Synchronize));
      return reporter.report(std::move(finding));
    }
  }

  static bool goesToGpu(const Visit &visit) {
    if (visit.event.kind != EventKind::Move)
      return visit.unit.program().mayBeGpu(
          visit.before.valueOf(visit.event.subject).placement.device);
    const Operand *target = targetOf(visit.event);
    return target && mayBeGpu(visit, *target);
  }

  /// Whether each round of a loop around the copy runs modules, or trains.
  static bool isInHotLoop(const Visit &visit) {
    const FunctionBody &function = *visit.event.function;
    return llvm::any_of(function.loopsAround(visit.event.site), [&](const ir::Node *loop) {
      return llvm::any_of(function.blocks, [&](const Block &block) {
        return llvm::any_of(block.events, [&](const Event &event) {
          const bool runs = isModuleCall(event) || event.kind == EventKind::Backward ||
                            event.kind == EventKind::Step ||
                            visit.unit.effects().callsTraining(event);
          return runs && contains(visit, loop, event.site);
        });
      });
    });
  }
};

} // namespace

std::unique_ptr<Check> makePinnedNonBlocking() { return std::make_unique<PinnedNonBlocking>(); }

} // namespace gradtidy
