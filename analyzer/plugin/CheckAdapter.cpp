#include "CheckAdapter.h"

#include "analyzer/events/Parse.h"
#include "analyzer/events/Print.h"
#include "analyzer/events/lowering/UnitLowering.h"
#include "analyzer/flow/IrText.h"
#include "analyzer/flow/UnitAnalysis.h"
#include "analyzer/frontend/Bodies.h"
#include "analyzer/frontend/Paths.h"
#include "analyzer/frontend/PhaseTimer.h"
#include "analyzer/frontend/UserCode.h"
#include "analyzer/ir/LoadedSources.h"
#include "analyzer/model/Model.h"
#include "analyzer/model/ShippedModels.h"
#include "analyzer/source/BoundedFile.h"
#include "checks/Catalogue.h"
#include "checks/Check.h"
#include "checks/Replay.h"
#include "clang-tidy/ClangTidyCheck.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang/AST/ASTContext.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

namespace gradtidy {

namespace tidy = clang::tidy;
namespace matchers = clang::ast_matchers;

namespace {

// ---- levels ------------------------------------------------------------------------------------

/// Clang-tidy's own record of a finding has no place for the level, so it is kept beside it.
class LevelLog {
public:
  using Key = std::tuple<std::string, std::string, unsigned, std::string>;

  void add(Key key, Level level) {
    const std::lock_guard lock(mutex);
    levels.insert_or_assign(std::move(key), level);
  }

  std::optional<Level> find(const Key &key) const {
    const std::lock_guard lock(mutex);
    const auto found = levels.find(key);
    return found == levels.end() ? std::nullopt : std::optional(found->second);
  }

private:
  mutable std::mutex mutex;
  std::map<Key, Level> levels;
};

LevelLog &levelLog() {
  static LevelLog log;
  return log;
}

LevelLog::Key keyOf(const tidy::ClangTidyError &error) {
  return {error.DiagnosticName, error.Message.FilePath, error.Message.FileOffset,
          error.Message.Message};
}

/// Whether \p globs (the Checks option) names \p check itself.
bool namesExactly(llvm::StringRef globs, llvm::StringRef check) {
  llvm::SmallVector<llvm::StringRef> items;
  globs.split(items, ',');
  return llvm::any_of(items, [&](llvm::StringRef item) { return item.trim() == check; });
}

/// See hostAnalyses().
std::atomic<bool> isHosted = false;

class CoverageLog {
public:
  void add(const UnitAnalysis &unit, const clang::SourceManager &sources,
           const FunctionPlaces &dropped) {
    const std::lock_guard lock(mutex);
    coverage.functions += unit.callGraph().relevant().size();
    for (const FunctionBody *body : unit.cutShort()) {
      const clang::PresumedLoc place = sources.getPresumedLoc(body->function->location);
      coverage.cutShort.insert(body->function->qualifiedName.str() + " (" + place.getFilename() +
                               ":" + std::to_string(place.getLine()) + ")");
    }
    for (const FunctionPlace &function : dropped)
      coverage.cutShort.insert(function.describe());
  }

  UnitCoverage take() {
    const std::lock_guard lock(mutex);
    return std::exchange(coverage, {});
  }

  /// Tells the user of what was not followed, once.
  void print() {
    const std::lock_guard lock(mutex);
    for (const std::string &function : coverage.cutShort)
      if (printed.insert(function).second)
        (llvm::errs() << notFollowed).write_escaped(function) << ".\n";
    coverage = {};
  }

private:
  std::mutex mutex;
  UnitCoverage coverage;
  std::set<std::string> printed;
};

CoverageLog &coverageLog() {
  static CoverageLog log;
  return log;
}

/// See showUnits(). A process analyses one unit after the other.
struct UnitTexts {
  std::optional<IrRequest> request;
  UnitText written;
};

UnitTexts &unitTexts() {
  static UnitTexts texts;
  return texts;
}

// ---- one analysis per unit ---------------------------------------------------------------------

/// What all checks of one translation unit share.
class SharedUnit {
public:
  /// The unit that \p preprocessor reads, made when the first check asks for it.
  static std::shared_ptr<SharedUnit> of(clang::Preprocessor &preprocessor, const Model &model,
                                        const tidy::ClangTidyContext &context) {
    static thread_local std::weak_ptr<SharedUnit> current;
    std::shared_ptr<SharedUnit> unit = current.lock();
    if (!unit || unit->preprocessor != &preprocessor)
      current = unit = std::make_shared<SharedUnit>(preprocessor, model, context);
    return unit;
  }

  SharedUnit(clang::Preprocessor &preprocessor, const Model &model,
             const tidy::ClangTidyContext &context)
      : preprocessor(&preprocessor), model(model), projectRoot(root(preprocessor, context)),
        userCode(projectRoot),
        readsBack(context.getOptions().CheckOptions.lookup(throughIrOption).Value == "true") {
    if (context.getOptions().SystemHeaders.value_or(false))
      userCode.includeEverything();
    findFrameworkFolders(preprocessor, model.headers(), userCode);
  }

  /// The check will ask for the analysis, which then has what it wants to see.
  void join(const Check &check) { checks.push_back(&check); }

  /// Hands the analysis to \p use.
  void analyse(clang::ASTContext &ast, llvm::function_ref<void(UnitAnalysis &)> use) {
    if (isHosted)
      return use(analysis(ast, {}));
    // Other checks see the bodies that ours do not.
    DroppedBodies dropped = dropBodies(ownDeclarations(ast), {}, ast.getSourceManager());
    runOnDeepStack([&] { use(analysis(ast, dropped.places())); });
    dropped.restore();
    coverageLog().print();
  }

  /// Writes the unit down, the first time that a check asks for it.
  void show(clang::ASTContext &ast) {
    if (std::exchange(isShown, true))
      return;
    const PhaseTimer timer("analysis");
    UnitText &written = unitTexts().written;
    const std::unique_ptr<LoweredUnit> unit = lowerUnit(ast, model, userCode);
    if (llvm::Expected<std::string> text =
            irOf(*unit, ast.getSourceManager(), projectRoot, *unitTexts().request))
      written.text += *text;
    else
      written.error = llvm::toString(text.takeError());
  }

  const UserCode &users() const { return userCode; }

  /// The sources that locations in the analysis of \p ast are of.
  const clang::SourceManager &sources(const clang::ASTContext &ast) const {
    return loaded ? loaded->manager() : ast.getSourceManager();
  }

  /// The same place in a file, in the sources that clang has parsed.
  clang::SourceLocation parsed(clang::SourceLocation location) const {
    if (!loaded || location.isInvalid())
      return location;
    const auto [file, offset] = loaded->manager().getDecomposedLoc(location);
    const auto &[name, inclusion] = loaded->nameOf(file);
    return places->at(name, inclusion, offset);
  }

private:
  UnitAnalysis &analysis(clang::ASTContext &ast, const FunctionPlaces &dropped) {
    if (!made) {
      const PhaseTimer timer("analysis");
      lowered = lowerUnit(ast, model, userCode);
      if (readsBack)
        readBack(ast.getSourceManager());
      const clang::SourceManager &sources = this->sources(ast);
      std::optional<Analyzing> analyzing;
      made.emplace(*lowered, interestOf(checks), [&](const FunctionBody *function) {
        analyzing.reset();
        if (function)
          analyzing.emplace(placeOf(function->function->qualifiedName.str(),
                                    function->function->location, sources));
      });
      coverageLog().add(*made, sources, dropped);
    }
    return *made;
  }

  /// Makes the unit anew of its text, over files that are loaded again.
  void readBack(const clang::SourceManager &sources) {
    std::string text;
    llvm::raw_string_ostream out(text);
    places.emplace(sources, projectRoot);
    print(out, *lowered, *places);
    loaded.emplace(projectRoot);
    llvm::Expected<ParsedUnit> unit = parseIr(text, model, &*loaded);
    if (!unit)
      llvm::report_fatal_error(llvm::Twine("the text of the unit: ") +
                               llvm::toString(unit.takeError()));
    lowered = std::move(unit->unit);
  }

  /// What is declared in user code.
  std::vector<clang::Decl *> ownDeclarations(const clang::ASTContext &ast) const {
    std::vector<clang::Decl *> result;
    for (clang::Decl *declaration : ast.getTranslationUnitDecl()->decls())
      if (userCode.contains(declaration->getLocation(), ast.getSourceManager()))
        result.push_back(declaration);
    return result;
  }

  static std::string root(const clang::Preprocessor &preprocessor,
                          const tidy::ClangTidyContext &context) {
    llvm::SmallString<256> absolute = context.getCurrentFile();
    preprocessor.getFileManager().makeAbsolutePath(absolute);
    const std::string file = cleanPath(absolute, {});
    const std::string given = context.getOptions().CheckOptions.lookup(projectFolderOption).Value;
    return findProjectRoot(file, given.empty() ? llvm::sys::path::parent_path(file)
                                               : llvm::StringRef(given));
  }

  const clang::Preprocessor *preprocessor;
  const Model &model;
  const std::string projectRoot;
  UserCode userCode;
  std::vector<const Check *> checks;
  const bool readsBack; ///< See throughIrOption.
  std::optional<ir::SourcePlaces> places;
  std::optional<ir::LoadedSources> loaded;
  std::unique_ptr<LoweredUnit> lowered;
  std::optional<UnitAnalysis> made;
  bool isShown = false;
};

// ---- the adapter -------------------------------------------------------------------------------

class CheckAdapter : public tidy::ClangTidyCheck, private Reporter {
public:
  CheckAdapter(const CatalogueRow &row, llvm::StringRef name, tidy::ClangTidyContext *context)
      : ClangTidyCheck(name, context), context(*context), row(row), level(readLevel()),
        models(readGlobal(modelsOption)), judge(row.make()) {
    readGlobal(projectFolderOption);
    readGlobal(excludeOption);
    readGlobal(throughIrOption);
    if (const CheckOption *option = judge->option()) {
      ownOption = Options.get(option->name, option->value).str();
      if (const std::string error = judge->setOption(ownOption); !error.empty())
        configurationDiag("option '%0' of check '%1': %2") << option->name << row.name << error;
    }
  }

  bool isLanguageVersionSupported(const clang::LangOptions &options) const override {
    return options.CPlusPlus;
  }

  void storeOptions(tidy::ClangTidyOptions::OptionMap &options) override {
    Options.store(options, "Level", level);
    if (const CheckOption *option = judge->option())
      Options.store(options, option->name, ownOption);
  }

  void registerPPCallbacks(const clang::SourceManager &, clang::Preprocessor *preprocessor,
                           clang::Preprocessor *) override {
    llvm::Expected<const Model *> model = loadModels(models);
    if (!model) {
      configurationDiag("%0", clang::DiagnosticIDs::Error) << llvm::toString(model.takeError());
      return;
    }
    unit = SharedUnit::of(*preprocessor, **model, context);
    unit->join(*judge);
  }

  void registerMatchers(matchers::MatchFinder *finder) override {
    // Any function will do: the first one starts the analysis of the whole unit. The unit itself is
    // no match where the traversal is limited to some of its declarations.
    finder->addMatcher(matchers::functionDecl().bind("function"), this);
  }

  void check(const matchers::MatchFinder::MatchResult &result) override {
    if (!unit || done)
      return;
    done = true;
    if (unitTexts().request)
      return unit->show(*result.Context);
    unit->analyse(*result.Context, [&](UnitAnalysis &analysis) {
      const PhaseTimer timer(row.name);
      sources = &unit->sources(*result.Context);
      parsed = result.SourceManager;
      replay(analysis, Source(*sources, result.Context->getLangOpts()), *judge, *this);
    });
  }

  // The AST is gone by the time that this object is destroyed.
  void onEndOfTranslationUnit() override { unit.reset(); }

private:
  unsigned readLevel() {
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

  std::string readGlobal(llvm::StringRef option) {
    OptionsView global(option.split('.').first, context.getOptions().CheckOptions, &context);
    return global.get(option.split('.').second, "").str();
  }

  void report(Finding finding) override {
    const clang::SourceLocation location = placeOf(finding.location);
    if (static_cast<unsigned>(finding.level) > level || !unit->users().contains(location, *parsed))
      return;
    levelLog().add({row.name.str(),
                    cleanPath(parsed->getFilename(location), context.getCurrentBuildDirectory()),
                    parsed->getFileOffset(location), finding.message},
                   finding.level);
    {
      clang::DiagnosticBuilder diagnostic = diag(location, "%0") << finding.message;
      if (finding.range.isValid())
        diagnostic << inFiles(sources->getExpansionRange(finding.range));
      // A repair is made as a whole, in user code and outside macros, or not at all.
      if (llvm::all_of(finding.fixes, [&](const clang::FixItHint &fix) { return isPossible(fix); }))
        for (clang::FixItHint &fix : finding.fixes) {
          fix.RemoveRange = inFiles(fix.RemoveRange);
          diagnostic << fix;
        }
    }
    for (const Note &note : finding.notes)
      if (note.location.isValid())
        diag(placeOf(note.location), "%0", clang::DiagnosticIDs::Note) << note.text;
      else
        diag("%0", clang::DiagnosticIDs::Note) << note.text;
  }

  bool isPossible(const clang::FixItHint &fix) const {
    const clang::CharSourceRange range = fix.RemoveRange;
    return range.getBegin().isFileID() && range.getEnd().isFileID() &&
           unit->users().contains(unit->parsed(range.getBegin()), *parsed);
  }

  /// Where \p location of the analysis is written in the file that clang has parsed.
  clang::SourceLocation placeOf(clang::SourceLocation location) const {
    return unit->parsed(sources->getFileLoc(location));
  }

  clang::CharSourceRange inFiles(const clang::CharSourceRange &range) const {
    return {{unit->parsed(range.getBegin()), unit->parsed(range.getEnd())}, range.isTokenRange()};
  }

  tidy::ClangTidyContext &context;
  const CatalogueRow &row;
  unsigned level;
  std::string models;
  std::unique_ptr<Check> judge;
  std::string ownOption;            ///< What the user gives for that of the check, or its default.
  std::shared_ptr<SharedUnit> unit; ///< Null without a usable model.
  const clang::SourceManager *sources = nullptr; ///< Those of the locations in the analysis.
  const clang::SourceManager *parsed = nullptr;
  bool done = false;
};

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

llvm::Expected<const Model *> loadModels(llvm::StringRef paths) {
  if (paths.empty())
    return &Model::bundled();
  static std::mutex mutex;
  static std::map<std::string, Model> loaded;
  const std::lock_guard lock(mutex);
  if (const auto found = loaded.find(paths.str()); found != loaded.end())
    return &found->second;

  Model model = Model::bundled();
  for (llvm::StringRef path : llvm::split(paths, ';')) {
    if (const std::optional<llvm::StringRef> shipped = shippedModel(path)) {
      if (llvm::Error error = model.add(*shipped, path))
        return error;
      continue;
    }
    auto text = readFile(path, limits::model);
    if (!text)
      return llvm::createStringError("cannot read model '" + path +
                                     "': " + llvm::toString(text.takeError()));
    if (llvm::Error error = model.add((*text)->getBuffer(), path))
      return error;
  }
  return &loaded.emplace(paths.str(), std::move(model)).first->second;
}

std::optional<Level> levelOf(const tidy::ClangTidyError &error) {
  return levelLog().find(keyOf(error));
}

void setLevel(const tidy::ClangTidyError &error, Level level) {
  levelLog().add(keyOf(error), level);
}

void showUnits(IrRequest request) { unitTexts().request = std::move(request); }

UnitText takeUnitText() { return std::exchange(unitTexts().written, {}); }

UnitCoverage takeCoverage() { return coverageLog().take(); }

void hostAnalyses() { isHosted = true; }

} // namespace gradtidy
