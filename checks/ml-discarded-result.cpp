// Tensors are handles, and most of their methods return a new one. Thrown away, the call was for
// nothing: the tensor it was called on is as it was.

#include "Check.h"
#include "Fixes.h"

#include "clang/AST/ExprCXX.h"

namespace gradtidy {
namespace {

class DiscardedResult : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    const auto *call = llvm::dyn_cast<clang::CallExpr>(event.site);
    if (!event.isDiscarded || event.kind == EventKind::Bind ||
        event.kind == EventKind::RequireGrad || !call || !call->getDirectCallee())
      return;
    const bool isLayer = event.kind == EventKind::Forward;
    const Operand &tensor = event.subject.path && !isLayer ? event.subject
                            : !event.operands.empty()      ? event.operands.front()
                                                           : Operand{};
    llvm::StringRef text = tensor.expr ? textOf(visit, tensor.expr) : llvm::StringRef();

    Finding finding(Level::Certain, event);
    if (const auto *operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call);
        operation && !isLayer) {
      finding.message = std::string("the result of '") +
                        clang::getOperatorSpelling(operation->getOperator()) +
                        "' is thrown away: it changes no operand";
      return reporter.report(std::move(finding));
    }
    finding.message = "the result of " + nameOf(visit, *call) + " is thrown away: " +
                      (isVariable(tensor) ? "'" + text.str() + "'" : "the tensor") +
                      " itself does not change";
    if (isVariable(tensor) && event.resultRole == TypeRole::Tensor &&
        !tensor.expr->IgnoreUnlessSpelledInSource()->getType().isConstQualified())
      finding.fixes.push_back(
          clang::FixItHint::CreateInsertion(event.site->getBeginLoc(), (text + " = ").str()));
    reporter.report(std::move(finding));
  }

private:
  /// How to speak of what is called.
  static std::string nameOf(const Visit &visit, const clang::CallExpr &call) {
    if (visit.event.kind == EventKind::Forward)
      return ("'" + textOf(visit, visit.event.subject.expr) + "'").str();
    return (call.getDirectCallee()->getName() + "()").str();
  }

  static bool isVariable(const Operand &tensor) {
    return tensor.expr && llvm::isa<clang::DeclRefExpr, clang::MemberExpr>(
                              tensor.expr->IgnoreUnlessSpelledInSource());
  }
};

} // namespace

std::unique_ptr<Check> makeDiscardedResult() { return std::make_unique<DiscardedResult>(); }

} // namespace gradtidy
