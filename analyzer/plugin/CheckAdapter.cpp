#include "CheckAdapter.h"

#include "LevelLog.h"
#include "Plugin.h"
#include "SharedUnit.h"
#include "analyzer/flow/UnitAnalysis.h"
#include "analyzer/frontend/Paths.h"
#include "analyzer/frontend/PhaseTimer.h"
#include "checks/Replay.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang/AST/ASTContext.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace gradtidy {

namespace tidy = clang::tidy;
namespace matchers = clang::ast_matchers;

/// Whether \p globs (the Checks option) names \p check itself.
static bool namesExactly(llvm::StringRef globs, llvm::StringRef check) {
  llvm::SmallVector<llvm::StringRef> items;
  globs.split(items, ',');
  return llvm::any_of(items, [&](llvm::StringRef item) { return item.trim() == check; });
}

CheckAdapter::CheckAdapter(const CatalogueRow &row, llvm::StringRef name,
                           tidy::ClangTidyContext *context)
    : ClangTidyCheck(name, context), context(*context), row(row), level(readLevel()),
      models(readGlobal(modelsOption)), judge(row.make()) {
  readGlobal(projectFolderOption);
  readGlobal(excludeOption);
  if (const CheckOption *option = judge->option()) {
    ownOption = Options.get(option->name, option->value).str();
    if (const std::string error = judge->setOption(ownOption); !error.empty())
      configurationDiag("option '%0' of check '%1': %2") << option->name << row.name << error;
  }
}

CheckAdapter::~CheckAdapter() = default;

void CheckAdapter::storeOptions(tidy::ClangTidyOptions::OptionMap &options) {
  Options.store(options, "Level", level);
  if (const CheckOption *option = judge->option())
    Options.store(options, option->name, ownOption);
}

void CheckAdapter::registerPPCallbacks(const clang::SourceManager &,
                                       clang::Preprocessor *preprocessor, clang::Preprocessor *) {
  llvm::Expected<const Model *> model = loadModels(models);
  if (!model) {
    configurationDiag("%0", clang::DiagnosticIDs::Error) << llvm::toString(model.takeError());
    return;
  }
  shared = SharedUnit::of(*preprocessor, **model, context);
  shared->join(*judge);
}

void CheckAdapter::registerMatchers(matchers::MatchFinder *finder) {
  // Any function will do: the first one starts the analysis of the whole unit.
  finder->addMatcher(matchers::functionDecl().bind("function"), this);
}

void CheckAdapter::check(const matchers::MatchFinder::MatchResult &result) {
  if (!shared || std::exchange(done, true))
    return;
  shared->analyse(*result.Context, [&](const UnitAnalysis &analysis) {
    judgeUnit({analysis, *result.SourceManager, result.Context->getLangOpts(), shared->users(),
               /*own=*/nullptr});
  });
}

void CheckAdapter::judgeUnit(const JudgedUnit &judged) {
  const PhaseTimer timer(row.name);
  unit = &judged;
  replay(judged.analysis, Source(judged.sources, judged.language), *judge, *this);
  unit = nullptr;
}

unsigned CheckAdapter::readLevel() {
  const auto highest = static_cast<unsigned>(Level::Advice);
  const bool exact = namesExactly(context.getOptions().Checks.value_or(""), row.name);
  const auto byDefault = static_cast<unsigned>(exact ? Level::Advice : Level::Likely);
  OptionsView global(levelOption.split('.').first, context.getOptions().CheckOptions, &context);
  const unsigned forAll = global.get(levelOption.split('.').second, byDefault);
  const unsigned chosen = Options.get("Level", exact ? byDefault : forAll);
  if (chosen > highest)
    configurationDiag("the level of check '%0' is 0, 1 or 2, not %1") << row.name << chosen;
  return std::min(chosen, highest);
}

std::string CheckAdapter::readGlobal(llvm::StringRef option) {
  OptionsView global(option.split('.').first, context.getOptions().CheckOptions, &context);
  return global.get(option.split('.').second, "").str();
}

bool CheckAdapter::isShown(clang::SourceLocation location) const {
  return unit->users.contains(location, unit->sources) &&
         (!unit->own || unit->own->contains(unit->sources.getFileID(location)));
}

void CheckAdapter::report(Finding finding) {
  const clang::SourceManager &sources = unit->sources;
  const clang::SourceLocation location = sources.getFileLoc(finding.location);
  if (static_cast<unsigned>(finding.level) > level || !isShown(location))
    return;
  logLevel({row.name.str(),
            cleanPath(sources.getFilename(location), context.getCurrentBuildDirectory()),
            sources.getFileOffset(location), finding.message},
           finding.level);
  {
    clang::DiagnosticBuilder diagnostic = diag(location, "%0") << finding.message;
    if (finding.range.isValid())
      diagnostic << sources.getExpansionRange(finding.range);
    // A repair is made as a whole, in user code and outside macros, or not at all.
    if (llvm::all_of(finding.fixes, [&](const clang::FixItHint &fix) { return isPossible(fix); }))
      for (const clang::FixItHint &fix : finding.fixes)
        diagnostic << fix;
  }
  for (const Note &note : finding.notes)
    if (note.location.isValid())
      diag(sources.getFileLoc(note.location), "%0", clang::DiagnosticIDs::Note) << note.text;
    else
      diag("%0", clang::DiagnosticIDs::Note) << note.text;
}

bool CheckAdapter::isPossible(const clang::FixItHint &fix) const {
  const clang::CharSourceRange range = fix.RemoveRange;
  return range.getBegin().isFileID() && range.getEnd().isFileID() &&
         unit->users.contains(range.getBegin(), unit->sources);
}

// ---- the module --------------------------------------------------------------------------------

namespace {

class GradtidyModule : public tidy::ClangTidyModule {
public:
  void addCheckFactories(tidy::ClangTidyCheckFactories &factories) override {
    for (const CatalogueRow &row : catalogue())
      factories.registerCheckFactory(row.name,
                                     [&row](llvm::StringRef name, tidy::ClangTidyContext *context) {
                                       return std::make_unique<CheckAdapter>(row, name, context);
                                     });
  }
};

const tidy::ClangTidyModuleRegistry::Add<GradtidyModule>
    registration("gradtidy-module", "Checks for the training loops of ML programs.");

} // namespace

std::vector<std::unique_ptr<CheckAdapter>> enabledChecks(tidy::ClangTidyContext &context) {
  std::vector<std::unique_ptr<CheckAdapter>> checks;
  for (const CatalogueRow &row : catalogue())
    if (context.isCheckEnabled(row.name))
      checks.push_back(std::make_unique<CheckAdapter>(row, row.name, &context));
  return checks;
}

} // namespace gradtidy
