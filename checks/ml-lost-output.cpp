// What a layer computes reaches the loss through the variable that takes it. Where that gets
// another value before it is read, or nothing comes of what is computed of it, no gradient comes
// back to the layer: it keeps the weights that it was made with.

#include "Check.h"
#include "analyzer/ir/UserWords.h"

#include "llvm/ADT/MapVector.h"

namespace gradtidy {
namespace {

/// Whether a variable gets a tensor.
bool isGiven(const Event &event) {
  return event.kind == EventKind::Bind && event.subject.path && !event.operands.empty() &&
         event.operands.front().role == TypeRole::Tensor;
}

class LostOutput : public Check {
public:
  bool wants(const Moment &moment) const override {
    const Event &event = moment.event;
    if (isGiven(event))
      return moment.before.valueOf(event.subject).autograd.history != noSources ||
             moment.before.valueOf(event.operands.front()).autograd.history != noSources;
    return event.kind == EventKind::Forward && event.hasParameters && !event.isDiscarded &&
           event.resultRole == TypeRole::Tensor &&
           moment.before.gradMode().possible == GradMode::On;
  }

  void onUnit(const UnitVisit &visit, Reporter &reporter) override {
    llvm::MapVector<const Event *, bool> passes; // And whether they are always lost.
    for (const Observation &observation : visit.observations())
      if (&visit.unit.tables().sites.event(observation.site) == observation.event &&
          observation.event->kind == EventKind::Forward)
        passes.try_emplace(observation.event, true).first->second &=
            visit.unit.uses().isLost(observation.site);
    llvm::DenseMap<const FunctionBody *, bool> areOpen;
    const auto isOpen = [&](const FunctionBody &function) {
      const auto [known, isNew] = areOpen.try_emplace(&function);
      if (isNew)
        known->second = hasOpenCalls(function);
      return known->second;
    };
    passes.remove_if(
        [&](const auto &entry) { return !entry.second || isOpen(*entry.first->function); });
    const PassSet givenOn = givenToOthers(passes, visit);
    std::vector<const Event *> last;
    for (const Event *pass : llvm::make_first_range(passes))
      if (!givenOn.contains(pass) && !hasEffects(*pass, visit))
        last.push_back(pass);
    const auto ways = waysOf(last, visit);
    for (const Event *pass : last)
      judge(*pass, ways.at(pass), visit, reporter);
  }

private:
  using PassSet = llvm::SmallPtrSet<const Event *, 8>;

  /// Whether nobody knows what some calls of the function are of: errors hide what they are given,
  /// or only a template's argument will tell.
  static bool hasOpenCalls(const FunctionBody &function) {
    bool isOpen = function.function->isDependent;
    ir::forEach(function.body,
                [&](const ir::Node &node) { isOpen |= node.isCall() && !node.symbol; });
    return isOpen;
  }

  /// Whether the tensor has been computed of what an event gives that \p isOne.
  static bool isMadeBy(const Operand &tensor, const State &state,
                       llvm::function_ref<bool(const Event &)> isOne) {
    const Tables &tables = *state.tables;
    return llvm::any_of(tables.histories.members(state.valueOf(tensor).autograd.history),
                        [&](SiteId site) { return isOne(tables.sites.event(site)); });
  }

  /// Those of \p passes of whose output another one computes its own, which gets lost.
  static PassSet givenToOthers(const llvm::MapVector<const Event *, bool> &passes,
                               const UnitVisit &visit) {
    const Tables &tables = visit.unit.tables();
    llvm::DenseMap<SourcesId, const Event *> seen; // What has asked for a history first.
    PassSet given;
    for (const Observation &observation : visit.observations()) {
      if (!passes.count(observation.event))
        continue;
      for (const Operand &input : observation.event->operands) {
        const SourcesId history = observation.before.valueOf(input).autograd.history;
        const auto [first, isNew] = seen.try_emplace(history, observation.event);
        if (!isNew && first->second == observation.event)
          continue;
        for (const SiteId site : tables.histories.members(history))
          if (const Event *pass = &tables.sites.event(site);
              pass != observation.event && passes.count(pass))
            given.insert(pass);
      }
    }
    return given;
  }

  /// What becomes of an output.
  struct Way {
    /// What gives it to variables, or what is made of it.
    llvm::SmallVector<const Event *, 2> takers;
    const Event *overwriting = nullptr; ///< What gives one of them another value.
    bool isRepeated = false;            ///< That is one of the same module.
  };

  /// What becomes of the outputs of \p passes.
  static llvm::DenseMap<const Event *, Way> waysOf(llvm::ArrayRef<const Event *> passes,
                                                   const UnitVisit &visit) {
    const Tables &tables = visit.unit.tables();
    llvm::DenseMap<const Event *, Way> ways;
    for (const Event *pass : passes)
      ways.try_emplace(pass);
    for (const Observation &observation : visit.observations()) {
      const Event &event = *observation.event;
      if (!isGiven(event) || tables.paths.last(event.subject.path).kind != PathStep::Variable)
        continue;
      const Operand &given = event.operands.front();
      const auto forPasses = [&](const Operand &tensor,
                                 llvm::function_ref<void(Way &, SiteId)> add) {
        for (const SiteId site :
             tables.histories.members(observation.before.valueOf(tensor).autograd.history))
          if (const auto way = ways.find(&tables.sites.event(site));
              way != ways.end() && way->first->function == event.function)
            add(way->second, site);
      };
      llvm::SmallPtrSet<const Event *, 4> taken;
      forPasses(given, [&](Way &way, SiteId site) {
        if (taken.insert(&tables.sites.event(site)).second)
          way.takers.push_back(&event);
      });
      if (event.site->kind != ir::NodeKind::OperatorCall)
        continue;
      forPasses(event.subject, [&](Way &way, SiteId site) {
        const Event &pass = tables.sites.event(site);
        if (way.overwriting || taken.contains(&pass))
          return;
        way.overwriting = &event;
        way.isRepeated = isMadeBy(given, observation.before, [&](const Event &other) {
          return other.kind == EventKind::Forward && other.subject.path == pass.subject.path;
        });
      });
    }
    return ways;
  }

  /// The variable that the event gives a value.
  static const ir::Symbol &takenBy(const Event &taker, const UnitVisit &visit) {
    return *visit.unit.tables().paths.last(taker.subject.path).symbol();
  }

  static void judge(const Event &pass, const Way &way, const UnitVisit &visit, Reporter &reporter) {
    if (way.takers.empty() || llvm::any_of(way.takers, [&](const Event *taker) {
          const ir::Symbol &variable = takenBy(*taker, visit);
          return variable.location.isMacroID() || hasOtherName(variable, *pass.function, visit);
        }))
      return;
    if (way.overwriting ? way.isRepeated : !isMistake(pass, way, visit))
      return;
    const auto quoted = [](llvm::StringRef name) { return "'" + name.str() + "'"; };
    llvm::StringRef module = visit.source.text(pass.subject.expr->range);
    module.consume_back("->");
    const std::string output = "the output of " + quoted(module) + " is lost: ";
    const std::string outcome = ", so no gradient reaches these layers";
    if (!way.overwriting)
      return reporter.report(
          {Level::Certain, pass, output + "nothing comes of what is computed of it" + outcome});
    const std::string name = quoted(takenBy(*way.overwriting, visit).spelling);
    Finding finding(Level::Certain, pass,
                    output + name + " gets another value before it is read" + outcome);
    finding.notes.push_back({*way.overwriting, name + " gets the other value here"});
    reporter.report(std::move(finding));
  }

  /// Whether other code of the function may read the variable: by a reference, or in a closure.
  static bool hasOtherName(const ir::Symbol &variable, const FunctionBody &function,
                           const UnitVisit &visit) {
    bool hasOther = false;
    ir::forEach(function.body, [&](const ir::Node &part) {
      for (const ir::Symbol *other : part.declared) {
        if (part.kind == ir::NodeKind::Declaration)
          hasOther |= other->isVariable() && other->type->isReference && other->init &&
                      ir::variableIn(ir::stripped(other->init)) == &variable;
        else if (part.kind == ir::NodeKind::Lambda)
          ir::forEach(ir::codeOf(*other),
                      [&](const ir::Node &each) { hasOther |= each.symbol == &variable; });
      }
    });
    return hasOther;
  }

  /// Whether the forward pass does more than to compute its output.
  static bool hasEffects(const Event &pass, const UnitVisit &visit) {
    llvm::SmallPtrSet<const FunctionBody *, 8> seen;
    return hasEffects(pass, visit.unit, seen);
  }

  static bool hasEffects(const Event &pass, const UnitAnalysis &unit,
                         llvm::SmallPtrSetImpl<const FunctionBody *> &seen) {
    const FunctionBody *body = unit.callGraph().calleeOf(pass);
    if (!body)
      return !pass.module().isLayer;
    if (!seen.insert(body).second)
      return false;
    const PathTable &paths = unit.tables().paths;
    return hasEvent(*body, [&](const Event &event) {
      if (event.kind == EventKind::Forward)
        return hasEffects(event, unit, seen);
      if (event.kind == EventKind::Call)
        return !unit.effects().isHarmless(event);
      const bool isChange = event.kind == EventKind::Bind || event.kind == EventKind::Overwrite ||
                            event.kind == EventKind::SetMode || event.changesElements ||
                            (event.kind == EventKind::Combine && event.subject.escapes);
      const PathStep &root = paths.last(paths.rootOf(event.subject.path));
      return isChange && event.subject.path && root.kind == PathStep::This;
    });
  }

  /// Whether it is a mistake that nothing comes of the output: in a forward pass, which is there
  /// for its result. Elsewhere it may be to warm up, or to measure.
  static bool isMistake(const Event &pass, const Way &way, const UnitVisit &visit) {
    const auto isMeant = [&](const Event *taker) {
      const ir::Symbol &variable = takenBy(*taker, visit);
      bool isCast = false; // `(void)output`
      ir::forEach(pass.function->body, [&](const ir::Node &part) {
        isCast |=
            part.kind == ir::NodeKind::Cast && ir::variableIn(ir::stripped(&part)) == &variable;
      });
      return isCast || words::speaksOfNoUse(variable.name) ||
             visit.source.text(taker->site->range).contains("maybe_unused");
    };
    return pass.function->isModuleMethod && pass.function->returnsTensors &&
           llvm::none_of(way.takers, isMeant) && !pass.module().normalizesBatches;
  }
};

} // namespace

std::unique_ptr<Check> makeLostOutput() { return std::make_unique<LostOutput>(); }

} // namespace gradtidy
