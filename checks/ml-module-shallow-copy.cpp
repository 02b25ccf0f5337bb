// Modules and tensors are handles. A copy of one, and what detach() or parameters() give, is the
// object itself, which trains on: no snapshot of it.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace gradtidy {
namespace {

class ModuleShallowCopy : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    if (event.keepsBest)
      onBest(visit, reporter);
    else if (event.sharedChange)
      onList(visit, reporter);
    else if (event.kind == EventKind::Forward)
      passes.insert({&event,
                     {visit.before.resolve(event.subject.path),
                      visit.before.gradMode().possible == GradMode::Off}});
    else if (event.kind == EventKind::Backward)
      onBackward(visit, reporter);
    else if (event.operation == Operation::Compare || event.kind == EventKind::Overwrite)
      onUse(visit, reporter);
  }

private:
  static const PathTable &pathsOf(const Visit &visit) { return visit.unit.tables().paths; }

  static std::string nameOf(const Visit &visit, PathId path) {
    const std::string spelling = pathsOf(visit).spelling(path);
    return spelling.empty() ? "the module" : "'" + spelling + "'";
  }

  /// A list is filled with handles of one object.
  static void onList(const Visit &visit, Reporter &reporter) {
    const Event &list = visit.event;
    const bool isOfModules = list.sharedChange == list.site;
    Finding finding;
    finding.location = list.site->getBeginLoc();
    finding.range = list.site->getSourceRange();
    finding.message = isOfModules ? "all elements of this list are the same module"
                                  : "all elements of this list are the same tensor";
    if (!isOfModules)
      finding.notes.push_back(
          {list.sharedChange->getBeginLoc(), "a change of one changes all, here"});
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
    const Event *taken = source.isTensor ? visit.before.valueOf(source).taken : nullptr;
    const PathId original = isHandle ? source.path : ownerOf(visit, source);
    if (!original || !trainsOn(visit, original))
      return;
    Finding finding;
    finding.location = copy.site->getBeginLoc();
    finding.range = copy.site->getSourceRange();
    const std::string name = nameOf(visit, copy.subject.path);
    finding.message = isHandle
                          ? name + " is the module that trains on, not a copy of what is best now"
                          : name + " lies in the memory of the parameters: it changes with them";
    if (taken && taken->kind == EventKind::Detach && taken->site == strippedSite(source))
      finding.fixes = append(visit, source.expr, ".clone()");
    reporter.report(std::move(finding));
  }

  /// The module or leaf in whose memory the tensors of \p source lie; no path if they are of
  /// several, or of their own.
  static PathId ownerOf(const Visit &visit, const Operand &source) {
    const SourcesTable &sources = visit.unit.tables().sources;
    const Value value = source.isTensor ? visit.before.valueOf(source) : Value();
    SourcesId memory = value.taken ? value.shared : noSources;
    if (!value.taken && source.role == TypeRole::Tensor)
      memory = visit.before.memoryOf(source);
    const auto owners = sources.members(memory);
    return owners.size() == 1 && !sources.isUnknown(memory) ? owners.front() : noPath;
  }

  static const clang::Stmt *strippedSite(const Operand &operand) {
    return operand.expr ? operand.expr->IgnoreUnlessSpelledInSource() : nullptr;
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
    const auto isMadeIn = [&](const clang::Stmt *loop, PathId path) {
      const PathStep &step = paths.last(path);
      return step.kind == PathStep::Variable &&
             contains(visit, loop,
                      static_cast<const clang::VarDecl *>(step.subject)->getLocation());
    };
    for (const clang::Stmt *loop : function.loopsAround(visit.event.site)) {
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
  static bool isRenewedIn(const Visit &visit, const clang::Stmt *loop, PathId place) {
    const PathTable &paths = pathsOf(visit);
    return llvm::any_of(visit.event.function->blocks, [&](const Block &block) {
      return llvm::any_of(block.events, [&](const Event &event) {
        return event.kind == EventKind::Bind && paths.isWithin(place, event.subject.path) &&
               contains(visit, loop, event.site);
      });
    });
  }

  // --- a module and its target ------------------------------------------------------------------

  /// Whether a loss goes through one module by two names, of which one is there for its values
  /// alone.
  void onBackward(const Visit &visit, Reporter &reporter) {
    const Tables &tables = visit.unit.tables();
    const Value loss = visit.before.valueOf(visit.event.subject);
    const auto graphs = tables.histories.members(loss.graphs);
    for (SiteId fixed : tables.histories.members(loss.history)) {
      const Event &target = tables.sites.event(fixed);
      const Pass values = passes.lookup(&target);
      const clang::ValueDecl *name = nameAt(visit, target.subject.path);
      if (!values.module || (llvm::is_contained(graphs, fixed) && !values.isUnrecorded) ||
          !isName(name))
        continue;
      for (SiteId trained : graphs) {
        const Event &pass = tables.sites.event(trained);
        const Pass own = passes.lookup(&pass);
        const clang::ValueDecl *other = nameAt(visit, pass.subject.path);
        // A module that another object is given has two names, too.
        if (own.module == values.module && !own.isUnrecorded &&
            pass.subject.path != target.subject.path && other != name && isName(other) &&
            other->getDeclContext() == name->getDeclContext())
          return report(visit, *name, pass, reporter);
      }
    }
  }

  /// Whether it is meant to hold a module of its own.
  static bool isName(const clang::ValueDecl *variable) {
    return variable && !llvm::isa<clang::ParmVarDecl>(variable) &&
           !variable->getType()->isReferenceType() && !variable->getType()->isPointerType();
  }

  /// The variable or member that the path ends in, or null.
  static const clang::ValueDecl *nameAt(const Visit &visit, PathId path) {
    const PathStep &step = pathsOf(visit).last(path);
    if (step.kind == PathStep::Variable)
      return static_cast<const clang::VarDecl *>(step.subject);
    return step.kind == PathStep::Member ? static_cast<const clang::FieldDecl *>(step.subject)
                                         : nullptr;
  }

  static void report(const Visit &visit, const clang::ValueDecl &copy, const Event &pass,
                     Reporter &reporter) {
    Finding finding;
    finding.location = copy.getLocation();
    finding.range = copy.getSourceRange();
    finding.message = "'" + copy.getNameAsString() + "' is the module " +
                      nameOf(visit, pass.subject.path) + ", not a copy of it: it is trained, too";
    finding.notes.push_back({pass.site->getBeginLoc(), "the loss is computed of both names here"});
    reporter.report(std::move(finding));
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
      const SourcesId memory = other.taken ? other.shared : state.memoryOf(*tensors[1 - i]);
      const SourcesTable &sources = visit.unit.tables().sources;
      const bool isOlder =
          snapshot.taken && snapshot.changed &&
          (!other.changed || (snapshot.taken->kind == EventKind::Detach && other.taken &&
                              other.taken->kind != EventKind::Detach));
      if (!isOlder || memory == noSources || sources.isUnknown(memory) ||
          sources.isUnknown(snapshot.shared) || !sources.mayOverlap(memory, snapshot.shared))
        continue;
      return report(visit, *snapshot.taken, *snapshot.changed, reporter);
    }
  }

  static void report(const Visit &visit, const Event &taken, const Event &step,
                     Reporter &reporter) {
    const Event &use = visit.event;
    Finding finding;
    finding.location = taken.site->getBeginLoc();
    finding.range = taken.site->getSourceRange();
    finding.message = "this lies in the memory of the parameters, and is no copy of their values";
    finding.notes.push_back({step.site->getBeginLoc(), "the step changes it here"});
    finding.notes.push_back(
        {use.site->getBeginLoc(), use.kind == EventKind::Overwrite
                                      ? "the parameters are overwritten by themselves here"
                                      : "the parameters are compared with themselves here"});
    if (taken.kind == EventKind::Detach)
      finding.fixes = append(visit, llvm::dyn_cast<clang::Expr>(taken.site), ".clone()");
    reporter.report(std::move(finding));
  }

  struct Pass {
    PathId module = noPath;
    bool isUnrecorded = false;
  };
  llvm::DenseMap<const Event *, Pass> passes; ///< What forward passes call.
};

} // namespace

std::unique_ptr<Check> makeModuleShallowCopy() { return std::make_unique<ModuleShallowCopy>(); }

} // namespace gradtidy
