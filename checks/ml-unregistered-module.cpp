// A module knows of its submodules what it was told by register_module(). One that it was not told
// of is computed with all the same, but not trained, not moved and never leaves training mode. So
// is one that takes the place of another in a member, unless replace_module() tells, and one that
// forward() makes for itself.

#include "Registration.h"

namespace gradtidy {
namespace {

class UnregisteredModule : public Check {
public:
  void onClass(const ClassVisit &visit, Reporter &reporter) override {
    for (const ModuleMember &member : visit.view.members)
      if (member.role == TypeRole::Module && isForgotten(visit.view, member))
        reporter.report(
            member.field->owner != visit.view.record
                ? ofHelper(visit, member)
                : unregistered(visit, member, "register_module",
                               ("submodule '" + member.field->name + "' is used in " +
                                userOf(member) +
                                " but never registered: parameters(), to() and eval() do not "
                                "reach it")
                                   .str()));
    for (const ModuleMember &member : visit.view.members)
      if (member.role == TypeRole::Module && member.stateful == Answer::Yes && visit.view.isVisible)
        for (const MemberDefinition &definition : member.replacements)
          reporter.report(
              replaced(member, definition, "submodule", "parameters(), to() and eval()"));
    for (const std::vector<Transient> &transients : visit.view.transients)
      reporter.report(madeAnew(transients));
  }

private:
  /// A module that a helper, which is none itself, holds for the class.
  static Finding ofHelper(const ClassVisit &visit, const ModuleMember &member) {
    const ir::Symbol *holder = nullptr;
    for (const ir::Symbol *field : ir::classOf(*visit.view.record).members)
      if (field->type && field->type->record == member.field->owner)
        holder = field;
    Finding finding(Level::Certain, placeOf(visit, holder ? *holder : *member.field),
                    "the modules in '" + member.field->name.str() + "' of '" +
                        (holder ? holder->name : member.field->owner->name).str() +
                        "' are used in " + userOf(member) +
                        " but never registered: parameters(), to() and eval() do not reach them");
    finding.notes.push_back({*member.field, "they are held here"});
    finding.notes.push_back({member.forwardUses.front()->caret, "they are used here"});
    return finding;
  }

  /// Where a constructor makes the helper, beside the registrations of others; else where it is
  /// declared.
  static Place placeOf(const ClassVisit &visit, const ir::Symbol &holder) {
    const PathTable &paths = visit.unit.tables().paths;
    for (const FunctionBody *function : visit.unit.callGraph().functions())
      if (function->function->kind == ir::SymbolKind::Constructor &&
          function->function->owner == visit.view.record)
        for (const Block &block : function->blocks)
          for (const Event &event : block.events)
            if (event.kind == EventKind::Bind && event.subject.path &&
                paths.last(event.subject.path).name() == &holder)
              return Place(event);
    return Place(holder);
  }

  static Place placeOf(const Transient &transient) {
    return transient.variable ? Place(*transient.variable) : Place(*transient.made);
  }

  /// One finding for what one forward pass makes.
  static Finding madeAnew(const std::vector<Transient> &transients) {
    const Transient &first = transients.front();
    Finding finding(
        Level::Certain, placeOf(first),
        (first.variable ? "'" + first.variable->spelling.str() + "'" : std::string("the module")) +
            " is made anew in every forward pass: parameters(), to() and eval() do not reach it");
    for (const Transient &other : llvm::ArrayRef(transients).drop_front())
      finding.notes.push_back({placeOf(other), "so is this one"});
    return finding;
  }
};

} // namespace

std::unique_ptr<Check> makeUnregisteredModule() { return std::make_unique<UnregisteredModule>(); }

} // namespace gradtidy
