// A backward begins with the derivative of one number. Of a tensor with several elements it does
// not know what to begin with, and throws, unless it is given a gradient.

#include "Check.h"
#include "Fixes.h"
#include "Types.h"

namespace gradtidy {
namespace {

class NonScalarBackward : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Backward;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &backward = visit.event;
    if (backward.subject.role != TypeRole::Tensor || isGivenGradient(backward))
      return;
    const Shape shape = visit.before.typeOf(backward.subject).shape;
    if (!shape.isSeveral())
      return;
    Finding finding(Level::Certain, backward);
    const std::string loss = nameOf(visit, backward.subject, "the loss");
    finding.message = "backward() begins with one number, but " + loss +
                      (shape.sizes.empty() ? std::string(" has one for each sample")
                                           : " has the shape " + spell(shape));
    noteOrigin(visit, backward.subject, "it is computed here, and not reduced", finding);
    finding.fixes =
        append(visit, backward.subject.expr, phrase(visit.unit.code(), Phrase::Average));
    reporter.report(std::move(finding));
  }

private:
  static bool isGivenGradient(const Event &backward) {
    if (backward.operands.empty())
      return false;
    const Operand &gradient = backward.operands.front();
    const ir::Node *given = gradient.expr;
    const ir::Node *list = ir::as(ir::NodeKind::List, given);
    const ir::Node *made = ir::asConstruction(given);
    return !(list && list->children.empty()) && !(made && made->arguments.size() == 0);
  }
};

} // namespace

std::unique_ptr<Check> makeNonScalarBackward() { return std::make_unique<NonScalarBackward>(); }

} // namespace gradtidy
