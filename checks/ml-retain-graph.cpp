// A retained graph keeps every tensor that backward has saved until the loss itself dies. That is
// the price of a second backward through it, and waste where there is none.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"

namespace gradtidy {
namespace {

class RetainGraph : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Backward;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &backward = visit.event;
    if (backward.constant != true || loopsAround(visit).empty() ||
        visit.unit.uses().isRetainedUsed(visit.site))
      return;
    // Without a forward to tell which graph it is, nobody knows who else uses it.
    const SourcesTable &histories = visit.unit.tables().histories;
    Value loss = visit.before.valueOf(backward.subject);
    if (histories.isUnknown(loss.autograd.history) ||
        histories.members(loss.autograd.graphs).empty())
      return;

    Finding finding(Level::Likely, backward,
                    "the graph is retained although no later backward uses it");
    repair(visit, finding);
    reporter.report(std::move(finding));
  }

private:
  /// Takes the arguments away, but for a gradient that is given.
  static void repair(const Visit &visit, Finding &finding) {
    const auto &operands = visit.event.operands;
    if (operands.empty() || !operands.front().expr || !operands.back().expr)
      return;
    llvm::StringRef gradient = textOf(visit, operands.front().expr);
    bool isEmpty = gradient == "{}" || gradient.ends_with("Tensor()") ||
                   gradient.ends_with("Tensor{}") || gradient.ends_with("nullopt");
    bool isFunction = visit.event.site->kind != ir::NodeKind::MemberCall;
    if (isFunction || textOf(visit, operands.back().expr).empty() || gradient.empty())
      return;
    clang::SourceLocation begin =
        isEmpty ? operands.front().expr->begin() : endOf(visit, operands.front().expr);
    finding.fixes.push_back(clang::FixItHint::CreateRemoval(
        clang::CharSourceRange::getCharRange(begin, endOf(visit, operands.back().expr))));
  }
};

} // namespace

std::unique_ptr<Check> makeRetainGraph() { return std::make_unique<RetainGraph>(); }

} // namespace gradtidy
