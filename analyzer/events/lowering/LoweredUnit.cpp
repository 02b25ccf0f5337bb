#include "LoweredUnit.h"

#include "Lowering.h"
#include "UserFunctions.h"
#include "analyzer/events/marks/KernelLaunches.h"
#include "analyzer/events/marks/Loaders.h"
#include "analyzer/events/values/FunctionCode.h"
#include "analyzer/events/values/LearningRates.h"
#include "analyzer/events/values/Values.h"
#include "analyzer/frontend/Bodies.h"
#include "analyzer/frontend/UserCode.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

namespace gradtidy {

LoweredUnit::LoweredUnit(clang::ASTContext &context, const Model &model, const UserCode &userCode,
                         PathTable &paths)
    : context(context), userCode(userCode), paths(paths),
      vocabulary(std::make_unique<Vocabulary>(model, context)),
      called(context, *vocabulary, [&](const clang::Decl *declaration) {
        return userCode.contains(declaration->getLocation(), context.getSourceManager());
      }) {
  llvm::SmallPtrSet<const FunctionBody *, 32> known;
  for (const clang::FunctionDecl *function : userFunctions(context, userCode)) {
    if (const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function))
      addOverrider(*method, *method);
    if (const FunctionBody *body = bodyOf(*function); body && known.insert(body).second)
      all.push_back(body);
  }
}

LoweredUnit::~LoweredUnit() = default;

const clang::SourceManager &LoweredUnit::sources() const { return context.getSourceManager(); }

const clang::LangOptions &LoweredUnit::language() const { return context.getLangOpts(); }

void LoweredUnit::addOverrider(const clang::CXXMethodDecl &overridden,
                               const clang::CXXMethodDecl &method) {
  CodeMap &code = vocabulary->code();
  for (const clang::CXXMethodDecl *base : overridden.overridden_methods()) {
    overriders[code.symbol(base)->first].insert(code.symbol(&method)->first);
    addOverrider(*base, method);
  }
}

llvm::ArrayRef<const ir::Symbol *> LoweredUnit::overridersOf(const ir::Symbol &first) const {
  const auto known = overriders.find(&first);
  return known == overriders.end() ? llvm::ArrayRef<const ir::Symbol *>()
                                   : known->second.getArrayRef();
}

const FunctionBody *LoweredUnit::bodyOf(const clang::FunctionDecl &function) const {
  // Where errors keep a template from being instantiated, it speaks for itself.
  const clang::FunctionDecl *definition = nullptr;
  const clang::FunctionDecl *pattern = function.getTemplateInstantiationPattern();
  if (!function.hasBody(definition) && !(pattern && pattern->hasBody(definition)))
    return nullptr;
  const auto [entry, isNew] = bodies.try_emplace(definition);
  if (isNew && userCode.contains(definition->getLocation(), context.getSourceManager())) {
    const Analyzing analyzing(*definition);
    entry->second = lower(definition, paths, *vocabulary, context);
  }
  return entry->second.get();
}

const FunctionBody *LoweredUnit::bodyOf(const ir::Symbol &function) const {
  const clang::FunctionDecl *declaration = CodeMap::function(&function);
  return declaration ? bodyOf(*declaration) : nullptr;
}

bool LoweredUnit::isOwn(const FunctionBody &function) const {
  return partnerAt(function.function->location, context.getSourceManager()).empty();
}

bool LoweredUnit::isOnlyOfMain(const FunctionBody &function) const {
  const clang::SourceManager &sources = context.getSourceManager();
  const auto isInSource = [&](const clang::Decl *declaration) {
    return sources.isInMainFile(sources.getExpansionLoc(declaration->getLocation()));
  };
  const clang::FunctionDecl &own = *CodeMap::function(function.function);
  return !function.function->isMethod() && llvm::all_of(own.redecls(), isInSource) &&
         llvm::any_of(context.getTranslationUnitDecl()->decls(), [&](const clang::Decl *each) {
           const auto *other = llvm::dyn_cast<clang::FunctionDecl>(each);
           return other && other->isMain() && isInSource(other);
         });
}

const ir::Symbol *LoweredUnit::definitionOf(const ir::Symbol &function) const {
  const clang::FunctionDecl *declared = CodeMap::function(&function), *definition = nullptr;
  return declared && declared->hasBody(definition) ? vocabulary->code().symbol(definition)
                                                   : nullptr;
}

bool LoweredUnit::takesDevice(const ir::Symbol &function) const {
  const clang::FunctionDecl *declared = CodeMap::function(&function);
  return declared && llvm::any_of(declared->parameters(), [&](const clang::ParmVarDecl *parameter) {
           return vocabulary->roleOf(parameter->getType()) == TypeRole::Device;
         });
}

const ir::Node *LoweredUnit::codeOf(const ir::Symbol &function) const {
  const clang::FunctionDecl *declared = CodeMap::function(&function), *definition = nullptr;
  return declared && declared->hasBody(definition) ? vocabulary->code().node(definition->getBody())
                                                   : nullptr;
}

bool LoweredUnit::hasDefault(const ir::Symbol &parameter) const {
  const auto *declared = llvm::cast<clang::ParmVarDecl>(CodeMap::declaration(&parameter));
  const auto *function = llvm::dyn_cast<clang::FunctionDecl>(declared->getDeclContext());
  return function && llvm::any_of(function->redecls(), [&](const clang::FunctionDecl *each) {
           return each->getParamDecl(declared->getFunctionScopeIndex())->hasDefaultArg();
         });
}

bool LoweredUnit::takesTensors(const ir::Symbol &function) const {
  return llvm::all_of(
      CodeMap::function(&function)->parameters(), [&](const clang::ParmVarDecl *parameter) {
        const clang::QualType type = parameter->getType().getNonReferenceType();
        const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
        const bool holdsThem = record && isStandard(record) && vocabulary->holdsTensors(type);
        return vocabulary->roleOf(type) == TypeRole::Tensor || vocabulary->isTensorList(type) ||
               holdsThem || type->isArithmeticType() || type->isEnumeralType();
      });
}

bool LoweredUnit::isFramework(const ir::Symbol &symbol) const {
  return vocabulary->isFramework(CodeMap::declaration(&symbol));
}

Trait LoweredUnit::traitOf(const ir::Symbol &function) const {
  return vocabulary->traitOf(CodeMap::declaration(&function));
}

KernelCare LoweredUnit::kernelCareOf(const FunctionBody &function) const {
  return gradtidy::kernelCareOf(FunctionCode(function, vocabulary->code()), *vocabulary);
}

LearningRate LoweredUnit::rateIn(const ir::Node &number, const FunctionBody &function) const {
  return gradtidy::rateIn(*CodeMap::expr(&number), FunctionCode(function, vocabulary->code()));
}

bool LoweredUnit::keepsOrder(const ir::Symbol &loader) const {
  return gradtidy::keepsOrder(*CodeMap::variable(&loader), *vocabulary);
}

const ir::Node *LoweredUnit::outerInitializerOf(const ir::Symbol &entity) const {
  const clang::NamedDecl *declared = CodeMap::declaration(&entity);
  const clang::Expr *value = nullptr;
  if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(declared))
    value = variable->hasGlobalStorage() ? variable->getAnyInitializer() : nullptr;
  else if (const auto *member = llvm::dyn_cast<clang::FieldDecl>(declared);
           member && member->hasInClassInitializer() &&
           context.getSourceManager().isInMainFile(member->getLocation()))
    value = member->getInClassInitializer();
  return vocabulary->code().node(value);
}

bool LoweredUnit::namesDevice(const ir::Node &code) const {
  return gradtidy::namesDevice(CodeMap::code(&code), *vocabulary);
}

const ir::Class &LoweredUnit::classOf(const ir::Symbol &record) const {
  return vocabulary->code().classOf(record);
}

bool LoweredUnit::isOrDerives(const ir::Symbol &record, const ir::Symbol &base) const {
  const clang::CXXRecordDecl *declared = CodeMap::record(&record), *other = CodeMap::record(&base);
  return declared && other &&
         (declaresSameEntity(declared, other) || declared->isDerivedFrom(other));
}

llvm::StringRef LoweredUnit::phrase(Phrase phrase) const { return vocabulary->phrase(phrase); }

llvm::StringRef LoweredUnit::constant(ElementType element) const {
  return vocabulary->constant(element);
}

llvm::StringRef LoweredUnit::constant(DeviceRole device) const {
  return vocabulary->constant(device);
}

bool LoweredUnit::knowsName(llvm::StringRef name) const {
  return context.Idents.find(name) != context.Idents.end();
}

bool LoweredUnit::definesMacro(llvm::StringRef name) const {
  return context.Idents.get(name).hasMacroDefinition();
}

static const clang::DeclContext *spaceIn(const clang::DeclContext &around,
                                         const clang::IdentifierInfo &name) {
  for (const clang::NamedDecl *declared : around.lookup(&name))
    if (const auto *space = llvm::dyn_cast<clang::NamespaceDecl>(declared))
      return space;
  return nullptr;
}

bool LoweredUnit::declares(llvm::StringRef outer, llvm::StringRef inner,
                           llvm::StringRef name) const {
  const clang::DeclContext *around =
      spaceIn(*context.getTranslationUnitDecl(), context.Idents.get(outer));
  const clang::DeclContext *space = around ? spaceIn(*around, context.Idents.get(inner)) : nullptr;
  return space && !space->lookup(&context.Idents.get(name)).empty();
}

UnderAnalysis::UnderAnalysis(const FunctionBody &function)
    : analyzing(std::make_unique<Analyzing>(*CodeMap::function(function.function))) {}

UnderAnalysis::~UnderAnalysis() = default;

} // namespace gradtidy
