// A gradient is there to be used by a step. Gradients that are written into the parameters of a
// module which no optimizer has change nothing: whoever means to change the parameters has to write
// to these.

#include "Check.h"
#include "Moments.h"
#include "Variation.h"

namespace gradtidy {
namespace {

class UnusedGradients : public Check {
public:
  bool wants(const Moment &moment) const override {
    return touchesGradients(moment) || changesWeights(moment);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const SourcesTable &sources = visit.unit.tables().sources;
    if (!writes(visit) || !visit.before.hasOptimizers())
      return;
    const SourcesId owners = visit.before.sourcesOf({visit.event.subject.path, TypeRole::Tensor});
    const auto modules = sources.members(owners);
    if (modules.empty() ||
        llvm::any_of(
            modules,
            [&](PathId module) { return visit.before.mayBeStepped({module, TypeRole::Module}); }) ||
        isUsed(visit, owners))
      return;
    std::string name;
    for (PathId module : modules)
      if (name.empty())
        name = visit.unit.tables().paths.spelling(module);
    if (name.empty())
      return;
    reporter.report({Level::Likely, visit.event,
                     "no optimizer has the parameters of '" + name +
                         "', and nobody reads these gradients: nothing comes of them"});
  }

private:
  /// Whether the event gives a gradient a value that is computed of others.
  static bool writes(const Visit &visit) {
    const Event &event = visit.event;
    return event.subject.path && visit.before.isGradient(event.subject.path) &&
           !event.operands.empty() && event.operands.front().isTensor &&
           (event.kind == EventKind::Bind || event.kind == EventKind::Overwrite ||
            event.changesElements);
  }

  /// Whether something but what writes them may go by the gradients of \p owners: a step by hand,
  /// a norm, what sends them elsewhere.
  static bool isUsed(const Visit &visit, SourcesId owners) {
    const PathTable &paths = visit.unit.tables().paths;
    // What changes parameters before all the rounds in which the gradients are written is no step.
    const auto loops = visit.event.function->loopsAround(visit.event.site);
    const auto changesParameters = [&](const Observation &other) {
      const Event &event = *other.event;
      const bool isBefore =
          !loops.empty() && visit.source.isBefore(event.site->begin(), loops.back()->begin());
      return event.function == visit.event.function && !isBefore &&
             (event.kind == EventKind::Overwrite || event.changesElements) && event.subject.path &&
             paths.last(event.subject.path).kind != PathStep::Gradient &&
             other.before.memoryOf(event.subject) != noSources;
    };
    if (llvm::any_of(visit.observations(), changesParameters))
      return true;
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      const Event &read = *other.event;
      if (read.function == visit.event.function || read.kind == EventKind::Bind ||
          read.kind == EventKind::Overwrite)
        return false;
      return isRead(read.subject, visit, other, owners) ||
             llvm::any_of(read.operands, [&](const Operand &operand) {
               return isRead(operand, visit, other, owners);
             });
    });
  }

  /// Whether \p operand, on another way through the program, is a gradient of \p owners.
  static bool isRead(const Operand &operand, const Visit &visit, const Observation &other,
                     SourcesId owners) {
    if (!operand.path || !operand.isTensor || !other.before.isGradient(operand.path))
      return false;
    const SourcesTable &sources = visit.unit.tables().sources;
    const PathTable &paths = visit.unit.tables().paths;
    const SourcesId read = other.before.sourcesOf({operand.path, TypeRole::Tensor});
    return (sources.isUnknown(read) && rootOf(visit) == rootOf(visitOf(visit, other))) ||
           llvm::any_of(sources.members(read), [&](PathId each) {
             return llvm::any_of(sources.members(owners),
                                 [&](PathId owner) { return paths.overlap(each, owner); });
           });
  }

  /// The function in which the analysis began.
  static const FunctionBody *rootOf(const Visit &visit) {
    return visit.callers.empty() ? visit.event.function : visit.callers.front()->function;
  }
};

} // namespace

std::unique_ptr<Check> makeUnusedGradients() { return std::make_unique<UnusedGradients>(); }

} // namespace gradtidy
