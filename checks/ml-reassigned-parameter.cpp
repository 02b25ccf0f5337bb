// A module keeps the tensors that it registered, under their names. Who assigns another tensor to
// the member changes what forward() computes with, and what parameters(), to() and save() reach
// stays the old one.

#include "Registration.h"
#include "analyzer/ir/UserWords.h"

namespace gradtidy {
namespace {

class ReassignedParameter : public Check {
public:
  void onClass(const ClassVisit &visit, Reporter &reporter) override {
    for (const ModuleMember &member : visit.view.members)
      if (member.role == TypeRole::Tensor && visit.view.isVisible)
        for (const MemberDefinition &definition : member.replacements)
          reporter.report(replaced(member, definition, "tensor", "to() and save()"));
  }

  /// `linear->weight = t`
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Bind && moment.event.isRegistered;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &assignment = visit.event;
    if (isForward(*assignment.function->function) || assignment.operands.empty() ||
        isRegistered(assignment))
      return;
    // What is computed of parameters for the next forward pass trains these.
    const Value value = visit.before.valueOf(assignment.operands.front());
    if (value.autograd.graph & Graph::Attached && !isLeaf(value))
      return;
    const PathStep &place = visit.unit.tables().paths.last(assignment.subject.path);
    const ir::Symbol *field = place.symbol();
    Finding finding(Level::Certain, assignment,
                    ("'" + field->name +
                     "' is replaced, but the layer has registered the old one: parameters(), "
                     "to() and save() do not reach the new one")
                        .str());
    reporter.report(std::move(finding));
  }

private:
  static bool isForward(const ir::Symbol &function) {
    return function.isMethod() &&
           (function.spelling == "operator()" || words::speaksOfForward(function.name));
  }

  /// Whether the function makes the new tensor a parameter of another module, of its own perhaps.
  static bool isRegistered(const Event &assignment) {
    return hasEvent(*assignment.function, [&](const Event &event) {
      return event.registers == Registers::Parameter &&
             llvm::any_of(event.operands, [&](const Operand &operand) {
               return operand.path == assignment.subject.path;
             });
    });
  }
};

} // namespace

std::unique_ptr<Check> makeReassignedParameter() { return std::make_unique<ReassignedParameter>(); }

} // namespace gradtidy
