// A module knows of its submodules what it was told by register_module(). One that it was not told
// of is computed with all the same, but not trained, not moved and never leaves training mode. So
// is one that takes the place of another in a member, unless replace_module() tells, and one that
// forward() makes for itself.

#include "Registration.h"

#include "clang/AST/Decl.h"

namespace gradtidy {
namespace {

class UnregisteredModule : public Check {
public:
  void onClass(const ClassVisit &visit, Reporter &reporter) override {
    for (const ModuleMember &member : visit.view.members)
      if (member.role == TypeRole::Module && isForgotten(visit.view, member))
        reporter.report(unregistered(
            visit, member, "register_module",
            ("submodule '" + member.field->getName() +
             "' is used in forward() but never registered: parameters(), to() and eval() do not "
             "reach it")
                .str()));
    for (const ModuleMember &member : visit.view.members)
      if (member.role == TypeRole::Module && member.stateful == Answer::Yes && visit.view.isVisible)
        for (const EntityDefinition &definition : member.replacements)
          reporter.report(
              replaced(member, definition, "submodule", "parameters(), to() and eval()"));
    for (const clang::VarDecl *variable : visit.view.transients)
      reporter.report(madeAnew(*variable));
  }

private:
  static Finding madeAnew(const clang::VarDecl &variable) {
    Finding finding;
    finding.location = variable.getLocation();
    finding.range = variable.getSourceRange();
    finding.message = ("'" + variable.getName() +
                       "' is made anew in every forward pass: parameters(), to() and eval() do not "
                       "reach it")
                          .str();
    return finding;
  }
};

} // namespace

std::unique_ptr<Check> makeUnregisteredModule() { return std::make_unique<UnregisteredModule>(); }

} // namespace gradtidy
