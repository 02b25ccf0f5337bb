#include "CalledModules.h"

#include "ModuleClasses.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"

namespace gradtidy {

CalledModules::CalledModules(clang::ASTContext &context, Vocabulary &vocabulary,
                             std::function<bool(const clang::Decl *)> isUserCode)
    : vocabulary(vocabulary),
      modules(std::make_unique<ModuleClasses>(context, vocabulary, std::move(isUserCode))) {}

CalledModules::~CalledModules() = default;

const std::vector<ModuleClass> &CalledModules::classes() const { return modules->all(); }

static const clang::CXXRecordDecl *recordOf(const ModuleClass &view) {
  return CodeMap::record(view.record);
}

const ModuleClass *CalledModules::classOf(const Event &event) const {
  const clang::Expr *module = CodeMap::expr(event.subject.expr);
  return module ? viewOf(vocabulary.classOf(strip(module)->getType())) : nullptr;
}

const ModuleClass *CalledModules::viewOf(const clang::CXXRecordDecl *record) const {
  for (const ModuleClass &view : classes())
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

std::vector<const ir::Symbol *> CalledModules::lostByClone(const Event &event) const {
  std::vector<const ir::Symbol *> lost;
  llvm::SmallVector<const ModuleClass *, 4> pending;
  if (const ModuleClass *view = classOf(event); view && saysHowToCopy(*recordOf(*view)))
    pending.push_back(view);
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

bool CalledModules::mayAskForMode(const ir::Symbol &record) const {
  const ModuleClass *view = viewOf(CodeMap::record(&record));
  return !view || llvm::any_of(recordOf(*view)->methods(), [&](const clang::CXXMethodDecl *method) {
    return modules->asksForMode(*method);
  });
}

CalledModules::Views CalledModules::variantsOf(const ModuleClass &view) const {
  Views variants;
  for (const ModuleClass &other : classes())
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

bool CalledModules::isStateless(const Event &event) const {
  const ModuleClass *view = classOf(event);
  if (!view || dependsOnMode(event) != Answer::No)
    return false;
  if (!recordOf(*view)->isAbstract())
    return isStateless(*view);
  const Views variants = variantsOf(*view);
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
    if (!isModule(member.role) || modules->dependsOnMode(type) == Answer::No)
      return false;
    const clang::CXXRecordDecl *record = vocabulary.classOf(type);
    const ModuleClass *inner = viewOf(record);
    if (inner && (!inner->isVisible || recordOf(*inner)->isAbstract()))
      return mayHoldModes(*inner, seen);
    return view.isVisible || !record || vocabulary.traitOf(record) != Trait::ModeByOption;
  });
}

Answer CalledModules::dependsOnMode(const Event &event) const {
  if (!event.subject.expr)
    return Answer::Unknown;
  const Answer answer = modules->dependsOnMode(CodeMap::expr(event.subject.expr));
  const ModuleClass *view = answer == Answer::Unknown ? classOf(event) : nullptr;
  llvm::SmallPtrSet<const ModuleClass *, 4> seen;
  return view && !mayHoldModes(*view, seen) ? Answer::No : answer;
}

bool CalledModules::asksForMode(const ir::Symbol &method) const {
  return modules->asksForMode(*CodeMap::function(&method));
}

bool CalledModules::normalizesBatches(const Event &event) const {
  const clang::Expr *module = CodeMap::expr(event.subject.expr);
  return module && modules->normalizesBatches(module) == Answer::Yes;
}

ModuleSize CalledModules::sizeOf(const Event &event) const {
  const clang::Expr *module = CodeMap::expr(event.subject.expr);
  return module ? modules->sizeOf(module) : ModuleSize();
}

Layer CalledModules::layerOf(const Event &event) const {
  const clang::Expr *module = CodeMap::expr(event.subject.expr);
  return module ? modules->lastLayer(module) : Layer();
}

Layer CalledModules::layerMadeBy(const Event &event) const {
  const clang::Expr *made = CodeMap::expr(event.site);
  return made ? modules->lastLayer(made) : Layer();
}

Answer CalledModules::modeOfMade(const Event &event) const {
  const clang::Expr *made = CodeMap::expr(event.site);
  return made ? modules->dependsOnMode(made) : Answer::Unknown;
}

bool CalledModules::isLayer(const Event &event) const {
  const clang::Expr *module = CodeMap::expr(event.subject.expr);
  const clang::CXXRecordDecl *record = module ? vocabulary.classOf(module->getType()) : nullptr;
  if (!record || !vocabulary.isFramework(record))
    return false;
  const Trait trait = vocabulary.traitOf(record);
  return trait != Trait::Container && trait != Trait::Opaque;
}

} // namespace gradtidy
