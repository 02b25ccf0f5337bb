#include "Analysis.h"
#include "Linking.h"
#include "OwnWork.h"
#include "Progress.h"
#include "ResultCache.h"
#include "UnitRunner.h"
#include "UnitStore.h"
#include "Workers.h"

#include "analyzer/frontend/HeaderCache.h"
#include "analyzer/frontend/Precompile.h"
#include "analyzer/model/Model.h"
#include "analyzer/plugin/LevelLog.h"
#include "analyzer/plugin/Plugin.h"
#include "analyzer/report/Printable.h"
#include "analyzer/source/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Threading.h"

#include <limits>
#include <map>
#include <numeric>
#include <set>
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
/// which are linked, lie together.
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
/// alone. So are the texts of units.
struct Caches {
  /// \param keepsUnits  whether units of earlier runs are used.
  Caches(const CommandLine &commandLine, const JobList &list, tidy::ClangTidyContext &context,
         SharedSources &sharedSources, bool keepsUnits,
         std::function<void(llvm::StringRef)> onMaking) {
    const uint64_t limit = uint64_t(commandLine.cacheLimit) << 20;
    std::vector<CacheFolder> places;
    std::optional<CacheFolder> ofResults, ofUnits, ofRun;
    if (!commandLine.cacheFolder.empty()) {
      const std::string folder = folderPath(commandLine.cacheFolder);
      places.emplace_back(folder + "/headers", limit - limit / 4);
      ofResults.emplace(folder + "/results", limit / 8);
      ofUnits.emplace(folder + "/units", limit / 8);
      std::string why;
      for (const CacheFolder &each : {places.front(), *ofResults, *ofUnits})
        if (why.empty())
          why = each.open();
      if (!why.empty()) {
        trouble.tell(folder, why);
        places.clear();
        ofResults.reset();
        ofUnits.reset();
      }
    }
    if (!scratch.path().empty()) {
      places.emplace_back(scratch.path(), std::numeric_limits<uint64_t>::max());
      ofRun = places.back();
    }
    headers.emplace(std::move(places), trouble, std::move(onMaking));
    inputs.emplace(*headers, context, list.projectFolder);
    if (ofResults)
      results.emplace(std::move(*ofResults), trouble, *inputs, sharedSources);
    if (!keepsUnits)
      ofUnits.reset();
    units.emplace(std::move(ofUnits), std::move(ofRun), trouble, *inputs);
  }

  CacheTrouble trouble;
  ScratchFolder scratch;
  std::optional<HeaderCache> headers;
  std::optional<UnitInputs> inputs;
  std::optional<ResultCache> results;
  std::optional<UnitStore> units;
};

/// Whether nobody wants to see more of a parse than what comes of it.
bool maySkipParses(const CommandLine &commandLine) {
  return commandLine.timeTrace.empty() && !commandLine.unusedNolint &&
         !commandLine.enableCheckProfile && !commandLine.moduleHeaders;
}

/// The way from jobs to a run. Units are numbered by their outcomes.
class Analysis {
public:
  Analysis(const JobList &list, tidy::ClangTidyContext &context, const CommandLine &commandLine,
           const IrRequest *ir)
      : list(list), commandLine(commandLine), sharedSources(list),
        linking(sharedSources, context, list.projectFolder),
        caches(commandLine, list, context, sharedSources, maySkipParses(commandLine),
               [this](llvm::StringRef header) { tellMaking(header); }),
        usesResults(
            caches.results && !ir && maySkipParses(commandLine) &&
            llvm::none_of(list.jobs, [](const Job &job) { return job.text || job.others; })),
        runner(list, context, &*caches.headers, *caches.units, *caches.inputs,
               {commandLine.overlay, ir, !commandLine.timeTrace.empty(),
                list.jobs.size() <= beingEdited && caches.results}) {}

  Run take() {
    run.errors = list.errors;
    std::optional<OwnWork> own("looking for what earlier runs found");
    const std::vector<size_t> open = findOpen();
    progress.emplace(open.size(), commandLine.quiet);
    if (!open.empty())
      progress->begin(jobOf(open.front()).file);
    own.reset();
    lower(open);
    work(unanswered(open), With::Links);
    work(unanswered(open), With::Nobody);
    if (caches.results && !open.empty()) {
      caches.results->tidyUp();
      caches.units->tidyUp();
    }
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
        known = caches.results->find(job);
      if (known)
        ++run.known;
      else
        open.push_back(run.outcomes.size());
      run.outcomes.push_back({number, job.file, std::move(known).value_or(UnitResult()), {}});
    }
    return open;
  }

  std::vector<size_t> unanswered(const std::vector<size_t> &units) const {
    std::vector<size_t> left;
    llvm::copy_if(units, std::back_inserter(left),
                  [&](size_t unit) { return !answered.contains(unit); });
    return left;
  }

  WorkerLimits workerLimits() const {
    WorkerLimits limits;
    limits.processes = commandLine.workers ? commandLine.workers
                                           : llvm::hardware_concurrency().compute_thread_count();
    limits.time = std::chrono::seconds(commandLine.timeout);
    limits.memory = uint64_t(commandLine.memoryLimit) << 20;
    return limits;
  }

  // --- the first half: each source alone

  /// Has \p open lowered, and all that they are linked to.
  void lower(const std::vector<size_t> &open) {
    std::map<std::string, size_t> asked;
    std::vector<const Job *> jobs;
    for (size_t unit : open) {
      asked.emplace(jobOf(unit).file, unit);
      jobs.push_back(&jobOf(unit));
    }
    while (!jobs.empty() && !run.signal) {
      lower(jobs, asked);
      const OwnWork own("looking for what belongs together");
      std::set<const Job *> missing;
      jobs.clear();
      for (size_t unit : open)
        for (const Job *job : linking.linksOf(jobOf(unit)).missing)
          if (missing.insert(job).second)
            jobs.push_back(job);
    }
  }

  void lower(const std::vector<const Job *> &jobs, const std::map<std::string, size_t> &asked) {
    std::vector<const Job *> left;
    const auto isDone = [&](const Job &job) {
      if (asked.contains(job.file))
        progress->add(job.file);
    };
    for (const Job *job : jobs)
      if (std::optional<UnitResult> known = caches.units->find(*job)) {
        linking.add(*job, std::move(known));
        isDone(*job);
      } else {
        left.push_back(job);
      }
    WorkerHooks hooks;
    hooks.work = [&](size_t item) { return toBytes(runner.lower(*left[item])); };
    hooks.done = [&](size_t item, Ending ending, const std::string &bytes) {
      const Job &job = *left[item];
      isDone(job);
      return add(job, asked, ending, bytes);
    };
    run.signal = runWorkers(left.size(), workerLimits(), hooks);
  }

  /// What came of a source. Whether its worker may go on.
  bool add(const Job &job, const std::map<std::string, size_t> &asked, Ending ending,
           const std::string &bytes) {
    std::optional<UnitResult> result = ending == Ending::Done ? fromBytes(bytes) : std::nullopt;
    if (ending == Ending::Done && !result)
      ending = Ending::Crashed;
    const std::string loss =
        lossOf(list.shown.of(job.file), ending, result ? *result : UnitResult(), commandLine);
    const bool mayGoOn = loss.empty() && isSafeBehind(result->seconds);
    if (const auto unit = asked.find(job.file); unit != asked.end() && !loss.empty()) {
      Outcome &outcome = run.outcomes[unit->second];
      if (result)
        outcome.result = *result;
      outcome.loss = loss;
      answered.insert(unit->second);
    }
    if (!loss.empty())
      result.reset();
    linking.add(job, std::move(result));
    return mayGoOn;
  }

  /// What a crash has left behind is not to be relied on; making a header takes much memory.
  static bool isSafeBehind(const PhaseSeconds &seconds) {
    return !seconds.contains(inVainPhase.str()) && !seconds.contains(makingPhase.str());
  }

  // --- the second half: what belongs together

  enum class With { Links, Nobody };

  void work(const std::vector<size_t> &units, With with) {
    if (run.signal)
      return;
    WorkerHooks hooks;
    hooks.work = [&](size_t item) {
      const Job &job = jobOf(units[item]);
      const UnitResult result = runner.analyse(
          job, linking, with == With::Links ? linking.linksOf(job) : Linking::Links());
      // A change of what was too much would not be seen.
      if (usesResults && with == With::Links)
        caches.results->add(job, result);
      return toBytes(result);
    };
    hooks.done = [&](size_t item, Ending ending, const std::string &bytes) {
      return add(units[item], ending, bytes, with);
    };
    run.signal = runWorkers(units.size(), workerLimits(), hooks);
  }

  /// What came of the work on \p unit. Whether its worker may go on.
  bool add(size_t unit, Ending ending, const std::string &bytes, With with) {
    std::optional<UnitResult> result = ending == Ending::Done ? fromBytes(bytes) : std::nullopt;
    if (ending == Ending::Done && !result)
      ending = Ending::Crashed;
    const bool isLost = ending != Ending::Done || result->unit.outcome == Unit::Outcome::Crashed;
    if (isLost && with == With::Links) // It may not be the unit's own fault.
      return false;
    answered.insert(unit);
    Outcome &outcome = run.outcomes[unit];
    if (result)
      outcome.result = std::move(*result);
    outcome.loss = lossOf(list.shown.of(outcome.file), ending, outcome.result, commandLine);
    return outcome.loss.empty() && isSafeBehind(outcome.result.seconds);
  }

  const JobList &list;
  const CommandLine &commandLine;
  SharedSources sharedSources;
  Linking linking;
  Caches caches;
  /// Who wants to see where time goes does not want to be told of an earlier run; what is not saved
  /// has none; and what was silenced is known of a parse, not of each unit in it.
  const bool usesResults;
  UnitRunner runner;
  std::optional<Progress> progress;
  Run run;
  std::set<size_t> answered; ///< Units that need no more work.
};

} // namespace

Run analyse(const JobList &list, tidy::ClangTidyContext &context, const CommandLine &commandLine,
            const IrRequest *ir) {
  const auto start = std::chrono::steady_clock::now();
  Run run = Analysis(list, context, commandLine, ir).take();
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
    results.outerHeaders.insert(unit.outerHeaders.begin(), unit.outerHeaders.end());
    results.unreachable.insert(unit.unreachable.begin(), unit.unreachable.end());
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
