// A tensor variable is a handle. To assign to it makes that one handle denote another tensor; the
// list, the caller or the larger tensor that it was copied from keep what they have.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"

namespace gradtidy {
namespace {

class ReboundHandle : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Bind && moment.event.isDiscarded;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &assignment = visit.event;
    if (assignment.site->kind == ir::NodeKind::Declaration)
      return;
    const PathTable &paths = visit.unit.tables().paths;
    const PathStep &place = paths.last(assignment.subject.path);
    if (place.kind != PathStep::Variable)
      return reporter.report(ofList(assignment, paths.last(paths.rootOf(assignment.subject.path))));
    const ir::Symbol *handle = place.symbol();
    if (handle->type->isReference || handle->type->isPointer) // Into a list made for the function.
      return reporter.report(
          {Level::Certain, assignment,
           "the list is one of handles: the module keeps the parameter that it has"});
    const std::string name = "'" + handle->spelling.str() + "'";

    Finding finding(Level::Likely, assignment);
    if (const ir::Node *loop = loopOf(visit, *handle)) {
      if (givesParameters(*loop))
        return; // See ml-manual-update-graph.
      finding.message = name + " is a copy of the handle: the list keeps the tensor that it has";
      finding.fixes = refer(visit, *handle, *loop);
    } else if (handle->kind == ir::SymbolKind::Parameter) {
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
    const ir::Symbol *variable = list.kind == PathStep::Variable ? list.symbol() : nullptr;
    if (variable && variable->kind == ir::SymbolKind::Parameter) {
      finding.level = Level::Likely;
      finding.message = "'" + variable->spelling.str() +
                        "' is a copy of the caller's list: the caller's tensors stay as they are";
    } else if (variable)
      finding.message = "'" + variable->spelling.str() +
                        "' is a list of handles: the module keeps the parameter that it has";
    else
      finding.message = "the list is made for this statement alone: its element is another tensor "
                        "now, and the one that it was stays as it is";
    return finding;
  }

  /// What the variable is a part of: `x` of `auto row = x[0]`.
  static std::string sourceOf(const Visit &visit, const ir::Symbol &part) {
    const ir::Node *made = &part.init->spelled();
    const ir::Node *whole = nullptr;
    if (const ir::Node *call = ir::as(ir::NodeKind::MemberCall, made))
      whole = call->object;
    else if (const ir::Node *access = ir::as(ir::NodeKind::OperatorCall, made))
      whole = access->arguments[0];
    const llvm::StringRef text = whole ? textOf(visit, whole) : llvm::StringRef();
    return text.empty() ? "what it was taken from" : ("'" + text + "'").str();
  }

  /// The loop that \p handle is the variable of, or null.
  static const ir::Node *loopOf(const Visit &visit, const ir::Symbol &handle) {
    for (const ir::Node *loop : visit.event.function->loopsAround(visit.event.site))
      if (const ir::Node *over = ir::as(ir::NodeKind::RangeFor, loop);
          over && over->symbol == &handle)
        return over;
    return nullptr;
  }

  /// Makes the variable a reference, where the elements of the list can be referred to.
  static Fix refer(const Visit &visit, const ir::Symbol &handle, const ir::Node &loop) {
    const ir::Node *range = &loop.object->spelled();
    const bool isNamed =
        range->kind == ir::NodeKind::Reference || range->kind == ir::NodeKind::Member;
    if (!isNamed || range->type->isConst || handle.type->isConst || handle.location.isMacroID())
      return {};
    return {clang::FixItHint::CreateInsertion(handle.location, "&")};
  }
};

} // namespace

std::unique_ptr<Check> makeReboundHandle() { return std::make_unique<ReboundHandle>(); }

} // namespace gradtidy
