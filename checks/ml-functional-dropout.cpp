// train() and eval() set what is_training() of a module says. A function knows nothing of the
// module that calls it: unless it is told, dropout() drops in evaluation, too.

#include "Check.h"
#include "Fixes.h"

#include "clang/AST/ExprCXX.h"

namespace gradtidy {
namespace {

class FunctionalDropout : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    if (!event.ignoresMode)
      return;
    // Else a layer that calls the function.
    const auto *call = llvm::dyn_cast<clang::CallExpr>(event.site);
    Finding finding(Level::Certain, event,
                    !call || call->getDirectCallee()->getName().contains("dropout")
                        ? "this dropout is on in evaluation, too: it does not ask whether the "
                          "module is training"
                        : "this normalises by the batch in evaluation, too, and changes the "
                          "running statistics: "
                          "it does not ask whether the module is training");
    if (call)
      finding.fixes = ask(visit, *call);
    reporter.report(std::move(finding));
  }

private:
  static Fix ask(const Visit &visit, const clang::CallExpr &call) {
    for (const clang::Expr *argument : call.arguments()) {
      const clang::Expr *written = argument->IgnoreUnlessSpelledInSource();
      if (written->getBeginLoc().isMacroID() || written->getEndLoc().isMacroID())
        return {};
      if (const clang::Expr *literal = literalIn(written))
        return {clang::FixItHint::CreateReplacement(literal->getSourceRange(), "is_training()")};
      const clang::CXXRecordDecl *record = written->getType()->getAsCXXRecordDecl();
      if (record && record->getName().ends_with("Options") &&
          !llvm::isa<clang::CXXDefaultArgExpr>(argument) && textOf(visit, written).ends_with(")"))
        return append(visit, written, ".training(is_training())");
    }
    return {};
  }

  /// The `true` that says so, by itself or in a setter of options.
  static const clang::Expr *literalIn(const clang::Expr *argument) {
    if (llvm::isa<clang::CXXBoolLiteralExpr>(argument))
      return argument;
    for (const auto *setter = llvm::dyn_cast<clang::CXXMemberCallExpr>(argument); setter;
         setter = llvm::dyn_cast<clang::CXXMemberCallExpr>(
             setter->getImplicitObjectArgument()->IgnoreUnlessSpelledInSource()))
      if (setter->getMethodDecl()->getName() == "training")
        return setter->getArg(0)->IgnoreUnlessSpelledInSource();
    return nullptr;
  }
};

} // namespace

std::unique_ptr<Check> makeFunctionalDropout() { return std::make_unique<FunctionalDropout>(); }

} // namespace gradtidy
