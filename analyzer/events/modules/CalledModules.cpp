#include "CalledModules.h"

#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"

namespace gradtidy {

static std::vector<std::unique_ptr<const ModuleClass>> viewsIn(const ModuleClasses &modules) {
  std::vector<std::unique_ptr<const ModuleClass>> classes;
  for (const ModuleClass &view : modules.all())
    classes.push_back(std::make_unique<const ModuleClass>(view));
  return classes;
}

CalledModules::CalledModules(clang::ASTContext &context, Vocabulary &vocabulary)
    : vocabulary(vocabulary), modules(context, vocabulary), classes(viewsIn(modules)),
      facts(classes) {}

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
  result->view = facts.viewOf(vocabulary.code().symbol(record));
  result->dependsOnMode = modules.dependsOnMode(module);
  result->isLayer = isLayer(vocabulary.classOf(module->getType()));
  if (event.kind == EventKind::Forward) {
    result->normalizesBatches = modules.normalizesBatches(module) == Answer::Yes;
    result->layer = modules.lastLayer(module);
    result->size = modules.sizeOf(module);
  }
  facts.complete(*result);
  return result;
}

} // namespace gradtidy
