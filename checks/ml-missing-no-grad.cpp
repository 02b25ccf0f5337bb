// A forward pass records a graph for the backward that is to come, and keeps all activations alive
// for it. Where none comes, that is memory and time for nothing.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"
#include "Trials.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class MissingNoGrad : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &forward = visit.event;
    const Answer isDifferentiated = visit.unit.differentiates(forward);
    const bool isCut = isCutOff(visit);
    if (!(isEvaluation(visit) || isCut) || visit.before.gradMode().possible != GradMode::On ||
        visit.before.module(forward.subject).isFrozen || isDifferentiated == Answer::Yes ||
        forward.isGuarded || isGuardedWithInput(visit) || visit.before.guardElsewhere)
      return; // Of the last, see ml-guard-other-thread.

    Finding finding;
    // An unseen method may do other things than a forward pass; who only looks at the shape of the
    // result, tries a module that is new, or looks at what it makes of made-up input, wants to know
    // it once. What helpers leave to their callers may be right.
    // The graph of a single layer keeps little that does not live anyway.
    const ModuleFacts facts = visit.before.module(forward.subject);
    // What is cut off was meant to be, if for more than it needs.
    bool isDoubtful =
        isCut || forward.kind == EventKind::Call || isDifferentiated == Answer::Unknown ||
        !visit.unit.uses().isRead(visit.site) || isTrial(visit) || isProbe(visit) ||
        isGuardedByCallers(visit) || (visit.unit.isLayer(visit.shown()) && !facts.isTrained);
    finding.level = isDoubtful ? Level::Advice : Level::Likely;
    const Event &shown = visit.shown();
    const Event &culprit =
        isSharedWithTraining(visit) ? *visit.unit.tables().sites.callers(visit.site).back() : shown;
    finding.location = culprit.site->getBeginLoc();
    finding.range = culprit.site->getSourceRange();
    finding.message = "this forward pass records a graph that no backward uses";
    if (isCut)
      finding.message += ": its result is detached";
    if (&culprit != &shown)
      finding.notes.push_back({shown.site->getBeginLoc(), "the forward pass is here"});
    if (const Event *reader = visit.unit.uses().readerOf(visit.site);
        reader && reader->site->getBeginLoc() != shown.site->getBeginLoc())
      finding.notes.push_back(
          {reader->site->getBeginLoc(), "of its result only the numbers are used, here for one"});
    repair(visit, culprit, finding);
    reporter.report(std::move(finding));
  }

private:
  /// Whether a helper's forward is differentiated when others call the helper: this call of it is
  /// to blame, then.
  static bool isSharedWithTraining(const Visit &visit) {
    return visit.unit.uses().mayBeDifferentiated(visit.shown()) &&
           !visit.unit.tables().sites.callers(visit.site).empty();
  }

  /// Whether all callers that are known have a guard. Others may not.
  static bool isGuardedByCallers(const Visit &visit) {
    bool isGuarded = false;
    for (const Observation &other : visit.unit.observations())
      if (other.event == &visit.event && !other.callers.empty()) {
        if (other.before.gradMode().possible & GradMode::On)
          return false;
        isGuarded = true;
      }
    return isGuarded && visit.callers.empty();
  }

  /// Whether the guard that a finding asks for, of a forward pass whose result this one gets,
  /// serves both.
  bool isGuardedWithInput(const Visit &visit) const {
    const Event &forward = visit.event;
    return llvm::any_of(forward.operands, [&](const Operand &operand) {
      return operand.isTensor &&
             llvm::any_of(
                 visit.unit.tables().histories.members(visit.before.valueOf(operand).graphs),
                 [&](SiteId site) {
                   const clang::CompoundStmt *block = guardOf.lookup(site);
                   return block && site != visit.site && contains(visit, block, visit.shown().site);
                 });
    });
  }

  /// In the outermost block in which nothing behind it is trained; one guard serves all behind it.
  void repair(const Visit &visit, const Event &forward, Finding &finding) {
    const FunctionBody &function = *forward.function;
    const clang::Stmt *place = nullptr;
    for (const clang::Stmt *statement = function.statementOf(forward.site); statement;
         statement = function.statementAround(statement)) {
      const clang::CompoundStmt *block = function.compoundOf(statement);
      if (!block)
        continue;
      if (trainsIn(visit, function, statement) || trainsBehind(visit, function, statement, *block))
        break;
      place = statement;
    }
    const clang::CompoundStmt *block = place ? function.compoundOf(place) : nullptr;
    if (finding.level == Level::Likely)
      guardOf[visit.site] = block;
    if (!block || !guarded.insert(block).second)
      return;
    std::string name = "no_grad";
    for (unsigned number = 2; declares(*block, name); ++number)
      name = "no_grad" + std::to_string(number);
    finding.fixes = insertBefore(visit, place, "torch::NoGradGuard " + name + ";");
  }

  /// Whether a statement directly in \p block declares \p name.
  static bool declares(const clang::CompoundStmt &block, llvm::StringRef name) {
    return llvm::any_of(block.body(), [&](const clang::Stmt *statement) {
      const auto *declarations = llvm::dyn_cast<clang::DeclStmt>(statement);
      return declarations && llvm::any_of(declarations->decls(), [&](const clang::Decl *each) {
               const auto *named = llvm::dyn_cast<clang::NamedDecl>(each);
               return named && named->getDeclName().isIdentifier() && named->getName() == name;
             });
    });
  }

  llvm::SmallPtrSet<const clang::CompoundStmt *, 8> guarded; ///< Blocks that have got a guard.
  /// The block in which each finding wants one, but for advice.
  llvm::DenseMap<SiteId, const clang::CompoundStmt *> guardOf;
};

} // namespace

std::unique_ptr<Check> makeMissingNoGrad() { return std::make_unique<MissingNoGrad>(); }

} // namespace gradtidy
