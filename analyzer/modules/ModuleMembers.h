// What is known of the data members of module classes.
#pragma once

#include "ModuleNature.h"
#include "ModulePhases.h"
#include "Registrations.h"
#include "TensorContent.h"

namespace gradtidy {

class ModuleMembers {
public:
  ModuleMembers(const ModuleUses &uses, ModuleNatures &natures, const ModulePhases &phases,
                Registrations &registrations)
      : uses(uses), natures(natures), phases(phases), registrations(registrations), contents(uses) {
  }

  /// The view of a field that holds modules or tensors.
  ModuleMember view(const ir::Symbol &field);

private:
  /// What forward passes do with a tensor.
  struct ForwardUse {
    bool isOperand = false, isChanged = false;
    bool isChangedLater = false;   ///< Somebody changes it after construction.
    std::vector<EntityUse> others; ///< Those in other methods of the class.
  };

  ForwardUse collectUses(ModuleMember &member, const ModuleUses::Reached &reached);
  void collectDefinitions(ModuleMember &member);
  void judgeTensor(ModuleMember &member, const ForwardUse &use);
  void takeOtherUses(ModuleMember &member, const ForwardUse &use);
  bool isDerivedOperand(ModuleMember &member);
  bool isParameterReached(Entity entity) const;
  bool isLoadedWithSiblings(const MemberDefinition &definition, const ir::Symbol &field);

  const ModuleUses &uses;
  ModuleNatures &natures;
  const ModulePhases &phases;
  Registrations &registrations;
  TensorContents contents;
};

} // namespace gradtidy
