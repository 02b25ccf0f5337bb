// A pointer into a tensor holds nothing: when the tensor ends, its memory is given back, and
// whoever keeps the pointer reads what comes to lie there. A temporary ends with the statement.

#include "Check.h"
#include "DanglingViews.h"
#include "Fixes.h"
#include "LostPointers.h"

namespace gradtidy {
namespace {

class DanglingDataPtr : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.details->danglingView.ending != Ending::None || usesLost(moment);
  }
  bool wantsBehind(const Moment &moment) const override { return leavesLost(moment); }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    for (const Lost &lost : lostBy(visit, Leader::Pointer))
      reportLost(visit, lost, reporter);
    const std::optional<Level> level = levelOfDanglingView(visit);
    if (!level || event.subject.role != TypeRole::Tensor || event.kind != EventKind::Combine)
      return;
    Finding finding(*level, event);
    const ir::Symbol *keeper = event.details->danglingView.keeper;
    finding.message = (keeper ? "'" + keeper->spelling.str() + "' keeps a pointer"
                              : std::string("this is kept, a pointer")) +
                      " into a temporary tensor, which ends with the statement; give the tensor a "
                      "name";
    finding.notes.push_back(noteOnTemporary(visit, "the temporary is made here"));
    finding.fixes = name(visit);
    reporter.report(std::move(finding));
  }

private:
  static void reportLost(const Visit &visit, const Lost &lost, Reporter &reporter) {
    Finding finding(
        levelOf(visit, lost), *lost.look.taken,
        "the pointer leads into " + fateOf(visit, lost) +
            (lost.isUsed ? " before the pointer is used" : " although the pointer is kept"));
    noteFate(visit, lost, finding);
    reporter.report(std::move(finding));
  }

  /// Gives the tensor a variable in front of the one that keeps the pointer.
  static Fix name(const Visit &visit) {
    const Event &event = visit.event;
    const ir::Node *declaration =
        ir::as(ir::NodeKind::Declaration, event.function->statementOf(event.site));
    const ir::Symbol *keeper = event.details->danglingView.keeper;
    const ir::Node *tensor = event.subject.expr;
    if (!declaration || declaration->declared.size() != 1 ||
        declaration->declared.front() != keeper || !event.function->compoundOf(declaration) ||
        !tensor)
      return {};
    const ir::Node *written = tensor;
    const llvm::StringRef text = textOf(visit, written);
    const std::string name = nameFor(keeper->spelling.str());
    if (text.empty() || visit.source.hasWord(declaration->begin(), name))
      return {};
    Fix fix = insertBefore(visit, declaration, ("auto " + name + " = " + text + ";").str());
    if (!fix.empty())
      fix.push_back(clang::FixItHint::CreateReplacement(
          clang::CharSourceRange::getTokenRange(written->range), name));
    return fix;
  }

  static std::string nameFor(const std::string &pointer) {
    const bool isCamel = llvm::any_of(pointer, [](char c) { return c >= 'A' && c <= 'Z'; });
    return pointer + (isCamel ? "Tensor" : "_tensor");
  }
};

} // namespace

std::unique_ptr<Check> makeDanglingDataPtr() { return std::make_unique<DanglingDataPtr>(); }

} // namespace gradtidy
