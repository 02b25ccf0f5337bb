#include "SharedUnit.h"

#include "LinkedAnalysis.h"
#include "Plugin.h"
#include "analyzer/frontend/Paths.h"
#include "analyzer/frontend/PhaseTimer.h"
#include "analyzer/lowering/UnitLowering.h"
#include "analyzer/model/Model.h"
#include "analyzer/modules/ModuleClasses.h"
#include "checks/Replay.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/FileManager.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

namespace gradtidy {

namespace tidy = clang::tidy;

static std::string rootOf(const clang::Preprocessor &preprocessor,
                          const tidy::ClangTidyContext &context) {
  llvm::SmallString<256> absolute = context.getCurrentFile();
  preprocessor.getFileManager().makeAbsolutePath(absolute);
  const std::string file = cleanPath(absolute, {});
  const std::string given = context.getOptions().CheckOptions.lookup(projectFolderOption).Value;
  return findProjectRoot(file, given.empty() ? llvm::sys::path::parent_path(file)
                                             : llvm::StringRef(given));
}

/// Tells the user of what was not followed, each function once.
static void tell(const std::set<std::string> &cutShort) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  for (const std::string &function : cutShort)
    if (told.insert(function).second)
      (llvm::errs() << notFollowed).write_escaped(function) << ".\n";
}

std::shared_ptr<SharedUnit> SharedUnit::of(clang::Preprocessor &preprocessor, const Model &model,
                                           const tidy::ClangTidyContext &context) {
  static thread_local std::weak_ptr<SharedUnit> current;
  std::shared_ptr<SharedUnit> unit = current.lock();
  if (!unit || unit->preprocessor != &preprocessor)
    current = unit = std::make_shared<SharedUnit>(preprocessor, model, context);
  return unit;
}

SharedUnit::SharedUnit(clang::Preprocessor &preprocessor, const Model &model,
                       const tidy::ClangTidyContext &context)
    : preprocessor(&preprocessor), model(model), userCode(rootOf(preprocessor, context)) {
  if (context.getOptions().SystemHeaders.value_or(false))
    userCode.includeEverything();
  findFrameworkFolders(preprocessor, model.headers(), userCode);
}

void SharedUnit::analyse(clang::ASTContext &ast,
                         llvm::function_ref<void(const UnitAnalysis &)> use) {
  // Other checks see the bodies that ours do not.
  DroppedBodies dropped = dropBodies(ownDeclarations(ast), {}, ast.getSourceManager());
  runOnDeepStack([&] { use(analysis(ast, dropped.places())); });
  dropped.restore();
}

const UnitAnalysis &SharedUnit::analysis(clang::ASTContext &ast, const FunctionPlaces &dropped) {
  if (!made) {
    const PhaseTimer timer("analysis");
    lowered = lowerUnit(ast, model, userCode);
    findModules(*lowered);
    made.emplace(*lowered, interestOf(checks), [](const FunctionBody *) {});
    UnitCoverage coverage = coverageOf(*made, ast.getSourceManager());
    for (const FunctionPlace &function : dropped)
      coverage.cutShort.insert(function.describe());
    tell(coverage.cutShort);
  }
  return *made;
}

/// What is declared in user code.
std::vector<clang::Decl *> SharedUnit::ownDeclarations(const clang::ASTContext &ast) const {
  std::vector<clang::Decl *> result;
  for (clang::Decl *declaration : ast.getTranslationUnitDecl()->decls())
    if (userCode.contains(declaration->getLocation(), ast.getSourceManager()))
      result.push_back(declaration);
  return result;
}

} // namespace gradtidy
