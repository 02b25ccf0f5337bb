// With the samples in the same order in every epoch, every batch has the same neighbours each time,
// and data that is stored by class or by time trains on one class or time after another.

#include "Calls.h"
#include "Check.h"
#include "Fixes.h"
#include "Loops.h"

#include "llvm/ADT/DenseMap.h"

namespace gradtidy {
namespace {

class LoaderNotShuffled : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.details->batchLoop ||
           llvm::is_contained({EventKind::Step, EventKind::Backward}, moment.event.kind);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    if (visit.event.details->batchLoop)
      return onBatch(visit, reporter);
    // Who updates weights by hand has no step, but does it in every epoch.
    const bool isByHand = visit.event.kind == EventKind::Backward;
    if (visit.event.kind != EventKind::Step && !isByHand)
      return;
    const ir::Node *outermost = isByHand ? outermostLoop(visit) : nullptr;
    Frames frames = framesOf(visit);
    for (; !frames.empty(); frames.pop_back())
      for (const ir::Node *loop : frames.back()->function->loopsAround(frames.back()->site))
        if (const ir::Node *over = ir::as(ir::NodeKind::RangeFor, loop))
          if (const ir::Symbol *loader = loaderOf(over->object, llvm::ArrayRef(frames).drop_back());
              loader && loop != outermost && visit.unit.program().keepsOrder(*loader))
            report(visit, *over, *loader, reporter);
  }

private:
  static const ir::Node *outermostLoop(const Visit &visit) {
    const auto loops = loopsAround(visit);
    return loops.empty() ? nullptr : loops.back();
  }

  /// Said once of each loop: inputs and labels are sliced alike.
  void onBatch(const Visit &visit, Reporter &reporter) {
    const Event &slice = visit.event;
    const TrainingLoop training = trainingLoopAround(visit);
    if (training.loop != slice.details->batchLoop || training.event != &slice ||
        !hasBackward(visit, *slice.details->batchLoop) ||
        first.try_emplace(slice.details->batchLoop, slice.site).first->second != slice.site ||
        isMadeUp(visit.before.valueOf(slice.subject)))
      return;
    Finding finding(Level::Likely, slice,
                    "the batches are sliced in the same order in every epoch of the training");
    finding.notes.push_back({slice.function->loopsAround(slice.details->batchLoop)[0]->begin(),
                             "each round of this loop is an epoch"});
    reporter.report(std::move(finding));
  }

  /// Whether the samples are numbers that a factory makes up, as in a demonstration.
  static bool isMadeUp(const Value &samples) { return samples.meaning.isMadeUp; }

  static bool hasBackward(const Visit &visit, const ir::Node &loop) {
    return llvm::any_of(visit.event.function->blocks, [&](const Block &block) {
      return llvm::any_of(block.events, [&](const Event &event) {
        return (event.kind == EventKind::Backward || visit.unit.effects().callsTraining(event)) &&
               contains(visit, &loop, event.site);
      });
    });
  }

  llvm::DenseMap<const ir::Node *, const ir::Node *> first; ///< The first slice in each loop.

  /// The variable that holds what \p range denotes, in the function that makes it.
  static const ir::Symbol *loaderOf(const ir::Node *range, llvm::ArrayRef<const Event *> callers) {
    const ir::Node &made = range->spelled();
    if (made.kind == ir::NodeKind::Unary)
      return loaderOf(made.children.front(), callers);
    if (made.kind == ir::NodeKind::OperatorCall && made.arguments.size() == 1)
      return loaderOf(made.arguments[0], callers);
    if (made.calledName() == "move" && made.symbol->isStandard && made.arguments.size() == 1)
      return loaderOf(made.arguments[0], callers);
    const ir::Symbol *variable = ir::variableIn(&made);
    if (!variable || variable->kind != ir::SymbolKind::Parameter)
      return variable;
    const ir::Node *call = callers.empty() ? nullptr : ir::asCall(callers.back()->site);
    return call && call->kind != ir::NodeKind::OperatorCall &&
                   variable->index < call->arguments.size()
               ? loaderOf(call->arguments[variable->index], callers.drop_back())
               : nullptr;
  }

  static void report(const Visit &visit, const ir::Node &loop, const ir::Symbol &loader,
                     Reporter &reporter) {
    Finding finding(Level::Likely, loader,
                    "'" + loader.spelling.str() +
                        "' gives the samples in the same order in every epoch of the training");
    finding.notes.push_back({loop, "the training goes over it here"});
    finding.fixes = sampleAtRandom(visit, loader);
    reporter.report(std::move(finding));
  }

  /// Names the other sampler, where the call that makes the loader names this one and no object.
  static Fix sampleAtRandom(const Visit &visit, const ir::Symbol &loader) {
    const ir::Node *made = loader.init ? &loader.init->spelled() : nullptr;
    const ir::Node *call = ir::asCall(made);
    const ir::Node *callee = call ? ir::as(ir::NodeKind::Reference, call->callee()) : nullptr;
    if (!callee || callee->typeArgument.isInvalid() ||
        callee->typeArgument.getBegin().isMacroID() || mayGiveSampler(*call))
      return {};
    const clang::SourceLocation name = callee->typeArgument.getEnd();
    const llvm::StringRef sampler = visit.unit.code().phrase(Phrase::RandomSampler);
    if (sampler.empty() || !keepsOrder(argumentNamed(*loader.type, textOf(visit, name))))
      return {};
    return {clang::FixItHint::CreateReplacement(name, sampler)};
  }

  /// The class of that name of which \p type, or what it points to, is made, or null.
  static const ir::Symbol *argumentNamed(const ir::Type &type, llvm::StringRef name) {
    const ir::Type *object = &type;
    while (object->pointee)
      object = object->pointee;
    for (const ir::Type *argument : object->arguments)
      if (argument->record && argument->name == name)
        return argument->record;
    return nullptr;
  }

  static bool keepsOrder(const ir::Symbol *sampler) {
    return sampler && sampler->trait == Trait::KeepsOrder;
  }

  /// Whether an argument is the sampler itself, which is of the type that is named.
  static bool mayGiveSampler(const ir::Node &call) {
    return llvm::any_of(call.arguments, [](const ir::Node *argument) {
      return argument->type && keepsOrder(argument->type->record);
    });
  }
};

} // namespace

std::unique_ptr<Check> makeLoaderNotShuffled() { return std::make_unique<LoaderNotShuffled>(); }

} // namespace gradtidy
