// The state of a recurrent network carries the graph of all steps that led to it. Handed from one
// iteration to the next as it is, every backward goes back to the first iteration, through graphs
// that earlier backwards have freed.

#include "Check.h"
#include "Fixes.h"
#include "Graphs.h"
#include "Loops.h"
#include "Moments.h"

namespace gradtidy {
namespace {

class HiddenStateGraph : public Check {
public:
  bool wants(const Moment &moment) const override {
    return isPass(moment) || moment.event.kind == EventKind::Backward || keepsState(moment) ||
           takesState(moment);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    if (isModuleCall(visit.event)) {
      take(visit);
    } else if (visit.event.kind == EventKind::Backward) {
      const Event *forward = visit.before.valueOf(visit.event.subject).autograd.latest.again;
      if (const auto known = taken.find(forward); known != taken.end()) {
        Finding finding = known->second;
        finding.notes.push_back({visit.event, "this backward goes through both"});
        reporter.report(std::move(finding));
      }
    }
  }

  /// States that modules keep in members of their own.
  void onUnit(const UnitVisit &visit, Reporter &reporter) override {
    for (const ModuleClass &view : visit.unit.code().classes())
      for (const ModuleMember &member : view.members)
        if (member.role == TypeRole::Tensor && view.isVisible)
          judge(member, visit, reporter);
  }

private:
  /// The member of its own module that the operand is, or null.
  static const ir::Symbol *memberIn(const Operand &operand, const Event &event,
                                    const PathTable &paths) {
    const bool isOwn = operand.path && operand.isTensor && event.function->isModuleMethod &&
                       paths.parent(operand.path) == event.function->thisObject;
    return isOwn ? paths.last(operand.path).symbol() : nullptr;
  }

  /// Whether a member of the module gets a tensor with a graph.
  static bool keepsState(const Moment &moment) {
    const Event &event = moment.event;
    Operand place = event.subject;
    place.isTensor = true;
    return event.kind == EventKind::Bind && !event.operands.empty() &&
           memberIn(place, event, moment.before.tables->paths) &&
           moment.before.gradMode().possible == GradMode::On &&
           moment.before.valueOf(event.operands.front()).autograd.graph == Graph::Attached;
  }

  /// The member of the module of which the event computes a tensor, as the call before has left it;
  /// null if it is none.
  static const ir::Symbol *stateTakenBy(const Moment &moment) {
    const Event &event = moment.event;
    const State &state = moment.before;
    const bool computes = event.kind == EventKind::Forward ||
                          (event.kind == EventKind::Combine && event.run && event.isDifferentiable);
    if (!computes || event.resultRole == TypeRole::None || event.isAttribute ||
        state.gradMode().possible != GradMode::On)
      return nullptr;
    const auto stateIn = [&](const Operand &operand) -> const ir::Symbol * {
      const ir::Symbol *member = memberIn(operand, event, state.tables->paths);
      return member && state.valueOf(operand).autograd.graph & Graph::Unknown ? member : nullptr;
    };
    if (const ir::Symbol *member =
            event.kind == EventKind::Combine ? stateIn(event.subject) : nullptr)
      return member;
    for (const Operand &operand : event.operands)
      if (const ir::Symbol *member = stateIn(operand))
        return member;
    return nullptr;
  }
  static bool takesState(const Moment &moment) { return stateTakenBy(moment); }

  /// A member that a forward pass leaves with a graph, and of which the next one computes its
  /// output: the backward behind that goes through both.
  static void judge(const ModuleMember &member, const UnitVisit &visit, Reporter &reporter) {
    const PathTable &paths = visit.unit.tables().paths;
    const Observation *keeping = nullptr;
    const Event *read = nullptr;
    for (const Observation &observation : visit.observations()) {
      const Moment moment = observation.moment();
      if (keepsState(moment) && paths.last(moment.event.subject.path).symbol() == member.field)
        keeping = &observation;
      else if (stateTakenBy(moment) == member.field)
        read = &moment.event;
    }
    if (!keeping || !read || keeping->event->function != read->function ||
        mayBeReset(member, *keeping->event, visit))
      return;
    const Event &kept = *keeping->event;
    const Tables &tables = visit.unit.tables();
    const auto isPassed = [&](SiteId site) {
      return visit.unit.callGraph().calleeOf(tables.sites.event(site)) == kept.function;
    };
    bool isTrained = false, isRetained = false;
    for (const Observation &observation : visit.observations()) {
      const Event &event = *observation.event;
      if (event.kind != EventKind::Backward ||
          llvm::none_of(
              tables.histories.members(observation.before.valueOf(event.subject).autograd.graphs),
              isPassed))
        continue;
      isTrained = true;
      isRetained |= event.constant != false;
    }
    if (!isTrained)
      return;
    const std::string name = "'" + member.field->name.str() + "'";
    Finding finding(isRetained ? Level::Likely : Level::Certain, kept,
                    name + " carries the graph of this pass into the next one" +
                        (isRetained ? ": every backward goes through those of all passes before; "
                                    : ", whose backward goes through both and throws; ") +
                        "keep it detached");
    finding.notes.push_back({*read, "the next pass takes it up here"});
    finding.fixes = repair(visitOf(visit, *keeping), kept.operands.front());
    reporter.report(std::move(finding));
  }

  /// Whether anything but constructors and \p kept may give the member a value, if not where it
  /// is asked whether it has one, or change it.
  static bool mayBeReset(const ModuleMember &member, const Event &kept, const UnitVisit &visit) {
    const FunctionBody &pass = *kept.function;
    const auto isAsked = [&](const ir::Node *value) {
      for (const ir::Node *around = value->parent; around; around = around->parent)
        if (around->kind == ir::NodeKind::If && around->condition &&
            llvm::is_contained(pass.namedIn(around->condition), member.field))
          return true;
      return false;
    };
    const bool isReset = llvm::any_of(member.definitions, [&](const MemberDefinition &definition) {
      return definition.function && definition.function->kind != ir::SymbolKind::Constructor &&
             !(definition.function == pass.function &&
               (contains(visit, kept.site, definition.value) || isAsked(definition.value)));
    });
    const PathTable &paths = visit.unit.tables().paths;
    const auto isLent = [&](const Operand &operand) {
      return operand.path && (operand.escapes || operand.isLent) &&
             paths.last(operand.path).symbol() == member.field;
    };
    const auto changes = [&](const Event &event) { // In place.
      return event.kind != EventKind::Forward &&
             (isLent(event.subject) || llvm::any_of(event.operands, isLent));
    };
    return isReset ||
           llvm::any_of(visit.unit.callGraph().functions(),
                        [&](const FunctionBody *body) { return hasEvent(*body, changes); });
  }

  /// Keeps what there is to say of a forward that takes up a graph of the last round, should a
  /// backward go through it.
  void take(const Visit &visit) {
    const Event &forward = visit.event;
    const Event *passed = visit.before.passedBy(visit.site);
    if (!passed || forward.site->begin().isMacroID() || !recordsGraph(visit, forward))
      return;
    for (const Operand &operand : forward.operands) {
      if (!operand.isTensor || !operand.expr || !carries(visit, operand))
        continue;
      const std::string spelling = visit.unit.tables().paths.spelling(operand.path);
      const std::string name = spelling.empty() ? "the state" : "'" + spelling + "'";
      Finding finding(Level::Certain, *operand.expr);
      if (visit.before.freedBy(visit.site)) {
        finding.message = name + " still has the graph of the last round, which the backward there "
                                 "has freed: the next one throws; detach it";
      } else {
        finding.level = Level::Likely;
        finding.message = name + " still has the graphs of all rounds before: every backward goes "
                                 "through all of them; detach it";
      }
      finding.notes.push_back({*passed, "the backward of the last round"});
      finding.fixes = repair(visit, operand);
      taken.try_emplace(&forward, std::move(finding));
      return;
    }
  }

  static bool carries(const Visit &visit, const Operand &operand) {
    return llvm::is_contained(
        visit.unit.tables().histories.members(visit.before.valueOf(operand).autograd.latest.sites),
        visit.site);
  }

  /// Detaches the tensor, or those of which the tuple is made on the spot.
  static Fix repair(const Visit &visit, const Operand &operand) {
    if (operand.role == TypeRole::Tensor)
      return append(visit, operand.expr, phrase(visit.unit.code(), Phrase::Detach));
    const PathTable &paths = visit.unit.tables().paths;
    Fix fix;
    if (!paths.isTemporary(operand.path))
      return fix;
    for (const Block &block : visit.event.function->blocks)
      for (const Event &event : block.events)
        if (event.kind == EventKind::Bind && paths.parent(event.subject.path) == operand.path)
          for (const Operand &part : event.operands)
            if (part.role == TypeRole::Tensor && part.expr && carries(visit, part))
              fix.append(append(visit, part.expr, phrase(visit.unit.code(), Phrase::Detach)));
    return fix;
  }

  llvm::DenseMap<const Event *, Finding> taken;
};

} // namespace

std::unique_ptr<Check> makeHiddenStateGraph() { return std::make_unique<HiddenStateGraph>(); }

} // namespace gradtidy
