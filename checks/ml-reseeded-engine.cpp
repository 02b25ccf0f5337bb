// A random engine that is made without a seed begins with the same one each time. Made in every
// iteration of a loop, it gives every iteration the same numbers: each epoch the same order of the
// samples. So does the generator of the framework if it is given the same seed in each iteration.

#include "Check.h"
#include "Loops.h"
#include "Moments.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class ReseededEngine : public Check {
public:
  void onFunction(const FunctionVisit &visit, Reporter &reporter) override {
    if (visit.function.function->kind == ir::SymbolKind::Constructor)
      return; // A member of an object: it stays.
    llvm::SmallPtrSet<const ir::Node *, 4> seen;
    ir::forEach(visit.function.body, [&](const ir::Node &node) {
      if (!isNewEngine(node) || !seen.insert(&node.spelled()).second || isKept(node))
        return;
      llvm::SmallPtrSet<const FunctionBody *, 8> asked;
      const ir::Node *loop = loopAround(visit, visit.function, node, asked);
      if (!loop)
        return;
      Finding finding(Level::Likely, node.range);
      finding.message =
          "this random engine is made anew in each round of a loop, without a seed: each "
          "round gets the same numbers; make it once before the loop";
      finding.notes.push_back({*loop, "the loop is here"});
      reporter.report(std::move(finding));
    });
    ir::forEach(visit.function.body, [&](const ir::Node &node) {
      if (ir::asCall(&node) && node.symbol && node.symbol->trait == Trait::SeedsDraws)
        reportSeed(visit, node, reporter);
    });
  }

private:
  /// The same seed for the framework's numbers in each iteration of a training.
  static void reportSeed(const FunctionVisit &visit, const ir::Node &seed, Reporter &reporter) {
    const FunctionBody &function = visit.function;
    const auto loops = function.loopsAround(&seed);
    if (loops.empty() || function.isConditional(&seed, loops.front()) ||
        !trainsOn(visit, *loops.front()) || seed.arguments.empty() ||
        ir::stripped(seed.arguments.front())->hasSideEffects ||
        llvm::any_of(function.namedIn(seed.arguments.front()), [&](const ir::Symbol *name) {
          return function.mayChange(*name, loops.front());
        }))
      return;
    Finding finding(Level::Likely, seed);
    finding.message = "each iteration of the training begins with the same random numbers: the "
                      "same order of samples, the same dropout; set the seed once before the loop";
    finding.notes.push_back({*loops.front(), "the loop is here"});
    reporter.report(std::move(finding));
  }

  /// Whether an iteration of \p loop goes on with a training, and begins none.
  static bool trainsOn(const FunctionVisit &visit, const ir::Node &loop) {
    bool steps = false, begins = false;
    const auto isStep = [](const Event &event) { return event.kind == EventKind::Step; };
    const auto isBeginning = [](const Event &event) {
      return makesOptimizer(event) ||
             (event.kind == EventKind::Construct && isModule(event.subject.role));
    };
    for (const Block &block : visit.function.blocks)
      for (const Event &event : block.events) {
        if (!contains(visit.source, &loop, event.site))
          continue;
        const FunctionBody *callee =
            event.kind == EventKind::Call ? visit.unit.callGraph().calleeOf(event) : nullptr;
        steps |= isStep(event) || (callee && visit.unit.callGraph().mayRun(*callee, isStep));
        begins |=
            isBeginning(event) || (callee && visit.unit.callGraph().mayRun(*callee, isBeginning));
      }
    return steps && !begins;
  }

  static bool isEngine(const ir::Type *type) {
    return type && !type->isReference && !type->isPointer && type->record &&
           type->record->isStandard && type->record->trait == Trait::DrawsNumbers;
  }

  static bool isNewEngine(const ir::Node &node) {
    return ir::asConstruction(&node) && isEngine(node.type) && node.arguments.empty();
  }

  /// Whether it is a variable that outlives the call, or gets a seed later on.
  static bool isKept(const ir::Node &made) {
    const ir::Node *declaration = made.parent;
    while (declaration && declaration->isExpression)
      declaration = declaration->parent;
    if (!declaration || declaration->kind != ir::NodeKind::Declaration)
      return false;
    const ir::Node *scope = declaration->parent;
    bool isKept = false;
    for (const ir::Symbol *variable : declaration->declared) {
      isKept |= !variable->isLocal || variable->isStatic;
      ir::forEach(scope, [&](const ir::Node &node) {
        isKept |= node.kind == ir::NodeKind::MemberCall && node.calledName() == "seed" &&
                  ir::variableIn(ir::stripped(node.object)) == variable;
      });
    }
    return isKept;
  }

  /// The innermost loop around \p node in \p function, or around calls that lead there.
  static const ir::Node *loopAround(const FunctionVisit &visit, const FunctionBody &function,
                                    const ir::Node &node,
                                    llvm::SmallPtrSetImpl<const FunctionBody *> &asked) {
    if (const auto loops = function.loopsAround(&node); !loops.empty())
      return loops.front();
    if (!asked.insert(&function).second)
      return nullptr;
    const ir::Node *found = nullptr;
    visit.unit.callGraph().forEachCall(function, [&](const Event &call) {
      if (!found)
        found = loopAround(visit, *call.function, *call.site, asked);
    });
    return found;
  }
};

} // namespace

std::unique_ptr<Check> makeReseededEngine() { return std::make_unique<ReseededEngine>(); }

} // namespace gradtidy
