// An IntArrayRef holds no numbers: it looks over those of a list, a vector or a tensor. Where that
// was made for one statement, it shows what comes to lie there afterwards. So does a reference to
// an element of a list that a function gives back.

#include "Check.h"
#include "Leftovers.h"
#include "LostPointers.h"

namespace gradtidy {
namespace {

class DanglingViewArgument : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.details->leftover.ending != Ending::None || usesLost(moment);
  }
  bool wantsBehind(const Moment &moment) const override { return leavesLost(moment); }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    for (const Lost &lost : lostBy(visit, Leader::View))
      reportLost(visit, lost, reporter);
    const bool isView = event.kind == EventKind::Bind || event.kind == EventKind::Return ||
                        (event.kind == EventKind::Combine && event.subject.path == noPath);
    const std::optional<Level> level = levelOfLeftover(visit);
    if (!level || !isView)
      return;
    const Leftover &left = event.details->leftover;
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

private:
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
    if (temporary.type->record && temporary.type->name == "Tensor")
      return "the shape of a temporary tensor";
    return call ? "the temporary list that is returned here" : "a temporary list";
  }
};

} // namespace

std::unique_ptr<Check> makeDanglingViewArgument() {
  return std::make_unique<DanglingViewArgument>();
}

} // namespace gradtidy
