// A guard acts as long as it lives. Without a name it is gone at the end of its statement, and
// `Guard guard();` declares a function: what follows is not guarded.

#include "Check.h"
#include "Fixes.h"
#include "analyzer/idioms/IdleGuards.h"

namespace gradtidy {
namespace {

class GuardTemporary : public Check {
public:
  bool wants(const Moment &moment) const override {
    return llvm::is_contained({EventKind::EnterGradMode, EventKind::EnterAutocast},
                              moment.event.kind);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &guard = visit.event;
    if (!guard.isDiscarded &&
        !guardsNothing(*guard.site, *guard.function, visit.source.manager, visit.source.language))
      return;
    Finding finding(Level::Certain, guard);
    const ir::Node *declaration = ir::as(ir::NodeKind::Declaration, guard.site);
    const ir::Symbol *declared =
        declaration && !declaration->declared.empty() ? declaration->declared.front() : nullptr;
    if (declared && declared->isVariable()) {
      finding.level = Level::Likely;
      finding.location = declared->location;
      finding.message = "'" + declared->spelling.str() +
                        "' guards nothing: it ends with its block, in the rest of which nothing "
                        "is computed";
      if (const ir::Node *block = guard.function->compoundOf(declaration))
        finding.notes.push_back({block->brackets.getEnd(), "it ends here"});
    } else if (declared && declared->isFunction()) {
      finding.location = declared->location;
      finding.message = "'" + declared->spelling.str() +
                        "' is a function that is declared here, no guard: what follows is not "
                        "guarded";
      finding.fixes = dropParentheses(*declared);
    } else {
      finding.message =
          "the guard has no name, so it ends with this statement: what follows is not "
          "guarded";
      finding.fixes = giveName(visit, *guard.site);
    }
    reporter.report(std::move(finding));
  }

private:
  static Fix dropParentheses(const ir::Symbol &function) {
    const clang::SourceRange parameters = function.parentheses;
    if (parameters.isInvalid() || parameters.getBegin().isMacroID())
      return {};
    return {clang::FixItHint::CreateRemoval(parameters)};
  }

  /// `Guard(…);` becomes `Guard guard(…);`, without parentheses where nothing is in them.
  static Fix giveName(const Visit &visit, const ir::Node &temporary) {
    const ir::Node *made = ir::as(ir::NodeKind::Temporary, &temporary);
    clang::SourceRange arguments;
    if (made)
      arguments = made->brackets;
    const ir::Node *cast = ir::as(ir::NodeKind::FunctionalCast, &temporary);
    if (cast)
      arguments = cast->brackets;
    // As a branch by itself it would end with that.
    if (arguments.isInvalid() || temporary.begin().isMacroID() ||
        !visit.event.function->expressionStatementOf(&temporary))
      return {};
    if (made && made->arguments.size() == 0)
      return {clang::FixItHint::CreateReplacement(arguments, " guard")};
    return {clang::FixItHint::CreateInsertion(arguments.getBegin(), " guard")};
  }
};

} // namespace

std::unique_ptr<Check> makeGuardTemporary() { return std::make_unique<GuardTemporary>(); }

} // namespace gradtidy
