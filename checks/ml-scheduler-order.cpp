// A scheduler does nothing by itself: each of its steps sets the learning rate. One that is never
// stepped leaves the rate what it is.

#include "Check.h"

namespace gradtidy {
namespace {

class SchedulerOrder : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &made = visit.event;
    if (made.kind != EventKind::Bind || !made.isDiscarded ||
        made.site->kind != ir::NodeKind::Declaration || !steps(*made.function))
      return;
    const PathStep &place = visit.unit.tables().paths.last(made.subject.path);
    const auto *scheduler = place.symbol();
    Finding finding(Level::Likely, *scheduler,
                    "'" + scheduler->spelling.str() +
                        "' is never stepped: the learning rate stays what it is");
    reporter.report(std::move(finding));
  }

private:
  static bool steps(const FunctionBody &function) {
    return llvm::any_of(function.blocks, [](const Block &block) {
      return llvm::any_of(block.events,
                          [](const Event &event) { return event.kind == EventKind::Step; });
    });
  }
};

} // namespace

std::unique_ptr<Check> makeSchedulerOrder() { return std::make_unique<SchedulerOrder>(); }

} // namespace gradtidy
