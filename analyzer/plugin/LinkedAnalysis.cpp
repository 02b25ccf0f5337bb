#include "LinkedAnalysis.h"

#include "CheckAdapter.h"
#include "analyzer/flow/IrText.h"
#include "analyzer/flow/UnitAnalysis.h"
#include "analyzer/frontend/PhaseTimer.h"
#include "analyzer/frontend/UnitDiagnostics.h"
#include "analyzer/ir/LoadedSources.h"
#include "analyzer/ir/Parse.h"
#include "analyzer/ir/Print.h"
#include "analyzer/lowering/UnitLowering.h"
#include "analyzer/model/Model.h"
#include "analyzer/modules/ModuleClasses.h"
#include "checks/Replay.h"
#include "clang-tidy/ClangTidyProfiling.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/LangStandard.h"
#include "llvm/Support/Timer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

namespace gradtidy {

namespace tidy = clang::tidy;

void writeText(clang::ASTContext &ast, const Model &model, const UserCode &userCode,
               llvm::StringRef root, Unit &unit) {
  if (!ast.getLangOpts().CPlusPlus)
    return;
  const PhaseTimer timer("lowering");
  const std::unique_ptr<LoweredUnit> lowered = lowerUnit(ast, model, userCode, &unit.shared);
  llvm::raw_string_ostream out(unit.text);
  print(out, *lowered, ir::SourcePlaces(ast.getSourceManager(), root));
  unit.standard = ast.getLangOpts().LangStd;
}

UnitCoverage coverageOf(const UnitAnalysis &analysis, const clang::SourceManager &sources) {
  UnitCoverage coverage;
  coverage.functions = analysis.callGraph().relevant().size();
  for (const FunctionBody *body : analysis.cutShort()) {
    const clang::PresumedLoc place = sources.getPresumedLoc(body->function->location);
    coverage.cutShort.insert(body->function->qualifiedName.str() + " (" + place.getFilename() +
                             ":" + std::to_string(place.getLine()) + ")");
  }
  return coverage;
}

namespace {

/// What clang-tidy asks of an AST where there is none: the language.
class NoAst {
public:
  NoAst(int standard, clang::SourceManager &sources)
      : language(languageOf(standard)), identifiers(language),
        ast(language, sources, identifiers, selectors, builtins, clang::TU_Complete) {}

  clang::LangOptions language;

private:
  static clang::LangOptions languageOf(int standard) {
    clang::LangOptions language;
    std::vector<std::string> none;
    clang::LangOptions::setLangDefaults(language, clang::Language::CXX,
                                        llvm::Triple(llvm::sys::getDefaultTargetTriple()), none,
                                        static_cast<clang::LangStandard::Kind>(standard));
    return language;
  }

  clang::IdentifierTable identifiers;
  clang::SelectorTable selectors;
  clang::Builtin::Context builtins;

public:
  clang::ASTContext ast;
};

/// Judges a unit, and keeps clang-tidy's account of the time that each check takes.
void judge(const JudgedUnit &unit, llvm::ArrayRef<std::unique_ptr<CheckAdapter>> checks,
           const tidy::ClangTidyContext &context) {
  std::optional<tidy::ClangTidyProfiling> profile;
  if (context.getEnableProfiling())
    profile.emplace(context.getProfileStorageParams());
  for (const auto &check : checks) {
    const llvm::TimeRecord begin = llvm::TimeRecord::getCurrentTime(true);
    check->judgeUnit(unit);
    if (profile) {
      llvm::TimeRecord &time = profile->Records[check->name()];
      time += llvm::TimeRecord::getCurrentTime(false);
      time -= begin;
    }
  }
}

/// The files of the unit itself, among those loaded.
llvm::DenseSet<clang::FileID> ownFiles(const ParsedUnit &unit, const ir::LoadedSources &loaded) {
  llvm::DenseSet<clang::FileID> own;
  for (const clang::FileID file : loaded.files())
    if (unit.ownFiles.contains(loaded.nameOf(file).first))
      own.insert(file);
  return own;
}

void add(tidy::ClangTidyStats &stats, const tidy::ClangTidyStats &more) {
  stats.ErrorsDisplayed += more.ErrorsDisplayed;
  stats.ErrorsIgnoredCheckFilter += more.ErrorsIgnoredCheckFilter;
  stats.ErrorsIgnoredNOLINT += more.ErrorsIgnoredNOLINT;
  stats.ErrorsIgnoredNonUserCode += more.ErrorsIgnoredNonUserCode;
  stats.ErrorsIgnoredLineFilter += more.ErrorsIgnoredLineFilter;
}

/// The texts of a unit, read.
struct Program {
  explicit Program(const LinkedUnit &linked) : loaded(linked.root, linked.files) {
    const PhaseTimer timer("linking");
    const LeavesOut leavesOut = [&](const ir::Symbol &function) {
      return linked.leftOut.contains(placeOf(function));
    };
    llvm::Expected<ParsedUnit> unit =
        link(linked.texts, linked.model, &loaded, linked.leftOut.empty() ? nullptr : leavesOut);
    if (!unit) // It has a checksum, and this program has written it.
      llvm::report_fatal_error(llvm::Twine("the text of the unit: ") +
                               llvm::toString(unit.takeError()));
    parsed = std::move(*unit);
    findModules(*parsed.unit);
  }

  FunctionPlace placeOf(const ir::Symbol &function) const {
    return gradtidy::placeOf(function.qualifiedName.str(), function.location, loaded.manager());
  }

  ir::LoadedSources loaded;
  ParsedUnit parsed;
};

} // namespace

LinkedResult analyse(const LinkedUnit &linked, tidy::ClangTidyContext &context, const IrRequest *ir,
                     Unit &unit) {
  LinkedResult result;
  Program program(linked);
  clang::SourceManager &sources = program.loaded.manager();
  LoweredUnit &code = *program.parsed.unit;
  if (ir) {
    const PhaseTimer timer("analysis");
    if (llvm::Expected<std::string> text = irOf(code, sources, linked.root, *ir))
      result.text = std::move(*text);
    else
      result.error = llvm::toString(text.takeError());
    return result;
  }

  UserCode userCode(linked.root);
  for (const std::string &folder : unit.frameworkFolders)
    userCode.addFrameworkFolder(folder);
  if (context.getOptionsForFile(linked.job.file).SystemHeaders.value_or(false))
    userCode.includeEverything();
  HeaderDoubts none;
  UnitDiagnostics diagnostics(context, userCode, linked.root, unit, none);
  auto options = std::make_unique<clang::DiagnosticOptions>();
  clang::DiagnosticsEngine engine(linked.ids, *options, &diagnostics, /*ShouldOwnClient=*/false);
  context.setDiagnosticsEngine(std::move(options), &engine);
  context.setCurrentFile(linked.job.file);
  context.setCurrentBuildDirectory(linked.job.command.Directory);
  NoAst noAst(unit.standard, sources);
  noAst.language.CUDA = code.isCuda();
  context.setSourceManager(&sources);
  context.setASTContext(&noAst.ast);
  const tidy::ClangTidyStats before = context.getStats();

  const std::vector<std::unique_ptr<CheckAdapter>> checks = enabledChecks(context);
  std::vector<const Check *> judges;
  for (const auto &check : checks)
    judges.push_back(&check->judgedBy());
  std::optional<PhaseTimer> timer("analysis");
  std::optional<Analyzing> analyzing;
  const UnitAnalysis analysis(code, interestOf(judges), [&](const FunctionBody *function) {
    analyzing.reset();
    if (function)
      analyzing.emplace(program.placeOf(*function->function));
  });
  timer.reset();
  result.coverage = coverageOf(analysis, sources);
  const llvm::DenseSet<clang::FileID> own = ownFiles(program.parsed, program.loaded);
  judge({analysis, sources, noAst.language, userCode, &own}, checks, context);
  for (tidy::ClangTidyError &finding : diagnostics.takeClean(linked.job.command.Directory))
    unit.diagnostics.push_back(std::move(finding));
  add(unit.stats, since(before, context.getStats()));
  return result;
}

} // namespace gradtidy
