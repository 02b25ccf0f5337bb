#include "Jobs.h"
#include "BoundedFile.h"
#include "Database.h"
#include "Flags.h"
#include "Includes.h"
#include "LibTorch.h"
#include "Paths.h"
#include "ResponseFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace gradtidy {
namespace {

using clang::tooling::CompileCommand;
using llvm::StringRef;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

std::string inQuotes(StringRef text) { return ("'" + text + "'").str(); }

/// The job of \p command, which stands in \p database, if that is not null. Adds the flags that are
/// refused to \p refused.
llvm::Expected<Job> makeJob(const std::string &source, CompileCommand command,
                            const Database *database, FlagOrigin origin, const JobList &list,
                            std::vector<std::string> &refused) {
  auto expanded = expandResponseFiles(std::move(command.CommandLine), command.Directory);
  if (!expanded)
    return expanded.takeError();
  FlagsRequest flags;
  flags.commandLine = std::move(*expanded);
  flags.origin = origin;
  flags.file = command.Filename;
  flags.directory = command.Directory;
  flags.ownBefore = list.extraArgsBefore;
  flags.ownAfter = list.extraArgs;
  CompileCommand normalised(command.Directory, command.Filename, normaliseFlags(flags, &refused),
                            "");
  return Job{command.Filename, source, std::move(normalised), std::move(flags), database};
}

/// Collects the jobs of one request.
class JobLister {
public:
  explicit JobLister(const JobRequest &request) : request(request) {
    if (!request.runtimeInclude.empty())
      // runtime/compat lies two folders below the top of the tree.
      runtimeTree =
          path::parent_path(path::parent_path(absolutePath(request.runtimeInclude))).str();
    list.extraArgs = request.extraArgs;
    list.extraArgsBefore = request.extraArgsBefore;
  }

  JobList run() {
    if (request.sources.empty())
      fail("no sources given; name files or folders, for example: gradtidy src/train.cpp");
    for (const std::string &source : request.sources)
      add(source);
    reportMissingDatabase();
    return std::move(list);
  }

private:
  const JobRequest &request;
  std::string runtimeTree;
  JobList list;
  llvm::StringMap<size_t> jobOf; ///< By the main file.
  IncludeScan scan;
  DatabaseSearch search;
  std::vector<std::string> withoutDatabase;

  void fail(std::string error) { list.errors.push_back(std::move(error)); }

  // --- The kinds of sources ----------------------------------------------------------------------

  void add(const std::string &source) {
    const std::string file = absolutePath(source);
    fs::file_status status;
    if (std::error_code error = fs::status(file, status))
      return fail("cannot read " + inQuotes(source) + ": " + error.message());
    if (fs::is_directory(status)) {
      list.shown.add(source, folderPath(source));
      return addFolder(source, folderPath(source));
    }
    list.shown.add(source, file);
    if (const std::string why = whyUnreadable(file); !why.empty())
      return fail("cannot read " + inQuotes(source) + ": " + why);
    if (request.fixedFlags)
      return addWithFlags(source, file, "cc", *request.fixedFlags);

    llvm::SmallVector<Database *, 4> candidates;
    if (!candidateDatabases(file, candidates))
      return; // A broken database has been reported.
    for (Database *database : candidates)
      if (const CompileCommand *entry = database->find(file))
        return addEntry(source, *database, *entry);
    for (const Database *database : candidates)
      if (const CompileCommand *entry = unityEntryOf(*database, file))
        return addOfUnity(source, file, *database, *entry);
    if (isHeader(file)) {
      for (Database *database : candidates)
        if (std::string unit = scan.findUnitIncluding(*database, file); !unit.empty())
          return addEntry(source, *database, *database->find(unit));
    }
    if (usesBundledRuntime(file))
      return addWithBundledRuntime(source, file);
    if (candidates.empty())
      withoutDatabase.push_back(source);
    else
      addWithFlagsOfNearest(source, file, *candidates.front());
  }

  /// Every entry below \p folder, of the first database that has one.
  void addFolder(const std::string &source, const std::string &folder) {
    if (request.fixedFlags)
      return fail(inQuotes(source) + " is a folder; name its files to analyse them with the flags "
                                     "after '--'");
    llvm::SmallVector<Database *, 4> candidates;
    if (!candidateDatabases(folder, candidates))
      return;
    for (Database *database : candidates) {
      bool found = false;
      for (const std::string &file : database->sources()) {
        const CompileCommand &entry = *database->find(file);
        if (isUnity(file)) {
          for (const std::string &part : partsOfUnity(file))
            if (liesIn(part, folder)) {
              found = true;
              if (fs::exists(part))
                addOfUnity(part, part, *database, entry);
            }
        } else if (liesIn(file, folder)) {
          found = true;
          // A database outlives the files it names: a generated or deleted one is no error here.
          if (fs::exists(file))
            addEntry(file, *database, entry);
        }
      }
      if (found)
        return;
    }
    if (usesBundledRuntime(folder))
      addSourcesBelow(source, folder);
    else if (candidates.empty())
      withoutDatabase.push_back(source);
    else
      fail("the compilation database " + inQuotes(candidates.front()->path()) + " has no " +
           (candidates.front()->sources().empty() ? "entries; configure the project again"
                                                  : "entry below the folder " + inQuotes(source)));
  }

  void addEntry(const std::string &source, const Database &database, const CompileCommand &entry) {
    addJob(source, entry.Filename, entry.Directory, entry.CommandLine, &database);
    widenProject(database.commonFolder());
  }

  /// Whether CMake has made \p file of several sources (UNITY_BUILD).
  static bool isUnity(StringRef file) {
    return path::filename(file).starts_with("unity_") &&
           path::filename(path::parent_path(file)) == "Unity";
  }

  std::vector<std::string> partsOfUnity(const std::string &file) {
    std::vector<std::string> parts;
    for (const IncludeScan::Include &include : scan.includesOf(file))
      parts.push_back(absolutePath(include.name, path::parent_path(file)));
    return parts;
  }

  /// The entry of the source that CMake has made of \p file and others; null if there is none.
  const CompileCommand *unityEntryOf(const Database &database, StringRef file) {
    for (const std::string &unity : database.sources())
      if (isUnity(unity) && llvm::is_contained(partsOfUnity(unity), file))
        return database.find(unity);
    return nullptr;
  }

  /// One source of several that are compiled as one: findings are those of the source by itself.
  void addOfUnity(const std::string &source, const std::string &file, const Database &database,
                  const CompileCommand &entry) {
    addJob(source, file, entry.Directory, entry.CommandLine, nullptr);
    widenProject(commonFolder(database.commonFolder(), path::parent_path(file)));
  }

  /// A header that no unit includes, or a source that is newer than its database, is parsed by
  /// itself, as the nearest source of its language is.
  void addWithFlagsOfNearest(const std::string &source, const std::string &file,
                             const Database &database) {
    if (database.sources().empty())
      return fail(inQuotes(source) + " is not in the compilation database " +
                  inQuotes(database.path()) +
                  ", which has no entries; configure the project again, or give the flags after "
                  "'--'");
    std::vector<std::string> nearest = nearestFirst(database.sources(), file);
    std::stable_partition(nearest.begin(), nearest.end(), [&](StringRef other) {
      return isHeader(file) || path::extension(other) == path::extension(file);
    });
    const CompileCommand &entry = *database.find(nearest.front());
    addJob(source, file, entry.Directory, entry.CommandLine, nullptr);
    widenProject(database.commonFolder());
    if (!isHeader(file))
      list.withFlagsOfOthers.emplace_back(source, nearest.front());
  }

  bool usesBundledRuntime(StringRef file) const {
    return request.bundledRuntime || liesIn(file, runtimeTree);
  }

  /// Every C++ source below \p folder, which no database knows.
  void addSourcesBelow(const std::string &source, const std::string &folder) {
    std::vector<std::string> files;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      StringRef extension = path::extension(entry->path());
      if (extension == ".cpp" || extension == ".cc" || extension == ".cxx" || extension == ".cu")
        files.push_back(entry->path());
    }
    if (error)
      return fail("cannot read the folder " + inQuotes(source) + ": " + error.message());
    if (files.empty())
      return fail("there is no C++ source below the folder " + inQuotes(source));
    llvm::sort(files);
    for (const std::string &file : files)
      addWithBundledRuntime(file, file);
  }

  void addWithBundledRuntime(const std::string &source, const std::string &file) {
    if (request.runtimeInclude.empty())
      return fail("the bundled runtime, asked for by " + inQuotes(source) +
                  ", is not installed with this gradtidy");
    const std::string include = absolutePath(request.runtimeInclude);
    std::vector<std::string> flags = {"-std=c++20", "-I" + include};
    if (path::extension(file) == ".cu") { // The same with and without a toolkit on the machine.
      const std::string toolkit = path::parent_path(include).str() + "/toolkit";
      llvm::append_range(flags, std::vector<std::string>{"-nocudainc", "--cuda-path=" + toolkit,
                                                         "-include", toolkit + "/cuda_runtime.h"});
    }
    addWithFlags(source, file, "c++", std::move(flags));
  }

  void addWithFlags(const std::string &source, const std::string &file, StringRef compiler,
                    std::vector<std::string> flags) {
    flags.insert(flags.begin(), compiler.str());
    addJob(source, file, folderPath(""), std::move(flags), nullptr, FlagOrigin::Person);
    widenProject(path::parent_path(file));
  }

  void addJob(const std::string &source, const std::string &file, const std::string &directory,
              std::vector<std::string> commandLine, const Database *database,
              FlagOrigin origin = FlagOrigin::Database) {
    if (const auto known = jobOf.find(file); known != jobOf.end()) {
      std::string &askedFor = list.jobs[known->second].askedFor;
      if (absolutePath(askedFor) != file && absolutePath(source) == file)
        askedFor = source; // Until now it was asked for by a header.
      return;
    }
    if (const std::string why = whyUnreadable(file); !why.empty())
      return fail("cannot read " + inQuotes(file) + ": " + why);
    std::vector<std::string> refused;
    llvm::Expected<Job> job =
        makeJob(source, CompileCommand(directory, file, std::move(commandLine), ""), database,
                origin, list, refused);
    if (!job)
      return fail("the flags of " + inQuotes(file) +
                  " are not known: " + llvm::toString(job.takeError()));
    list.ignoredFlags.insert(refused.begin(), refused.end());
    if (database && database->hasSeveral(file))
      list.withSeveralCommands.push_back(file);
    jobOf.try_emplace(file, list.jobs.size());
    list.jobs.push_back(std::move(*job));
  }

  void widenProject(StringRef folder) {
    list.projectFolder =
        list.projectFolder.empty() ? folder.str() : commonFolder(list.projectFolder, folder).str();
  }

  // --- Databases ---------------------------------------------------------------------------------

  /// The databases that may describe \p file, the likeliest first; false if one is broken.
  bool candidateDatabases(StringRef file, llvm::SmallVectorImpl<Database *> &candidates) {
    if (!request.buildPath.empty()) {
      candidates.push_back(load(absolutePath(request.buildPath)));
      return candidates.back();
    }
    std::vector<Database *> empty;
    for (const std::string &found : search.around(file)) {
      Database *database = load(found);
      if (!database)
        return false;
      if (database->sources().empty()) {
        empty.push_back(database);
        continue;
      }
      if (mayDescribe(*database, file))
        candidates.push_back(database);
    }
    // Better than to say that there is none.
    candidates.append(empty.begin(), empty.end());
    return true;
  }

  /// A build folder of another project beside a parent of \p file (/tmp/build) says nothing of it,
  /// whatever sources were generated there. Sources elsewhere, such as those of a dependency, do
  /// not count.
  static bool mayDescribe(const Database &database, StringRef file) {
    const StringRef folder = path::parent_path(database.path());
    const StringRef project = commonFolder(folder, file);
    const bool isAbove = liesIn(file, folder);
    return liesIn(database.commonFolder(), project) || database.find(file) ||
           llvm::any_of(database.sources(), [&](StringRef source) {
             return liesIn(source, project) && (isAbove || !liesIn(source, folder));
           });
  }

  Database *load(const std::string &location) {
    auto [entry, added] = list.databases.try_emplace(location);
    if (added) {
      if (auto loaded = Database::load(location)) {
        entry->second = std::move(*loaded);
        llvm::append_range(list.errors, entry->second->problems());
      } else {
        fail(llvm::toString(loaded.takeError()));
      }
    }
    return entry->second.get();
  }

  void reportMissingDatabase() {
    if (withoutDatabase.empty())
      return;
    std::string others;
    if (size_t count = withoutDatabase.size() - 1)
      others = " and " + std::to_string(count) + (count == 1 ? " other source" : " other sources");
    fail("no compile_commands.json found for " + inQuotes(withoutDatabase.front()) + others +
         " in the parent folders and their build folders; make one with "
         "'cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON' or 'bear -- make', or name its folder with "
         "-p, or give the flags after '--': gradtidy FILE -- " +
         libtorchFlags());
  }
};

} // namespace

JobList listJobs(const JobRequest &request) { return JobLister(request).run(); }

std::optional<Job> jobOf(const std::string &file, const Database &database, const JobList &list) {
  const CompileCommand *command = database.find(file);
  if (!command || !whyUnreadable(file).empty())
    return std::nullopt;
  std::vector<std::string> refused; // Said when the source is asked for.
  llvm::Expected<Job> job = makeJob(file, *command, &database, FlagOrigin::Database, list, refused);
  if (job)
    return std::move(*job);
  llvm::consumeError(job.takeError());
  return std::nullopt;
}

} // namespace gradtidy
