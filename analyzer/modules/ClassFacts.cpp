#include "ClassFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>

namespace gradtidy {

ClassFacts::ClassFacts(const std::vector<std::unique_ptr<const ModuleClass>> &classes,
                       ModuleNatures &natures)
    : natures(natures) {
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

std::vector<const ir::Symbol *> ClassFacts::lostByClone(const ModuleClass &of) const {
  std::vector<const ir::Symbol *> lost;
  llvm::SmallVector<const ModuleClass *, 4> pending;
  if (of.saysHowToCopy)
    pending.push_back(&of);
  for (size_t i = 0; i < pending.size(); ++i)
    for (const ModuleMember &member : pending[i]->members) {
      const ModuleClass *view = viewOf(moduleClassOf(member.field->type));
      if (!view || member.registered != Answer::Yes || !view->hasParameters)
        continue;
      if (!view->saysHowToCopy)
        lost.push_back(member.field);
      else if (!llvm::is_contained(pending, view))
        pending.push_back(view);
    }
  return lost;
}

ClassFacts::Views ClassFacts::variantsOf(const ir::Symbol &record) const {
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

bool ClassFacts::isStateless(const ModuleClass &view) const {
  const bool inheritsNone = forAllBases(*view.record, [&](const ir::Symbol &base) {
    if (!isOwnModule(base))
      return base.trait != Trait::Container;
    const ModuleClass *inherited = viewOf(&base);
    return inherited && holdsNothing(*inherited);
  });
  return inheritsNone && holdsNothing(view);
}

bool ClassFacts::hasNothing(const ModuleClass &view) const {
  if (!isAbstract(view))
    return isStateless(view);
  const Views variants = variantsOf(*view.record);
  return !variants.empty() &&
         llvm::all_of(variants, [&](const ModuleClass *variant) { return isStateless(*variant); });
}

bool ClassFacts::mayHoldModes(const ModuleClass &view, Seen &seen) const {
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

bool ClassFacts::mayHoldOwnModes(const ModuleClass &view, Seen &seen) const {
  return llvm::any_of(view.members, [&](const ModuleMember &member) {
    const ir::Type *type = member.field->type;
    if (!isModule(member.role) || !type || natures.of(type).mode == Answer::No)
      return false;
    const ir::Symbol *record = moduleClassOf(type);
    const ModuleClass *inner = viewOf(record);
    if (inner && (!inner->isVisible || isAbstract(*inner)))
      return mayHoldModes(*inner, seen);
    return view.isVisible || !record || record->trait != Trait::ModeByOption;
  });
}

void ClassFacts::complete(CalledModule &module) const {
  if (!module.view)
    return;
  llvm::SmallPtrSet<const ModuleClass *, 4> seen;
  if (module.dependsOnMode == Answer::Unknown && !mayHoldModes(*module.view, seen))
    module.dependsOnMode = Answer::No;
  module.isStateless = module.dependsOnMode == Answer::No && hasNothing(*module.view);
  module.lostByClone = lostByClone(*module.view);
}

} // namespace gradtidy
