// Clipping bounds what a step does with the gradients, so it belongs between the backward that
// computes them and that step. Anywhere else it bounds nothing, and so does a clip of the gradients
// of other parameters. Gradients of a loss that was scaled are larger than they should be until
// they are divided by the same number again: a clip before bounds them to almost nothing.

#include "Calls.h"
#include "Check.h"
#include "Fixes.h"

#include "clang/Basic/SourceManager.h"

namespace gradtidy {
namespace {

class ClipOrder : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.operation == Operation::ClipGradients;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &clip = visit.event;
    if (clip.operands.empty())
      return;
    onOtherParameters(visit, reporter);
    onScaled(visit, reporter);
    const auto optimizers =
        visit.before.optimizersOf(visit.before.sourcesOf(clip.operands.front()));
    unsigned possible = 0;
    for (const OptimizerFacts *facts : optimizers)
      possible |= facts->gradients.possible;
    // What the function finds is said of the rounds that follow.
    const unsigned seen = possible & ~unsigned(Gradients::Untouched);
    if (!seen || seen & ~unsigned(Gradients::Clean | Gradients::Used | Gradients::Lost))
      return;

    Finding finding(Level::Certain, clip);
    // The norm may be all that is wanted.
    if (!clip.function->expressionStatementOf(clip.site))
      finding.level = Level::Advice;
    const Gradients &gradients = optimizers.front()->gradients;
    if (seen == Gradients::Used && gradients.step) {
      finding.message = "the gradients are clipped after the optimizer has used them";
      finding.notes.push_back({*gradients.step, "the step uses them here"});
      finding.fixes = moveBefore(visit, *gradients.step);
    } else if (!isBeforeBackward(visit)) {
      return;
    } else {
      finding.message = "the gradients are clipped before a backward has computed any";
      if (gradients.cleared)
        finding.notes.push_back({*gradients.cleared, "they are cleared here"});
    }
    reporter.report(std::move(finding));
  }

private:
  /// `backward; clip; step;` of which the step uses none of the gradients that were clipped. The
  /// clip may be that of a function that is called there.
  static void onOtherParameters(const Visit &visit, Reporter &reporter) {
    const Frames frames = framesOf(visit);
    for (const Event *frame : llvm::reverse(frames)) {
      const FunctionBody &function = *frame->function;
      if (function.statementOf(frame->site) != function.fullExpressionOf(frame->site))
        return; // The norm may be all that is wanted.
      if (onOtherParameters(visit, *frame, reporter))
        return;
    }
  }

  /// The same of \p clip, which is the visited one or calls it; whether it is beside a backward.
  static bool onOtherParameters(const Visit &visit, const Event &clip, Reporter &reporter) {
    const FunctionBody &function = *clip.function;
    const State &state = visit.before;
    const SourcesTable &sources = visit.unit.tables().sources;
    const ir::Node *block = function.compoundOf(function.statementOf(clip.site));
    const Event *backward = nullptr, *step = nullptr;
    bool hasSeveral = false;
    llvm::SmallVector<const Event *, 2> others; // That may clip the rest.
    for (const Block &each : function.blocks)
      for (const Event &event : each.events) {
        const bool isBefore = visit.source.isBefore(event.site->begin(), clip.site->begin());
        const bool isHere = isBeside(function, event, block);
        if (event.kind == EventKind::Backward && isBefore && isHere)
          backward = &event;
        if (isHere && &event != &clip &&
            (event.operation == Operation::ClipGradients || event.kind == EventKind::Call))
          others.push_back(&event);
        if (event.kind == EventKind::Step && !isBefore) {
          hasSeveral |= step != nullptr;
          step = &event;
        }
      }
    if (!backward || !step || hasSeveral || !isBeside(function, *step, block) ||
        llvm::any_of(others, [&](const Event *other) {
          return visit.source.isBefore(backward->site->begin(), other->site->begin()) &&
                 visit.source.isBefore(other->site->begin(), step->site->begin());
        }))
      return backward;
    const OptimizerFacts *facts = state.optimizer(step->subject);
    const SourcesId clipped = state.sourcesOf(visit.event.operands.front());
    const bool isOfOptimizer = // Taken from its groups.
        llvm::any_of(sources.members(clipped), [&](PathId owner) {
          return state.optimizer({.path = owner, .role = TypeRole::Optimizer});
        });
    if (!facts || facts->owned == noSources || clipped == noSources || isOfOptimizer ||
        !(facts->gradients.possible & (Gradients::Fresh | Gradients::Stale)) ||
        sources.mayOverlap(facts->owned, clipped))
      return true;
    Finding finding(Level::Certain, clip,
                    "the gradients that are clipped here are not those that the step behind uses");
    finding.notes.push_back({*backward, "the backward computes gradients here"});
    finding.notes.push_back({*step, "the step uses those of other parameters here"});
    reporter.report(std::move(finding));
    return true;
  }

  static bool isBeside(const FunctionBody &function, const Event &event, const ir::Node *block) {
    return function.compoundOf(function.statementOf(event.site)) == block;
  }

  /// A clip between the backward of a loss that was multiplied by a number and what divides the
  /// gradients by it.
  static void onScaled(const Visit &visit, Reporter &reporter) {
    const Event &clip = visit.event;
    const FunctionBody &function = *clip.function;
    const auto loops = function.loopsAround(clip.site);
    const auto isBefore = [&](const Event &one, const Event &other) {
      return visit.source.isBefore(one.site->begin(), other.site->begin());
    };
    const Event *backward = nullptr;
    for (const Block &block : function.blocks)
      for (const Event &event : block.events)
        if (event.kind == EventKind::Backward && isBefore(event, clip) &&
            function.loopsAround(event.site) == loops && (!backward || isBefore(*backward, event)))
          backward = &event;
    const ir::Node *call = backward ? ir::asCall(backward->site) : nullptr;
    const ir::Symbol *scale = call ? scaleOf(visit, call->object) : nullptr;
    if (!scale)
      return;
    const Event *unscaled = nullptr;
    for (const Block &block : function.blocks)
      for (const Event &event : block.events)
        if (isBefore(*backward, event) && unscales(visit, event, *scale)) {
          if (isBefore(event, clip))
            return;
          if (!unscaled)
            unscaled = &event;
        }
    if (!unscaled)
      return;
    Finding finding(Level::Certain, clip,
                    "the gradients are clipped while they are as many times larger as the loss was "
                    "scaled");
    finding.notes.push_back({*backward, "the backward of the scaled loss is here"});
    finding.notes.push_back({*unscaled, "they are divided by the scale only here"});
    reporter.report(std::move(finding));
  }

  /// The variable or member by which the tensor \p value is multiplied, be it by the function that
  /// gives it; null if it is anything else.
  static const ir::Symbol *scaleOf(const Visit &visit, const ir::Node *value, unsigned depth = 0) {
    value = value ? &ir::stripped(value)->spelled() : nullptr;
    if (!value || depth > 3)
      return nullptr;
    if (const ir::Symbol *variable = ir::variableIn(value); variable && variable->isLocal)
      return scaleOf(visit, variable->init, depth + 1);
    if (value->kind == ir::NodeKind::OperatorCall && value->op == "*" &&
        value->arguments.size() == 2) {
      const ir::Symbol *scale = nullptr;
      for (const ir::Node *factor : value->arguments)
        if (const ir::Node &bare = factor->spelled();
            bare.type && bare.type->isArithmetic && bare.symbol &&
            (bare.kind == ir::NodeKind::Member || bare.kind == ir::NodeKind::Reference))
          scale = bare.symbol;
      return scale;
    }
    const ir::Node *called = ir::asCall(value);
    const ir::Symbol *definition = called && called->symbol ? called->symbol->definition : nullptr;
    const ir::Symbol *scale = nullptr;
    if (definition)
      ir::forEach(ir::codeOf(*definition), [&](const ir::Node &node) {
        if (node.kind == ir::NodeKind::Return && !node.children.empty())
          scale = scaleOf(visit, node.children.front(), depth + 1);
      });
    return scale;
  }

  /// Whether the event, or what it calls, changes gradients by what \p scale is.
  static bool unscales(const Visit &visit, const Event &event, const ir::Symbol &scale) {
    const PathTable &paths = visit.unit.tables().paths;
    const auto isOne = [&](const Event &each) {
      return each.subject.path && paths.last(each.subject.path).kind == PathStep::Gradient &&
             (each.kind == EventKind::Overwrite || each.changesElements || each.subject.escapes) &&
             llvm::is_contained(each.function->namedIn(each.site), &scale);
    };
    const CallGraph &graph = visit.unit.callGraph();
    return isOne(event) || (event.kind == EventKind::Call &&
                            llvm::any_of(graph.candidates(event), [&](const FunctionBody *body) {
                              return graph.mayRun(*body, isOne);
                            }));
  }

  /// Whether a backward follows in the same round. A call that cannot be seen may run one before.
  static bool isBeforeBackward(const Visit &visit) {
    const Event &clip = visit.event;
    const FunctionBody &function = *clip.function;
    const auto loops = function.loopsAround(clip.site);
    return llvm::any_of(function.blocks, [&](const Block &block) {
      return llvm::any_of(block.events, [&](const Event &event) {
        return event.kind == EventKind::Backward && function.loopsAround(event.site) == loops &&
               visit.source.isBefore(clip.site->begin(), event.site->begin());
      });
    });
  }

  /// In front of the step, if both are statements of one block.
  static Fix moveBefore(const Visit &visit, const Event &step) {
    const Event &clip = visit.event;
    const FunctionBody &function = *clip.function;
    const ir::Node *statement = function.expressionStatementOf(clip.site);
    const ir::Node *place =
        step.function == &function ? function.expressionStatementOf(step.site) : nullptr;
    Fix fix = removeStatement(visit, clip);
    if (!statement || !place || fix.empty() ||
        function.compoundOf(place) != function.compoundOf(statement))
      return {};
    const Fix insertion = insertBefore(visit, place, (textOf(visit, statement) + ";").str());
    if (insertion.empty())
      return {};
    fix.append(insertion);
    return fix;
  }
};

} // namespace

std::unique_ptr<Check> makeClipOrder() { return std::make_unique<ClipOrder>(); }

} // namespace gradtidy
