// A module lists its parameters by walking its parts. What is a part twice is listed twice, and an
// optimizer steps each entry of its list: the second time with a state that the first has moved on.
// Names are the keys of a dictionary, which throws where a key is there already.

#include "Check.h"
#include "Loops.h"
#include "Moments.h"

#include "analyzer/flow/Files.h"
#include "analyzer/ir/UserWords.h"

namespace gradtidy {
namespace {

class RegisteredTwice : public Check {
public:
  bool wants(const Moment &moment) const override {
    return makesOptimizer(moment.event) || isGroup(moment.event) || isRegistration(moment.event) ||
           isAddition(moment.event, moment.before);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    if (makesOptimizer(visit.event) || isGroup(visit.event))
      return onOptimizer(visit, reporter);
    if (isRegistration(visit.event) && onName(visit, reporter))
      return;
    onModule(visit, reporter);
  }

private:
  /// `optimizer.add_param_group(group)`
  static bool isGroup(const Event &event) {
    return event.kind == EventKind::Combine && event.subject.role == TypeRole::Optimizer &&
           event.subject.escapes && !event.operands.empty();
  }

  static bool isRegistration(const Event &event) {
    return event.kind == EventKind::Combine && event.registers != Registers::None &&
           event.registers != Registers::Other;
  }

  /// Whether the event puts modules into a container.
  static bool isAddition(const Event &event, const State &state) {
    return event.kind == EventKind::Combine && isModule(event.subject.role) &&
           event.subject.escapes && state.module(event.subject).isContainer &&
           llvm::any_of(event.operands, [](const Operand &each) { return isModule(each.role); });
  }

  // --- modules

  static void onModule(const Visit &visit, Reporter &reporter) {
    const Event &event = visit.event;
    if ((isRegistration(event) && event.registers != Registers::Module) ||
        visit.unit.program().onlyInfers())
      return;
    const PathId whole = visit.before.certainModule(event.subject);
    if (!whole)
      return;
    for (const Operand &operand : event.operands) {
      const PathId part = isModule(operand.role) ? visit.before.certainModule(operand) : noPath;
      if (!part)
        continue;
      const auto twice = visit.before.registry().twiceBy(whole, part, event);
      if (!twice)
        continue;
      Finding finding(Level::Likely, event,
                      nameOf(visit, twice->part) +
                          " becomes a part of the same module twice: parameters() lists its "
                          "parameters twice, and an optimizer steps them twice");
      finding.notes.push_back({*twice->first, "it is a part already since this"});
      return reporter.report(std::move(finding));
    }
  }

  static std::string nameOf(const Visit &visit, PathId module) {
    const std::string spelling = visit.unit.tables().paths.spelling(module);
    return spelling.empty() ? "a module" : "'" + spelling + "'";
  }

  // --- names

  /// Whether the event throws, since its name is there.
  static bool onName(const Visit &visit, Reporter &reporter) {
    const FileId name = registeredName(visit.event, visit.callers, visit.before);
    const PathId whole = visit.before.certainModule(visit.event.subject);
    if (name == noFile || !whole)
      return false;
    const Event *first = visit.before.registry().named(whole, name);
    const bool isAgain = !first && runsAgainFor(visit, whole);
    if (!first && !isAgain)
      return false;
    // Behind the key of the dictionary.
    const std::string text = visit.unit.tables().files.nameOf(name).split(':').second.str();
    Finding finding(Level::Certain, visit.event,
                    "the name '" + text + "' is registered already" +
                        (first ? "" : " when this runs again") + ": this throws");
    if (first)
      finding.notes.push_back({*first, "it is registered here"});
    reporter.report(std::move(finding));
    return true;
  }

  /// Whether the event certainly runs again for the same module: in a forward pass, or in each
  /// round of a loop that the module outlives.
  static bool runsAgainFor(const Visit &visit, PathId whole) {
    const Event &event = visit.event;
    const FunctionBody &function = *event.function;
    if (visit.callers.empty() && function.thisObject == event.subject.path &&
        isForwardPass(function) && !function.isConditional(event.site))
      return true;
    const ir::Node *loop = loopOutlivedBy(visit, whole);
    return loop && llvm::is_contained(function.loopsAround(event.site), loop) &&
           !function.isConditional(event.site, loop) && !mayEnd(*loop);
  }

  static bool isForwardPass(const FunctionBody &function) {
    return function.isModuleMethod && words::isForward(function.function->name);
  }

  /// Whether something in the loop may leave it.
  static bool mayEnd(const ir::Node &loop) {
    bool found = false;
    ir::forEach(&loop, [&](const ir::Node &part) {
      found |= part.kind == ir::NodeKind::Break || part.kind == ir::NodeKind::Return ||
               part.kind == ir::NodeKind::Throw;
    });
    return found;
  }

  // --- optimizers

  static void onOptimizer(const Visit &visit, Reporter &reporter) {
    const Event &event = visit.event;
    const OptimizerFacts *optimizer =
        isGroup(event) ? visit.before.optimizer(event.subject) : nullptr;
    for (const Operand &operand : event.operands) {
      const ListFacts *list = operand.path ? visit.before.list(operand.path) : nullptr;
      if (!list)
        continue;
      if (list->doubled)
        reporter.report(doubled(*list->doubled, "these parameters are in the list already", visit));
      else if (optimizer && haveInCommon(optimizer->whole, list->whole, visit.before))
        reporter.report({Level::Certain, event,
                         "the optimizer has these parameters already: it steps them twice"});
      for (PathId module : visit.unit.tables().sources.members(list->whole))
        if (const Event *tied =
                visit.before.registry().tiedWithin(module, visit.unit.tables().paths))
          reporter.report(doubled(
              *tied, "this tensor is registered already, so parameters() lists it twice", visit));
    }
  }

  static Finding doubled(const Event &second, std::string message, const Visit &visit) {
    Finding finding(Level::Certain, second,
                    std::move(message) + ": the optimizer steps " +
                        (second.registers == Registers::None ? "them" : "it") + " twice");
    finding.notes.push_back({visit.event, "the optimizer gets the list here"});
    return finding;
  }
};

} // namespace

std::unique_ptr<Check> makeRegisteredTwice() { return std::make_unique<RegisteredTwice>(); }

} // namespace gradtidy
