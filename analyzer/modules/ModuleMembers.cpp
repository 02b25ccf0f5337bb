#include "ModuleMembers.h"

#include <algorithm>

namespace gradtidy {

using namespace ir;

static void judgeType(ModuleMember &member) {
  const Type &type = *member.field->type;
  const Symbol *record = type.isPointer || type.isReference ? nullptr : type.record;
  const TypeRole role = record && !record->isStandard ? type.role : TypeRole::None;
  member.isRegistrable = role == TypeRole::Tensor || role == TypeRole::ModuleHolder ||
                         (record && record->isStandard && record->name == "shared_ptr");
  member.isMade =
      (role == TypeRole::Module || role == TypeRole::ModuleHolder) && !member.field->init;
}

ModuleMember ModuleMembers::view(const Symbol &field) {
  ModuleMember member;
  member.field = &field;
  member.role = holdsModules(field.type) ? TypeRole::Module : TypeRole::Tensor;
  judgeType(member);
  const Entity entity = canonical(&field);
  if (member.role == TypeRole::Module) {
    member.stateful = natures.ofEntity(entity).stateful;
    member.isHandedIn = field.type->isReference || isParameterReached(entity);
  }
  // Who registers or manages what the member holds, be it in a function it is given to.
  const ModuleUses::Reached reached = uses.reachedFrom(entity);
  member.registered = registrations.of(reached.entities);
  const ForwardUse use = collectUses(member, reached);
  collectDefinitions(member);
  if (member.role == TypeRole::Tensor)
    judgeTensor(member, use);
  if (member.forwardUses.empty())
    takeOtherUses(member, use);
  return member;
}

bool ModuleMembers::isParameterReached(Entity entity) const {
  return llvm::any_of(uses.aliasesOf(entity),
                      [](Entity alias) { return alias->kind == SymbolKind::Parameter; });
}

ModuleMembers::ForwardUse ModuleMembers::collectUses(ModuleMember &member,
                                                     const ModuleUses::Reached &reached) {
  ForwardUse result;
  for (size_t i = 0; i < reached.entities.size(); ++i) {
    const EntityFacts &facts = uses.of(reached.entities[i]);
    member.isManaged |= facts.isManaged;
    for (const EntityUse &use : facts.uses) {
      const bool isLater = !phases.isConstruction(use.function);
      const bool isForward = phases.isForwardPass(use.function);
      member.isManaged |= use.isMove && isLater;
      result.isChangedLater |= use.isChange && isLater;
      // A tensor has to be on the device under a guard, too.
      const bool counts =
          use.isRecorded || (member.role == TypeRole::Tensor && use.isOperand && isForward);
      if (i < reached.aliases && isLater && !isForward && counts)
        result.others.push_back(use);
      if (i >= reached.aliases || !(isForward || phases.isTrained(use.function)))
        continue;
      if (isForward && counts)
        member.forwardUses.push_back(use.site);
      result.isOperand |= use.isOperand;
      result.isChanged |= use.isChange;
    }
  }
  return result;
}

void ModuleMembers::collectDefinitions(ModuleMember &member) {
  for (const MemberDefinition &definition : uses.definitionsOf(member.field))
    if (!isNull(definition.value)) {
      member.definitions.push_back(definition);
      member.isMade = true;
      if (registrations.isReplacement(definition, *member.field))
        member.replacements.push_back(definition);
    }
}

/// Whether the tensor is missed by to() or save().
void ModuleMembers::judgeTensor(ModuleMember &member, const ForwardUse &use) {
  const bool isOperand = isDerivedOperand(member) || use.isOperand;
  Content content = Content::Nothing;
  bool isTable = true;
  for (const MemberDefinition &definition : uses.definitionsOf(member.field)) {
    isTable &= contents.isComputed(definition.value);
    member.isManaged |= !phases.isConstruction(definition.function) &&
                        !isLoadedWithSiblings(definition, *member.field);
    content = std::max(content, contents.of(definition.value));
    member.requiresGrad |= contents.mentions(definition.value, Trait::RequiresGrad);
  }
  const bool isState =
      use.isChanged || member.requiresGrad || (content == Content::Indices && isOperand);
  if (content == Content::Unknown)
    member.stateful = Answer::Unknown;
  else if ((content == Content::Data && !isTable) || (content != Content::Nothing && isState))
    member.stateful = Answer::Yes;
  else
    member.stateful = Answer::No;
}

/// Methods other than forward passes count where they are trained, or the tensor is made for that.
/// Who changes it by hand knows what he does.
void ModuleMembers::takeOtherUses(ModuleMember &member, const ForwardUse &use) {
  if (use.isChangedLater)
    return;
  for (const EntityUse &other : use.others) {
    const Symbol *method = other.function;
    const bool isOwn = method && gradtidy::classOf(method) == member.field->owner &&
                       !ModuleUses::isManagement(method) && (!member.user || member.user == method);
    if (isOwn &&
        (phases.isTrained(method) || (member.requiresGrad && holdsTensors(method->type)))) {
      member.user = method;
      member.forwardUses.push_back(other.site);
    }
  }
}

/// Whether forward passes use as an operand what is computed of the tensor alone, which is where
/// the tensor is. Who moves it manages the tensor.
bool ModuleMembers::isDerivedOperand(ModuleMember &member) {
  bool isOperand = false;
  const EntityFacts &own = uses.of(canonical(member.field));
  llvm::SmallSetVector<Entity, 4> derived(own.derived.begin(), own.derived.end());
  for (size_t i = 0; i < derived.size(); ++i) {
    const EntityFacts &facts = uses.of(derived[i]);
    derived.insert(facts.derived.begin(), facts.derived.end());
    for (const EntityUse &use : facts.uses) {
      isOperand |= phases.isForwardPass(use.function) && use.isOperand;
      member.isManaged |= use.isMove && !phases.isConstruction(use.function);
    }
  }
  return isOperand;
}

/// Whether the definition gives the member a value where registered tensors of its class get
/// theirs, as when parameters are loaded by hand.
bool ModuleMembers::isLoadedWithSiblings(const MemberDefinition &definition, const Symbol &field) {
  if (!field.owner || gradtidy::classOf(definition.function) == field.owner)
    return false;
  return llvm::any_of(ir::classOf(*field.owner).members, [&](const Symbol *sibling) {
    if (sibling == &field || !holdsTensors(sibling->type))
      return false;
    const std::vector<MemberDefinition> &definitions = uses.definitionsOf(sibling);
    const bool isRegistered = uses.of(canonical(sibling)).isRegistered ||
                              llvm::any_of(definitions, [&](const MemberDefinition &other) {
                                return registrations.isResult(other.value);
                              });
    return isRegistered && llvm::any_of(definitions, [&](const MemberDefinition &other) {
             return other.function == definition.function;
           });
  });
}

} // namespace gradtidy
