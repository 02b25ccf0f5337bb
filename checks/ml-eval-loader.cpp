// An evaluation is to see every sample as it is. A loader that leaves out the last batch, or a
// dataset that changes its samples at random, makes another number of it each time.

#include "Check.h"
#include "Loops.h"
#include "Moments.h"

namespace gradtidy {
namespace {

class EvalLoader : public Check {
public:
  bool wants(const Moment &moment) const override {
    return isPass(moment) || beginsBatches(moment.event);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const ir::Node *loop = loopBegunBy(visit);
    const Event *maker = loop ? makerOf(visit) : nullptr;
    if (!maker || !(maker->details->loader.dropsLast || maker->details->loader.draw) ||
        !evaluates(visit, *loop) || !isForEvaluation(visit, *maker))
      return;
    if (const ir::Node *drop = maker->details->loader.dropsLast)
      report(*drop, "this leaves the last batch out of each evaluation, unless it is full",
             {{*loop, "the evaluation is here"}}, reporter);
    if (const ir::Node *draw = maker->details->loader.draw)
      report(*draw,
             "random numbers are drawn for each sample, also where a model is evaluated: each "
             "evaluation sees other data",
             {{*maker, "the loader of the evaluation is made here"},
              {*loop, "the evaluation is here"}},
             reporter);
  }

private:
  static void report(const ir::Node &culprit, std::string message, llvm::ArrayRef<Note> notes,
                     Reporter &reporter) {
    Finding finding(Level::Advice, culprit, std::move(message));
    finding.notes.append(notes.begin(), notes.end());
    reporter.report(std::move(finding));
  }

  static const Event *makerOf(const Visit &begin) {
    return begin.unit.program().makerOf(begin.event.operands.front(), begin.before);
  }

  /// Whether the loop that the event begins runs forward passes, and trains nothing.
  static bool evaluates(const Visit &begin, const ir::Node &loop) {
    const FunctionBody &function = *begin.event.function;
    const auto isInLoop = [&](const Event *event) {
      return event->function == &function && contains(begin, &loop, event->site);
    };
    return !trainsIn(begin, function, &loop) &&
           llvm::any_of(begin.observations(), [&](const Observation &other) {
             return (isInLoop(other.event) || llvm::any_of(other.callers, isInLoop)) &&
                    isEvaluation(visitOf(begin, other));
           });
  }

  /// Whether no other loop trains with the batches of the loader, and nobody gets hold of it who
  /// may.
  static bool isForEvaluation(const Visit &visit, const Event &maker) {
    for (const Block &block : maker.function->blocks)
      for (const Event &event : block.events)
        if (event.kind == EventKind::Call &&
            (!event.callee || !visit.unit.callGraph().bodyOf(*event.callee)) &&
            llvm::any_of(event.operands, [](const Operand &operand) {
              return operand.role == TypeRole::DataLoader;
            }))
          return false;
    return llvm::none_of(visit.observations(), [&](const Observation &other) {
      const Visit begin = visitOf(visit, other);
      const ir::Node *loop = loopBegunBy(begin);
      return loop && makerOf(begin) == &maker && trainsIn(begin, *begin.event.function, loop);
    });
  }
};

} // namespace

std::unique_ptr<Check> makeEvalLoader() { return std::make_unique<EvalLoader>(); }

} // namespace gradtidy
