#include "UnitRunner.h"

#include "analyzer/events/SharedFunctions.h"
#include "analyzer/frontend/PartnerPragma.h"
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

namespace gradtidy {

namespace tidy = clang::tidy;
namespace fs = llvm::sys::fs;

namespace {

/// How often a unit is tried without the partners that did not fit, before it is analysed alone.
constexpr unsigned maxTries = 2;

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
    Vocabulary vocabulary(model);
    UnitResult::Question question;
    for (SharedFunction &function : findSharedFunctions(
             context, vocabulary,
             [&](const clang::Decl *declaration) {
               return userCode.contains(declaration->getLocation(), context.getSourceManager());
             },
             turnOf))
      // Who else calls what the unit calls has nothing to do with it.
      if (function.source.empty() || callers.contains(function.source))
        question.functions.push_back(std::move(function));
    question.found = partners.of(job, question.functions);
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

  std::set<std::string> known;
  std::vector<UnitResult::Question> questions;

private:
  const Job &job;
  Partners &partners;
  const Model &model;
  std::set<std::string> callers, unfit;
};

} // namespace

UnitRunner::UnitRunner(const JobList &list, tidy::ClangTidyContext &context, HeaderCache *headers,
                       Partners &partners, bool traces, bool makesOwnHeaders)
    : context(context), frontend(context, list.projectFolder, headers), partners(partners) {
  if (traces)
    frontend.enableTrace();
  if (makesOwnHeaders)
    frontend.makeOwnHeaders();
}

UnitResult UnitRunner::run(const Job &job) {
  const tidy::ClangTidyOptions options = context.getOptionsForFile(job.file);
  llvm::Expected<const Model *> model = loadModels(options.CheckOptions.lookup(modelsOption).Value);
  UnitResult result;
  if (!model)
    result.error = llvm::toString(model.takeError());
  else if (enablesAnyCheck(options))
    result = runTogether(job, **model);
  else
    result.unit = frontend.run(job, (*model)->headers());
  if (isAskedForByHeader(job))
    dropFindingsOfMainFile(result.unit, job);
  for (const tidy::ClangTidyError &diagnostic : result.unit.diagnostics)
    result.levels.push_back(levelOf(diagnostic));
  result.coverage = takeCoverage();
  result.seconds = takePhaseSeconds();
  return result;
}

UnitResult UnitRunner::runTogether(const Job &job, const Model &model) {
  UnitResult result;
  std::vector<ReadFile> files; // Of partners that did not fit, too: they may, once they change.
  bool headerIsMissing = false;
  PartnerSearch find(job, partners, model);
  const auto run = [&](PartnerFinder *finder) {
    takeCoverage();
    result.unit = frontend.run(job, model.headers(), finder);
    llvm::append_range(files, result.unit.files);
    headerIsMissing |= result.unit.headerIsMissing;
  };
  const auto fits = [&] {
    return result.unit.misfits.empty() && result.unit.outcome != Unit::Outcome::Crashed;
  };
  run(&find);
  for (unsigned tries = 0; !fits() && tries < maxTries && !result.unit.misfits.empty(); ++tries) {
    find.misfits().merge(result.unit.misfits);
    run(&find);
  }
  if (!fits())
    run(nullptr);
  else
    llvm::erase_if(result.unit.diagnostics, [&](const tidy::ClangTidyError &finding) {
      return find.known.contains(finding.Message.FilePath);
    });
  result.unit.files = std::move(files);
  result.unit.headerIsMissing = headerIsMissing;
  result.questions = std::move(find.questions);
  return result;
}

} // namespace gradtidy
