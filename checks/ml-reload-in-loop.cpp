// To read a model from its file takes longer than to run it once. A program that does so for every
// input spends its time on that.

#include "Calls.h"
#include "Check.h"
#include "Loops.h"
#include "Variation.h"

namespace gradtidy {
namespace {

class ReloadInLoop : public Check {
public:
  bool wants(const Moment &moment) const override {
    return llvm::is_contained(
               {EventKind::Forward, EventKind::Load, EventKind::Step, EventKind::Backward},
               moment.event.kind) ||
           moment.event.operation == Operation::LoadModule || writesFile(moment.event.operation);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &pass = visit.event;
    if (pass.kind != EventKind::Forward)
      return;
    const Event *load = visit.before.module(pass.subject).loaded;

    const auto loops = load ? loopsAround(visit) : llvm::SmallVector<const ir::Node *, 8>();
    if (loops.empty())
      return;
    const ir::Node *loop = loops.front();
    for (const Observation &other : visit.observations()) {
      if (other.event != load || !isWithin(visit, other, loop))
        continue;

      const Visit loading = visitOf(visit, other);
      if (loopsAround(loading).front() != loop ||
          isSkippedIn(loading, loop, frameIn(visit, loop)) || readsAnother(loading, loop) ||
          changes(visit, loop))
        continue;
      report(visit, loading, loop, reporter);
      return;
    }
  }

private:
  /// Where the visited event, or a call that leads there, stands in \p loop.
  static const ir::Node *frameIn(const Visit &visit, const ir::Node *loop) {
    const Frames frames = framesOf(visit);
    const auto frame = llvm::find_if(frames, [&](const Event *each) {
      return llvm::is_contained(each->function->loopsAround(each->site), loop);
    });
    return frame == frames.end() ? nullptr : (*frame)->site;
  }

  /// Whether each iteration may read another file.
  static bool readsAnother(const Visit &loading, const ir::Node *loop) {
    return llvm::any_of(loading.event.operands, [&](const Operand &operand) {
      return operand.role == TypeRole::None && variesIn(loading, operand.expr, loop);
    });
  }

  /// Whether the loop trains, or writes files: what it reads is not what it read before.
  static bool changes(const Visit &visit, const ir::Node *loop) {
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      const bool isChange = other.event->kind == EventKind::Step ||
                            other.event->kind == EventKind::Backward ||
                            writesFile(other.event->operation);
      return isChange && isWithin(visit, other, loop);
    });
  }

  static void report(const Visit &visit, const Visit &loading, const ir::Node *loop,
                     Reporter &reporter) {
    Finding finding(Level::Likely, loading.event,
                    "the model is loaded from the same file in each iteration of a loop, for one "
                    "forward pass; load it once before the loop");
    finding.notes.push_back({*loop, "the loop is here"});
    finding.notes.push_back({visit.event, "the model is used here"});
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeReloadInLoop() { return std::make_unique<ReloadInLoop>(); }

} // namespace gradtidy
