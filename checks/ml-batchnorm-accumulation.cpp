// Gradients of several micro-batches add up to that of a large one, and the statistics of batch
// normalisation do not: each micro-batch is normalised by its own mean and deviation, which are
// noise if it is tiny.

#include "Calls.h"
#include "Check.h"
#include "Fixes.h"
#include "Loops.h"
#include "analyzer/idioms/Accumulation.h"

#include "clang/Basic/SourceManager.h"

namespace gradtidy {
namespace {

class BatchnormAccumulation : public Check {
public:
  bool wants(const Moment &moment) const override {
    return llvm::is_contained({EventKind::Forward, EventKind::SetMode}, moment.event.kind) ||
           beginsBatches(moment.event);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &forward = visit.event;
    if (forward.kind != EventKind::Forward || &visit.shown() != &forward || !isTraining(visit) ||
        !forward.module().normalizesBatches)
      return;
    const auto loops = forward.function->loopsAround(forward.site);
    const Event *step = loops.empty() ? nullptr : stepOf(visit, *loops.front());
    if (!step)
      return;
    const Batch batch = batchOf(visit, *loops.front());
    if (batch.samples == 0 || batch.samples > tiny || keepsOtherModes(visit))
      return;
    Finding finding(Level::Advice, forward);
    const std::string samples =
        batch.samples == 1 ? "one sample" : std::to_string(batch.samples) + " samples";
    finding.message = "batch normalisation takes its statistics from " + samples +
                      ": gradients that add up make no larger batch of them";
    if (batch.told)
      finding.notes.push_back({*batch.told, "a batch has " + samples});
    finding.notes.push_back({*step, "the gradients of several batches add up to this step"});
    reporter.report(std::move(finding));
  }

private:
  static constexpr std::int64_t tiny = 8;

  static bool isTraining(const Visit &visit) {
    const ModuleFacts facts = visit.before.module(visit.event.subject);
    return !facts.isFrozen && !(facts.mode & ~(ModuleFacts::Entry | ModuleFacts::Training)) &&
           visit.unit.uses().isDifferentiated(visit.site);
  }

  /// The step for which the gradients of several rounds of \p loop add up, or null. Each round runs
  /// a backward; nothing clears what it adds before the step.
  static const Event *stepOf(const Visit &visit, const ir::Node &loop) {
    const FunctionBody &function = *visit.event.function;
    const auto outer = function.loopsAround(&loop);
    const Event *step = nullptr;
    bool hasBackward = false;
    for (const Block &block : function.blocks)
      for (const Event &event : block.events) {
        const bool changes = event.kind == EventKind::Step || event.kind == EventKind::Backward ||
                             event.kind == EventKind::ClearGradients ||
                             visit.unit.effects().callsTraining(event);
        if (!changes)
          continue;
        const bool isInside = contains(visit, &loop, event.site);
        const bool isEachTime = isInside && function.loopsAround(event.site).front() == &loop &&
                                !function.isConditional(event.site, &loop);
        if (event.kind == EventKind::Backward) {
          hasBackward |= isEachTime;
        } else if (isInside) {
          const bool isCounted = event.kind == EventKind::Step && every(event) && !isOne(event);
          if (isEachTime || (event.kind == EventKind::Step && !isCounted) ||
              event.kind == EventKind::Call || (isCounted && step && every(*step)))
            return nullptr;
          if (isCounted)
            step = &event;
        } else if (event.kind == EventKind::Step && !step && isBehind(visit, loop, event)) {
          step = &event;
        }
      }
    return hasBackward ? step : nullptr;
  }

  /// Whether \p step is taken behind \p loop, in each round of the loop around it.
  static bool isBehind(const Visit &visit, const ir::Node &loop, const Event &step) {
    const FunctionBody &function = *step.function;
    const ir::Node *block = function.compoundOf(&loop);
    return block && block == function.compoundOf(function.statementOf(step.site)) &&
           visit.source.isBefore(loop.end(), step.site->begin());
  }

  static const ir::Node *every(const Event &step) {
    return roundsBetween(*step.site, *step.function);
  }
  static bool isOne(const Event &step) { return every(step)->integer == 1; }

  struct Batch {
    std::int64_t samples = 0; ///< 0 if nobody knows.
    const Event *told = nullptr;
  };

  static Batch batchOf(const Visit &visit, const ir::Node &loop) {
    const Event &forward = visit.event;
    for (const Operand &operand : forward.operands)
      if (operand.role == TypeRole::Tensor) {
        const Shape shape = visit.before.typeOf(operand).shape;
        if (!shape.isOpen && shape.sizes.size() > 1 && shape.sizes.front() > 0)
          return {shape.sizes.front(), visit.before.valueOf(operand).origin.made};
        break;
      }
    for (const Observation &other : visit.observations())
      if (other.event->function == forward.function && isOver(*other.event, loop))
        if (const Event *maker =
                visit.unit.program().makerOf(other.event->operands.front(), other.before))
          return {maker->details->loader.batchSize, maker};
    return {};
  }

  /// Whether the class has a train() of its own, or the program sets the mode of single layers or
  /// of a part of the module: the norms may be among them.
  static bool keepsOtherModes(const Visit &visit) {
    const ModuleClass *view = visit.event.module().view;
    if (view && llvm::any_of(ir::classOf(*view->record).methods, [](const ir::Method &method) {
          return method.symbol->purpose == FunctionRole::Train;
        }))
      return true;
    const PathTable &paths = visit.unit.tables().paths;
    const PathId module = visit.before.resolve(visit.event.subject.path);
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      if (other.event->kind != EventKind::SetMode || other.event->constant == true)
        return false;
      const PathId object = other.before.resolve(other.event->subject.path);
      const bool isOfOther =
          paths.rootOf(object) != object &&
          paths.last(paths.rootOf(object)).kind == PathStep::Variable; // `another->norm->eval()`
      return object != module &&
             (paths.isWithin(object, module) || (!isOfOther && other.event->module().isLayer));
    });
  }
};

} // namespace

std::unique_ptr<Check> makeBatchnormAccumulation() {
  return std::make_unique<BatchnormAccumulation>();
}

} // namespace gradtidy
