// What get() or the first transform of a dataset is given are views of what the dataset keeps.
// Arithmetic in place changes that: the next epoch gets what was normalised once, and normalises it
// again.

#include "Check.h"

namespace gradtidy {
namespace {

class ChangedSamples : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.operation == Operation::MakeLoader;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &made = visit.event;
    if (!made.details->loader.sampleChange)
      return;
    const auto [call, isDropped] = made.details->loader.sampleChange;
    Finding finding(Level::Likely, *call,
                    "each epoch changes the samples again: this computes in the memory in which "
                    "the dataset keeps them");
    finding.notes.push_back({made, "the loader of the dataset is made here"});
    if (!isDropped)
      repair(*call, finding);
    reporter.report(std::move(finding));
  }

private:
  /// Takes the underscore from the name: the result is a tensor of its own.
  static void repair(const ir::Node &call, Finding &finding) {
    const ir::Node *callee = ir::as(ir::NodeKind::Member, call.callee());
    const clang::SourceLocation begin = callee ? callee->name : clang::SourceLocation();
    if (begin.isInvalid() || begin.isMacroID())
      return;
    const auto length = static_cast<int>(callee->symbol->name.size());
    finding.fixes.push_back(clang::FixItHint::CreateRemoval(clang::CharSourceRange::getCharRange(
        begin.getLocWithOffset(length - 1), begin.getLocWithOffset(length))));
  }
};

} // namespace

std::unique_ptr<Check> makeChangedSamples() { return std::make_unique<ChangedSamples>(); }

} // namespace gradtidy
