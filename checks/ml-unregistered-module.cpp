// A module knows of its submodules what it was told by register_module(). One that it was not told
// of is computed with all the same, but not trained, not moved and never leaves training mode. So
// is one that takes the place of another in a member, unless replace_module() tells.

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
          reporter.report(replaced(member, definition));
  }

private:
  static Finding replaced(const ModuleMember &member, const EntityDefinition &definition) {
    Finding finding;
    finding.location = definition.value->getExprLoc();
    finding.range = definition.value->getSourceRange();
    finding.message = ("submodule '" + member.field->getName() +
                       "' is replaced, but the old one stays registered: parameters(), to() and "
                       "eval() do not reach the new one")
                          .str();
    return finding;
  }
};

} // namespace

std::unique_ptr<Check> makeUnregisteredModule() { return std::make_unique<UnregisteredModule>(); }

} // namespace gradtidy
