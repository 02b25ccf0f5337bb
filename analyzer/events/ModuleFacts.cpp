#include "ModuleFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>

namespace gradtidy {

ModuleFacts::ModuleFacts(const std::vector<std::unique_ptr<const ModuleClass>> &classes) {
  for (const auto &view : classes) {
    all.push_back(view.get());
    views.try_emplace(view->record, view.get());
  }
}

/// Whether \p holds is true of all that \p record derives from; false where that is not known.
static bool forAllBases(const ir::Symbol &record,
                        llvm::function_ref<bool(const ir::Symbol &)> holds) {
  return !ir::classOf(record).hasOpenBases &&
         llvm::all_of(record.bases, [&](const ir::Symbol *base) {
           return holds(*base) && forAllBases(*base, holds);
         });
}

static bool isAbstract(const ModuleClass &view) { return ir::classOf(*view.record).isAbstract; }

/// Whether \p base is a module class of the user's, or of a library's.
static bool isOwnModule(const ir::Symbol &base) { return isModule(base.role) && !base.isFramework; }

/// The class of the one module that a value of \p type is, holds or points to, or null.
static const ir::Symbol *moduleIn(const ir::Type *type) {
  return type && isModule(type->role) && type->modules.size() == 1 ? type->modules.front()
                                                                   : nullptr;
}

std::vector<const ir::Symbol *> ModuleFacts::lostByClone(const ModuleClass &of) const {
  std::vector<const ir::Symbol *> lost;
  llvm::SmallVector<const ModuleClass *, 4> pending;
  if (of.saysHowToCopy)
    pending.push_back(&of);
  for (size_t i = 0; i < pending.size(); ++i)
    for (const ModuleMember &member : pending[i]->members) {
      const ModuleClass *view = viewOf(moduleIn(member.field->type));
      if (!view || member.registered != Answer::Yes || !view->hasParameters)
        continue;
      if (!view->saysHowToCopy)
        lost.push_back(member.field);
      else if (!llvm::is_contained(pending, view))
        pending.push_back(view);
    }
  return lost;
}

ModuleFacts::Views ModuleFacts::variantsOf(const ir::Symbol &record) const {
  Views variants;
  for (const ModuleClass *other : all)
    if (other->record != &record && !isAbstract(*other) && ir::isOrDerives(*other->record, record))
      variants.push_back(other);
  return variants;
}

static bool holdsNothing(const ModuleClass &view) {
  return llvm::all_of(view.members, [&](const ModuleMember &member) {
    return view.isVisible && member.role == TypeRole::Tensor && member.registered == Answer::No &&
           !member.requiresGrad;
  });
}

bool ModuleFacts::isStateless(const ModuleClass &view) const {
  const bool inheritsNone = forAllBases(*view.record, [&](const ir::Symbol &base) {
    if (!isOwnModule(base))
      return base.trait != Trait::Container;
    const ModuleClass *inherited = viewOf(&base);
    return inherited && holdsNothing(*inherited);
  });
  return inheritsNone && holdsNothing(view);
}

bool ModuleFacts::hasNothing(const ModuleClass &view) const {
  if (!isAbstract(view))
    return isStateless(view);
  const Views variants = variantsOf(*view.record);
  return !variants.empty() &&
         llvm::all_of(variants, [&](const ModuleClass *variant) { return isStateless(*variant); });
}

void ModuleFacts::complete(ModuleMember &member) const {
  const ModuleClass *view = viewOf(moduleIn(member.field->type));
  if (member.role != TypeRole::Module || member.stateful != Answer::Unknown || !view)
    return;
  if (hasNothing(*view))
    member.stateful = Answer::No;
  else if (view->hasParameters || llvm::any_of(view->members, [](const ModuleMember &part) {
             return part.registered == Answer::Yes &&
                    (part.role == TypeRole::Tensor || part.stateful == Answer::Yes);
           }))
    member.stateful = Answer::Yes;
}

Answer ModuleFacts::modeOf(const ir::Type &type) const {
  Answer answer = Answer::No;
  for (const ir::Symbol *module : type.modules)
    answer = std::max(answer, modeOf(*module));
  return answer;
}

/// Of the class itself, as the model or its view tells.
static Answer ownModeOf(const ir::Symbol &module, const ModuleClass *view) {
  if (view || !module.isFramework)
    return view ? view->dependsOnMode : Answer::Unknown;
  switch (module.trait) {
  case Trait::ModeDependent:
    return Answer::Yes;
  case Trait::None:
  case Trait::CastsWeights:
  case Trait::Stateless:
    return Answer::No;
  default:
    return Answer::Unknown;
  }
}

/// An object of an abstract class is one of its variants.
Answer ModuleFacts::modeOf(const ir::Symbol &module) const {
  const Answer own = ownModeOf(module, viewOf(&module));
  if (!ir::classOf(module).isAbstract)
    return own;
  const Views variants = variantsOf(module);
  if (variants.empty())
    return std::max(own, Answer::Unknown);
  const Answer first = variants.front()->dependsOnMode;
  const bool isOne = llvm::all_of(
      variants, [&](const ModuleClass *variant) { return variant->dependsOnMode == first; });
  return std::max(own, isOne ? first : Answer::Unknown);
}

bool ModuleFacts::mayHoldModes(const ModuleClass &view, Seen &seen) const {
  if (!seen.insert(&view).second)
    return false;
  if (isAbstract(view) && llvm::any_of(variantsOf(*view.record), [](const ModuleClass *variant) {
        return variant->dependsOnMode == Answer::Yes;
      }))
    return true;
  const bool isAllSeen = forAllBases(*view.record, [&](const ir::Symbol &base) {
    if (!isOwnModule(base))
      return base.trait != Trait::Container;
    const ModuleClass *inherited = viewOf(&base);
    return inherited && !mayHoldOwnModes(*inherited, seen);
  });
  return !isAllSeen || mayHoldOwnModes(view, seen);
}

bool ModuleFacts::mayHoldOwnModes(const ModuleClass &view, Seen &seen) const {
  return llvm::any_of(view.members, [&](const ModuleMember &member) {
    const ir::Type *type = member.field->type;
    if (!isModule(member.role) || !type || modeOf(*type) == Answer::No)
      return false;
    const ir::Symbol *record = moduleIn(type);
    const ModuleClass *inner = viewOf(record);
    if (inner && (!inner->isVisible || isAbstract(*inner)))
      return mayHoldModes(*inner, seen);
    return view.isVisible || !record || record->trait != Trait::ModeByOption;
  });
}

void ModuleFacts::complete(CalledModule &module) const {
  if (!module.view)
    return;
  // Another source may show more of the class than the one that calls it.
  if (module.dependsOnMode == Answer::Unknown)
    module.dependsOnMode = modeOf(*module.view->record);
  llvm::SmallPtrSet<const ModuleClass *, 4> seen;
  if (module.dependsOnMode == Answer::Unknown && !mayHoldModes(*module.view, seen))
    module.dependsOnMode = Answer::No;
  module.isStateless = module.dependsOnMode == Answer::No && hasNothing(*module.view);
  module.lostByClone = lostByClone(*module.view);
}

// ---- several sources ---------------------------------------------------------------------------

/// Adds what \p known lacks. A header stands in the text of each source that includes it.
template <typename Value, typename NodeOf>
static void unite(std::vector<Value> &known, const std::vector<Value> &others, NodeOf nodeOf) {
  for (const Value &other : others)
    if (llvm::none_of(known, [&](const Value &each) {
          return nodeOf(each)->begin() == nodeOf(other)->begin();
        }))
      known.push_back(other);
}

static void join(ModuleMember &known, const ModuleMember &other) {
  known.registered = std::max(known.registered, other.registered);
  known.requiresGrad |= other.requiresGrad;
  known.isMade |= other.isMade;
  known.isHandedIn |= other.isHandedIn;
  known.isManaged |= other.isManaged;
  const auto valueOf = [](const MemberDefinition &definition) { return definition.value; };
  unite(known.definitions, other.definitions, valueOf);
  unite(known.replacements, other.replacements, valueOf);
  if (known.forwardUses.empty()) {
    known.forwardUses = other.forwardUses;
    known.user = other.user;
  } else if (known.user == other.user) {
    unite(known.forwardUses, other.forwardUses, [](const ir::Node *use) { return use; });
  }
}

void join(ModuleClass &known, const ModuleClass &other) {
  known.asksForMode |= other.asksForMode;
  for (ModuleMember &member : known.members)
    for (const ModuleMember &each : other.members)
      if (each.field == member.field)
        join(member, each);
  for (llvm::StringRef name : other.registeredNames)
    if (!llvm::is_contained(known.registeredNames, name))
      known.registeredNames.push_back(name);
}

} // namespace gradtidy
