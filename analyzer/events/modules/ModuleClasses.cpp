#include "ModuleClasses.h"

#include "LastLayer.h"
#include "ModeFlags.h"
#include "ModuleMembers.h"
#include "ModuleSize.h"
#include "Transients.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace gradtidy {

/// Whether the class, or one that it derives from, overrides what copies a module.
static bool saysHowToCopy(const CXXRecordDecl &record, const Vocabulary &vocabulary) {
  const auto copies = [&](const CXXMethodDecl *method) {
    return vocabulary.operationOf(method) == Operation::CopyModule;
  };
  const auto overrides = [&](const CXXMethodDecl *method) {
    return method->size_overridden_methods() > 0 &&
           (copies(method) || llvm::any_of(method->overridden_methods(), copies));
  };
  return llvm::any_of(record.methods(), overrides) ||
         llvm::any_of(record.bases(), [&](const CXXBaseSpecifier &base) {
           const CXXRecordDecl *type = base.getType()->getAsCXXRecordDecl();
           type = type ? type->getDefinition() : nullptr;
           return !type || saysHowToCopy(*type, vocabulary);
         });
}

class ModuleClasses::Implementation {
public:
  Implementation(ASTContext &context, Vocabulary &vocabulary)
      : context(context), vocabulary(vocabulary), flags(findStuckModeFlags(context, vocabulary)),
        uses(context, vocabulary), natures(context, vocabulary, uses), phases(uses),
        registrations(context, vocabulary, uses, phases),
        members(vocabulary, uses, natures, phases, registrations) {
    for (const CXXRecordDecl *record : uses.records)
      classes.push_back(view(record->getDefinition()));
  }

  template <typename Module> Answer dependsOnMode(Module module) { return natures.of(module).mode; }

  bool asksForMode(const FunctionDecl &method) {
    return natures.asksForMode(&method, classOf(&method));
  }

  Answer normalizesBatches(const Expr *module) { return natures.of(module).normalizesBatches; }

  ModuleSize sizeOf(const Expr *module) {
    return gradtidy::sizeOf(module, uses, vocabulary, context);
  }

  Layer lastLayer(const Expr *module) {
    return gradtidy::lastLayer(module, uses, vocabulary, context);
  }

  std::vector<ModuleClass> classes;

private:
  ModuleClass view(const CXXRecordDecl *record) {
    ModuleClass result;
    result.record = vocabulary.code().symbol(record);
    result.isVisible = uses.isVisible(record);
    result.dependsOnMode = natures.of(record).mode;
    result.asksForMode = llvm::any_of(
        record->methods(), [&](const CXXMethodDecl *method) { return asksForMode(*method); });
    result.hasParameters = vocabulary.hasParameters(context.getCanonicalTagType(record));
    result.saysHowToCopy = saysHowToCopy(*record, vocabulary);
    for (const FieldDecl *field : record->fields())
      if (uses.heldBy(field->getType()).any())
        result.members.push_back(members.view(field));
      else
        addHelper(field, result);
    for (const ModeFlag &flag : flags)
      if (CodeMap::member(flag.field)->getParent() == record)
        result.stuckFlag = flag;
    for (const CXXMethodDecl *method : record->methods())
      if (const FunctionDecl *body = uses.definitionOf(method);
          body && phases.isForwardPass(method))
        if (std::vector<Transient> found = findTransients(*body, uses, natures, vocabulary.code());
            !found.empty())
          result.transients.push_back(std::move(found));
    result.registeredNames = registrations.namesIn(record);
    return result;
  }

  /// The modules that an object of a class which is no module holds for its owner. Nobody else
  /// makes such objects, or they may be what registers nothing on purpose.
  void addHelper(const FieldDecl *holder, ModuleClass &owner) {
    const CXXRecordDecl *helper = holder->getType()->getAsCXXRecordDecl();
    helper = helper ? helper->getDefinition() : nullptr;
    if (!helper || helper->isDependentContext() || !uses.isUser(helper) || helper->getNumBases() ||
        vocabulary.roleOf(helper) != TypeRole::None || !uses.isVisible(helper))
      return;
    for (const FieldDecl *field : helper->fields())
      if (uses.holdsModules(field->getType()) && !field->getType()->isReferenceType())
        owner.members.push_back(members.view(field));
  }

  ASTContext &context;
  Vocabulary &vocabulary;
  std::vector<ModeFlag> flags;
  ModuleUses uses;
  ModuleNatures natures;
  ModulePhases phases;
  Registrations registrations;
  ModuleMembers members;
};

ModuleClasses::ModuleClasses(ASTContext &context, Vocabulary &vocabulary)
    : implementation(std::make_unique<Implementation>(context, vocabulary)) {}

ModuleClasses::~ModuleClasses() = default;

const std::vector<ModuleClass> &ModuleClasses::all() const { return implementation->classes; }

Answer ModuleClasses::dependsOnMode(QualType type) const {
  return implementation->dependsOnMode(type);
}

Answer ModuleClasses::dependsOnMode(const Expr *module) const {
  return implementation->dependsOnMode(module);
}

bool ModuleClasses::asksForMode(const FunctionDecl &method) const {
  return implementation->asksForMode(method);
}

Answer ModuleClasses::normalizesBatches(const Expr *module) const {
  return implementation->normalizesBatches(module);
}

ModuleSize ModuleClasses::sizeOf(const Expr *module) const {
  return implementation->sizeOf(module);
}

Layer ModuleClasses::lastLayer(const Expr *module) const {
  return implementation->lastLayer(module);
}

} // namespace gradtidy
