#include "UnitLowering.h"

#include "IncompleteClasses.h"
#include "Lowering.h"
#include "SharedFunctions.h"
#include "UserFunctions.h"
#include "analyzer/frontend/Bodies.h"
#include "analyzer/frontend/UserCode.h"
#include "analyzer/idioms/KernelLaunches.h"
#include "analyzer/idioms/Loaders.h"
#include "analyzer/ir/Interfaces.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class UnitLowering {
public:
  UnitLowering(clang::ASTContext &context, const Model &model, const UserCode &userCode)
      : context(context),
        vocabulary(std::make_shared<Vocabulary>(
            model, context,
            [&](const clang::Decl *declaration) {
              return userCode.contains(declaration->getLocation(), context.getSourceManager());
            })),
        declared(userDeclarations(context, userCode)) {}

  LoweredUnit::Contents lowerAll() {
    for (const clang::FunctionDecl *function : declared.functions)
      add(vocabulary->code().symbol(function)->definition);
    const size_t standing = bodies.size();
    for (size_t i = 0; i < bodies.size(); ++i) { // More are added.
      bodies[i]->isInner = i >= standing;
      addCalled(*bodies[i]);
    }
    tellModules(bodies);
    tellPasses(bodies);
    LoweredUnit::Contents unit;
    addClasses(unit);
    for (auto &body : bodies)
      unit.functions.push_back(std::move(body));
    for (llvm::StringRef name : vocabulary->roleNames())
      if (const std::string space = name.split("::").first.str();
          !llvm::is_contained(unit.namespaces, space))
        unit.namespaces.push_back(space);
    unit.isGuarded = llvm::any_of(declared.lasting, [&](const clang::VarDecl *object) {
      const TypeRole role = vocabulary->roleOf(object->getType());
      return isGuard(role) && role != TypeRole::AutocastGuard;
    });
    unit.isCuda = context.getLangOpts().CUDA;
    unit.hasErrors = context.getDiagnostics().hasErrorOccurred();
    unit.owner = vocabulary;
    return unit;
  }

  std::unique_ptr<PathTable> takePaths() { return std::move(paths); }

  std::vector<SharedFunction> findShared() { return findSharedFunctions(context, *vocabulary); }

private:
  void add(const ir::Symbol *definition) {
    if (!definition || !known.insert(definition).second)
      return;
    const clang::FunctionDecl *function = CodeMap::function(definition);
    const Analyzing analyzing(placeOf(*function, context.getSourceManager()));
    std::unique_ptr<FunctionBody> body = lower(function, *paths, *vocabulary, context);
    if (!body)
      return;
    describe(*body);
    bodies.push_back(std::move(body));
  }

  /// What is known of a function besides its events.
  void describe(FunctionBody &body) {
    body.kernelCare = kernelCareOf(body);
    llvm::SmallPtrSet<const ir::Symbol *, 16> seen;
    const auto addLoader = [&](const ir::Symbol *variable) {
      if (variable && variable->isVariable() && variable->type && variable->type->record &&
          seen.insert(variable->first).second && keepsOrder(*variable))
        body.orderedLoaders.push_back(variable);
    };
    ir::forEach(body.body, [&](const ir::Node &node) {
      if (node.kind == ir::NodeKind::Reference)
        addLoader(node.symbol);
    });
  }

  void addClasses(LoweredUnit::Contents &unit) {
    std::vector<const ir::Symbol *> records;
    for (const clang::CXXRecordDecl *record : declared.classes)
      if (vocabulary->roleOf(record) == TypeRole::Module)
        records.push_back(vocabulary->code().symbol(record));
    const std::vector<const ir::Symbol *> incomplete = findIncompleteClasses(records, *vocabulary);
    for (const ir::Symbol *record : records) {
      auto view = std::make_unique<ModuleClass>();
      view->record = record;
      view->isIncomplete = llvm::is_contained(incomplete, record);
      unit.classes.push_back(std::move(view));
    }
  }

  /// The functions that \p body leads to, such as instances of generic lambdas.
  void addCalled(const FunctionBody &body) {
    for (const Block &block : body.blocks)
      for (const Event &event : block.events)
        if (event.callee)
          add(event.callee->definition);
    ir::forEach(body.body, [&](const ir::Node &node) {
      if (node.kind == ir::NodeKind::Lambda)
        for (const ir::Symbol *closure : node.declared)
          add(closure->definition);
    });
  }

  clang::ASTContext &context;
  const std::shared_ptr<Vocabulary> vocabulary;
  const UserDeclarations declared;
  std::unique_ptr<PathTable> paths = std::make_unique<PathTable>();
  llvm::SmallPtrSet<const ir::Symbol *, 32> known;
  std::vector<std::unique_ptr<FunctionBody>> bodies;
};

/// What \p name stands for in \p around, or in a namespace that is used there.
llvm::SmallVector<const clang::NamedDecl *, 4>
lookup(const clang::DeclContext &around, const clang::IdentifierInfo &name, unsigned depth = 0) {
  llvm::SmallVector<const clang::NamedDecl *, 4> found;
  llvm::append_range(found, around.lookup(&name));
  if (depth < 3) // Namespaces may use one another.
    for (const clang::UsingDirectiveDecl *used : around.using_directives())
      if (found.empty())
        found = lookup(*used->getNominatedNamespace(), name, depth + 1);
  return found;
}

const clang::DeclContext *spaceIn(const clang::DeclContext &around,
                                  const clang::IdentifierInfo &name) {
  for (const clang::NamedDecl *declared : lookup(around, name))
    if (const auto *space = llvm::dyn_cast<clang::NamespaceDecl>(declared))
      return space;
  return nullptr;
}

/// Whether the unit declares \p name, with the namespaces that it stands in, or defines the macro.
bool declares(clang::ASTContext &context, llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 3> parts;
  name.split(parts, "::");
  const llvm::StringRef last = parts.pop_back_val();
  if (parts.empty())
    return context.Idents.get(last).hasMacroDefinition();
  const clang::DeclContext *around = context.getTranslationUnitDecl();
  for (llvm::StringRef space : parts)
    if (around = spaceIn(*around, context.Idents.get(space)); !around)
      return false;
  return !lookup(*around, context.Idents.get(last)).empty();
}

/// The name in \p text that has namespaces before it; the text where none has.
llvm::StringRef nameIn(llvm::StringRef text) {
  const size_t middle = text.find("::");
  if (middle == llvm::StringRef::npos)
    return text;
  const auto isOfName = [](char c) { return llvm::isAlnum(c) || c == '_' || c == ':'; };
  size_t begin = middle;
  while (begin > 0 && isOfName(text[begin - 1]))
    --begin;
  return text.drop_front(begin).take_while(isOfName);
}

} // namespace

std::unique_ptr<LoweredUnit> lowerUnit(clang::ASTContext &context, const Model &model,
                                       const UserCode &userCode,
                                       std::vector<SharedFunction> *shared) {
  UnitLowering lowering(context, model, userCode);
  LoweredUnit::Contents unit = lowering.lowerAll();
  if (shared)
    *shared = lowering.findShared();
  for (const Phrase phrase : {Phrase::GuardDevice, Phrase::CurrentStream, Phrase::CheckLaunch})
    if (const llvm::StringRef text = model.phrase(phrase, unit.namespaces);
        !text.empty() && declares(context, nameIn(text)))
      unit.phrases.push_back(phrase);
  return std::make_unique<LoweredUnit>(model, lowering.takePaths(), std::move(unit));
}

} // namespace gradtidy
