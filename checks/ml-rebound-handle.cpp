// A tensor variable is a handle. To assign to it makes that one handle denote another tensor; the
// list, the caller or the larger tensor that it was copied from keep what they have.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

namespace gradtidy {
namespace {

class ReboundHandle : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &assignment = visit.event;
    if (assignment.kind != EventKind::Bind || !assignment.isDiscarded ||
        llvm::isa<clang::DeclStmt>(assignment.site))
      return;
    const PathTable &paths = visit.unit.tables().paths;
    const PathStep &place = paths.last(assignment.subject.path);
    if (place.kind != PathStep::Variable)
      return reporter.report(ofList(assignment, paths.last(paths.rootOf(assignment.subject.path))));
    const auto *handle = static_cast<const clang::VarDecl *>(place.subject);
    const std::string name = "'" + handle->getNameAsString() + "'";

    Finding finding(Level::Likely, assignment);
    if (const clang::CXXForRangeStmt *loop = loopOf(visit, *handle)) {
      if (givesParameters(*loop))
        return; // See ml-manual-update-graph.
      finding.message = name + " is a copy of the handle: the list keeps the tensor that it has";
      finding.fixes = refer(visit, *handle, *loop);
    } else if (llvm::isa<clang::ParmVarDecl>(handle)) {
      finding.message =
          name + " is a copy of the caller's handle: the caller's tensor stays as it is";
    } else {
      finding.message =
          name + " is another tensor after this: " + sourceOf(visit, *handle) + " stays as it is";
    }
    reporter.report(std::move(finding));
  }

private:
  /// `net->parameters()[0] = value;`, or the same of a list that has a name.
  static Finding ofList(const Event &assignment, const PathStep &list) {
    Finding finding(Level::Certain, assignment);
    const auto *variable = list.kind == PathStep::Variable
                               ? static_cast<const clang::VarDecl *>(list.subject)
                               : nullptr;
    if (variable && llvm::isa<clang::ParmVarDecl>(variable)) {
      finding.level = Level::Likely;
      finding.message = "'" + variable->getNameAsString() +
                        "' is a copy of the caller's list: the caller's tensors stay as they are";
    } else if (variable)
      finding.message = "'" + variable->getNameAsString() +
                        "' is a list of handles: the module keeps the parameter that it has";
    else
      finding.message = "the list is made for this statement alone: its element is another tensor "
                        "now, and the one that it was stays as it is";
    return finding;
  }

  /// What the variable is a part of: `x` of `auto row = x[0]`.
  static std::string sourceOf(const Visit &visit, const clang::VarDecl &part) {
    const clang::Expr *made = part.getInit()->IgnoreUnlessSpelledInSource();
    const clang::Expr *whole = nullptr;
    if (const auto *call = llvm::dyn_cast<clang::CXXMemberCallExpr>(made))
      whole = call->getImplicitObjectArgument();
    else if (const auto *access = llvm::dyn_cast<clang::CXXOperatorCallExpr>(made))
      whole = access->getArg(0);
    const llvm::StringRef text = whole ? textOf(visit, whole) : llvm::StringRef();
    return text.empty() ? "what it was taken from" : ("'" + text + "'").str();
  }

  /// The loop that \p handle is the variable of, or null.
  static const clang::CXXForRangeStmt *loopOf(const Visit &visit, const clang::VarDecl &handle) {
    for (const clang::Stmt *loop : visit.event.function->loopsAround(visit.event.site))
      if (const auto *over = llvm::dyn_cast<clang::CXXForRangeStmt>(loop);
          over && over->getLoopVariable() == &handle)
        return over;
    return nullptr;
  }

  /// Makes the variable a reference, where the elements of the list can be referred to.
  static Fix refer(const Visit &visit, const clang::VarDecl &handle,
                   const clang::CXXForRangeStmt &loop) {
    const clang::Expr *range = loop.getRangeInit()->IgnoreUnlessSpelledInSource();
    const bool isNamed = llvm::isa<clang::DeclRefExpr, clang::MemberExpr>(range);
    if (!isNamed || range->getType().isConstQualified() || handle.getType().isConstQualified() ||
        handle.getLocation().isMacroID())
      return {};
    return {clang::FixItHint::CreateInsertion(handle.getLocation(), "&")};
  }
};

} // namespace

std::unique_ptr<Check> makeReboundHandle() { return std::make_unique<ReboundHandle>(); }

} // namespace gradtidy
