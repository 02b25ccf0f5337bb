// A list of inputs that every round adds to: forward() of the loaded module gets those of all
// rounds before, too.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"

namespace gradtidy {
namespace {

class JitInputs : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.details->growth.list != nullptr;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    const ir::Node &added = *event.details->growth.list;
    const ir::Node *list = ir::as(ir::NodeKind::Reference, &added);
    const ir::Symbol *variable = list && list->symbol->isVariable() ? list->symbol : nullptr;
    const bool isKept = !variable || (variable->isLocal && variable->isStatic); // By a member, say.
    if (!isKept && !runsAgain(visit))
      return;
    const std::string name = textOf(visit, &added).str();
    Finding finding(Level::Likely, event,
                    std::string("forward() gets the inputs of all ") +
                        (isKept ? "calls" : "rounds") + " before, too; clear '" + name +
                        "' before it is filled");
    finding.notes.push_back({added, "every one adds to the list here"});
    if (variable && !isKept)
      finding.fixes = clear(visit, *variable, name);
    reporter.report(std::move(finding));
  }

private:
  /// Clears the list in front of what adds to it first. Not where something was put into it before.
  static Fix clear(const Visit &visit, const ir::Symbol &list, const std::string &name) {
    const FunctionBody &function = *visit.event.function;
    const ir::Node *made = ir::asConstruction(list.init);
    const ir::Node *statement = function.statementOf(visit.event.details->growth.list);
    const auto loops = function.loopsAround(visit.event.site);
    if (list.kind != ir::SymbolKind::Parameter && made && made->arguments.size() == 0 &&
        visit.event.details->growth.isAll && function.compoundOf(statement) &&
        function.loopsAround(statement) == loops)
      return insertBefore(visit, statement, name + ".clear();");
    return {};
  }
};

} // namespace

std::unique_ptr<Check> makeJitInputs() { return std::make_unique<JitInputs>(); }

} // namespace gradtidy
