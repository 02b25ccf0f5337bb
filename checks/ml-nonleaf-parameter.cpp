// Gradients are kept in leaves: the tensors that were made for training. What is computed of one,
// be it by a scale or by a move to another device, is none. An optimizer refuses it, and a module
// that registers it has a parameter without a gradient.

#include "Calls.h"
#include "Check.h"
#include "Devices.h"
#include "Fixes.h"
#include "Moments.h"

namespace gradtidy {
namespace {

class NonleafParameter : public Check {
public:
  bool wants(const Moment &moment) const override {
    const Event &event = moment.event;
    if (replacesParameter(moment) || idleIn(moment))
      return true;
    return (takesParameters(event) || touchesGradients(moment)) &&
           llvm::any_of(event.operands, [&](const Operand &operand) {
             return operand.isTensor && derivedOf(operand, moment.before);
           });
  }

  void on(const Visit &visit, Reporter &reporter) override {
    if (replacesParameter({visit.event, visit.before, visit.callers}))
      return onReplacement(visit, reporter);
    if (visit.event.kind == EventKind::Step)
      return onStep(visit, reporter);
    for (const Operand &operand : visit.event.operands) {
      const Event *derived = operand.isTensor ? derivedOf(operand, visit.before) : nullptr;
      const Operand *target = derived ? targetOf(*derived) : nullptr;
      const bool isMove = derived && derived->kind == EventKind::Move;
      if (derived && (!isMove || (target && mayBeGpu(visit, *target))))
        return onDerived(visit, operand, *derived, reporter);
    }
  }

private:
  static bool takesParameters(const Event &event) {
    return makesOptimizer(event) || event.registers == Registers::Parameter;
  }

  /// Whether an optimizer gets a tensor in the place of one that it has, which has been computed
  /// while no gradients are recorded: it requires none.
  static bool replacesParameter(const Moment &moment) {
    const Event &event = moment.event;
    const State &state = moment.before;
    if (event.kind != EventKind::Bind || event.operands.empty() || !event.subject.path ||
        event.operands.front().role != TypeRole::Tensor ||
        state.valueOf(event.operands.front()).autograd.graph != Graph::Unrecorded)
      return false;
    const Tables &tables = *state.tables;
    const PathId list = tables.paths.parent(state.place(event.subject.path));
    return list && llvm::any_of(tables.sources.members(state.sourcesOf({list})), [&](PathId owner) {
             return state.optimizer({owner, TypeRole::Optimizer});
           });
  }

  /// A tensor of the optimizer that steps which requires no gradient; none if all do.
  static PathId idleIn(const Moment &moment) {
    const OptimizerFacts *facts = moment.event.kind == EventKind::Step
                                      ? moment.before.optimizer(moment.event.subject)
                                      : nullptr;
    if (facts)
      for (PathId owned : moment.before.tables->sources.members(facts->owned)) {
        const Value value = moment.before.valueOf({.path = owned, .isTensor = true});
        if (value.autograd.graph == Graph::Detached && !value.autograd.isParameter &&
            value.layout.type != noType)
          return owned;
      }
    return noPath;
  }

  static void onStep(const Visit &visit, Reporter &reporter) {
    const PathTable &paths = visit.unit.tables().paths;
    const PathId tensor = idleIn({visit.event, visit.before, visit.callers});
    const ir::Symbol *variable = paths.last(tensor).symbol();
    const Event *made = nullptr;
    for (const FunctionBody *function : visit.unit.callGraph().functions())
      for (const Block &block : function->blocks)
        for (const Event &event : block.events) {
          if (!variable || !event.subject.path ||
              paths.last(event.subject.path).symbol() != variable)
            continue;
          if (event.kind == EventKind::RequireGrad)
            return; // Frozen, or on another way.
          if (event.kind == EventKind::Bind && !event.operands.empty())
            for (const Event &creation : block.events)
              if (creation.kind == EventKind::Create &&
                  creation.result == event.operands.front().path)
                made = &creation;
        }
    if (!made)
      return;
    Finding finding(Level::Certain, *made,
                    "'" + variable->spelling.str() +
                        "' requires no gradient: the optimizer that has it never changes it");
    finding.notes.push_back({visit.event, "the optimizer steps here"});
    reporter.report(std::move(finding));
  }

  static void onReplacement(const Visit &visit, Reporter &reporter) {
    const Event &event = visit.event;
    const PathId tensor = event.operands.front().path;
    const PathTable &paths = visit.unit.tables().paths;
    if (hasEvent(*event.function, [&](const Event &other) {
          return other.kind == EventKind::RequireGrad && other.constant != false &&
                 (paths.overlap(other.subject.path, tensor) ||
                  paths.overlap(other.subject.path, event.subject.path));
        }))
      return;
    Finding finding(Level::Certain, event,
                    "the optimizer gets a tensor that requires no gradient, as it was computed "
                    "without any: nothing trains it");
    if (const Event *disabled = visit.before.valueOf(event.operands.front()).autograd.disabled)
      finding.notes.push_back({*disabled, "gradients are disabled here"});
    reporter.report(std::move(finding));
  }

  /// What has computed the tensor, or the one whose gradient it is, of a leaf; null if nothing has.
  static const Event *derivedOf(const Operand &operand, const State &state) {
    if (!state.isGradient(operand.path))
      return state.valueOf(operand).autograd.derived;
    Operand owner = operand;
    owner.path = state.tables->paths.parent(state.resolve(operand.path));
    return owner.path ? state.valueOf(owner).autograd.derived : nullptr;
  }

  static void onDerived(const Visit &visit, const Operand &operand, const Event &derived,
                        Reporter &reporter) {
    const Event &event = visit.event;
    const bool isOwner = makesOptimizer(event),
               isRead = !isOwner && event.registers != Registers::Parameter;
    if (isRead && (!visit.before.isGradient(operand.path) || retainsGradients(visit)))
      return;
    // Where objects make their own, it goes wrong where an optimizer gets all of them.
    const bool isOfObjects = isOwner && derived.function != event.function;
    const bool isMove = derived.kind == EventKind::Move;
    Finding finding(Level::Certain, isOfObjects ? event : derived);
    const std::string reason = isMove ? "a copy of a leaf on another device is no leaf"
                                      : "what is computed of a leaf is no leaf";
    finding.message = reason + (isOwner  ? ": the optimizer refuses it"
                                : isRead ? ": its gradient stays undefined"
                                         : ": the parameter gets no gradient");
    if (isOfObjects)
      finding.notes.push_back({derived, isMove ? "it is copied here" : "it is computed here"});
    else
      finding.notes.push_back({event, isOwner  ? "it is given to the optimizer here"
                                      : isRead ? "its gradient is read here"
                                               : "it is registered here"});
    const ir::Node *made = derived.site;
    const ir::Node *whole = made->isExpression ? derived.function->fullExpressionOf(made) : nullptr;
    if (whole && (&whole->spelled() == made || &operand.expr->spelled() == made))
      finding.fixes = append(visit, made, phrase(visit.unit.code(), Phrase::MakeLeaf));
    reporter.report(std::move(finding));
  }

  /// Whether the program asks anywhere for gradients of what is no leaf.
  static bool retainsGradients(const Visit &visit) {
    return llvm::any_of(visit.unit.callGraph().functions(), [](const FunctionBody *function) {
      return hasEvent(*function, [](const Event &event) {
        return calledAspects(event.site).has(Aspect::RetainsGradient);
      });
    });
  }
};

} // namespace

std::unique_ptr<Check> makeNonleafParameter() { return std::make_unique<NonleafParameter>(); }

} // namespace gradtidy
