// A module moves, saves and trains the tensors it was told of by register_parameter() and
// register_buffer(). Others stay on the device where they were made, and are missing in
// checkpoints.

#include "Registration.h"

namespace gradtidy {
namespace {

class UnregisteredTensor : public Check {
public:
  void onClass(const ClassVisit &visit, Reporter &reporter) override {
    for (const ModuleMember &member : visit.view.members) {
      if (member.role != TypeRole::Tensor || !isForgotten(visit.view, member))
        continue;
      bool isTrained = member.requiresGrad;
      reporter.report(
          unregistered(visit, member, isTrained ? "register_parameter" : "register_buffer",
                       ("tensor '" + member.field->name + "' is used in " + userOf(member) +
                        " but never registered: " + (isTrained ? "parameters(), " : "") +
                        "to() and save() do not reach it")
                           .str()));
    }
  }
};

} // namespace

std::unique_ptr<Check> makeUnregisteredTensor() { return std::make_unique<UnregisteredTensor>(); }

} // namespace gradtidy
