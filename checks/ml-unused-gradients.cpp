// A gradient is there to be used by a step. Gradients that are written into the parameters of a
// module which no optimizer has change nothing: whoever means to change the parameters has to write
// to these. What a backward adds to such a module has only taken time and memory.

#include "Calls.h"
#include "Check.h"
#include "Loops.h"
#include "Moments.h"
#include "Variation.h"

namespace gradtidy {
namespace {

class UnusedGradients : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Forward || moment.event.kind == EventKind::Backward ||
           touchesGradients(moment) || changesWeights(moment);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    if (!visit.before.hasOptimizers())
      return;
    if (visit.event.kind == EventKind::Backward)
      onBackward(visit, reporter);
    else if (writes(visit))
      onWrite(visit, reporter);
  }

private:
  static void onWrite(const Visit &visit, Reporter &reporter) {
    const SourcesTable &sources = visit.unit.tables().sources;
    const SourcesId owners = visit.before.sourcesOf({visit.event.subject.path, TypeRole::Tensor});
    const auto modules = sources.members(owners);
    if (modules.empty() ||
        llvm::any_of(
            modules,
            [&](PathId module) { return visit.before.mayBeStepped({module, TypeRole::Module}); }) ||
        isUsed(visit, modules))
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

  /// A backward that trains one module, and on the way goes through passes of another that only
  /// follows: a target network, a teacher.
  static void onBackward(const Visit &visit, Reporter &reporter) {
    const State &state = visit.before;
    const SourcesTable &sources = visit.unit.tables().sources;
    llvm::SmallVector<PathId, 2> followers;
    bool isTraining = false;
    for (PathId module : sources.members(state.sourcesOf(visit.event.subject))) {
      const Operand parameters{module, TypeRole::Module};
      if (state.mayBeStepped(parameters))
        isTraining = true;
      else if (const ModuleFacts facts = state.module(parameters); !facts.isFrozen && !facts.isOwn)
        followers.push_back(module); // Else ml-stale-parameters speaks of it.
    }
    for (PathId module : followers)
      if (isTraining && !isRead(visit, {module}))
        for (const Event *pass : passesInVain(visit, module)) {
          Finding finding(Level::Likely, *pass,
                          "no optimizer has the parameters of '" +
                              visit.unit.tables().paths.spelling(module) +
                              "': the gradients of this pass are computed, and nobody uses them");
          finding.notes.push_back({visit.event, "they are computed here"});
          reporter.report(std::move(finding));
        }
  }

  /// The recorded passes of the module beside the backward, if no gradient goes further through
  /// them, to what they were given.
  static llvm::SmallVector<const Event *, 2> passesInVain(const Visit &visit, PathId module) {
    llvm::SmallVector<const Event *, 2> passes;
    for (const Observation &other : visit.observations()) {
      const Event &pass = *other.event;
      if (pass.kind != EventKind::Forward || !pass.hasParameters ||
          &rootOf(visitOf(visit, other)) != &rootOf(visit) ||
          other.before.gradMode().possible != GradMode::On ||
          other.before.resolve(pass.subject.path) != module)
        continue;
      if (llvm::any_of(pass.operands, [&](const Operand &input) {
            return input.isTensor && other.before.valueOf(input).autograd.graph & Graph::Attached;
          }))
        return {};
      passes.push_back(&pass);
    }
    return passes;
  }

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
  static bool isUsed(const Visit &visit, llvm::ArrayRef<PathId> owners) {
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
    return llvm::any_of(visit.observations(), changesParameters) || isRead(visit, owners);
  }

  /// Whether another function reads the gradients of \p owners.
  static bool isRead(const Visit &visit, llvm::ArrayRef<PathId> owners) {
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
                     llvm::ArrayRef<PathId> owners) {
    if (!operand.path || !operand.isTensor || !other.before.isGradient(operand.path))
      return false;
    const SourcesTable &sources = visit.unit.tables().sources;
    const PathTable &paths = visit.unit.tables().paths;
    const SourcesId read = other.before.sourcesOf({operand.path, TypeRole::Tensor});
    return (sources.isUnknown(read) && &rootOf(visit) == &rootOf(visitOf(visit, other))) ||
           llvm::any_of(sources.members(read), [&](PathId each) {
             return llvm::any_of(owners, [&](PathId owner) { return paths.overlap(each, owner); });
           });
  }
};

} // namespace

std::unique_ptr<Check> makeUnusedGradients() { return std::make_unique<UnusedGradients>(); }

} // namespace gradtidy
