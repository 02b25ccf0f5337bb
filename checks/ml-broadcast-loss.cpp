// A column of predictions and a row of targets have the same number of elements, but each meets
// all of the other: the loss is that of every pair, and the best answer to all is the mean.

#include "Check.h"
#include "Fixes.h"
#include "Types.h"

#include "analyzer/flow/Types.h"
#include "analyzer/ir/Typing.h"

namespace gradtidy {
namespace {

class BroadcastLoss : public Check {
public:
  bool wants(const Moment &moment) const override {
    return crossingOf(moment.event, moment.before).has_value();
  }

  bool wantsForInputs(const Moment &moment) const override { return wants(moment); }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    const std::optional<Crossing> crossing = crossingOf(event, visit.before);
    if (!crossing || isConstant(visit, *crossing->row) || isConstant(visit, *crossing->column) ||
        (isPairwise(event.typing->rule) && !isError(visit, *crossing)))
      return;
    const Shape column = visit.before.typeOf(*crossing->column).shape;
    const Shape row = visit.before.typeOf(*crossing->row).shape;
    const bool mayBeOne = row.isSqueezed && column.isOpen;
    const bool isCertain = event.typing->rule == ResultRule::Loss && !mayBeOne;
    Finding finding(isCertain ? Level::Certain : Level::Likely, event);
    finding.message = nameOf(visit, *crossing->column, "one side") + " of shape " + spell(column) +
                      " meets " + nameOf(visit, *crossing->row, "the other") +
                      (row.isSqueezed ? ", which squeeze() has left without such a dimension"
                                      : " of shape " + spell(row)) +
                      ": each element of the one is compared to all of the other";
    noteOrigin(visit, *crossing->column, "the column is made here", finding);
    noteOrigin(visit, *crossing->row, "the row is made here", finding);
    if (column.sizes.size() < 3)
      finding.fixes =
          append(visit, crossing->column->expr,
                 phrase(visit.unit.code(), Phrase::DropDimension, {{"dimension", "-1"}}));
    reporter.report(std::move(finding));
  }

private:
  /// All elements are the same: whichever meets which, the loss is the same.
  static bool isConstant(const Visit &visit, const Operand &tensor) {
    const Event *made = visit.before.valueOf(tensor).origin.made;
    if (!made || made->kind != EventKind::Create || !made->typing || made->isNoise ||
        made->operation == Operation::Allocate ||
        hasEvent(*made->function, [&](const Event &event) {
          return event.changesElements && event.subject.path == made->result;
        })) // `torch::empty(n).uniform_(0, 1)`
      return false;
    return made->typing->rule == ResultRule::Sizes || made->typing->rule == ResultRule::Full ||
           made->typing->rule == ResultRule::Like;
  }

  /// Steps that all predictions are compared to.
  static bool isScale(const Value &value) {
    return value.origin.made && value.origin.made->typing &&
           (value.origin.made->typing->rule == ResultRule::Range ||
            value.origin.made->typing->rule == ResultRule::Steps);
  }

  /// Whether the event weights what is to be differentiated, a number for each sample, with another
  /// one of the same samples: log-probabilities with advantages.
  static bool isWeighting(const Visit &visit, const Crossing &crossing) {
    const Shape column = visit.before.typeOf(*crossing.column).shape;
    const Shape row = visit.before.typeOf(*crossing.row).shape;
    const bool isOfSameSamples = column.hasRank(2) &&
                                 (row.last() > 1 || row.last() == Shape::many) &&
                                 column.sizes.front() == row.last();
    const auto isTrained = [&](const Operand &operand) {
      return visit.before.valueOf(operand).autograd.graph & Graph::Attached;
    };
    return isOfSameSamples && !column.isArranged &&
           (isTrained(*crossing.column) || isTrained(*crossing.row));
  }

  /// Whether the event takes targets from what a layer makes of the samples, or the other way
  /// round.
  static bool isError(const Visit &visit, const Crossing &crossing) {
    const ir::Node *call = ir::as(ir::NodeKind::OperatorCall, visit.event.site);
    if (call && call->op == "*")
      return isWeighting(visit, crossing);
    if (!call || call->op != "-")
      return false;
    const auto isPrediction = [](const Value &value) {
      return (value.origin.made && value.origin.made->kind == EventKind::Forward) ||
             (value.autograd.graph == Graph::Attached && value.autograd.isRecorded);
    };
    const Value column = visit.before.valueOf(*crossing.column);
    const Value row = visit.before.valueOf(*crossing.row);
    const Value &target = isPrediction(column) ? row : column;
    const Shape shape = visit.before.typeOf(*crossing.column).shape;
    const bool isColumnOfTargets = shape.hasRank(2) && shape.sizes.front() < 0;
    return isPrediction(column) != isPrediction(row) && target.autograd.graph == Graph::Detached &&
           !isScale(target) && (isPrediction(column) || isColumnOfTargets) &&
           visit.before.typeOf(*crossing.row).shape.last() < 0;
  }
};

} // namespace

std::unique_ptr<Check> makeBroadcastLoss() { return std::make_unique<BroadcastLoss>(); }

} // namespace gradtidy
