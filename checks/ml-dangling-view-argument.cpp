// An IntArrayRef holds no numbers: it looks over those of a list, a vector or a tensor. Where that
// was made for one statement, it shows what comes to lie there afterwards. So does a reference to
// an element of a list that a function gives back.

#include "Check.h"
#include "DanglingViews.h"
#include "LostPointers.h"

namespace gradtidy {
namespace {

class DanglingViewArgument : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.details->danglingView.ending != Ending::None || usesLost(moment);
  }
  bool wantsBehind(const Moment &moment) const override { return leavesLost(moment); }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    for (const Lost &lost : lostBy(visit, Leader::View))
      reportLost(visit, lost, reporter);
    const bool isView = event.kind == EventKind::Bind || event.kind == EventKind::Return ||
                        (event.kind == EventKind::Combine && event.subject.path == noPath);
    const std::optional<Level> level = levelOfDanglingView(visit);
    if (!level || !isView)
      return;
    const DanglingView &left = event.details->danglingView;
    Place place = event;
    if (left.keeper && event.site->kind == ir::NodeKind::Declaration)
      place.location = left.keeper->location;
    Finding finding(*level, place);
    const std::string what = nameOf(*left.temporary);
    if (event.kind == EventKind::Return)
      finding.message = "the view that is returned is of " + what + ", which ends here";
    else if (left.keeper)
      finding.message = "'" + left.keeper->spelling.str() + "' refers to " + what +
                        ", which ends with the statement";
    else
      finding.message = "what is kept refers to " + what + ", which ends with the statement";
    finding.notes.push_back(noteOnTemporary(visit, "it is made here"));
    reporter.report(std::move(finding));
  }

  void onUnit(const UnitVisit &visit, Reporter &reporter) override {
    for (const FunctionBody *function : visit.unit.callGraph().relevant())
      if (function->function->kind == ir::SymbolKind::Constructor && function->linkedFrom.empty())
        for (const Block &block : function->blocks)
          for (const Event &event : block.events)
            onKept(visit, event, reporter);
  }

private:
  /// A view that a constructor keeps, of a list that its caller makes for the call alone.
  static void onKept(const UnitVisit &visit, const Event &keep, Reporter &reporter) {
    const PathTable &paths = visit.unit.tables().paths;
    const FunctionBody &constructor = *keep.function;
    if (keep.kind != EventKind::Bind || keep.operands.empty())
      return;
    const PathStep &member = paths.last(keep.subject.path);
    const ir::Symbol *given = paths.last(keep.operands.front().path).name();
    if (member.kind != PathStep::Member ||
        paths.parent(keep.subject.path) != constructor.thisObject || !given ||
        given->kind != ir::SymbolKind::Parameter || given->owner != constructor.function)
      return;
    const Event *list = nullptr;
    visit.unit.callGraph().forEachCall(constructor, [&](const Event &call) {
      if (!list && given->index < call.operands.size() && livesOn(call))
        list = temporaryListIn(call, call.operands[given->index]);
    });
    if (!list || !isReadLater(visit, *member.symbol(), constructor))
      return;
    Finding finding(Level::Likely, keep,
                    "'" + member.symbol()->spelling.str() +
                        "' keeps a view of the list that the object is made with, which may end "
                        "with the statement that makes it");
    finding.notes.push_back({*list, "such a list is made here"});
    reporter.report(std::move(finding));
  }

  /// Whether a method of the class reads \p member once its object is made.
  static bool isReadLater(const UnitVisit &visit, const ir::Symbol &member,
                          const FunctionBody &constructor) {
    const CallGraph &graph = visit.unit.callGraph();
    return llvm::any_of(graph.functions(), [&](const FunctionBody *method) {
      return method->function->owner == constructor.function->owner &&
             method->function->kind == ir::SymbolKind::Method && method->mentions(member) &&
             llvm::any_of(graph.callersOf(*method), [&](const FunctionBody *caller) {
               return caller->function->kind != ir::SymbolKind::Constructor ||
                      caller->function->owner != constructor.function->owner;
             });
    });
  }

  /// Whether the object that the event makes gets a name.
  static bool livesOn(const Event &made) {
    return hasEvent(*made.function, [&](const Event &event) {
      return event.kind == EventKind::Bind && !event.operands.empty() &&
             event.operands.front().path == made.result;
    });
  }

  /// What makes the view \p given of a list that ends with the statement of \p call, or null.
  static const Event *temporaryListIn(const Event &call, const Operand &given) {
    for (const Block &block : call.function->blocks)
      for (const Event &event : block.events)
        if (event.kind == EventKind::Construct && event.trait == Trait::ViewsElements &&
            event.result == given.path && !event.operands.empty() && event.operands.front().fresh)
          return &event;
    return nullptr;
  }

  static void reportLost(const Visit &visit, const Lost &lost, Reporter &reporter) {
    const Event &taken = *lost.look.taken;
    const bool isShape = taken.kind == EventKind::Combine;
    const ir::Node *returned =
        ir::as(ir::NodeKind::Return, taken.function->statementOf(taken.site));
    if (!lost.isUsed && !isShape && returned && !returned->children.empty() &&
        ir::stripped(returned->children.front()) == ir::stripped(taken.site))
      return; // See there.
    Finding finding(levelOf(visit, lost), taken,
                    std::string("the view is of ") + (isShape ? "the shape of " : "") +
                        fateOf(visit, lost) +
                        (lost.isUsed ? " before the view is used" : " although the view is kept"));
    noteFate(visit, lost, finding);
    reporter.report(std::move(finding));
  }

  static std::string nameOf(const ir::Node &temporary) {
    if (temporary.type->isArithmetic) // Of a variable, a copy of the type that fits.
      return "a temporary number";
    if (const ir::Node *variable = ir::as(ir::NodeKind::Reference, &temporary))
      return "'" + variable->symbol->spelling.str() + "'";
    if (temporary.kind == ir::NodeKind::List)
      return "a braced list";
    const ir::Node *call = ir::asCall(&temporary);
    if (temporary.type->record && temporary.type->role == TypeRole::Tensor)
      return "the shape of a temporary tensor";
    return call ? "the temporary list that is returned here" : "a temporary list";
  }
};

} // namespace

std::unique_ptr<Check> makeDanglingViewArgument() {
  return std::make_unique<DanglingViewArgument>();
}

} // namespace gradtidy
