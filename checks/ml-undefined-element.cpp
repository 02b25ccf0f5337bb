// resize() gives a list elements that hold nothing. push_back() adds behind them, and what reads
// the list stops at the first.

#include "Calls.h"
#include "Check.h"
#include "Fixes.h"

#include "analyzer/flow/domains/Lists.h"

namespace gradtidy {
namespace {

class UndefinedElement : public Check {
public:
  bool wants(const Moment &moment) const override {
    return readsEmptyElements(moment.event, moment.before) != nullptr;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const ListFacts *list = readsEmptyElements(visit.event, visit.before);
    const Event *grown = list ? list->grown.event() : nullptr;
    if (!grown)
      return;
    const Event &sized = *list->sized;
    const std::string name = nameOf(visit, *grown);
    const std::string maker = calledName(sized.site).str();
    Finding finding(Level::Certain, *grown,
                    name + " starts with the empty elements of " +
                        (maker.empty() ? "its constructor" : maker + "()") + ", and " +
                        calledName(grown->site).str() +
                        "() adds behind them: what reads the list throws; use reserve()");
    finding.notes.push_back({sized, "the empty elements are made here"});
    finding.notes.push_back({visit.event, "the list is read here"});
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
    const ir::Node *call = ir::as(ir::NodeKind::MemberCall, sized.site);
    const ir::Node *method = call ? ir::as(ir::NodeKind::Member, call->callee()) : nullptr;
    if (method && call->arguments.size() == 1 && !method->name.isMacroID() && hasReserve(*call))
      finding.fixes.push_back(clang::FixItHint::CreateReplacement(
          clang::CharSourceRange::getTokenRange(method->name, method->name), "reserve"));
  }

  /// Whether the list whose method is called can make room: a vector.
  static bool hasReserve(const ir::Node &call) {
    const ir::Symbol *list = call.symbol ? call.symbol->owner : nullptr;
    return list && list->name == "vector";
  }
};

} // namespace

std::unique_ptr<Check> makeUndefinedElement() { return std::make_unique<UndefinedElement>(); }

} // namespace gradtidy
