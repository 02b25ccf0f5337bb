// A GPU only gets its work from the program, which goes on at once. Who looks at the clock before
// the GPU is done has timed the giving.

#include "Check.h"
#include "Fixes.h"

namespace gradtidy {
namespace {

class UnsynchronizedTiming : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.operation == Operation::ReadClock;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &end = visit.event;
    const GpuWork &work = visit.before.gpuWork();
    if (!end.details->since || !work.launched || !work.clock ||
        work.clock->subject.path != end.details->since ||
        !visit.unit.program().mayBeGpu(work.device) || asksBeforeWaiting(*end.function))
      return;
    // Such a caller may have another clock for the GPU.
    if (llvm::any_of(visit.callers,
                     [](const Event *caller) { return waitsIfAsked(*caller->function); }))
      return;
    const Stopwatch watch = stopwatchOf(visit);
    if (watch.isLimit || (watch.call && asksBeforeWaiting(*watch.call->function)))
      return;
    Finding finding(Level::Likely,
                    watch.call ? placeOf(*watch.call, visit.unit.tables().paths) : Place(end),
                    "this time does not contain the work of the GPU, which may not have begun "
                    "yet");
    finding.notes.push_back({*work.launched, "the GPU is given work here"});
    if (watch.call)
      finding.notes.push_back({end, "the clock is read here"});
    const Event &read = watch.call ? *watch.call : end;
    const ir::Node *statement = read.function->statementOf(read.site);
    if (statement && !isEnd(read) && read.function->compoundOf(statement))
      finding.fixes =
          insertBefore(visit, statement, phrase(visit.unit.code(), Phrase::Synchronize));
    reporter.report(std::move(finding));
  }

private:
  /// The use of an object whose methods read the clock, one at the beginning and another at the
  /// end.
  struct Stopwatch {
    const Event *call = nullptr; ///< Of the method, by others; null if there is none.
    bool isLimit = false;        ///< The time is only compared with another.
  };

  static Stopwatch stopwatchOf(const Visit &visit) {
    Stopwatch watch;
    const FunctionBody *reader = visit.event.function;
    const bool isOfObject =
        reader->function->isMethod() && visit.before.gpuWork().clock->function != reader;
    const ir::Symbol *owner = isOfObject ? reader->function->owner : nullptr;
    auto callers = visit.callers;
    for (; owner && !callers.empty() && reader->function->isMethod() &&
           reader->function->owner == owner;
         callers = callers.drop_back()) {
      watch.call = callers.back();
      reader = watch.call->function;
    }
    const ir::Node *outer = watch.call ? watch.call->site->parent : nullptr;
    while (outer && outer->kind == ir::NodeKind::Parentheses)
      outer = outer->parent;
    watch.isLimit = outer && outer->kind == ir::NodeKind::Binary &&
                    llvm::is_contained({"<", ">", "<=", ">="}, outer->op);
    return watch;
  }

  /// Whether the call is what ends an object.
  static bool isEnd(const Event &event) {
    return event.kind == EventKind::Call && event.callee &&
           event.callee->kind == ir::SymbolKind::Destructor;
  }

  static Place placeOf(const Event &call, const PathTable &paths) {
    const ir::Symbol *timer =
        isEnd(call) && call.subject.path ? paths.last(call.subject.path).name() : nullptr;
    return timer ? Place(*timer) : Place(call);
  }

  /// Whether the function waits only where there is a GPU to wait for.
  static bool waitsIfAsked(const FunctionBody &function) {
    return llvm::any_of(function.blocks, [&](const Block &block) {
      return llvm::any_of(block.events, [&](const Event &event) {
        return event.operation == Operation::Synchronize && function.isInBranch(event.site);
      });
    });
  }
  static bool asksBeforeWaiting(const FunctionBody &function) {
    const auto waits = [&](const Event &event) {
      return event.operation == Operation::Synchronize && !function.isInBranch(event.site);
    };
    return waitsIfAsked(function) || (function.asksForPlaces && !hasEvent(function, waits));
  }
};

} // namespace

std::unique_ptr<Check> makeUnsynchronizedTiming() {
  return std::make_unique<UnsynchronizedTiming>();
}

} // namespace gradtidy
