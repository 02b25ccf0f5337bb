// Shapes that do not go together: the operation throws, but not before the program comes there.

#include "Check.h"
#include "Types.h"

#include "analyzer/flow/Mismatches.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {
namespace {

class ShapeMismatch : public Check {
public:
  bool wants(const Moment &moment) const override {
    return mismatchIn(moment.event, moment.before).has_value();
  }

  bool wantsForInputs(const Moment &moment) const override { return wants(moment); }

  void on(const Visit &visit, Reporter &reporter) override {
    const auto mismatch = mismatchIn(visit.event, visit.before);
    if (!mismatch || isExpected(visit.event.site))
      return;
    Finding finding(Level::Certain, visit.event, messageOf(visit, *mismatch) + ": this throws");
    noteOrigin(visit, *mismatch->tensor, "it is made here", finding);
    if (mismatch->other)
      noteOrigin(visit, *mismatch->other, "the other is made here", finding);
    if (!visit.callers.empty())
      finding.notes.push_back({*visit.callers.back(), "it is called here"});
    reporter.report(std::move(finding));
  }

  /// `torch::zeros((480, 640))`: in parentheses a comma leaves the last number alone.
  void onFunction(const FunctionVisit &visit, Reporter &reporter) override {
    ir::forEach(visit.function.body, [&](const ir::Node &call) {
      if (!call.isCall() || !call.symbol || !call.symbol->isFramework)
        return;
      for (const ir::Node *argument : call.arguments) {
        const ir::Node &list = argument->spelled();
        if (list.kind == ir::NodeKind::Binary && list.op == "," && list.parent &&
            list.parent->kind == ir::NodeKind::Parentheses && isNumber(*list.children.front()) &&
            isNumber(*list.children.back()))
          reporter.report({Level::Certain, list,
                           std::string("a comma in parentheses makes no list: only the last of "
                                       "these numbers gets there") +
                               (list.type->isInteger ? "; write the sizes in braces"
                                                     : "; make a tensor of them")});
      }
    });
  }

private:
  static bool isNumber(const ir::Node &node) {
    return node.type && node.type->isArithmetic && !node.hasSideEffects;
  }

  static std::optional<Mismatch> mismatchIn(const Event &event, const State &before) {
    if (event.kind != EventKind::Forward)
      return mismatchOf(event, before, {});
    const Layer &written = event.module().layer;
    return mismatchOf(event, before,
                      written.isKnown() ? written.steps : before.module(event.subject).layer.steps);
  }

  /// Whether the program is ready for an exception there.
  static bool isExpected(const ir::Node *site) {
    const auto isCatch = [](const ir::Node *node) {
      return node && node->kind == ir::NodeKind::Catch;
    };
    for (const ir::Node *around = site->parent; around; around = around->parent)
      if (llvm::any_of(around->children, isCatch))
        return true;
    return false;
  }

  static std::string messageOf(const Visit &visit, const Mismatch &mismatch) {
    const auto described = [&](const Operand &tensor) {
      return nameOf(visit, tensor, "a tensor") + " of shape " +
             spell(visit.before.typeOf(tensor).shape);
    };
    const std::string given = std::to_string(mismatch.given),
                      wanted = std::to_string(mismatch.wanted);
    const std::string seen =
        mismatch.isInside ? "what those before it make of " + described(*mismatch.tensor) + " has "
                          : described(*mismatch.tensor) + " has ";
    switch (mismatch.kind) {
    case Mismatch::Sizes:
      return described(*mismatch.tensor) + " meets " + described(*mismatch.other) + ", and " +
             given + " does not go with " + wanted;
    case Mismatch::Features:
      return (mismatch.isInside ? "one of the layers takes " : "the layer takes ") + wanted +
             " features, and " + seen + given;
    case Mismatch::Window:
      return "a window of " + wanted + " does not fit: " + seen + "only " + given + " there";
    case Mismatch::Classes:
      return described(*mismatch.tensor) + " meets " + described(*mismatch.other) +
             ", which is not one class for each sample";
    case Mismatch::Elements:
      return described(*mismatch.tensor) + " has " + given +
             " elements, which do not make the shape that is asked for";
    case Mismatch::Rows:
      return described(*mismatch.tensor) + " has " + given +
             " elements for each sample, which do not fill rows of " + wanted;
    case Mismatch::Axis:
      return described(*mismatch.tensor) + " has no dimension " + given;
    case Mismatch::Number:
      return "one number is read, but " + described(*mismatch.tensor) + " has several";
    case Mismatch::Order:
      return described(*mismatch.tensor) + " has " + given + " dimensions, not the " + wanted +
             " that are put in order";
    case Mismatch::Ranks:
      return described(*mismatch.other) + " selects elements of " + described(*mismatch.tensor) +
             ", and would need as many dimensions";
    case Mismatch::Dimensions:
      return "tensors without a dimension can be stacked, but not put one behind the other";
    }
    return {};
  }
};

} // namespace

std::unique_ptr<Check> makeShapeMismatch() { return std::make_unique<ShapeMismatch>(); }

} // namespace gradtidy
