#include "Prove.h"

#include "BuildCache.h"
#include "Configuration.h"
#include "Installation.h"
#include "OutputFile.h"
#include "Progress.h"
#include "Workers.h"
#include "analyzer/frontend/Paths.h"
#include "analyzer/prove/Plot.h"
#include "analyzer/prove/Programs.h"
#include "analyzer/prove/Symptom.h"
#include "checks/Catalogue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace gradtidy {

namespace fs = llvm::sys::fs;
using Json = nlohmann::ordered_json;

namespace {

// ---- what is proven ----------------------------------------------------------------------------

/// What gradtidy says of a pair.
struct StaticSide {
  unsigned line = 0;                 ///< Of the finding.
  std::string message;               ///< Of the finding.
  bool fixes = false;                ///< The fix-it makes fix.cpp of bug.cpp.
  std::vector<std::string> failures; ///< Empty if all is as it must be.
};

/// What the pair does on a backend.
struct RunSide {
  std::string backend;
  std::string leftOut; ///< Why it does not run there, or empty.
  Recordings recordings;
  std::vector<Measurement> measurements;
  std::vector<std::string> failures;

  bool holds() const {
    return failures.empty() &&
           llvm::all_of(measurements, [](const Measurement &one) { return one.holds; });
  }
};

struct Proof {
  std::string name, folder;
  std::string extension; ///< Of both programs.
  Symptom symptom;
  StaticSide finding;
  std::vector<RunSide> runs;

  /// The name of a program, "bug" or "fix", or its path.
  std::string program(const std::string &kind) const { return kind + extension; }
  std::string path(const std::string &kind) const { return folder + "/" + program(kind); }

  /// Where it ran first; null if nowhere.
  const RunSide *shown() const {
    const auto ran = llvm::find_if(runs, [](const RunSide &run) { return run.leftOut.empty(); });
    return ran == runs.end() ? nullptr : &*ran;
  }
  bool holds() const {
    return finding.failures.empty() &&
           llvm::all_of(runs, [](const RunSide &run) { return run.holds(); });
  }
  /// Whether it also has been shown.
  bool proven() const { return holds() && shown(); }
};

std::string readFile(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw std::runtime_error("cannot read '" + file + "'");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<Proof> select(const CommandLine &commandLine, const std::string &fixtures) {
  std::vector<std::string> names = commandLine.sources;
  std::vector<llvm::StringRef> known;
  for (const CatalogueRow &row : catalogue())
    if (fs::exists(fixtures + "/" + row.name + "/symptom.json"))
      known.push_back(row.name);
  if (known.empty())
    throw std::runtime_error("there is no fixture of a check in '" + fixtures + "'");
  if (names.empty())
    names.assign(known.begin(), known.end());
  std::vector<Proof> proofs;
  for (const std::string &given : names) {
    const std::string name = llvm::sys::path::filename(llvm::StringRef(given).rtrim('/')).str();
    if (!llvm::is_contained(known, name))
      throw std::runtime_error("there is no fixture '" + name + "'" + nearest(name, known));
    const std::string folder = fixtures + "/" + name;
    // A launch of a kernel is no C++.
    const char *extension = fs::exists(folder + "/bug.cu") ? ".cu" : ".cpp";
    proofs.push_back({name, folder, extension, Symptom(folder + "/symptom.json"), {}, {}});
  }
  return proofs;
}

// ---- the static side ---------------------------------------------------------------------------

/// \p text without white space and without the mark at the place of the finding.
std::string essence(llvm::StringRef text) {
  std::string result;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (const llvm::StringRef line : lines)
    llvm::copy_if(line.split("// gradtidy: ").first, std::back_inserter(result),
                  [](char letter) { return !llvm::isSpace(letter); });
  return result;
}

/// \p text after the edits of a finding.
std::string apply(std::string text, Json edits) {
  llvm::sort(edits, [](const Json &left, const Json &right) {
    return left["offset"] > right["offset"]; // From the end, so that the other offsets stay right.
  });
  for (const Json &edit : edits)
    text.replace(edit["offset"], edit["length"], edit["text"].get<std::string>());
  return text;
}

/// Whether \p finding is advice of another check, which nobody sees who does not ask for it.
bool isAdviceOfOther(const Json &finding, const Proof &proof) {
  const CatalogueRow *row = findRow(finding["check"].get<std::string>());
  return row && row->level == Level::Advice && row->name != proof.name;
}

void judge(Proof &proof, const Json &findings) {
  StaticSide &side = proof.finding;
  const std::string bug = readFile(proof.path("bug"));
  const size_t mark = bug.find("// gradtidy: " + proof.name + "\n");
  const auto marked =
      mark == std::string::npos ? 0 : 1 + llvm::StringRef(bug).take_front(mark).count('\n');
  const auto isFile = [&](const Json &finding, const char *kind) {
    return finding["file"] == proof.path(kind);
  };
  for (const Json &finding : findings) {
    if (isFile(finding, "bug") && finding["check"] == proof.name && finding["line"] == marked) {
      side.line = finding["line"];
      side.message = finding["message"];
      side.fixes = essence(apply(bug, finding["fixes"])) == essence(readFile(proof.path("fix")));
    } else if ((isFile(finding, "bug") || isFile(finding, "fix")) &&
               !isAdviceOfOther(finding, proof)) {
      side.failures.push_back(
          llvm::formatv("{0}:{1}: unexpected: {2} [{3}]",
                        llvm::sys::path::filename(finding["file"].get<std::string>()),
                        finding["line"].get<unsigned>(), finding["message"].get<std::string>(),
                        finding["check"].get<std::string>()));
    }
  }
  if (marked == 0)
    side.failures.push_back(proof.program("bug") + ": no line ends in '// gradtidy: " + proof.name +
                            "'");
  else if (side.line == 0)
    side.failures.push_back(llvm::formatv("{0}:{1}: no finding", proof.program("bug"), marked));
  else if (findRow(proof.name)->fix == FixSupport::Fix && !side.fixes)
    side.failures.push_back(proof.program("bug") + ": the fix-it does not make " +
                            proof.program("fix") + " of it");
}

/// A configuration that shows the findings of checks that give nothing but advice.
std::string configurationOf(const std::vector<Proof> &proofs) {
  std::string options;
  for (const Proof &proof : proofs)
    if (findRow(proof.name)->level == Level::Advice)
      options += (options.empty() ? "" : ", ") + proof.name + ".Level: 2";
  return options.empty() ? "{}" : "{CheckOptions: {" + options + "}}";
}

/// Analyses all programs, in a process of its own.
void analyseAll(std::vector<Proof> &proofs, const CommandLine &commandLine,
                llvm::StringRef executable) {
  std::vector<std::string> arguments = {executable.str(), "--quiet", "--format=json",
                                        "--config=" + configurationOf(proofs), "--bundled-runtime"};
  arguments.push_back(commandLine.cacheFolder.empty() ? "--no-cache"
                                                      : "--cache-dir=" + commandLine.cacheFolder);
  for (const Proof &proof : proofs)
    for (const char *kind : {"bug", "fix"})
      arguments.push_back(proof.path(kind));
  const CommandOutput output = runCommand(arguments);
  const Json document = Json::parse(output.out, nullptr, /*allow_exceptions=*/false);
  // Errors of the compiler are findings, too.
  if (!document.is_object())
    throw std::runtime_error("the fixtures cannot be analysed: " + output.err);
  for (Proof &proof : proofs)
    judge(proof, document["findings"]);
}

// ---- the run-time side -------------------------------------------------------------------------

/// A library and the backends to run its programs on.
struct Target {
  Builder builder;
  std::vector<std::string> backends;
  std::vector<std::string> sources; ///< Of all programs.
  std::string together;             ///< The one program of all; empty if it does not build.

  void build() {
    try {
      together = builder.build(sources);
    } catch (const std::runtime_error &) { // Each for itself then, which tells whose fault it is.
    }
  }
  std::vector<std::string> command(size_t source) const {
    if (!together.empty())
      return {together, std::to_string(source)};
    return {builder.build({sources[source]}), "0"};
  }
};

/// Throws std::runtime_error where a compiler or a library is missing.
std::vector<Target> targetsOf(const CommandLine &commandLine, llvm::StringRef executable,
                              const std::string &harness, const CacheFolder &cache) {
  const std::string compiler = findCompiler();
  std::vector<std::string> ofRuntime;
  llvm::copy_if(commandLine.backends, std::back_inserter(ofRuntime),
                [](const std::string &backend) { return backend != "libtorch"; });
  std::vector<Target> targets;
  if (!ofRuntime.empty()) {
    const std::string include = findRuntime(executable);
    const std::string library = commandLine.runtime.empty()
                                    ? findRuntimeLibrary(executable)
                                    : commandLine.runtime + "/libgradtidy_runtime.a";
    if (include.empty() || library.empty())
      throw std::runtime_error("the bundled runtime is not there: build it (script/build default "
                               "gradtidy_runtime), or use --backend=libtorch");
    targets.push_back(
        {{compiler, bundledRuntime(include, library), harness, cache}, ofRuntime, {}, {}});
  }
  if (ofRuntime.size() < commandLine.backends.size())
    targets.push_back(
        {{compiler, libtorch(commandLine.libtorch), harness, cache}, {"libtorch"}, {}, {}});
  return targets;
}

/// A program of a pair and the backends that it runs on, all of one library.
struct Task {
  size_t proof;
  const char *kind; ///< "bug" or "fix".
  const Target *target;
  size_t source; ///< Of the target.
  std::vector<std::string> backends;

  /// What comes of the backends, one after the other: {"output": …} or {"failure": …}. Each may
  /// take \p seconds.
  std::string work(unsigned seconds) const {
    Json results = Json::array();
    for (const std::string &backend : backends) {
      try {
        std::vector<std::string> variables = {"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1"};
        if (backend != "libtorch")
          variables.push_back("GRADTIDY_DEVICE=" + backend);
        const CommandOutput output = runCommand(target->command(source), variables, seconds);
        if (output.status != 0)
          throw std::runtime_error(llvm::sys::path::filename(target->sources[source]).str() +
                                   (output.status < 0 ? " does not end by itself: " : " fails: ") +
                                   output.err);
        (void)Recording::parse(output.out);
        results.push_back({{"output", output.out}});
      } catch (const std::exception &failure) {
        results.push_back({{"failure", failure.what()}});
      }
    }
    return results.dump();
  }
};

void take(Proof &proof, const Task &task, Ending ending, const std::string &text) {
  const Json results = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  for (size_t i = 0; i < task.backends.size(); ++i) {
    RunSide &run = *llvm::find_if(
        proof.runs, [&](const RunSide &one) { return one.backend == task.backends[i]; });
    std::string failure;
    if (ending != Ending::Done || !results.is_array())
      failure = proof.program(task.kind) + " was not run to its end";
    else if (results[i].contains("failure"))
      failure = results[i]["failure"];
    if (failure.empty())
      (llvm::StringRef(task.kind) == "bug" ? run.recordings.bug : run.recordings.fix) =
          Recording::parse(results[i]["output"].get<std::string>());
    else
      run.failures.push_back(failure);
  }
}

void judge(const Symptom &symptom, RunSide &run) {
  if (!run.leftOut.empty() || !run.failures.empty())
    return;
  try {
    run.measurements = symptom.judge(run.recordings, run.backend);
  } catch (const std::runtime_error &failure) {
    run.failures.emplace_back(failure.what());
    return;
  }
  // What holds of any two programs would prove nothing.
  try {
    if (llvm::all_of(symptom.judge({run.recordings.fix, run.recordings.bug}, run.backend),
                     [](const Measurement &one) { return one.holds; }))
      run.failures.emplace_back("symptom.json: the relations hold of the exchanged programs, too");
  } catch (const std::runtime_error &) { // One records what the other does not.
  }
}

/// What there is to run. The proofs learn of their backends.
std::vector<Task> tasksOf(std::vector<Proof> &proofs, std::vector<Target> &targets) {
  std::vector<Task> tasks;
  for (size_t i = 0; i < proofs.size(); ++i)
    for (Target &target : targets) {
      std::vector<std::string> applying;
      for (const std::string &backend : target.backends) {
        proofs[i].runs.push_back({backend, proofs[i].symptom.whyLeftOut(backend), {}, {}, {}});
        if (proofs[i].runs.back().leftOut.empty())
          applying.push_back(backend);
      }
      if (!applying.empty())
        for (const char *kind : {"bug", "fix"}) {
          tasks.push_back({i, kind, &target, target.sources.size(), applying});
          target.sources.push_back(proofs[i].path(kind));
        }
    }
  return tasks;
}

/// Builds and runs everything; returns the signal that ended it early, else 0.
int runAll(std::vector<Proof> &proofs, const std::vector<Task> &tasks,
           const CommandLine &commandLine, Progress &progress) {
  WorkerLimits limits;
  limits.processes = commandLine.workers ? commandLine.workers
                                         : llvm::hardware_concurrency().compute_thread_count();
  WorkerHooks hooks;
  hooks.work = [&](size_t item) { return tasks[item].work(commandLine.timeout); };
  hooks.done = [&](size_t item, Ending ending, const std::string &text) {
    Proof &proof = proofs[tasks[item].proof];
    take(proof, tasks[item], ending, text);
    progress.add(proof.name + " " + proof.program(tasks[item].kind));
    return true;
  };
  const int signal = runWorkers(tasks.size(), limits, hooks);
  for (Proof &proof : proofs)
    for (RunSide &run : proof.runs)
      judge(proof.symptom, run);
  return signal;
}

// ---- output ------------------------------------------------------------------------------------

std::string padded(const std::string &text, size_t width) {
  const size_t columns = llvm::sys::unicode::columnWidthUTF8(text);
  return text + std::string(columns < width ? width - columns : 0, ' ');
}

std::string shortened(const std::string &text, size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "…";
}

llvm::ArrayRef<double> series(const Recording &recording, const std::string &metric) {
  const auto found = recording.metrics.find(metric);
  return found == recording.metrics.end() ? llvm::ArrayRef<double>()
                                          : llvm::ArrayRef(found->second);
}

Plot plotOf(const Proof &proof, const RunSide &run) {
  const Symptom &symptom = proof.symptom;
  return {symptom.metric,
          symptom.over,
          symptom.logarithmic,
          series(run.recordings.bug, symptom.metric),
          series(run.recordings.fix, symptom.metric),
          shortened(run.recordings.bug.error, 74)};
}

class TextReport {
public:
  explicit TextReport(llvm::raw_ostream &out) : out(out) {}

  void write(const Proof &proof) {
    if (proof.holds() && !proof.shown())
      out << "- ";
    else
      mark(proof.holds());
    llvm::WithColor(out, llvm::raw_ostream::SAVEDCOLOR, /*Bold=*/true) << proof.name << '\n';
    const StaticSide &finding = proof.finding;
    if (finding.line)
      out << "  " << proof.program("bug") << ":" << finding.line << ": " << finding.message << '\n';
    if (finding.failures.empty())
      out << "  " << proof.program("fix") << ": silence"
          << (finding.fixes ? "; it is what --fix makes of " + proof.program("bug") : "") << '\n';
    writeFailures(finding.failures);
    writeWords(proof.symptom.words);
    for (const RunSide &run : proof.runs) {
      if (!run.leftOut.empty())
        continue;
      writeMeasurements(run);
      writeFailures(run.failures);
    }
    if (const RunSide *run = proof.shown(); run && run->failures.empty())
      writeLines(plotOf(proof, *run));
    for (const RunSide &run : proof.runs)
      if (!run.leftOut.empty())
        out << "  not on " << run.backend << ": " << run.leftOut << '\n';
    out << '\n';
  }

private:
  void mark(bool holds) {
    llvm::WithColor(out, holds ? llvm::raw_ostream::GREEN : llvm::raw_ostream::RED, /*Bold=*/true)
        << (holds ? "✓ " : "✗ ");
  }

  /// In lines of at most 100 letters.
  void writeWords(llvm::StringRef words) {
    std::string line = " ";
    for (const llvm::StringRef word : llvm::split(words, ' ')) {
      if (line.size() + 1 + word.size() > 100) {
        out << line << '\n';
        line = " ";
      }
      line += " " + word.str();
    }
    out << line << '\n';
  }

  void writeFailures(const std::vector<std::string> &failures) {
    for (const std::string &failure : failures) {
      out << "  ";
      mark(false);
      out << failure << '\n';
    }
  }

  void writeMeasurements(const RunSide &run) {
    out << "    " << padded("on " + run.backend, 42) << padded("bug", 12) << padded("fix", 12)
        << "must hold\n";
    for (const Measurement &one : run.measurements) {
      out << "  ";
      mark(one.holds);
      if (one.what == "error")
        out << padded(one.what, 42) << shortened(one.bug.empty() ? one.fix : one.bug, 54) << '\n';
      else
        out << padded(one.what, 42) << padded(one.bug, 12) << padded(one.fix, 12) << one.relation
            << '\n';
    }
  }

  void writeLines(const Plot &plot) {
    out << "    " << plot.metric << '\n';
    for (const auto &[name, values] : {std::pair("bug ", plot.bug), {"fix ", plot.fix}})
      if (!values.empty())
        out << "    " << name << sparkline(plot, values, 60) << "  " << numberText(values.front())
            << " … " << numberText(values.back()) << '\n';
  }

  llvm::raw_ostream &out;
};

Json toJson(const Proof &proof) {
  Json backends = Json::array();
  for (const RunSide &run : proof.runs) {
    Json measurements = Json::array();
    for (const Measurement &one : run.measurements)
      measurements.push_back({{"what", one.what},
                              {"bug", one.bug},
                              {"fix", one.fix},
                              {"relation", one.relation},
                              {"holds", one.holds}});
    Json backend = {{"name", run.backend}};
    if (run.leftOut.empty())
      backend.update({{"holds", run.holds()},
                      {"failures", run.failures},
                      {"measurements", std::move(measurements)}});
    else
      backend["leftOut"] = run.leftOut;
    backends.push_back(std::move(backend));
  }
  Json plot;
  if (const RunSide *run = proof.shown())
    plot = {{"backend", run->backend},
            {"metric", proof.symptom.metric},
            {"over", proof.symptom.over},
            {"bug", series(run->recordings.bug, proof.symptom.metric).vec()},
            {"fix", series(run->recordings.fix, proof.symptom.metric).vec()}};
  return {{"check", proof.name},
          {"proven", proof.proven()},
          {"finding",
           {{"file", proof.path("bug")},
            {"line", proof.finding.line},
            {"message", proof.finding.message},
            {"fixes", proof.finding.fixes},
            {"failures", proof.finding.failures}}},
          {"symptom", proof.symptom.words},
          {"backends", std::move(backends)},
          {"plot", std::move(plot)}};
}

void writePlots(const std::vector<Proof> &proofs, const std::string &folder) {
  for (const Proof &proof : proofs) {
    const RunSide *run = proof.shown();
    if (!run || !run->failures.empty())
      continue;
    const std::string file = folder + "/" + proof.name + ".svg";
    std::error_code error = fs::create_directories(folder);
    if (error)
      throw std::runtime_error("cannot write '" + file + "': " + error.message());
    const auto out = openOutput(file, error);
    if (error)
      throw std::runtime_error("cannot write '" + file + "': " + error.message());
    *out << svg(plotOf(proof, *run));
  }
}

int proveOrThrow(const CommandLine &commandLine, llvm::StringRef executable) {
  const std::string fixtures =
      commandLine.fixtures.empty() ? findFixtures(executable) : cleanPath(commandLine.fixtures, {});
  if (fixtures.empty() || !fs::exists(fixtures + "/harness.h"))
    throw std::runtime_error("no fixtures" + (fixtures.empty() ? "" : " in '" + fixtures + "'") +
                             ": name gradtidy's folder of that name by --fixtures");
  std::vector<Proof> proofs = select(commandLine, fixtures);

  std::optional<ScratchFolder> scratch;
  const CacheFolder cache = openBuildCache(commandLine, "programs", scratch);
  std::vector<Target> targets = targetsOf(commandLine, executable, fixtures + "/harness.h", cache);
  const std::vector<Task> tasks = tasksOf(proofs, targets);

  Progress progress(1 + 2 * targets.size() + tasks.size(), commandLine.quiet);
  progress.begin("analysing");
  analyseAll(proofs, commandLine, executable);
  for (Target &target : targets) {
    if (target.sources.empty())
      continue;
    progress.add("compiling harness.h");
    target.builder.prepare();
    progress.add("compiling all programs");
    target.build();
  }
  progress.add(proofs.front().name);
  const int signal = runAll(proofs, tasks, commandLine, progress);
  progress.clear();
  cache.evict("");
  if (signal) {
    llvm::WithColor::error(llvm::errs(), "gradtidy") << "interrupted\n";
    return 128 + signal;
  }
  if (!commandLine.plots.empty())
    writePlots(proofs, commandLine.plots);

  const auto proven = llvm::count_if(proofs, [](const Proof &proof) { return proof.proven(); });
  // Who asks for a proof by name wants to see it.
  const bool mayBeLeftOut = commandLine.sources.empty() && proven > 0;
  const bool good = llvm::all_of(proofs, [&](const Proof &proof) {
    return proof.proven() || (mayBeLeftOut && proof.holds());
  });
  if (commandLine.format == Format::Json) {
    Json list = Json::array();
    for (const Proof &proof : proofs)
      list.push_back(toJson(proof));
    llvm::outs() << Json({{"version", 1}, {"proofs", std::move(list)}}).dump(2) << '\n';
  } else {
    TextReport report(llvm::outs());
    for (const Proof &proof : proofs)
      report.write(proof);
    const auto leftOut =
        llvm::count_if(proofs, [](const Proof &proof) { return proof.holds() && !proof.shown(); });
    llvm::outs() << proven << " of " << proofs.size() << " proven";
    if (leftOut)
      llvm::outs() << ", " << leftOut << " not run";
    llvm::outs() << '\n';
  }
  return good ? 0 : 1;
}

} // namespace

int prove(const CommandLine &commandLine, llvm::StringRef executable) {
  try {
    return proveOrThrow(commandLine, executable);
  } catch (const std::exception &failure) {
    llvm::WithColor::error(llvm::errs(), "gradtidy") << failure.what() << '\n';
    return commandLine.statusOfFailure();
  }
}

} // namespace gradtidy
