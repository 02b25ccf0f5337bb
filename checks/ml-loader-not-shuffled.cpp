// With the samples in the same order in every epoch, every batch has the same neighbours each time,
// and data that is stored by class or by time trains on one class or time after another.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"

namespace gradtidy {
namespace {

class LoaderNotShuffled : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    if (visit.event.batchLoop)
      return onBatch(visit, reporter);
    // Who updates weights by hand has no step, but does it in every epoch.
    const bool isByHand = visit.event.kind == EventKind::Backward;
    if (visit.event.kind != EventKind::Step && !isByHand)
      return;
    const clang::Stmt *outermost = isByHand ? outermostLoop(visit) : nullptr;
    llvm::SmallVector<const Event *, 8> frames(visit.callers);
    frames.push_back(&visit.event);
    for (; !frames.empty(); frames.pop_back())
      for (const clang::Stmt *loop : frames.back()->function->loopsAround(frames.back()->site))
        if (const auto *over = llvm::dyn_cast<clang::CXXForRangeStmt>(loop))
          if (const clang::VarDecl *loader =
                  loaderOf(over->getRangeInit(), llvm::ArrayRef(frames).drop_back());
              loader && loop != outermost && visit.unit.program().keepsOrder(*loader))
            report(visit, *over, *loader, reporter);
  }

private:
  static const clang::Stmt *outermostLoop(const Visit &visit) {
    const auto loops = loopsAround(visit);
    return loops.empty() ? nullptr : loops.back();
  }

  /// Said once of each loop: inputs and labels are sliced alike.
  void onBatch(const Visit &visit, Reporter &reporter) {
    const Event &slice = visit.event;
    const TrainingLoop training = trainingLoopAround(visit);
    if (training.loop != slice.batchLoop || training.event != &slice ||
        !hasBackward(visit, *slice.batchLoop) ||
        first.try_emplace(slice.batchLoop, slice.site).first->second != slice.site ||
        isMadeUp(visit.before.valueOf(slice.subject)))
      return;
    Finding finding(Level::Likely, slice,
                    "the batches are sliced in the same order in every epoch of the training");
    finding.notes.push_back({slice.function->loopsAround(slice.batchLoop)[0]->getBeginLoc(),
                             "each round of this loop is an epoch"});
    reporter.report(std::move(finding));
  }

  /// Whether the samples are numbers that a factory makes up, as in a demonstration.
  static bool isMadeUp(const Value &samples) {
    return samples.made && samples.made->kind == EventKind::Create && !samples.made->isData &&
           samples.made->operation != Operation::WrapMemory;
  }

  static bool hasBackward(const Visit &visit, const clang::Stmt &loop) {
    return llvm::any_of(visit.event.function->blocks, [&](const Block &block) {
      return llvm::any_of(block.events, [&](const Event &event) {
        return (event.kind == EventKind::Backward || visit.unit.effects().callsTraining(event)) &&
               contains(visit, &loop, event.site);
      });
    });
  }

  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> first; ///< The first slice in each loop.

  /// The variable that holds what \p range denotes, in the function that makes it.
  static const clang::VarDecl *loaderOf(const clang::Expr *range,
                                        llvm::ArrayRef<const Event *> callers) {
    range = range->IgnoreUnlessSpelledInSource();
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(range))
      return loaderOf(unary->getSubExpr(), callers);
    if (const auto *access = llvm::dyn_cast<clang::CXXOperatorCallExpr>(range);
        access && access->getNumArgs() == 1)
      return loaderOf(access->getArg(0), callers);
    if (const auto *moved = llvm::dyn_cast<clang::CallExpr>(range);
        moved && moved->isCallToStdMove())
      return loaderOf(moved->getArg(0), callers);
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(range);
    const auto *variable =
        reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    const auto *parameter = llvm::dyn_cast_or_null<clang::ParmVarDecl>(variable);
    if (!parameter)
      return variable;
    const auto *call =
        callers.empty() ? nullptr : llvm::dyn_cast<clang::CallExpr>(callers.back()->site);
    const unsigned index = parameter->getFunctionScopeIndex();
    return call && !llvm::isa<clang::CXXOperatorCallExpr>(call) && index < call->getNumArgs()
               ? loaderOf(call->getArg(index), callers.drop_back())
               : nullptr;
  }

  static void report(const Visit &visit, const clang::CXXForRangeStmt &loop,
                     const clang::VarDecl &loader, Reporter &reporter) {
    Finding finding(Level::Likely, loader,
                    "'" + loader.getNameAsString() +
                        "' gives the samples in the same order in every epoch of the training");
    finding.notes.push_back({loop, "the training goes over it here"});
    finding.fixes = sampleAtRandom(visit, loader);
    reporter.report(std::move(finding));
  }

  /// Names the other sampler, where the call that makes the loader names this one and no object.
  static Fix sampleAtRandom(const Visit &visit, const clang::VarDecl &loader) {
    const clang::Expr *made =
        loader.getInit() ? loader.getInit()->IgnoreUnlessSpelledInSource() : nullptr;
    const auto *call = llvm::dyn_cast_or_null<clang::CallExpr>(made);
    const auto *callee =
        call ? llvm::dyn_cast<clang::DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts())
             : nullptr;
    if (!callee || callee->getNumTemplateArgs() == 0)
      return {};
    const clang::TypeSourceInfo *sampler =
        callee->getTemplateArgs()[0].getArgument().getKind() == clang::TemplateArgument::Type
            ? callee->getTemplateArgs()[0].getTypeSourceInfo()
            : nullptr;
    if (!sampler || sampler->getTypeLoc().getBeginLoc().isMacroID() || mayGiveSampler(*call))
      return {};
    const clang::SourceLocation name = sampler->getTypeLoc().getEndLoc();
    if (textOf(visit, name) != "SequentialSampler")
      return {};
    return {clang::FixItHint::CreateReplacement(name, "RandomSampler")};
  }

  /// Whether an argument is the sampler itself, which is of the type that is named.
  static bool mayGiveSampler(const clang::CallExpr &call) {
    return llvm::any_of(call.arguments(), [](const clang::Expr *argument) {
      const clang::CXXRecordDecl *record = argument->getType()->getAsCXXRecordDecl();
      return record && record->getName() == "SequentialSampler";
    });
  }
};

} // namespace

std::unique_ptr<Check> makeLoaderNotShuffled() { return std::make_unique<LoaderNotShuffled>(); }

} // namespace gradtidy
