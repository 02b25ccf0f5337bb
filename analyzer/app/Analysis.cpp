#include "Analysis.h"
#include "OwnWork.h"
#include "Progress.h"
#include "ResultCache.h"
#include "UnitRunner.h"
#include "Workers.h"

#include "analyzer/frontend/HeaderCache.h"
#include "analyzer/frontend/Precompile.h"
#include "analyzer/model/Model.h"
#include "analyzer/plugin/CheckAdapter.h"
#include "analyzer/report/Printable.h"
#include "analyzer/source/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Threading.h"

#include <limits>
#include <map>
#include <numeric>
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
    return "the analysis of " + file + " was too slow: it took more than " +
           std::to_string(commandLine.timeout) + " s (--timeout)" + consequence;
  case Ending::OutOfMemory:
    return "the analysis of " + file + " ran out of memory: it needs more than " +
           std::to_string(commandLine.memoryLimit) + " MB (--memory-limit)" + consequence;
  case Ending::Crashed:
    return "the analysis of " + file + " crashed" + consequence;
  case Ending::Done:
    if (result.unit.outcome == Unit::Outcome::Crashed)
      return "the analysis of " + file + " crashed" + consequence;
    return result.error;
  }
  return {};
}

/// The numbers of the jobs in the shard: of neighbours by path, since the sources of a program,
/// which are read together, lie together.
std::vector<size_t> numbersOfShard(const std::vector<Job> &jobs, const CommandLine &commandLine) {
  std::vector<size_t> numbers(jobs.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  llvm::sort(numbers,
             [&](size_t left, size_t right) { return jobs[left].file < jobs[right].file; });
  const auto endOf = [&](unsigned shard) { return jobs.size() * shard / commandLine.shards; };
  std::vector<size_t> part(numbers.begin() + endOf(commandLine.shard - 1),
                           numbers.begin() + endOf(commandLine.shard));
  llvm::sort(part);
  return part;
}

/// The caches of a run. What a unit means may depend on a framework's header being first, so there
/// are headers in any case: with --no-cache, and where the cache cannot be used, for this run
/// alone.
struct Caches {
  Caches(const CommandLine &commandLine, tidy::ClangTidyContext &context, Partners &partners,
         std::function<void(llvm::StringRef)> onMaking) {
    const uint64_t limit = uint64_t(commandLine.cacheLimit) << 20;
    std::vector<CacheFolder> places;
    std::optional<CacheFolder> ofResults;
    if (!commandLine.cacheFolder.empty()) {
      const std::string folder = folderPath(commandLine.cacheFolder);
      const CacheFolder kept(folder + "/headers", limit - limit / 8);
      ofResults.emplace(folder + "/results", limit / 8);
      std::string why = kept.open();
      if (why.empty())
        why = ofResults->open();
      if (why.empty())
        places.push_back(kept);
      else
        trouble.tell(folder, why);
      if (!why.empty())
        ofResults.reset();
    }
    if (!scratch.path().empty())
      places.emplace_back(scratch.path(), std::numeric_limits<uint64_t>::max());
    headers.emplace(std::move(places), trouble, std::move(onMaking));
    if (ofResults)
      results.emplace(std::move(*ofResults), trouble, *headers, partners, context);
  }

  CacheTrouble trouble;
  ScratchFolder scratch;
  std::optional<HeaderCache> headers;
  std::optional<ResultCache> results;
};

/// The way from jobs to a run. Units are numbered by their outcomes.
class Analysis {
public:
  Analysis(const JobList &list, tidy::ClangTidyContext &context, const CommandLine &commandLine)
      : list(list), commandLine(commandLine), partners(list),
        caches(commandLine, context, partners,
               [this](llvm::StringRef header) { tellMaking(header); }),
        usesResults(
            caches.results && !commandLine.ir && commandLine.timeTrace.empty() &&
            !commandLine.unusedNolint && !commandLine.enableCheckProfile &&
            !commandLine.moduleHeaders &&
            llvm::none_of(list.jobs, [](const Job &job) { return job.text || job.others; })),
        isEdit(list.jobs.size() <= beingEdited),
        runner(list, context, &*caches.headers, partners, commandLine.overlay,
               !commandLine.timeTrace.empty(), isEdit && caches.results) {}

  Run take() {
    run.errors = list.errors;
    std::optional<OwnWork> own("looking for what earlier runs found");
    const std::vector<size_t> open = findOpen();
    progress.emplace(open.size(), commandLine.quiet);
    if (!open.empty())
      progress->begin(jobOf(open.front()).file);
    // A program is read from its main() first: that may do for its other sources.
    std::vector<size_t> programs, others;
    for (size_t unit : open)
      (!isEdit && partners.isProgram(jobOf(unit)) ? programs : others).push_back(unit);
    own.reset();
    if (!others.empty())
      work(programs, With::Companions, others);
    work(unanswered(open), With::Partners);
    work(unanswered(open), With::Nobody);
    if (caches.results && !open.empty())
      caches.results->tidyUp();
    return std::move(run);
  }

private:
  /// In a worker, whose copy of the progress draws the same line.
  void tellMaking(llvm::StringRef header) const {
    const std::string what =
        "precompiling " + printable(header) + ", once: about 10 s for LibTorch";
    progress->tell(what);
    if (commandLine.onDelay)
      commandLine.onDelay(what);
  }

  const Job &jobOf(size_t unit) const { return list.jobs[run.outcomes[unit].number]; }

  /// The units of the shard that are not known from earlier runs.
  std::vector<size_t> findOpen() {
    std::vector<size_t> open;
    for (size_t number : numbersOfShard(list.jobs, commandLine)) {
      const Job &job = list.jobs[number];
      std::optional<UnitResult> known;
      if (usesResults)
        known = caches.results->find(job, list.projectFolder);
      if (known)
        ++run.known;
      else
        open.push_back(run.outcomes.size());
      run.outcomes.push_back({number, job.file, std::move(known).value_or(UnitResult()), {}});
    }
    return open;
  }

  /// What a unit is analysed with.
  enum class With { Companions, Partners, Nobody };

  std::vector<size_t> unanswered(const std::vector<size_t> &units) const {
    std::vector<size_t> left;
    llvm::copy_if(units, std::back_inserter(left),
                  [&](size_t unit) { return !answeredBy.contains(unit); });
    return left;
  }

  /// Has \p units analysed, and of \p others what is in their parses.
  void work(const std::vector<size_t> &units, With with, const std::vector<size_t> &others = {}) {
    if (run.signal)
      return;
    std::map<std::string, const Job *> otherJobs;
    std::map<std::string, size_t> numbers;
    for (size_t other : others) {
      otherJobs.emplace(jobOf(other).file, &jobOf(other));
      numbers.emplace(jobOf(other).file, other);
    }
    WorkerLimits limits;
    limits.processes = commandLine.workers ? commandLine.workers
                                           : llvm::hardware_concurrency().compute_thread_count();
    limits.time = std::chrono::seconds(commandLine.timeout);
    limits.memory = uint64_t(commandLine.memoryLimit) << 20;
    WorkerHooks hooks;
    hooks.work = [&](size_t item) {
      UnitRunner::Results found = runner.run(jobOf(units[item]), otherJobs, with == With::Nobody);
      NumberedResults results;
      results.emplace(units[item], std::move(found.own));
      for (auto &[source, result] : found.others)
        results.emplace(numbers.at(source), std::move(result));
      // A change of what was too much would not be seen.
      if (usesResults && with != With::Nobody)
        for (const auto &[unit, result] : results)
          caches.results->add(jobOf(unit), list.projectFolder, result);
      return toBytes(results);
    };
    hooks.done = [&](size_t item, Ending ending, const std::string &bytes) {
      return add(units[item], ending, bytes, with);
    };
    run.signal = runWorkers(units.size(), limits, hooks);
  }

  /// What came of the work on \p unit. Whether its worker may go on.
  bool add(size_t unit, Ending ending, const std::string &bytes, With with) {
    std::optional<NumberedResults> results = numberedFromBytes(bytes);
    if (ending == Ending::Done && !results)
      ending = Ending::Crashed;
    const bool isCaught =
        ending == Ending::Done && results->at(unit).unit.outcome == Unit::Outcome::Crashed;
    // It may not be the unit's own fault. Frontend knows of partners that crash where it notices.
    if ((ending != Ending::Done && with != With::Nobody) || (isCaught && with == With::Companions))
      return false;
    if (ending == Ending::Done)
      for (auto &[each, result] : *results)
        addResult(each, unit, std::move(result));
    answeredBy.emplace(unit, unit);
    Outcome &outcome = run.outcomes[unit];
    outcome.loss = lossOf(list.shown.of(outcome.file), ending, outcome.result, commandLine);
    progress->add(outcome.file);
    // What a crash has left behind is not to be relied on; making a header takes much memory.
    const PhaseSeconds &seconds = outcome.result.seconds;
    return outcome.loss.empty() && !seconds.contains(inVainPhase.str()) &&
           !seconds.contains(makingPhase.str());
  }

  /// The result of \p unit, from the parse of the unit \p by.
  void addResult(size_t unit, size_t by, UnitResult result) {
    const auto [known, isFirst] = answeredBy.try_emplace(unit, by);
    // Which parse is done first must not matter.
    if (!isFirst && known->second < by)
      return;
    known->second = by;
    run.outcomes[unit].result = std::move(result);
    if (isFirst && unit != by) {
      ++run.companions;
      progress->add(run.outcomes[unit].file);
    }
  }

  const JobList &list;
  const CommandLine &commandLine;
  Partners partners;
  Caches caches;
  /// Who wants to see where time goes does not want to be told of an earlier run; what is not saved
  /// has none; and what was silenced is known of a parse, not of each unit in it.
  const bool usesResults;
  const bool isEdit;
  UnitRunner runner;
  std::optional<Progress> progress;
  Run run;
  std::map<size_t, size_t> answeredBy; ///< In whose parse a unit was analysed.
};

} // namespace

Run analyse(const JobList &list, tidy::ClangTidyContext &context, const CommandLine &commandLine) {
  const auto start = std::chrono::steady_clock::now();
  Run run = Analysis(list, context, commandLine).take();
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
    results.systemHeaders.insert(unit.systemHeaders.begin(), unit.systemHeaders.end());
    results.forOtherCompilers.insert(unit.forOtherCompilers.begin(), unit.forOtherCompilers.end());
    for (const ReadFile &file : unit.fixedFiles) {
      const auto [known, isFirst] = results.fixedFiles.try_emplace(file.path, file.identity);
      if (!isFirst && known->second &&
          (known->second->size != file.identity.size ||
           known->second->content != file.identity.content))
        known->second.reset();
    }
  }
  sortAndUnite(results.errors);
  if (strict)
    for (tidy::ClangTidyError &finding : results.errors)
      if (levelOf(finding) == Level::Certain)
        finding.IsWarningAsError = true;
  return results;
}

} // namespace gradtidy
