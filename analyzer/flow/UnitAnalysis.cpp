#include "UnitAnalysis.h"

#include "analyzer/events/values/FunctionCode.h"
#include "analyzer/events/values/LearningRates.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

namespace gradtidy {
namespace {

/// Runs the interpreter over the functions of a unit that have to do with training.
class Passes {
public:
  Passes(const CallGraph &graph, const Effects &effects, Interpreter &interpreter)
      : graph(graph), effects(effects), interpreter(interpreter) {}

  void run() {
    // First those nobody in the unit calls: what they call is then seen with what they establish.
    // What is still unseen after that (recursion, closures kept for later) goes by itself.
    for (const FunctionBody *body : graph.relevant())
      if (!graph.isCalledWithin(*body) && !isClosure(*body))
        run(*body);
    for (const FunctionBody *body : graph.relevant())
      if (!interpreter.hasVisited(*body))
        run(*body);
    for (const FunctionBody *body : graph.relevant())
      interpreter.runUntold(*body);
    interpreter.uses().finish();
  }

private:
  void run(const FunctionBody &body) {
    if (!begun.insert(&body).second || !effects.concernsTraining(body))
      return;
    runForwards(body); // What modules make of tensors comes first.
    interpreter.run(body);
  }

  /// Runs the forward passes that \p caller, or what it calls, runs.
  void runForwards(const FunctionBody &caller) {
    if (!entered.insert(&caller).second)
      return;
    for (const Block &block : caller.blocks)
      for (const Event &event : block.events) {
        const FunctionBody *callee = event.callee ? graph.bodyOf(*event.callee) : nullptr;
        if (callee && event.kind == EventKind::Call)
          runForwards(*callee);
        else if (callee && event.kind == EventKind::Forward && !graph.isCalledWithin(*callee))
          run(*callee);
      }
  }

  const CallGraph &graph;
  const Effects &effects;
  Interpreter &interpreter;
  llvm::SmallPtrSet<const FunctionBody *, 32> begun, entered;
};

} // namespace

UnitAnalysis::UnitAnalysis(clang::ASTContext &context, const Model &model, const UserCode &userCode)
    : ast(context), vocabulary(model, context), ofModules(context, vocabulary, userCode),
      graph(context, interned.paths, vocabulary, userCode),
      sideEffects(graph, interned.paths, vocabulary), storedGraphs(graph, interned.paths),
      ofProgram(graph, interned.paths, vocabulary), memberLists(graph, interned.paths),
      interpreter(
          interned,
          [this](const ir::Symbol &callee, bool isVirtual) {
            return graph.calleeOf(callee, isVirtual);
          },
          [this](const Event &call) { return sideEffects.isHarmless(call); },
          [this](const Event &call) { return sideEffects.isIrrelevant(call); },
          [this](const FunctionBody &body) { return sideEffects.isForeign(body); },
          [this](const ir::Symbol &member) { return sideEffects.changesOf(member); },
          [this](const ir::Symbol &member) { return storedGraphs.areCutOff(member); },
          [this](const ir::Symbol &record) -> const ir::Class & { return classOf(record); },
          [this](const Event &forward) { return ofModules.layerOf(forward); }) {
  interpreter.assumeLists(
      [this](const ir::Symbol &member) { return memberLists.of(member, classOf(*member.owner)); });
  if (ofProgram.assumesFloats())
    interpreter.assumeFloats();
  if (ofProgram.keepsOrders())
    interpreter.assumeOrders();
  Passes(graph, sideEffects, interpreter).run();
}

UnitAnalysis::Producer UnitAnalysis::producerOf(const Value &value) const {
  const Event *made = value.made;
  for (unsigned depth = 0; made; ++depth) {
    if (made->operation != Operation::None || depth == Interpreter::maxDepth)
      return {made, made->operation};
    const auto bodies = graph.candidates(*made);
    if (bodies.size() != 1)
      return {made, made->kind == EventKind::Forward ? ofModules.layerOf(*made).operation
                                                     : Operation::None};
    made = interpreter.returned(*bodies.front());
  }
  return {};
}

bool UnitAnalysis::isOrDerives(const ir::Symbol &record, const ir::Symbol &base) const {
  const clang::CXXRecordDecl *declared = CodeMap::record(&record), *other = CodeMap::record(&base);
  return declared && other &&
         (declaresSameEntity(declared, other) || declared->isDerivedFrom(other));
}

const ir::Symbol *UnitAnalysis::definitionOf(const ir::Symbol &function) const {
  const clang::FunctionDecl *declared = CodeMap::function(&function), *definition = nullptr;
  return declared && declared->hasBody(definition) ? vocabulary.code().symbol(definition) : nullptr;
}

const ir::Node *UnitAnalysis::bodyOf(const ir::Symbol &function) const {
  const clang::FunctionDecl *declared = CodeMap::function(&function), *definition = nullptr;
  return declared && declared->hasBody(definition) ? vocabulary.code().node(definition->getBody())
                                                   : nullptr;
}

LearningRate UnitAnalysis::rateIn(const ir::Node &number, const FunctionBody &function) const {
  return gradtidy::rateIn(*CodeMap::expr(&number), FunctionCode(function, vocabulary.code()));
}

bool UnitAnalysis::knowsName(llvm::StringRef name) const {
  return ast.Idents.find(name) != ast.Idents.end();
}

bool UnitAnalysis::definesMacro(llvm::StringRef name) const {
  return ast.Idents.get(name).hasMacroDefinition();
}

static const clang::DeclContext *spaceIn(const clang::DeclContext &around,
                                         const clang::IdentifierInfo &name) {
  for (const clang::NamedDecl *declared : around.lookup(&name))
    if (const auto *space = llvm::dyn_cast<clang::NamespaceDecl>(declared))
      return space;
  return nullptr;
}

bool UnitAnalysis::declares(llvm::StringRef outer, llvm::StringRef inner,
                            llvm::StringRef name) const {
  const clang::DeclContext *around = spaceIn(*ast.getTranslationUnitDecl(), ast.Idents.get(outer));
  const clang::DeclContext *space = around ? spaceIn(*around, ast.Idents.get(inner)) : nullptr;
  return space && !space->lookup(&ast.Idents.get(name)).empty();
}

bool UnitAnalysis::isOnlyOfMain(const FunctionBody &function) const {
  const clang::SourceManager &sources = ast.getSourceManager();
  const auto isInSource = [&](const clang::Decl *declaration) {
    return sources.isInMainFile(sources.getExpansionLoc(declaration->getLocation()));
  };
  const clang::FunctionDecl &own = *CodeMap::function(function.function);
  return !function.function->isMethod() && llvm::all_of(own.redecls(), isInSource) &&
         llvm::any_of(ast.getTranslationUnitDecl()->decls(), [&](const clang::Decl *each) {
           const auto *other = llvm::dyn_cast<clang::FunctionDecl>(each);
           return other && other->isMain() && isInSource(other);
         });
}

bool UnitAnalysis::hasDefault(const ir::Symbol &parameter) const {
  const auto *declared = llvm::cast<clang::ParmVarDecl>(CodeMap::declaration(&parameter));
  const auto *function = llvm::dyn_cast<clang::FunctionDecl>(declared->getDeclContext());
  return function && llvm::any_of(function->redecls(), [&](const clang::FunctionDecl *each) {
           return each->getParamDecl(declared->getFunctionScopeIndex())->hasDefaultArg();
         });
}

} // namespace gradtidy
