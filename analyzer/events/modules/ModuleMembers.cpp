#include "ModuleMembers.h"

#include "analyzer/events/values/Values.h"

#include <algorithm>

using namespace clang;

namespace gradtidy {

static const FieldDecl *fieldOf(const ModuleMember &member) {
  return CodeMap::member(member.field);
}

ModuleMember ModuleMembers::view(const FieldDecl *field) {
  ModuleMember member;
  member.field = vocabulary.code().symbol(field);
  member.role = uses.holdsModules(field->getType()) ? TypeRole::Module : TypeRole::Tensor;
  judgeType(member);
  const Entity entity = canonical(field);
  if (member.role == TypeRole::Module) {
    member.stateful = natures.of(entity).stateful;
    member.isHandedIn = field->getType()->isReferenceType() || isParameterReached(entity);
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

void ModuleMembers::judgeType(ModuleMember &member) {
  const CXXRecordDecl *type = fieldOf(member)->getType()->getAsCXXRecordDecl();
  const TypeRole role = type ? vocabulary.roleOf(type) : TypeRole::None;
  member.isRegistrable = role == TypeRole::Tensor || role == TypeRole::ModuleHolder ||
                         (type && isStandard(type) && type->getName() == "shared_ptr");
  member.isMade = (role == TypeRole::Module || role == TypeRole::ModuleHolder) &&
                  !fieldOf(member)->hasInClassInitializer();
}

bool ModuleMembers::isParameterReached(Entity entity) const {
  return llvm::any_of(uses.aliasesOf(entity), [](Entity alias) { return isa<ParmVarDecl>(alias); });
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
        member.forwardUses.push_back(vocabulary.code().node(use.site));
      result.isOperand |= use.isOperand;
      result.isChanged |= use.isChange;
    }
  }
  return result;
}

void ModuleMembers::collectDefinitions(ModuleMember &member) {
  for (const EntityDefinition &definition : uses.definitionsOf(fieldOf(member)))
    if (!isNull(definition.value)) {
      const MemberDefinition found{definition.kind, vocabulary.code().node(definition.value),
                                   vocabulary.code().symbol(definition.function)};
      member.definitions.push_back(found);
      member.isMade = true;
      if (registrations.isReplacement(definition, fieldOf(member)))
        member.replacements.push_back(found);
    }
}

/// Whether the tensor is missed by to() or save().
void ModuleMembers::judgeTensor(ModuleMember &member, const ForwardUse &use) {
  const bool isOperand = isDerivedOperand(member) || use.isOperand;
  Content content = Content::Nothing;
  bool isTable = true;
  for (const EntityDefinition &definition : uses.definitionsOf(fieldOf(member))) {
    isTable &= contents.isComputed(definition.value);
    member.isManaged |= !phases.isConstruction(definition.function) &&
                        !isLoadedWithSiblings(definition, fieldOf(member));
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
    const auto *method = dyn_cast<CXXMethodDecl>(other.function);
    const bool isOwn =
        method && classOf(method) == fieldOf(member)->getParent()->getCanonicalDecl() &&
        !uses.isManagement(method) && (!member.user || CodeMap::declaration(member.user) == method);
    if (isOwn && (phases.isTrained(method) ||
                  (member.requiresGrad && uses.holdsTensors(method->getReturnType())))) {
      member.user = vocabulary.code().symbol(method);
      member.forwardUses.push_back(vocabulary.code().node(other.site));
    }
  }
}

/// Whether forward passes use as an operand what is computed of the tensor alone, which is where
/// the tensor is. Who moves it manages the tensor.
bool ModuleMembers::isDerivedOperand(ModuleMember &member) {
  bool isOperand = false;
  const EntityFacts &own = uses.of(canonical(fieldOf(member)));
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
bool ModuleMembers::isLoadedWithSiblings(const EntityDefinition &definition,
                                         const FieldDecl *field) {
  if (classOf(definition.function) == field->getParent()->getCanonicalDecl())
    return false;
  return llvm::any_of(field->getParent()->fields(), [&](const FieldDecl *sibling) {
    if (sibling == field || !uses.holdsTensors(sibling->getType()))
      return false;
    const std::vector<EntityDefinition> &definitions = uses.definitionsOf(sibling);
    const bool isRegistered = uses.of(canonical(sibling)).isRegistered ||
                              llvm::any_of(definitions, [&](const EntityDefinition &other) {
                                return registrations.isResult(other.value);
                              });
    return isRegistered && llvm::any_of(definitions, [&](const EntityDefinition &other) {
             return other.function == definition.function;
           });
  });
}

} // namespace gradtidy
