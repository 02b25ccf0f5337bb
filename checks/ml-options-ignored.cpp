// An optimizer has options of its own: it copies those that it is made with, and hands out copies
// where they are not taken by reference. What is changed in a copy changes no step.

#include "Check.h"
#include "Fixes.h"
#include "Moments.h"

#include "analyzer/idioms/LateNumbers.h"

#include "clang/Basic/SourceManager.h"

namespace gradtidy {
namespace {

class OptionsIgnored : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.isLostEdit || makesOptimizer(moment.event);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &edit = visit.event;
    if (!edit.isLostEdit)
      return onOptimizer(visit, reporter);
    Finding finding(Level::Certain, edit);
    if (edit.kind != EventKind::Bind) {
      finding.message = "the optimizer has copied these options: it does not see the change";
      return reporter.report(std::move(finding));
    }
    const PathStep &place = visit.unit.tables().paths.last(edit.subject.path);
    const ir::Symbol *variable = place.symbol();
    const std::string name = "'" + variable->spelling.str() + "'";
    finding.location = variable->location;
    finding.range = variable->range;
    if (edit.subject.role == TypeRole::Device) {
      if (!makesPlainTensor(visit, *variable))
        return;
      finding.level = Level::Advice; // Perhaps they are left over.
      finding.message = name + " is passed to no tensor: all are made with the default options";
    } else {
      finding.message = name + " is a copy: the optimizer does not see what is changed in it";
      finding.fixes = refer(*variable);
    }
    reporter.report(std::move(finding));
  }

private:
  /// An optimizer that is told a number which the training changes afterwards.
  static void onOptimizer(const Visit &visit, Reporter &reporter) {
    const LateNumber late = lateNumberOf(visit.event, *visit.event.function);
    if (!late.variable)
      return;
    Finding finding(Level::Likely, *late.change,
                    "'" + late.variable->spelling.str() +
                        "' changes after the optimizer has copied it: set the option in its "
                        "parameter groups");
    finding.notes.push_back({visit.event, "the optimizer takes the number here"});
    reporter.report(std::move(finding));
  }

  /// Whether a tensor is made with default options where \p options could have been passed.
  static bool makesPlainTensor(const Visit &visit, const ir::Symbol &options) {
    const Source &sources = visit.source;
    return llvm::any_of(visit.event.function->blocks, [&](const Block &block) {
      return llvm::any_of(block.events, [&](const Event &event) {
        return event.kind == EventKind::Create && !event.subject.path &&
               llvm::none_of(
                   event.operands,
                   [](const Operand &operand) { return operand.role == TypeRole::Device; }) &&
               sources.isBefore(options.location, event.site->begin());
      });
    });
  }

  /// Makes the variable a reference.
  static Fix refer(const ir::Symbol &copy) {
    if (copy.location.isMacroID() || copy.type->isConst)
      return {};
    return {clang::FixItHint::CreateInsertion(copy.location, "&")};
  }
};

} // namespace

std::unique_ptr<Check> makeOptionsIgnored() { return std::make_unique<OptionsIgnored>(); }

} // namespace gradtidy
