// Slices are views, but what a mask or a list of indices selects is copied. What is written into
// the copy is gone with it; index_put_() writes into the tensor.

#include "Check.h"
#include "Fixes.h"

namespace gradtidy {
namespace {

class MaskedAssignCopy : public Check {
public:
  bool wants(const Moment &moment) const override { return moment.event.changesCopy; }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &change = visit.event;
    const ir::Node *selection = selectionOf(change);
    if (!selection)
      return;
    const llvm::StringRef tensor = textOf(visit, selection->object);
    Finding finding(Level::Certain, {selection->begin(), change.site->range},
                    "this changes a copy of the selected elements: " +
                        (tensor.empty() ? std::string("the tensor") : "'" + tensor.str() + "'") +
                        " stays as it was");
    finding.fixes = putInto(visit, *selection);
    reporter.report(std::move(finding));
  }

private:
  static const ir::Node *selectionOf(const Event &change) {
    const ir::Node *call = ir::asCall(change.site);
    const ir::Node *method = ir::as(ir::NodeKind::MemberCall, call);
    const ir::Node *object = method ? method->object : call->arguments[0];
    return ir::as(ir::NodeKind::MemberCall, &object->spelled());
  }

  /// `x.index({mask}) = v` and the like become `x.index_put_({mask}, v)`.
  static Fix putInto(const Visit &visit, const ir::Node &selection) {
    const ir::Node *change = ir::asCall(visit.event.site);
    const ir::Node *assignment = ir::as(ir::NodeKind::OperatorCall, change);
    const bool isWrite = assignment
                             ? assignment->op == "="
                             : change->calls(FunctionRole::Overwrite) && !change->arguments.empty();
    const ir::Node *index = ir::as(ir::NodeKind::Member, selection.callee());
    const llvm::StringRef put = visit.unit.code().phrase(Phrase::Put);
    if (put.empty() || !isWrite || !index || !selection.calls(Operation::Index) ||
        change->begin().isMacroID() || change->end().isMacroID())
      return {};
    const llvm::StringRef value = textOf(visit, change->arguments[assignment ? 1 : 0]);
    if (value.empty())
      return {};
    return {
        clang::FixItHint::CreateReplacement(index->name, put),
        clang::FixItHint::CreateReplacement(
            clang::CharSourceRange::getCharRange(selection.brackets.getEnd(), endOf(visit, change)),
            (", " + value + ")").str())};
  }
};

} // namespace

std::unique_ptr<Check> makeMaskedAssignCopy() { return std::make_unique<MaskedAssignCopy>(); }

} // namespace gradtidy
