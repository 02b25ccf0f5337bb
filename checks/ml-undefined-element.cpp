// resize() gives a list elements that hold nothing. push_back() adds behind them, and what reads
// the list stops at the first.

#include "Calls.h"
#include "Check.h"
#include "Fixes.h"

#include "analyzer/flow/Lists.h"

#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"

namespace gradtidy {
namespace {

class UndefinedElement : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const ListFacts *list = readsEmptyElements(visit.event, visit.before);
    const Event *grown = list ? list->grown.event() : nullptr;
    if (!grown)
      return;
    const Event &sized = *list->sized;
    const std::string name = nameOf(visit, *grown);
    const std::string maker = calledName(sized.site).str();
    Finding finding;
    finding.location = grown->site->getBeginLoc();
    finding.range = grown->site->getSourceRange();
    finding.message = name + " starts with the empty elements of " +
                      (maker.empty() ? "its constructor" : maker + "()") + ", and " +
                      calledName(grown->site).str() +
                      "() adds behind them: what reads the list throws; use reserve()";
    finding.notes.push_back({sized.site->getBeginLoc(), "the empty elements are made here"});
    finding.notes.push_back({visit.event.site->getBeginLoc(), "the list is read here"});
    if (maker == "resize")
      repair(sized, finding);
    reporter.report(std::move(finding));
  }

private:
  static std::string nameOf(const Visit &visit, const Event &grown) {
    const std::string name = visit.unit.tables().paths.spelling(grown.subject.path);
    return name.empty() ? "this list" : "'" + name + "'";
  }

  /// `reserve` in place of `resize`, where that is called with a number alone.
  static void repair(const Event &sized, Finding &finding) {
    const auto *call = llvm::dyn_cast<clang::CXXMemberCallExpr>(sized.site);
    const auto *method =
        call ? llvm::dyn_cast<clang::MemberExpr>(call->getCallee()->IgnoreParens()) : nullptr;
    if (method && call->getNumArgs() == 1 && !method->getMemberLoc().isMacroID() &&
        hasReserve(*call))
      finding.fixes.push_back(clang::FixItHint::CreateReplacement(
          clang::CharSourceRange::getTokenRange(method->getMemberLoc(), method->getMemberLoc()),
          "reserve"));
  }

  /// Whether the list can make room: a vector.
  static bool hasReserve(const clang::CXXMemberCallExpr &call) {
    const clang::CXXRecordDecl *list = call.getRecordDecl();
    return list && list->getIdentifier() && list->getName() == "vector";
  }
};

} // namespace

std::unique_ptr<Check> makeUndefinedElement() { return std::make_unique<UndefinedElement>(); }

} // namespace gradtidy
