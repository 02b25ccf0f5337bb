#include "CalledModules.h"

#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"

namespace gradtidy {

CalledModules::CalledModules(clang::ASTContext &context, Vocabulary &vocabulary)
    : vocabulary(vocabulary), modules(context, vocabulary) {
  for (const ModuleClass &view : modules.all())
    classes.push_back(std::make_unique<ModuleClass>(view));
}

static const clang::CXXRecordDecl *recordOf(const ModuleClass &view) {
  return CodeMap::record(view.record);
}

const ModuleClass *CalledModules::viewOf(const clang::CXXRecordDecl *record) const {
  for (const ModuleClass &view : llvm::make_pointee_range(classes))
    if (record && recordOf(view)->getCanonicalDecl() == record->getCanonicalDecl())
      return &view;
  return nullptr;
}

bool CalledModules::saysHowToCopy(const clang::CXXRecordDecl &record) const {
  const auto copies = [&](const clang::CXXMethodDecl *method) {
    return vocabulary.operationOf(method) == Operation::CopyModule;
  };
  const auto overrides = [&](const clang::CXXMethodDecl *method) {
    return method->size_overridden_methods() > 0 &&
           (copies(method) || llvm::any_of(method->overridden_methods(), copies));
  };
  return llvm::any_of(record.methods(), overrides) ||
         llvm::any_of(record.bases(), [&](const clang::CXXBaseSpecifier &base) {
           const clang::CXXRecordDecl *type = base.getType()->getAsCXXRecordDecl();
           type = type ? type->getDefinition() : nullptr;
           return !type || saysHowToCopy(*type);
         });
}

std::vector<const ir::Symbol *> CalledModules::lostByClone(const ModuleClass &of) const {
  std::vector<const ir::Symbol *> lost;
  llvm::SmallVector<const ModuleClass *, 4> pending;
  if (saysHowToCopy(*recordOf(of)))
    pending.push_back(&of);
  for (size_t i = 0; i < pending.size(); ++i)
    for (const ModuleMember &member : pending[i]->members) {
      const clang::QualType type = CodeMap::member(member.field)->getType();
      const clang::CXXRecordDecl *record = vocabulary.classOf(type);
      const ModuleClass *view = viewOf(record);
      if (!view || member.registered != Answer::Yes || !vocabulary.hasParameters(type))
        continue;
      if (!saysHowToCopy(*recordOf(*view)))
        lost.push_back(member.field);
      else if (!llvm::is_contained(pending, view))
        pending.push_back(view);
    }
  return lost;
}

CalledModules::Views CalledModules::variantsOf(const ModuleClass &view) const {
  Views variants;
  for (const ModuleClass &other : llvm::make_pointee_range(classes))
    if (!recordOf(other)->isAbstract() && recordOf(other)->isDerivedFrom(recordOf(view)))
      variants.push_back(&other);
  return variants;
}

static bool holdsNothing(const ModuleClass &view) {
  return llvm::all_of(view.members, [&](const ModuleMember &member) {
    return view.isVisible && member.role == TypeRole::Tensor && member.registered == Answer::No &&
           !member.requiresGrad;
  });
}

bool CalledModules::isStateless(const ModuleClass &view) const {
  const bool inheritsNone = recordOf(view)->forallBases([&](const clang::CXXRecordDecl *base) {
    if (!isModule(vocabulary.roleOf(base)) || vocabulary.isFramework(base))
      return vocabulary.traitOf(base) != Trait::Container;
    const ModuleClass *inherited = viewOf(base);
    return inherited && holdsNothing(*inherited);
  });
  return inheritsNone && holdsNothing(view);
}

bool CalledModules::hasNothing(const ModuleClass &view) const {
  if (!recordOf(view)->isAbstract())
    return isStateless(view);
  const Views variants = variantsOf(view);
  return !variants.empty() &&
         llvm::all_of(variants, [&](const ModuleClass *variant) { return isStateless(*variant); });
}

bool CalledModules::mayHoldModes(const ModuleClass &view, Seen &seen) const {
  if (!seen.insert(&view).second)
    return false;
  if (recordOf(view)->isAbstract() &&
      llvm::any_of(variantsOf(view), [](const ModuleClass *variant) {
        return variant->dependsOnMode == Answer::Yes;
      }))
    return true;
  const bool isAllSeen = recordOf(view)->forallBases([&](const clang::CXXRecordDecl *base) {
    if (!isModule(vocabulary.roleOf(base)))
      return true;
    if (vocabulary.isFramework(base))
      return vocabulary.traitOf(base) != Trait::Container;
    const ModuleClass *inherited = viewOf(base);
    return inherited && !mayHoldOwnModes(*inherited, seen);
  });
  return !isAllSeen || mayHoldOwnModes(view, seen);
}

bool CalledModules::mayHoldOwnModes(const ModuleClass &view, Seen &seen) const {
  return llvm::any_of(view.members, [&](const ModuleMember &member) {
    const clang::QualType type = CodeMap::member(member.field)->getType();
    if (!isModule(member.role) || modules.dependsOnMode(type) == Answer::No)
      return false;
    const clang::CXXRecordDecl *record = vocabulary.classOf(type);
    const ModuleClass *inner = viewOf(record);
    if (inner && (!inner->isVisible || recordOf(*inner)->isAbstract()))
      return mayHoldModes(*inner, seen);
    return view.isVisible || !record || vocabulary.traitOf(record) != Trait::ModeByOption;
  });
}

Answer CalledModules::dependsOnMode(const clang::Expr *module, const ModuleClass *view) const {
  const Answer answer = modules.dependsOnMode(module);
  llvm::SmallPtrSet<const ModuleClass *, 4> seen;
  return answer == Answer::Unknown && view && !mayHoldModes(*view, seen) ? Answer::No : answer;
}

bool CalledModules::asksForMode(const clang::FunctionDecl &function) const {
  return modules.asksForMode(function);
}

bool CalledModules::isLayer(const clang::CXXRecordDecl *record) const {
  if (!record || !vocabulary.isFramework(record))
    return false;
  const Trait trait = vocabulary.traitOf(record);
  return trait != Trait::Container && trait != Trait::Opaque;
}

/// Whether the event makes the module that is its subject.
static bool isMade(const Event &event) {
  return isModule(event.subject.role) && (event.kind == EventKind::Construct ||
                                          (event.result && event.result == event.subject.path));
}

std::unique_ptr<const CalledModule> CalledModules::describe(const Event &event) const {
  auto result = std::make_unique<CalledModule>();
  if (isMade(event)) {
    const clang::Expr *made = CodeMap::expr(event.site);
    if (!made)
      return nullptr;
    result->layer = modules.lastLayer(made);
    result->dependsOnMode = modules.dependsOnMode(made);
    return result;
  }
  const clang::Expr *module = CodeMap::expr(event.subject.expr);
  const clang::CXXRecordDecl *record =
      module ? vocabulary.classOf(strip(module)->getType()) : nullptr;
  if (!record || (event.kind != EventKind::Forward && !isModule(vocabulary.roleOf(record))))
    return nullptr;
  result->view = viewOf(record);
  result->dependsOnMode = dependsOnMode(module, result->view);
  result->isStateless =
      result->view && result->dependsOnMode == Answer::No && hasNothing(*result->view);
  result->isLayer = isLayer(vocabulary.classOf(module->getType()));
  if (event.kind == EventKind::Forward) {
    result->normalizesBatches = modules.normalizesBatches(module) == Answer::Yes;
    result->layer = modules.lastLayer(module);
    result->size = modules.sizeOf(module);
  }
  if (result->view)
    result->lostByClone = lostByClone(*result->view);
  return result;
}

} // namespace gradtidy
