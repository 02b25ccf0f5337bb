// What runs while recording is disabled has no graph: a backward through it fails, and where only a
// part of the model ran that way, that part silently stays as it is.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"

#include "clang/AST/Stmt.h"

namespace gradtidy {
namespace {

class BackwardUnderNoGrad : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &backward = visit.event;
    if (backward.kind != EventKind::Backward)
      return;
    Value loss = visit.before.valueOf(backward.subject);
    if (!(loss.graph & Graph::Unrecorded) || (loss.graph & Graph::Unknown) || !loss.disabled)
      return;
    const Event &guard = *loss.disabled;

    Finding finding;
    finding.location = backward.site->getBeginLoc();
    finding.range = backward.site->getSourceRange();
    finding.message = "this backward finds no graph: the forward ran with gradients disabled";
    finding.notes.push_back({guard.site->getBeginLoc(), "gradients are disabled here"});
    const Tables &tables = visit.unit.tables();
    for (SiteId site : tables.histories.members(loss.history))
      if (const Event &forward = tables.sites.event(site); isModuleCall(forward)) {
        finding.notes.push_back({forward.site->getBeginLoc(), "the forward pass is not recorded"});
        break;
      }
    finding.fixes = narrow(visit, guard);
    reporter.report(std::move(finding));
  }

private:
  /// Braces around the guard and what stands between it and the training; without anything there,
  /// or with declarations, the guard goes.
  static Fix narrow(const Visit &visit, const Event &guard) {
    const FunctionBody &function = *guard.function;
    const clang::Stmt *first = function.statementOf(guard.site);
    const clang::CompoundStmt *block = function.compoundOf(first);
    if (!block)
      return {};
    if (guard.kind != EventKind::EnterGradMode)
      return removeStatement(visit, guard);
    const clang::Stmt *last = nullptr;
    for (const clang::Stmt *statement : block->body()) {
      bool isBehind = last || statement == first;
      if (!isBehind)
        continue;
      bool leadsHere = llvm::any_of(visit.callers, [&](const Event *call) {
        return call->function == &function && contains(visit, statement, call->site);
      });
      if (leadsHere || trainsIn(visit, function, statement))
        break;
      if (last && llvm::isa<clang::DeclStmt>(statement)) // Braces would hide it.
        return removeStatement(visit, guard);
      last = statement;
    }
    if (!last || last == first)
      return removeStatement(visit, guard);
    Fix fix = insertBefore(visit, first, "{");
    fix.append(insertBehind(visit, last, "}"));
    return fix;
  }
};

} // namespace

std::unique_ptr<Check> makeBackwardUnderNoGrad() { return std::make_unique<BackwardUnderNoGrad>(); }

} // namespace gradtidy
