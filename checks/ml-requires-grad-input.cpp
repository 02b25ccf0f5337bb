// A tensor that is to have a gradient gets one from every backward: one more product with the
// weights of the first layer, and memory of its own size. Of inputs and labels nobody needs it.

#include "Check.h"
#include "Fixes.h"
#include "analyzer/idioms/PlainInputs.h"

namespace gradtidy {
namespace {

class RequiresGradInput : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Forward ||
           (moment.event.kind == EventKind::RequireGrad && moment.event.constant == true);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &asking = visit.event;
    if (asking.kind != EventKind::RequireGrad || !asksInVain(*asking.site, *asking.function) ||
        mayBeNeeded(visit))
      return;
    Finding finding(Level::Likely, asking,
                    "nobody looks at the gradient of this input, which every backward computes");
    repair(visit, finding);
    reporter.report(std::move(finding));
  }

private:
  /// Whether a module that the function calls may compute derivatives itself.
  static bool mayBeNeeded(const Visit &visit) {
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      const Event &event = *other.event;
      if (event.kind != EventKind::Forward || event.function != visit.event.function)
        return false;
      const bool isUnseen =
          event.module().view && event.callee && !visit.unit.callGraph().bodyOf(*event.callee);
      return isUnseen || visit.unit.effects().differentiates(event) != Answer::No;
    });
  }

  static void repair(const Visit &visit, Finding &finding) {
    const Event &asking = visit.event;
    const ir::Node *object = asking.subject.expr;
    if (asking.subject.role != TypeRole::Tensor || !object)
      return; // Options, which others may have, too.
    if (asking.function->expressionStatementOf(asking.site) == asking.site) {
      finding.fixes = removeStatement(visit, asking);
      return;
    }
    const auto *call = asking.site;
    const clang::SourceLocation begin = endOf(visit, object), end = endOf(visit, call);
    if (begin.isValid() && end.isValid() && !begin.isMacroID() && !end.isMacroID())
      finding.fixes.push_back(
          clang::FixItHint::CreateRemoval(clang::CharSourceRange::getCharRange(begin, end)));
  }
};

} // namespace

std::unique_ptr<Check> makeRequiresGradInput() { return std::make_unique<RequiresGradInput>(); }

} // namespace gradtidy
