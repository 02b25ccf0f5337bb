#include "UnitRunner.h"

#include "analyzer/events/modules/SharedFunctions.h"
#include "analyzer/frontend/Bodies.h"
#include "analyzer/frontend/Companions.h"
#include "analyzer/frontend/UserCode.h"
#include "analyzer/model/Model.h"
#include "analyzer/plugin/CheckAdapter.h"
#include "checks/Catalogue.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang-tidy/ClangTidyOptions.h"
#include "clang-tidy/GlobList.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclBase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <functional>

namespace gradtidy {

namespace tidy = clang::tidy;
namespace fs = llvm::sys::fs;

namespace {

/// How often a unit is tried without the partners that did not fit, before it is analysed alone.
constexpr int maxTries = 2;

bool isAskedForByHeader(const Job &job) {
  bool same = true;
  return !fs::equivalent(job.askedFor, job.file, same) && !same;
}

/// They were not asked for. Its errors stay, since the header may be to blame.
void dropFindingsOfMainFile(Unit &unit, const Job &job) {
  llvm::erase_if(unit.diagnostics, [&](const tidy::ClangTidyError &diagnostic) {
    return diagnostic.DiagLevel != tidy::ClangTidyError::Error &&
           diagnostic.Message.FilePath == job.file;
  });
}

bool enablesAnyCheck(const tidy::ClangTidyOptions &options) {
  const tidy::GlobList globs(options.Checks.value_or(""));
  return llvm::any_of(catalogue(),
                      [&](const CatalogueRow &row) { return globs.contains(row.name); });
}

/// How many sources are parsed behind the partners of a unit for the units of others.
constexpr size_t manyMore = 8;

/// Finds the partners of one unit while it is parsed.
class PartnerSearch : public PartnerFinder {
public:
  PartnerSearch(const Job &job, Partners &partners, const Model &model)
      : job(job), partners(partners), model(model) {}

  void begin() override {
    known.clear();
    callers = {job.file};
  }

  std::vector<Partner> find(clang::ASTContext &context, const UserCode &userCode,
                            const TurnOf &turnOf) override {
    Vocabulary vocabulary(model, context, [&](const clang::Decl *declaration) {
      return userCode.contains(declaration->getLocation(), context.getSourceManager());
    });
    UnitResult::Question question;
    for (SharedFunction &function : findSharedFunctions(context, vocabulary, turnOf))
      // Who else calls what the unit calls has nothing to do with it.
      if (function.source.empty() || callers.contains(function.source))
        question.functions.push_back(std::move(function));
    question.found = partners.of(job, question.functions);
    question.commands = commandsOf(partners, job, question.found);
    const Partners::Found &found = question.found;
    callers.insert(found.calling.begin(), found.calling.end());
    std::vector<Partner> added;
    for (const std::string &file : llvm::concat<const std::string>(found.defining, found.calling))
      if (known.size() < Partners::limit && !unfit.contains(file) && known.insert(file).second)
        added.push_back(partners.describe(job, file));
    questions.push_back(std::move(question));
    return added;
  }

  std::set<std::string> &misfits() override { return unfit; }

  /// Those beyond the limit.
  std::vector<Partner> findMore() override {
    std::vector<Partner> more;
    if (!wantsMore)
      return more;
    for (const UnitResult::Question &question : questions)
      for (const std::string &file : partners.of(job, question.functions, manyMore).defining)
        if (more.size() < manyMore && !known.contains(file) &&
            llvm::none_of(more, [&](const Partner &each) { return each.file == file; }))
          if (Partner source = partners.describe(job, file);
              source.folders.empty() && source.macros.empty())
            more.push_back(std::move(source));
    return more;
  }

  bool wantsMore = false; ///< Sources that only the units of others have to do with.
  std::set<std::string> known;
  std::vector<UnitResult::Question> questions;

private:
  const Job &job;
  Partners &partners;
  const Model &model;
  std::set<std::string> callers, unfit;
};

/// What was found while the parts of this process that keep logs were at work on one unit.
void addLogs(UnitResult &result) {
  UnitCoverage coverage = takeCoverage();
  result.coverage.functions += coverage.functions;
  result.coverage.cutShort.merge(coverage.cutShort);
  UnitText shown = takeUnitText();
  result.text = std::move(shown.text);
  if (result.error.empty())
    result.error = std::move(shown.error);
  for (const FunctionPlace &function : takeUnfollowed())
    result.coverage.cutShort.insert(function.describe());
  for (const auto &[phase, seconds] : takePhaseSeconds())
    result.seconds[phase] += seconds;
}

/// Searches for the partners of other units, among those that one unit was parsed with.
class OtherUnits : public CompanionFinder {
public:
  using Jobs = std::map<std::string, const Job *>;

  /// \param isLike  whether a unit is configured as this one is.
  OtherUnits(const Jobs &jobs, Partners &partners, const Model &model, UnitResult &own,
             std::function<bool(const Job &)> isLike)
      : jobs(jobs), partners(partners), model(model), own(own), isLike(std::move(isLike)) {}

  void begin() override {
    found.clear();
    takeCoverage();
    own.coverage = {};
  }

  PartnerFinder *search(const std::string &source) override {
    addLogs(own);
    const auto job = jobs.find(source);
    if (job == jobs.end() || isAskedForByHeader(*job->second) || !isLike(*job->second))
      return nullptr;
    return &found.emplace(source, Entry(*job->second, partners, model)).first->second.search;
  }

  void end(const std::string &source) override { addLogs(found.at(source).result); }

  /// That of the unit of \p source, which has been analysed.
  UnitResult take(const std::string &source, Unit unit) {
    Entry &entry = found.at(source);
    entry.result.questions = std::move(entry.search.questions);
    entry.result.unit = std::move(unit);
    return std::move(entry.result);
  }

private:
  struct Entry {
    Entry(const Job &job, Partners &partners, const Model &model) : search(job, partners, model) {}
    PartnerSearch search;
    UnitResult result;
  };

  const Jobs &jobs;
  Partners &partners;
  const Model &model;
  UnitResult &own;
  const std::function<bool(const Job &)> isLike;
  std::map<std::string, Entry> found;
};

} // namespace

UnitRunner::UnitRunner(const JobList &list, tidy::ClangTidyContext &context, HeaderCache *headers,
                       Partners &partners, const Overlay &overlay, bool traces,
                       bool makesOwnHeaders)
    : list(list), context(context), frontend(context, list.projectFolder, headers),
      partners(partners) {
  hostAnalyses();
  frontend.setOverlay(overlay);
  if (traces)
    frontend.enableTrace();
  if (makesOwnHeaders)
    frontend.makeOwnHeaders();
}

UnitRunner::Results UnitRunner::run(const Job &job, const OtherUnits::Jobs &others, bool alone) {
  const tidy::ClangTidyOptions options = context.getOptionsForFile(job.file);
  llvm::Expected<const Model *> model = loadModels(options.CheckOptions.lookup(modelsOption).Value);
  Results results;
  if (!model)
    results.own.error = llvm::toString(model.takeError());
  else if (!alone && enablesAnyCheck(options))
    results = runTogether(job, **model, others);
  else
    results.own.unit = frontend.run(job, (*model)->headers(), (*model)->renamed());
  if (isAskedForByHeader(job))
    dropFindingsOfMainFile(results.own.unit, job);
  addLogs(results.own);
  complete(results.own);
  for (auto &[source, result] : results.others)
    complete(result);
  return results;
}

void UnitRunner::complete(UnitResult &result) const {
  for (const tidy::ClangTidyError &diagnostic : result.unit.diagnostics)
    result.levels.push_back(levelOf(diagnostic));
}

UnitRunner::Results UnitRunner::runTogether(const Job &job, const Model &model,
                                            const OtherUnits::Jobs &others) {
  Results results;
  UnitResult &result = results.own;
  // Of partners that did not fit, too: they may, once they change.
  std::vector<ReadFile> files;
  std::optional<std::vector<Lookup>> lookups(std::in_place);
  PartnerSearch find(job, partners, model);
  find.wantsMore = !others.empty();
  OtherUnits companions(others, partners, model, result, [&](const Job &other) {
    return tidy::configurationAsText(context.getOptionsForFile(other.file)) ==
               tidy::configurationAsText(context.getOptionsForFile(job.file)) &&
           findProjectRoot(other.file, list.projectFolder) ==
               findProjectRoot(job.file, list.projectFolder);
  });
  const auto run = [&](PartnerFinder *finder) {
    takeCoverage();
    takeUnitText();
    result.unit = frontend.run(job, model.headers(), model.renamed(), finder,
                               find.wantsMore ? &companions : nullptr);
    llvm::append_range(files, result.unit.files);
    if (!result.unit.lookups)
      lookups.reset();
    else if (lookups)
      llvm::append_range(*lookups, *result.unit.lookups);
  };
  const auto fits = [&] {
    return result.unit.misfits.empty() && result.unit.outcome != Unit::Outcome::Crashed;
  };
  run(&find);
  if (find.wantsMore && result.unit.outcome == Unit::Outcome::Crashed)
    return results;
  for (int tries = 0; !fits() && tries < maxTries && !result.unit.misfits.empty(); ++tries) {
    // The unit itself is to have as many tries as ever.
    if (std::exchange(find.wantsMore, false))
      --tries;
    find.misfits().merge(result.unit.misfits);
    run(&find);
  }
  if (!fits())
    run(nullptr);
  else
    llvm::erase_if(result.unit.diagnostics, [&](const tidy::ClangTidyError &finding) {
      return find.known.contains(finding.Message.FilePath);
    });
  for (Companion &companion : result.unit.companions)
    results.others[companion.source] = companions.take(companion.source, std::move(companion.unit));
  result.unit.files = std::move(files);
  result.unit.lookups = std::move(lookups);
  result.questions = std::move(find.questions);
  return results;
}

} // namespace gradtidy
