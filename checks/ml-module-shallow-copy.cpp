// Modules and tensors are handles. A copy of one, and what detach() or parameters() give, is the
// object itself, which trains on: no snapshot of it.

#include "Calls.h"
#include "Check.h"
#include "Fixes.h"
#include "Loops.h"
#include "Moments.h"

#include "clang/Basic/SourceManager.h"

namespace gradtidy {
namespace {

class ModuleShallowCopy : public Check {
public:
  bool wants(const Moment &moment) const override {
    const Event &event = moment.event;
    return event.keepsBest || event.details->sharedChange ||
           llvm::is_contained({EventKind::Forward, EventKind::Backward}, event.kind) ||
           usesSnapshot(moment) || changesWeights(moment) || storesParameters(moment) ||
           storesGraph(moment);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    if (event.keepsBest)
      onBest(visit, reporter);
    else if (event.details->sharedChange)
      onList(visit, reporter);
    else if (event.kind == EventKind::Forward)
      passes.insert({&event,
                     {visit.before.resolve(event.subject.path),
                      visit.before.gradMode().possible == GradMode::Off}});
    else if (event.kind == EventKind::Backward)
      onBackward(visit, reporter);
    else if (event.operation == Operation::Compare || event.kind == EventKind::Overwrite)
      onUse(visit, reporter);
    if (event.kind == EventKind::Bind || event.kind == EventKind::Combine)
      onKept(visit, reporter);
    else if (event.kind == EventKind::Overwrite)
      onRestored(visit, reporter);
  }

private:
  /// Whether a tensor that was taken from parameters before a step is compared with others or
  /// overwrites them.
  static bool usesSnapshot(const Moment &moment) {
    const Event &event = moment.event;
    const auto isSnapshot = [&](const Operand &operand) {
      return operand.isTensor && moment.before.valueOf(operand).lending.changed;
    };
    return (event.operation == Operation::Compare || event.kind == EventKind::Overwrite) &&
           (isSnapshot(event.subject) || llvm::any_of(event.operands, isSnapshot));
  }

  static const PathTable &pathsOf(const Visit &visit) { return visit.unit.tables().paths; }

  static std::string nameOf(const Visit &visit, PathId path) {
    const std::string spelling = pathsOf(visit).spelling(path);
    return spelling.empty() ? "the module" : "'" + spelling + "'";
  }

  /// A list is filled with handles of one object.
  static void onList(const Visit &visit, Reporter &reporter) {
    const Event &list = visit.event;
    const bool isOfModules = list.details->sharedChange == list.site;
    Finding finding(Level::Certain, list,
                    isOfModules ? "all elements of this list are the same module"
                                : "all elements of this list are the same tensor");
    if (!isOfModules)
      finding.notes.push_back({*list.details->sharedChange, "a change of one changes all, here"});
    reporter.report(std::move(finding));
  }

  // --- the best of several rounds ---------------------------------------------------------------

  static void onBest(const Visit &visit, Reporter &reporter) {
    const Event &copy = visit.event;
    if (copy.operands.size() != 1)
      return;
    const Operand &source = copy.operands.front();
    const bool isHandle =
        isModule(source.role) && copy.kind == EventKind::Bind && copy.bind == BindKind::Handle;
    const Event *taken = source.isTensor ? visit.before.valueOf(source).lending.taken : nullptr;
    const PathId original = isHandle ? source.path : ownerOf(visit, source);
    if (!original || !trainsOn(visit, original))
      return;
    Finding finding(Level::Certain, copy);
    const std::string name = nameOf(visit, copy.subject.path);
    finding.message = isHandle
                          ? name + " is the module that trains on, not a copy of what is best now"
                          : name + " lies in the memory of the parameters: it changes with them";
    if (taken && taken->kind == EventKind::Detach && taken->site == strippedSite(source))
      finding.fixes = append(visit, source.expr, phrase(visit.unit.code(), Phrase::Copy));
    reporter.report(std::move(finding));
  }

  /// The module or leaf in whose memory the tensors of \p source lie; no path if they are of
  /// several, or of their own.
  static PathId ownerOf(const Visit &visit, const Operand &source) {
    const SourcesTable &sources = visit.unit.tables().sources;
    const Value value = source.isTensor ? visit.before.valueOf(source) : Value();
    SourcesId memory = value.lending.taken ? value.lending.shared : noSources;
    if (!value.lending.taken && source.role == TypeRole::Tensor)
      memory = visit.before.memoryOf(source);
    const auto owners = sources.members(memory);
    return owners.size() == 1 && !sources.isUnknown(memory) ? owners.front() : noPath;
  }

  static const ir::Node *strippedSite(const Operand &operand) {
    return operand.expr ? &operand.expr->spelled() : nullptr;
  }

  /// Whether a loop around the event, which \p source is older than, trains on in each round.
  static bool trainsOn(const Visit &visit, PathId source) {
    const PathTable &paths = pathsOf(visit);
    const PathId root = paths.rootOf(source);
    for (PathId path = source; path; path = paths.parent(path))
      if (paths.last(path).kind == PathStep::Element || paths.isTemporary(path))
        return false; // One of many.
    const FunctionBody &function = *visit.event.function;
    const PathId copy = paths.rootOf(visit.event.subject.path);
    const auto isMadeIn = [&](const ir::Node *loop, PathId path) {
      const PathStep &step = paths.last(path);
      return step.kind == PathStep::Variable && contains(visit, loop, step.symbol()->location);
    };
    for (const ir::Node *loop : function.loopsAround(visit.event.site)) {
      if (isMadeIn(loop, root) || isMadeIn(loop, copy))
        return false; // Another one in each round.
      if (isRenewedIn(visit, loop, source))
        return false;
      if (trainsIn(visit, function, loop))
        return true;
    }
    return false;
  }

  /// Whether the loop puts another module into the place.
  static bool isRenewedIn(const Visit &visit, const ir::Node *loop, PathId place) {
    const PathTable &paths = pathsOf(visit);
    return llvm::any_of(visit.event.function->blocks, [&](const Block &block) {
      return llvm::any_of(block.events, [&](const Event &event) {
        return event.kind == EventKind::Bind && paths.isWithin(place, event.subject.path) &&
               contains(visit, loop, event.site);
      });
    });
  }

  // --- what one method keeps in a member, and another one puts back ------------------------------

  /// The member of the object whose method runs in which, or in whose elements, \p path leads; null
  /// if it leads elsewhere.
  static const ir::Symbol *memberAt(const Visit &visit, PathId path) {
    const PathTable &paths = pathsOf(visit);
    const PathId whole = paths.containerOf(visit.before.resolve(path));
    const PathId object = paths.parent(whole);
    return object && paths.last(object).kind == PathStep::This ? paths.last(whole).symbol()
                                                               : nullptr;
  }

  /// The member that is the only module in whose parameters' memory something lies, or null.
  static const ir::Symbol *moduleIn(const Visit &visit, SourcesId memory) {
    const SourcesTable &sources = visit.unit.tables().sources;
    const auto owners = sources.members(memory);
    return owners.size() == 1 && !sources.isUnknown(memory) ? memberAt(visit, owners.front())
                                                            : nullptr;
  }

  void onKept(const Visit &visit, Reporter &reporter) {
    const ir::Symbol *member = memberAt(visit, visit.event.subject.path);
    if (!member)
      return;
    for (const Operand &operand : visit.event.operands)
      if (operand.role == TypeRole::Tensor) {
        const Value value = visit.before.valueOf(operand);
        const ir::Symbol *module =
            moduleIn(visit, value.lending.taken ? value.lending.shared : noSources);
        Kept &held = kept[member];
        if (!module || value.lending.taken->kind != EventKind::Detach ||
            (held.taken && held.of != module))
          held.hasOthers = true;
        else
          held.taken = value.lending.taken;
        held.of = module;
      }
    reportKept(visit, *member, reporter);
  }

  void onRestored(const Visit &visit, Reporter &reporter) {
    const ir::Symbol *module = moduleIn(visit, visit.before.memoryOf(visit.event.subject));
    if (!module)
      return;
    for (const Operand &operand : visit.event.operands)
      if (const ir::Symbol *member =
              operand.role == TypeRole::Tensor ? memberAt(visit, operand.path) : nullptr) {
        kept[member].restored = &visit.event;
        kept[member].to = module;
        reportKept(visit, *member, reporter);
      }
  }

  void reportKept(const Visit &visit, const ir::Symbol &member, Reporter &reporter) {
    const Kept &both = kept[&member];
    if (!both.taken || !both.restored || both.hasOthers || both.of != both.to)
      return;
    Finding finding(Level::Certain, *both.taken,
                    "this lies in the memory of the parameters, and is no copy of their values");
    finding.notes.push_back({*both.restored, "the parameters are overwritten by themselves here"});
    finding.fixes = append(visit, both.taken->site, phrase(visit.unit.code(), Phrase::Copy));
    reporter.report(std::move(finding));
  }

  // --- a module and its target ------------------------------------------------------------------

  /// Whether a loss goes through one module by two names, of which one is there for its values
  /// alone, or gets what the other holds now and then.
  void onBackward(const Visit &visit, Reporter &reporter) {
    const Tables &tables = visit.unit.tables();
    const Value loss = visit.before.valueOf(visit.event.subject);
    const auto graphs = tables.histories.members(loss.autograd.graphs);
    for (SiteId fixed : tables.histories.members(loss.autograd.history)) {
      const Event &target = tables.sites.event(fixed);
      const Pass values = passes.lookup(&target);
      const ir::Symbol *name = nameAt(visit, target.subject.path);
      if (!values.module || !isPlace(name))
        continue;
      const bool isFixed = !llvm::is_contained(graphs, fixed) || values.isUnrecorded;
      for (SiteId trained : graphs) {
        const Event &pass = tables.sites.event(trained);
        const Pass own = passes.lookup(&pass);
        const ir::Symbol *other = nameAt(visit, pass.subject.path);
        if (own.isUnrecorded || other == name || !isPlace(other) || other->owner != name->owner)
          continue;
        if (const Event *assignment =
                runsForEach(visit, fixed) ? lateAssignment(visit, {*name, *other}) : nullptr)
          return report(visit, *assignment, *name, pass, reporter);
        // A module that another object is given has two names, too.
        if (isFixed && own.module == values.module && isKnown(visit, own.module) &&
            pass.subject.path != target.subject.path && isName(*name) && isName(*other))
          return report(visit, *name, pass, reporter);
      }
    }
  }

  static bool isKnown(const Visit &visit, PathId object) {
    const PathStep &step = pathsOf(visit).last(object);
    return step.kind != PathStep::Temporary || step.made();
  }

  /// Whether a module may be put there.
  static bool isPlace(const ir::Symbol *variable) { return variable && !variable->type->isPointer; }

  /// Whether it is meant to hold a module of its own.
  static bool isName(const ir::Symbol &variable) {
    return variable.kind != ir::SymbolKind::Parameter && !variable.type->isReference;
  }

  /// The variable or member that the path ends in, or null.
  static const ir::Symbol *nameAt(const Visit &visit, PathId path) {
    return pathsOf(visit).last(path).name();
  }

  static void report(const Visit &visit, const ir::Symbol &copy, const Event &pass,
                     Reporter &reporter) {
    Finding finding(Level::Certain, copy,
                    "'" + copy.spelling.str() + "' is the module " +
                        nameOf(visit, pass.subject.path) +
                        ", not a copy of it: it is trained, too");
    finding.notes.push_back({pass, "the loss is computed of both names here"});
    reporter.report(std::move(finding));
  }

  static void report(const Visit &visit, const Event &assignment, const ir::Symbol &copy,
                     const Event &pass, Reporter &reporter) {
    Finding finding(Level::Certain, assignment,
                    "'" + copy.spelling.str() + "' is the module " +
                        nameOf(visit, pass.subject.path) +
                        " from here on, not a copy of it: it is trained, too");
    finding.notes.push_back({pass, "the loss is computed of both names here"});
    reporter.report(std::move(finding));
  }

  // --- a target that gets the module now and then -----------------------------------------------

  /// Of a variable or member: that another module comes into its place.
  struct Replacement {
    const Event *event;
    const ir::Symbol *place;
    const ir::Symbol *value; ///< What has held that module until then; null if nothing has.
  };

  struct Names {
    const ir::Symbol &copy, &original;
  };

  /// What puts the one module into the place of the other, and not for each backward: after each, a
  /// copy would be the same. Null if there is none, or if others come into either place.
  const Event *lateAssignment(const Visit &visit, const Names &names) {
    if (!isSearched)
      findReplacements(visit);
    const Event *late = nullptr;
    for (const Replacement &each : replacements) {
      if (each.place == &names.original ||
          (each.place == &names.copy && each.value != &names.original))
        return nullptr;
      if (each.place == &names.copy && !late && isLate(visit, *each.event, names))
        late = each.event;
    }
    return late;
  }

  /// Whether the event runs, or the function in which it stands is called, less often than the
  /// backward, which runs again behind it.
  static bool isLate(const Visit &visit, const Event &event, const Names &names) {
    if (const std::optional<bool> isRarer = compare(visit, event, names))
      return *isRarer;
    if (event.function->isInBranch(event.site))
      return true;
    for (const FunctionBody *caller : visit.unit.callGraph().callersOf(*event.function))
      for (const Block &block : caller->blocks)
        for (const Event &call : block.events)
          if (call.kind == EventKind::Call &&
              llvm::is_contained(visit.unit.callGraph().candidates(call), event.function) &&
              compare(visit, call, names).value_or(caller->isInBranch(call.site)))
            return true;
    return false;
  }

  /// The same, where the event stands in the function of the backward, or in one that calls that.
  static std::optional<bool> compare(const Visit &visit, const Event &event, const Names &names) {
    const Frames frames = framesOf(visit);
    const auto frame = llvm::find_if(
        llvm::reverse(frames), [&](const Event *each) { return each->function == event.function; });
    if (frame == frames.rend())
      return std::nullopt;
    const FunctionBody &function = *event.function;
    const ir::Node *trained = (*frame)->site;
    const auto loops = function.loopsAround(trained);
    bool isRarer = !loops.empty() && !contains(visit, loops.front(), event.site);
    for (const ir::Node *around = function.statementAround(event.site);
         around && !contains(visit, around, trained); around = function.statementAround(around))
      isRarer |= around->kind == ir::NodeKind::If;
    const auto isOlder = [&](const ir::Node *loop) {
      return contains(visit, loop, trained) && !contains(visit, loop, names.copy.location) &&
             !contains(visit, loop, names.original.location);
    };
    const Source &sources = visit.source;
    if (!isRarer || llvm::any_of(function.loopsAround(event.site), isOlder) ||
        sources.isBefore(event.site->begin(), trained->begin()))
      return isRarer;
    const llvm::ArrayRef<const Event *> outer(frames.data(), frames.rend() - frame - 1);
    return names.copy.kind == ir::SymbolKind::Member &&
           (outer.empty() || llvm::any_of(outer, [](const Event *call) {
              return !call->function->loopsAround(call->site).empty();
            }));
  }

  /// Whether the pass runs anew for each backward: what it gives is not kept for several.
  static bool runsForEach(const Visit &visit, SiteId pass) {
    const SiteTable &sites = visit.unit.tables().sites;
    const Visit made{visit, sites.event(pass), visit.before, sites.callers(pass), pass};
    const auto rootOf = [](const Visit &each) {
      return (each.callers.empty() ? &each.event : each.callers.front())->function;
    };
    const auto loops = loopsAround(visit), others = loopsAround(made);
    return rootOf(visit) == rootOf(made) && loops.empty() == others.empty() &&
           (loops.empty() || loops.front() == others.front());
  }

  void findReplacements(const Visit &visit) {
    isSearched = true;
    for (const FunctionBody *function : visit.unit.callGraph().functions())
      for (const Block &block : function->blocks)
        for (const Event &event : block.events)
          findReplacements(visit, event);
  }

  void findReplacements(const Visit &visit, const Event &event) {
    const auto add = [&](PathId place, PathId value) {
      if (const ir::Symbol *name = nameAt(visit, place))
        replacements.push_back({&event, name, value ? nameAt(visit, value) : nullptr});
    };
    if (const std::optional<PathId> value = assigned(event))
      return add(event.subject.path, *value);
    const llvm::StringRef called = calledName(event.site);
    if (called == "reset" || called == "swap" || called == "exchange") {
      add(event.subject.path, noPath);
      for (const Operand &operand : event.operands)
        add(operand.path, noPath);
    }
    if (event.kind != EventKind::Call)
      return;
    // A function that assigns what it takes by reference.
    for (const FunctionBody *body : visit.unit.callGraph().candidates(event)) {
      const auto given = [&](PathId path) {
        for (size_t i = 0; i < std::min(body->parameters.size(), event.operands.size()); ++i)
          if (body->parameters[i].place.path == path)
            return event.operands[i].path;
        return noPath;
      };
      for (const Block &block : body->blocks)
        for (const Event &inner : block.events)
          if (const std::optional<PathId> value = assigned(inner))
            add(given(inner.subject.path), given(*value));
    }
  }

  /// What the event assigns to a module: a path, or none if that has no name.
  static std::optional<PathId> assigned(const Event &event) {
    const ir::Node *call = ir::as(ir::NodeKind::OperatorCall, event.site);
    if (!isModule(event.subject.role) || !call || call->op != "=")
      return std::nullopt;
    const bool isMoved = calledName(call->arguments[1]) == "move";
    return event.operands.empty() || isMoved ? noPath : event.operands.front().path;
  }

  // --- tensors ----------------------------------------------------------------------------------

  /// A comparison of parameters with what they were before a step, or a return to that.
  static void onUse(const Visit &visit, Reporter &reporter) {
    const Event &use = visit.event;
    const State &state = visit.before;
    llvm::SmallVector<const Operand *, 2> tensors;
    if (use.subject.path && use.subject.role == TypeRole::Tensor)
      tensors.push_back(&use.subject);
    for (const Operand &operand : use.operands)
      if (operand.role == TypeRole::Tensor)
        tensors.push_back(&operand);
    if (tensors.size() != 2)
      return;
    for (unsigned i = 0; i < 2; ++i) {
      const Value snapshot = state.valueOf(*tensors[i]), other = state.valueOf(*tensors[1 - i]);
      const SourcesId memory =
          other.lending.taken ? other.lending.shared : state.memoryOf(*tensors[1 - i]);
      const SourcesTable &sources = visit.unit.tables().sources;
      const bool isOlder =
          snapshot.lending.taken && snapshot.lending.changed &&
          (!other.lending.changed ||
           (snapshot.lending.taken->kind == EventKind::Detach && other.lending.taken &&
            other.lending.taken->kind != EventKind::Detach));
      if (!isOlder || memory == noSources || sources.isUnknown(memory) ||
          sources.isUnknown(snapshot.lending.shared) ||
          !sources.mayOverlap(memory, snapshot.lending.shared))
        continue;
      return report(visit, *snapshot.lending.taken, *snapshot.lending.changed, reporter);
    }
  }

  static void report(const Visit &visit, const Event &taken, const Event &step,
                     Reporter &reporter) {
    const Event &use = visit.event;
    Finding finding(Level::Certain, taken,
                    "this lies in the memory of the parameters, and is no copy of their values");
    finding.notes.push_back({step, "the step changes it here"});
    finding.notes.push_back({use, use.kind == EventKind::Overwrite
                                      ? "the parameters are overwritten by themselves here"
                                      : "the parameters are compared with themselves here"});
    if (taken.kind == EventKind::Detach)
      finding.fixes = append(visit, taken.site, phrase(visit.unit.code(), Phrase::Copy));
    reporter.report(std::move(finding));
  }

  struct Pass {
    PathId module = noPath;
    bool isUnrecorded = false;
  };
  /// What a member holds of parameters.
  struct Kept {
    const Event *taken = nullptr;    ///< What has taken it from them, without a copy.
    const Event *restored = nullptr; ///< What gives it back to parameters.
    const ir::Symbol *of = nullptr;  ///< The modules of the ones
    const ir::Symbol *to = nullptr;  ///< and the others.
    bool hasOthers = false;          ///< Something else is put there, too.
  };
  llvm::DenseMap<const ir::Symbol *, Kept> kept;
  llvm::DenseMap<const Event *, Pass> passes; ///< What forward passes call.
  std::vector<Replacement> replacements;      ///< In the unit, once a backward asks for them.
  bool isSearched = false;
};

} // namespace

std::unique_ptr<Check> makeModuleShallowCopy() { return std::make_unique<ModuleShallowCopy>(); }

} // namespace gradtidy
