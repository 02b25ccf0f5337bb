#include "UnitRunner.h"

#include "analyzer/model/Model.h"
#include "analyzer/plugin/CheckAdapter.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang-tidy/ClangTidyOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

namespace gradtidy {

namespace tidy = clang::tidy;
namespace fs = llvm::sys::fs;

namespace {

/// How often a unit is analysed together with partners: with its own, then with theirs, or without
/// those that do not fit.
constexpr unsigned maxTries = 3;

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

/// The diagnostics of \p result that \p keep holds for, and their levels.
template <typename Keep> void filter(UnitResult &result, Keep keep) {
  UnitResult kept;
  for (size_t i = 0; i < result.unit.diagnostics.size(); ++i)
    if (keep(result.unit.diagnostics[i], result.levels[i])) {
      kept.unit.diagnostics.push_back(std::move(result.unit.diagnostics[i]));
      kept.levels.push_back(result.levels[i]);
    }
  result.unit.diagnostics = std::move(kept.unit.diagnostics);
  result.levels = std::move(kept.levels);
}

/// Replaces our findings in \p alone by those of the unit \p together with its partners, whose own
/// findings belong to other units.
void adopt(UnitResult &alone, UnitResult together, const Job &job) {
  using Error = tidy::ClangTidyError;
  filter(alone, [](const Error &, std::optional<Level> level) { return !level; });
  filter(together, [&](const Error &finding, std::optional<Level> level) {
    return level && !llvm::is_contained(job.partners, finding.Message.FilePath);
  });
  llvm::append_range(alone.unit.diagnostics, std::move(together.unit.diagnostics));
  llvm::append_range(alone.levels, together.levels);
}

/// Also where the findings of \p together are not to be relied on: they may be, once a file changes.
void addFiles(UnitResult &alone, const UnitResult &together) {
  llvm::append_range(alone.unit.files, together.unit.files);
  alone.unit.headerIsMissing |= together.unit.headerIsMissing;
  for (const auto &[phase, seconds] : together.seconds)
    alone.seconds[phase] += seconds;
}

} // namespace

UnitRunner::UnitRunner(const JobList &list, tidy::ClangTidyContext &context, HeaderCache *headers,
                       Partners &partners, bool traces)
    : context(context), frontend(context, list.projectFolder, headers), partners(partners) {
  if (traces)
    frontend.enableTrace();
}

UnitResult UnitRunner::run(const Job &job) {
  UnitResult result;
  llvm::Expected<const Model *> model =
      loadModels(context.getOptionsForFile(job.file).CheckOptions.lookup(modelsOption).Value);
  if (!model) {
    result.error = llvm::toString(model.takeError());
    return result;
  }
  const std::vector<std::string> &headers = (*model)->headers();
  result = runOnce(job, headers);
  std::vector<std::string> with;
  std::set<std::string> callers = {job.file}, misfits;
  for (unsigned tries = 0; tries < maxTries; ++tries) {
    UnitResult::Question question;
    // Whoever else calls what the unit calls has nothing to do with it.
    for (const SharedFunction &function : takeSharedFunctions())
      if (function.source.empty() || callers.contains(function.source))
        question.functions.push_back(function);
    Partners::Found found = partners.of(job, question.functions);
    question.defining = found.defining;
    question.calling = found.calling;
    callers.insert(found.calling.begin(), found.calling.end());
    result.questions.push_back(std::move(question));
    std::vector<std::string> next = with;
    for (const std::string &file : llvm::concat<std::string>(found.defining, found.calling))
      if (!llvm::is_contained(next, file))
        next.push_back(file);
    llvm::erase_if(next, [&](const std::string &file) { return misfits.contains(file); });
    if (next == with)
      break;
    const Job joined = partners.join(job, next);
    UnitResult together = runOnce(joined, headers);
    addFiles(result, together);
    if (together.unit.outcome != Unit::Outcome::Analysed)
      break;
    misfits.insert(together.unit.misfits.begin(), together.unit.misfits.end());
    if (!together.unit.misfits.empty())
      continue;
    if (together.unit.ownErrors > result.unit.ownErrors)
      break;
    adopt(result, std::move(together), joined);
    with = std::move(next);
  }
  return result;
}

UnitResult UnitRunner::runOnce(const Job &job, const std::vector<std::string> &frameworkHeaders) {
  UnitResult result;
  result.unit = frontend.run(job, frameworkHeaders);
  if (isAskedForByHeader(job))
    dropFindingsOfMainFile(result.unit, job);
  for (const tidy::ClangTidyError &diagnostic : result.unit.diagnostics)
    result.levels.push_back(levelOf(diagnostic));
  result.cutShort = takeFunctionsCutShort();
  result.seconds = takePhaseSeconds();
  return result;
}

} // namespace gradtidy
