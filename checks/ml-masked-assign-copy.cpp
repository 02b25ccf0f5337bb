// Slices are views, but what a mask or a list of indices selects is copied. What is written into
// the copy is gone with it; index_put_() writes into the tensor.

#include "Check.h"
#include "Fixes.h"

#include "clang/AST/ExprCXX.h"

namespace gradtidy {
namespace {

class MaskedAssignCopy : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &change = visit.event;
    if (!change.changesCopy)
      return;
    const auto *selection = selectionOf(change);
    if (!selection)
      return;
    const llvm::StringRef tensor = textOf(visit, selection->getImplicitObjectArgument());
    Finding finding(Level::Certain, {selection->getBeginLoc(), change.site->getSourceRange()},
                    "this changes a copy of the selected elements: " +
                        (tensor.empty() ? std::string("the tensor") : "'" + tensor.str() + "'") +
                        " stays as it was");
    finding.fixes = putInto(visit, *selection);
    reporter.report(std::move(finding));
  }

private:
  static const clang::CXXMemberCallExpr *selectionOf(const Event &change) {
    const auto *call = llvm::cast<clang::CallExpr>(change.site);
    const auto *method = llvm::dyn_cast<clang::CXXMemberCallExpr>(call);
    const clang::Expr *object = method ? method->getImplicitObjectArgument() : call->getArg(0);
    return llvm::dyn_cast<clang::CXXMemberCallExpr>(object->IgnoreUnlessSpelledInSource());
  }

  /// `x.index({mask}) = v` and the like become `x.index_put_({mask}, v)`.
  static Fix putInto(const Visit &visit, const clang::CXXMemberCallExpr &selection) {
    const auto *change = llvm::cast<clang::CallExpr>(visit.event.site);
    const auto *assignment = llvm::dyn_cast<clang::CXXOperatorCallExpr>(change);
    const llvm::StringRef name = change->getDirectCallee()->getIdentifier()
                                     ? change->getDirectCallee()->getName()
                                     : llvm::StringRef();
    const bool isWrite = assignment ? assignment->getOperator() == clang::OO_Equal
                                    : name == "fill_" || name == "copy_";
    const auto *index = llvm::dyn_cast<clang::MemberExpr>(selection.getCallee()->IgnoreParens());
    if (!isWrite || !index || selection.getMethodDecl()->getName() != "index" ||
        change->getBeginLoc().isMacroID() || change->getEndLoc().isMacroID())
      return {};
    const llvm::StringRef value = textOf(visit, change->getArg(assignment ? 1 : 0));
    if (value.empty())
      return {};
    return {clang::FixItHint::CreateReplacement(index->getMemberLoc(), "index_put_"),
            clang::FixItHint::CreateReplacement(clang::CharSourceRange::getCharRange(
                                                    selection.getRParenLoc(), endOf(visit, change)),
                                                (", " + value + ")").str())};
  }
};

} // namespace

std::unique_ptr<Check> makeMaskedAssignCopy() { return std::make_unique<MaskedAssignCopy>(); }

} // namespace gradtidy
