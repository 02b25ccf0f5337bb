// train() and eval() set what is_training() of a module says. A function knows nothing of the
// module that calls it: unless it is told, dropout() drops in evaluation, too.

#include "Check.h"
#include "Fixes.h"

namespace gradtidy {
namespace {

class FunctionalDropout : public Check {
public:
  bool wants(const Moment &moment) const override { return moment.event.ignoresMode; }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    // Else a layer that calls the function.
    const ir::Node *call = ir::asCall(event.site);
    const bool isDropout = !call || call->calls(Aspect::DropsElements);
    if (call && !isDropout && !call->calls(Aspect::KeepsStatistics))
      return reporter.report(
          {Level::Likely, event,
           "'" + call->symbol->name.str() +
               "' drops in evaluation, too: its rate does not ask whether the module is "
               "training"});
    Finding finding(Level::Certain, event,
                    isDropout
                        ? "this dropout is on in evaluation, too: it does not ask whether the "
                          "module is training"
                        : "this normalises by the batch in evaluation, too, and changes the "
                          "running statistics: "
                          "it does not ask whether the module is training");
    if (call)
      finding.fixes = ask(visit, *call);
    reporter.report(std::move(finding));
  }

private:
  static Fix ask(const Visit &visit, const ir::Node &call) {
    const llvm::StringRef mode = visit.unit.code().phrase(Phrase::AskMode);
    if (mode.empty())
      return {};
    for (const ir::Node *argument : call.arguments) {
      const ir::Node *written = &argument->spelled();
      if (written->begin().isMacroID() || written->end().isMacroID())
        return {};
      if (const ir::Node *literal = literalIn(written))
        return {clang::FixItHint::CreateReplacement(literal->range, mode)};
      const ir::Symbol *record = written->type ? written->type->record : nullptr;
      if (record && record->name.ends_with("Options") &&
          argument->kind != ir::NodeKind::DefaultArgument && textOf(visit, written).ends_with(")"))
        return append(visit, written, phrase(visit.unit.code(), Phrase::GiveMode));
    }
    return {};
  }

  /// The `true` that says so, by itself or in a setter of options.
  static const ir::Node *literalIn(const ir::Node *argument) {
    if (argument->kind == ir::NodeKind::Boolean)
      return argument;
    for (const ir::Node *setter = ir::as(ir::NodeKind::MemberCall, argument); setter;
         setter = ir::as(ir::NodeKind::MemberCall, &setter->object->spelled()))
      if (setter->calls(Aspect::TrainingOption))
        return &setter->arguments[0]->spelled();
    return nullptr;
  }
};

} // namespace

std::unique_ptr<Check> makeFunctionalDropout() { return std::make_unique<FunctionalDropout>(); }

} // namespace gradtidy
