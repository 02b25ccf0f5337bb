// parameters() has what is trained. Batch normalization also keeps a mean and a variance, which are
// buffers: who copies or saves a module by its parameters alone leaves them behind, and evaluates
// with a mean of 0 and a variance of 1.

#include "Check.h"
#include "Moments.h"

#include "analyzer/flow/Files.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class MissingBuffers : public Check {
public:
  bool wants(const Moment &moment) const override {
    const Event &event = moment.event;
    return event.operation == Operation::Save ||
           llvm::is_contained({EventKind::Forward, EventKind::Load}, event.kind) ||
           event.isRegistered || listsTensors(event) || changesWeights(moment) ||
           namesWeight(moment);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    if (event.operation == Operation::Save || putsByName(visit))
      onSave(visit, reporter);
    else if (event.kind == EventKind::Overwrite ||
             (event.changesElements && event.kind != EventKind::RequireGrad))
      onCopy(visit, reporter);
  }

private:
  /// Whether the event gives a list of tensors of a module.
  static bool listsTensors(const Event &event) {
    return event.kind == EventKind::Combine && isModule(event.subject.role) && event.isTensor;
  }

  /// Whether an object that is no module gets a parameter and a name for it.
  static bool namesWeight(const Moment &moment) {
    const Event &event = moment.event;
    const auto isName = [](const Operand &operand) { return operand.isText; };
    return event.kind == EventKind::Combine && event.subject.role == TypeRole::None &&
           llvm::any_of(event.operands, isName) &&
           llvm::any_of(event.operands, [&](const Operand &operand) {
             return operand.isTensor && moment.before.memoryOf(operand) != noSources;
           });
  }

  // --- copies

  /// Parameters of one module get values that are computed of those of another.
  void onCopy(const Visit &visit, Reporter &reporter) {
    const Event &copy = visit.event;
    if (copy.subject.role != TypeRole::Tensor || copy.operands.empty() ||
        visit.before.isGradient(copy.subject.path))
      return;
    const PathId to = onlyOwner(visit, visit.before.memoryOf(copy.subject));
    const Observation *asked = to ? askedFor(visit, to) : nullptr;
    if (!asked)
      return;
    const PathId from = originOf(visit, to);
    if (!from || isSame(visit, from, to) || !normalizes(visit, from, to))
      return;
    const Observation *use = evaluationOf(visit, to);
    if (!use || !isTrained(visit, from) || isRenewed(visit, to) ||
        handlesBuffers(visit, from, to) || !reported.insert(copy.site).second)
      return;
    Finding finding(Level::Likely, copy,
                    "only the parameters of " + nameOf(visit, to) + " follow those of " +
                        nameOf(visit, from) +
                        "; the running mean and variance of its batch normalization do not. Copy "
                        "the buffers, too");
    finding.notes.push_back({*use->event, use->event->kind == EventKind::Forward
                                              ? "it is evaluated with them here"
                                              : "it is saved with them here"});
    reporter.report(std::move(finding));
  }

  /// The module that has the tensors of \p memory as a whole; none if that is a single layer's, or
  /// not known.
  static PathId onlyOwner(const Visit &visit, SourcesId memory) {
    const SourcesTable &sources = visit.unit.tables().sources;
    const auto members = sources.members(memory);
    return members.size() == 1 && !sources.isUnknown(memory) ? members.front() : noPath;
  }

  /// The other module of whose parameters the values are computed, or none.
  static PathId originOf(const Visit &visit, PathId to) {
    const SourcesTable &sources = visit.unit.tables().sources;
    for (const Operand &operand : visit.event.operands) {
      if (!operand.isTensor)
        continue;
      const Value value = visit.before.valueOf(operand);
      for (SourcesId set : {value.lending.shared, value.origin.copied, value.autograd.sources})
        for (PathId module : sources.members(set))
          if (askedFor(visit, module) && !isSame(visit, module, to))
            return module;
    }
    // Detached, and then computed: what the function has asked for them tells.
    PathId found = noPath;
    for (const Observation &other : visit.observations())
      if (other.event->givesParameters && other.event->function == visit.event.function &&
          llvm::ArrayRef(other.callers) == visit.callers) {
        const PathId module = other.before.resolve(other.event->subject.path);
        if (!isSame(visit, module, to))
          found = module;
      }
    return found;
  }

  // --- checkpoints

  /// Whether an object of the framework, such as an archive, gets a tensor and a name for it.
  static bool putsByName(const Visit &visit) {
    const Event &event = visit.event;
    const auto isName = [](const Operand &operand) { return operand.isText; };
    return event.kind == EventKind::Combine && event.site->kind == ir::NodeKind::MemberCall &&
           event.site->symbol && event.site->symbol->isFramework &&
           event.subject.role == TypeRole::None && !event.subject.isTensor &&
           llvm::any_of(event.operands, isName);
  }

  /// The list of the parameters of a module is saved, or one after the other.
  void onSave(const Visit &visit, Reporter &reporter) {
    const Event &save = visit.event;
    for (const Operand &operand : save.operands) {
      const PathId module = operand.isTensor && !isModule(operand.role)
                                ? savedIn(visit, visit.before.valueOf(operand))
                                : noPath;
      if (!module || !askedFor(visit, module) || !normalizes(visit, module, module) ||
          !isTrained(visit, module) || handlesBuffers(visit, module, module) ||
          isSavedWhole(visit, module) || !reported.insert(save.site).second)
        continue;
      reporter.report({Level::Likely, save,
                       "this saves the parameters of " + nameOf(visit, module) +
                           ", but not the running mean and variance of its batch normalization. "
                           "Save the module, or its buffers, too"});
      return;
    }
  }

  /// The module whose parameters the tensors are, or are copies of; or none.
  static PathId savedIn(const Visit &visit, const Value &value) {
    if (value.lending.shared == noSources || value.origin.copied == noSources)
      return onlyOwner(visit, value.lending.shared == noSources ? value.origin.copied
                                                                : value.lending.shared);
    const PathId owner = onlyOwner(visit, value.lending.shared);
    return owner == onlyOwner(visit, value.origin.copied) ? owner : noPath;
  }

  static bool isSavedWhole(const Visit &visit, PathId module) {
    return llvm::any_of(visit.observations(),
                        [&](const Observation &other) { return isSaveOf(visit, other, module); });
  }

  static bool isSaveOf(const Visit &visit, const Observation &other, PathId module) {
    if (other.event->operation != Operation::Save)
      return false;
    const Operand &saved = storedBy(*other.event);
    return isModule(saved.role) && isSame(visit, other.before.resolve(saved.path), module);
  }

  // --- what is known of a module

  /// Whether the path leads to an object that something is known of.
  static bool isKnown(const Visit &visit, PathId path) {
    const PathTable &paths = visit.unit.tables().paths;
    return path && (paths.last(path).kind != PathStep::Temporary || paths.last(path).made());
  }

  /// Whether the two may be one module: by its path, or by the member that holds it in an object
  /// which other functions know by another name.
  static bool isSame(const Visit &visit, PathId one, PathId other) {
    const PathTable &paths = visit.unit.tables().paths;
    if (!isKnown(visit, one) || !isKnown(visit, other))
      return one == other;
    return paths.overlap(one, other) ||
           (paths.last(one).kind == PathStep::Member && paths.last(one) == paths.last(other));
  }

  /// The same, but no part of it.
  static bool isIt(const Visit &visit, PathId one, PathId other) {
    const PathTable &paths = visit.unit.tables().paths;
    return one == other || (isSame(visit, one, other) && paths.last(one) == paths.last(other));
  }

  static std::string nameOf(const Visit &visit, PathId module) {
    const std::string spelling = visit.unit.tables().paths.spelling(module);
    return spelling.empty() ? "a module" : "'" + spelling + "'";
  }

  /// Where the module is asked for its parameters, or null.
  static const Observation *askedFor(const Visit &visit, PathId module) {
    for (const Observation &other : visit.observations())
      if (other.event->givesParameters &&
          isIt(visit, other.before.resolve(other.event->subject.path), module))
        return &other;
    return nullptr;
  }

  /// Whether one of the two, which have the same parameters, certainly has such statistics.
  static bool normalizes(const Visit &visit, PathId one, PathId other) {
    return llvm::any_of(visit.observations(), [&](const Observation &seen) {
      if (seen.event->kind != EventKind::Forward && !seen.event->givesParameters)
        return false;
      const PathId module = seen.before.resolve(seen.event->subject.path);
      return (isSame(visit, module, one) || isSame(visit, module, other)) &&
             seen.event->module().normalizesBatches;
    });
  }

  static std::uint8_t modeIn(const Observation &pass) {
    return pass.before.module(pass.event->subject).mode;
  }

  static bool isPassOf(const Visit &visit, const Observation &other, PathId module) {
    return other.event->kind == EventKind::Forward &&
           isSame(visit, other.before.resolve(other.event->subject.path), module);
  }

  /// A forward pass with the statistics as they are, or what saves them; null if there is none, or
  /// if the module computes its own.
  static const Observation *evaluationOf(const Visit &visit, PathId module) {
    const Observation *found = nullptr;
    for (const Observation &other : visit.observations()) {
      if (isPassOf(visit, other, module)) {
        if (modeIn(other) & ~unsigned(ModuleFacts::Evaluation | ModuleFacts::LeftTraining))
          return nullptr;
        found = found ? found : &other;
      } else if (isSaveOf(visit, other, module)) {
        found = found ? found : &other;
      }
    }
    return found;
  }

  /// Whether forward passes of the module may change its statistics.
  static bool isTrained(const Visit &visit, PathId module) {
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      return isPassOf(visit, other, module) &&
             (modeIn(other) & (ModuleFacts::Training | ModuleFacts::Entry));
    });
  }

  /// Whether the module is read from a file, which has buffers.
  static bool isRenewed(const Visit &visit, PathId module) {
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      return other.event->kind == EventKind::Load && !other.event->operands.empty() &&
             isSame(visit, other.before.resolve(storedBy(*other.event).path), module);
    });
  }

  /// Whether the event gives those tensors of a module that are no parameters.
  static bool givesBuffers(const Visit &visit, const Event &event) {
    return event.kind == EventKind::Combine && isModule(event.subject.role) && event.isTensor &&
           !event.givesParameters && event.site->symbol &&
           event.site->symbol->trait == Trait::ReachesModule;
  }

  /// Whether the program asks one of the two for its buffers, or gives tensors of the layers in
  /// \p to other values, one by one.
  static bool handlesBuffers(const Visit &visit, PathId from, PathId to) {
    const PathTable &paths = visit.unit.tables().paths;
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      const Event &event = *other.event;
      const PathId place = event.subject.path ? other.before.resolve(event.subject.path) : noPath;
      if (givesBuffers(visit, event))
        return !isKnown(visit, place) || isSame(visit, place, from) || isSame(visit, place, to);
      const bool isChange =
          event.isRegistered || event.kind == EventKind::Overwrite || event.changesElements;
      return isChange && event.subject.role == TypeRole::Tensor && isKnown(visit, place) &&
             place != to && paths.isWithin(place, to);
    });
  }

  llvm::SmallPtrSet<const ir::Node *, 4> reported; ///< Once each.
};

} // namespace

std::unique_ptr<Check> makeMissingBuffers() { return std::make_unique<MissingBuffers>(); }

} // namespace gradtidy
