// Tensors are handles, and most of their methods return a new one. Thrown away, the call was for
// nothing: the tensor it was called on is as it was.

#include "Check.h"
#include "Fixes.h"

namespace gradtidy {
namespace {

class DiscardedResult : public Check {
public:
  bool wants(const Moment &moment) const override { return moment.event.isDiscarded; }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    const ir::Node *call = ir::asCall(event.site);
    if (!event.isDiscarded || event.kind == EventKind::Bind || !call || !call->symbol)
      return;
    const bool isLayer = event.kind == EventKind::Forward;
    const Operand &tensor = event.subject.path && !isLayer ? event.subject
                            : !event.operands.empty()      ? event.operands.front()
                                                           : Operand{};
    llvm::StringRef text = tensor.expr ? textOf(visit, tensor.expr) : llvm::StringRef();

    Finding finding(Level::Certain, event);
    if (const ir::Node *operation = ir::as(ir::NodeKind::OperatorCall, call);
        operation && !isLayer) {
      finding.message = std::string("the result of '") + operation->op.str() +
                        "' is thrown away: it changes no operand";
      return reporter.report(std::move(finding));
    }
    finding.message = "the result of " + nameOf(visit, *call) + " is thrown away: " +
                      (isVariable(tensor)                     ? "'" + text.str() + "'"
                       : event.resultRole == TypeRole::Tensor ? "the tensor"
                                                              : "the object") +
                      " itself does not change";
    if (isVariable(tensor) &&
        (event.resultRole == TypeRole::Tensor || event.resultRole == TypeRole::Device) &&
        !tensor.expr->spelled().type->isConst)
      finding.fixes.push_back(
          clang::FixItHint::CreateInsertion(event.site->begin(), (text + " = ").str()));
    reporter.report(std::move(finding));
  }

private:
  /// How to speak of what is called.
  static std::string nameOf(const Visit &visit, const ir::Node &call) {
    if (visit.event.kind == EventKind::Forward)
      return ("'" + textOf(visit, visit.event.subject.expr) + "'").str();
    return (call.symbol->name + "()").str();
  }

  static bool isVariable(const Operand &tensor) {
    const ir::NodeKind kind = tensor.expr ? tensor.expr->spelled().kind : ir::NodeKind::Other;
    return kind == ir::NodeKind::Reference || kind == ir::NodeKind::Member;
  }
};

} // namespace

std::unique_ptr<Check> makeDiscardedResult() { return std::make_unique<DiscardedResult>(); }

} // namespace gradtidy
