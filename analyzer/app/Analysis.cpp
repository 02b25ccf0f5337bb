#include "Analysis.h"
#include "Progress.h"
#include "ResultCache.h"
#include "UnitRunner.h"
#include "Workers.h"

#include "analyzer/frontend/HeaderCache.h"
#include "analyzer/frontend/Precompile.h"
#include "analyzer/model/Model.h"
#include "analyzer/plugin/CheckAdapter.h"
#include "analyzer/source/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Threading.h"

#include <map>
#include <tuple>

namespace gradtidy {

namespace tidy = clang::tidy;
namespace fs = llvm::sys::fs;

namespace {

/// Who asks for so few sources is at work on them.
constexpr size_t beingEdited = 3;

/// Sorted by place; what several units found in one header is there once.
void sortAndUnite(std::vector<tidy::ClangTidyError> &errors) {
  const auto key = [](const tidy::ClangTidyError &error) {
    return std::tie(error.Message.FilePath, error.Message.FileOffset, error.DiagnosticName,
                    error.Message.Message);
  };
  llvm::stable_sort(errors, [&](auto &left, auto &right) { return key(left) < key(right); });
  errors.erase(
      llvm::unique(errors, [&](auto &left, auto &right) { return key(left) == key(right); }),
      errors.end());
}

/// Why the result of \p path is lost; empty if it is not.
std::string lossOf(const std::string &path, Ending ending, const UnitResult &result,
                   const CommandLine &commandLine) {
  const std::string file = "'" + path + "'";
  const std::string consequence = "; its findings are lost, other files are not concerned";
  switch (ending) {
  case Ending::OutOfTime:
    return "the analysis of " + file + " took longer than " + std::to_string(commandLine.timeout) +
           " s (--timeout)" + consequence;
  case Ending::OutOfMemory:
    return "the analysis of " + file + " took more than " +
           std::to_string(commandLine.memoryLimit) + " MB of memory (--memory-limit)" + consequence;
  case Ending::Crashed:
    return "the analysis of " + file + " crashed" + consequence;
  case Ending::Done:
    if (result.unit.outcome == Unit::Outcome::Crashed)
      return "the analysis of " + file + " crashed" + consequence;
    return result.error;
  }
  return {};
}

/// The caches of a run; none of both with --no-cache.
struct Caches {
  Caches(const CommandLine &commandLine, tidy::ClangTidyContext &context, Partners &partners) {
    if (commandLine.cacheFolder.empty())
      return;
    const std::string folder = absolutePath(commandLine.cacheFolder);
    const uint64_t limit = uint64_t(commandLine.cacheLimit) << 20;
    headers.emplace(CacheFolder(folder + "/headers", limit - limit / 8));
    results.emplace(CacheFolder(folder + "/results", limit / 8), *headers, partners, context);
  }

  std::optional<HeaderCache> headers;
  std::optional<ResultCache> results;
};

} // namespace

Run analyse(const JobList &list, tidy::ClangTidyContext &context, const CommandLine &commandLine) {
  const auto start = std::chrono::steady_clock::now();
  Partners partners(list);
  Caches caches(commandLine, context, partners);
  // Who wants to see where time goes does not want to be told of an earlier run.
  const bool measures = !commandLine.timeTrace.empty() || commandLine.enableCheckProfile;

  Run run;
  run.errors = list.errors;
  std::vector<size_t> open; // Outcomes that are not known from earlier runs.
  for (size_t number = commandLine.shard - 1; number < list.jobs.size();
       number += commandLine.shards) {
    const Job &job = list.jobs[number];
    std::optional<UnitResult> known;
    if (caches.results && !measures)
      known = caches.results->find(job, list.projectFolder);
    if (known)
      ++run.known;
    else
      open.push_back(run.outcomes.size());
    run.outcomes.push_back({number, job.file, std::move(known).value_or(UnitResult()), {}});
  }

  const bool isEdit = list.jobs.size() <= beingEdited;
  UnitRunner runner(list, context, caches.headers ? &*caches.headers : nullptr, partners,
                    !commandLine.timeTrace.empty(), isEdit);
  Progress progress(open.size(), commandLine.quiet);
  WorkerLimits limits;
  limits.processes = commandLine.workers ? commandLine.workers
                                         : llvm::hardware_concurrency().compute_thread_count();
  limits.time = std::chrono::seconds(commandLine.timeout);
  limits.memory = uint64_t(commandLine.memoryLimit) << 20;

  const auto jobOf = [&](size_t outcome) -> const Job & {
    return list.jobs[run.outcomes[outcome].number];
  };
  std::map<size_t, size_t> answeredBy; // Outcomes: the unit with which one was analysed.
  const auto work = [&](const std::vector<size_t> &units, const std::vector<size_t> &others) {
    std::map<std::string, const Job *> otherJobs;
    std::map<std::string, size_t> outcomeOf;
    for (size_t other : others) {
      otherJobs.emplace(jobOf(other).file, &jobOf(other));
      outcomeOf.emplace(jobOf(other).file, other);
    }
    WorkerHooks hooks;
    hooks.work = [&](size_t item) {
      UnitRunner::Results results = runner.run(jobOf(units[item]), otherJobs);
      NumberedResults all;
      all.emplace(units[item], std::move(results.own));
      for (auto &[source, result] : results.others)
        all.emplace(outcomeOf.at(source), std::move(result));
      if (caches.results && !measures)
        for (const auto &[outcome, result] : all)
          caches.results->add(jobOf(outcome), list.projectFolder, result);
      return toBytes(all);
    };
    hooks.done = [&](size_t item, Ending ending, const std::string &bytes) {
      Outcome &own = run.outcomes[units[item]];
      std::optional<NumberedResults> results = numberedFromBytes(bytes);
      if (ending == Ending::Done && !results)
        ending = Ending::Crashed;
      if (ending == Ending::Done)
        for (auto &[outcome, result] : *results) {
          // The same whoever is first.
          const auto [by, isFirst] = answeredBy.try_emplace(outcome, units[item]);
          if (!isFirst && by->second < units[item])
            continue;
          by->second = units[item];
          run.outcomes[outcome].result = std::move(result);
          if (isFirst && outcome != units[item]) {
            ++run.companions;
            progress.add(run.outcomes[outcome].file);
          }
        }
      own.loss = lossOf(own.file, ending, own.result, commandLine);
      progress.add(own.file);
      // What a crash has left behind is not to be relied on; making a header takes much memory.
      return own.loss.empty() && !own.result.unit.companionCrashed &&
             !own.result.seconds.contains(makingPhase.str());
    };
    run.signal = runWorkers(units.size(), limits, hooks);
  };

  // A program is read from its main() first: that may do for its other sources.
  std::vector<size_t> programs, others;
  for (size_t outcome : open)
    (!isEdit && partners.isProgram(jobOf(outcome)) ? programs : others).push_back(outcome);
  work(programs, others);
  llvm::erase_if(others, [&](size_t outcome) { return answeredBy.contains(outcome); });
  if (!run.signal)
    work(others, {});
  if (caches.results && !open.empty())
    caches.results->tidyUp();
  run.wallSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return run;
}

Results sumUp(const Run &run, bool strict) {
  Results results;
  // In the order of the jobs, whatever the order in which they ended.
  for (const Outcome &outcome : run.outcomes) {
    const Unit &unit = outcome.result.unit;
    ++(unit.outcome == Unit::Outcome::Analysed ? results.analysed : results.lost);
    for (size_t i = 0; i < unit.diagnostics.size(); ++i)
      if (outcome.result.levels[i])
        setLevel(unit.diagnostics[i], *outcome.result.levels[i]);
    llvm::append_range(results.errors, unit.diagnostics);
    results.errorsAfterMissingHeader += unit.errorsAfterMissingHeader;
    results.errorsOutsideUserCode += unit.errorsOutsideUserCode;
    results.stats.ErrorsIgnoredNOLINT += unit.stats.ErrorsIgnoredNOLINT;
    results.stats.ErrorsIgnoredLineFilter += unit.stats.ErrorsIgnoredLineFilter;
    results.stats.ErrorsIgnoredNonUserCode += unit.stats.ErrorsIgnoredNonUserCode;
    results.coverage.functions += outcome.result.coverage.functions;
    const std::set<std::string> &cutShort = outcome.result.coverage.cutShort;
    results.coverage.cutShort.insert(cutShort.begin(), cutShort.end());
    for (const auto &[phase, seconds] : outcome.result.seconds)
      results.seconds[phase] += seconds;
    results.overHeader += !unit.header.empty();
  }
  sortAndUnite(results.errors);
  if (strict)
    for (tidy::ClangTidyError &finding : results.errors)
      if (levelOf(finding) == Level::Certain)
        finding.IsWarningAsError = true;
  return results;
}

} // namespace gradtidy
