// What to analyse: the list of jobs that the sources on a command line come to.
#pragma once

#include "Database.h"
#include "Flags.h"
#include "Paths.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gradtidy {

/// Texts of files that an editor has and has not saved, by absolute path.
using UnsavedFiles = std::map<std::string, std::string>;

/// One translation unit to analyse.
struct Job {
  std::string file;     ///< Absolute path of the unit's main file.
  std::string askedFor; ///< The path as the user gave it; another file when a header was given.
  clang::tooling::CompileCommand command; ///< Normalised: see normaliseFlags.
  FlagsRequest flags; ///< What the command was made of, for configuration files that change it.
  const Database *database = nullptr; ///< That has it; owned by the list. Null if none has.
  std::optional<std::string> text = std::nullopt;       ///< That an editor has, not saved.
  std::shared_ptr<const UnsavedFiles> others = nullptr; ///< Null where there are none.
  /// All files of the user are read, none comes from a precompiled header of the unit's own.
  bool readsAll = false;
};

struct JobList {
  std::vector<Job> jobs;           ///< In the order of the sources; every unit once.
  std::vector<std::string> errors; ///< One clear text each, without a full stop.
  ShownPaths shown;                ///< How the sources were named.
  /// Options of the commands that change what a program means and yet are ignored: they do not pass
  /// the gate (FlagGate.h). Sorted.
  std::set<std::string> ignoredFlags;
  /// Sources that their database lacks, as the user named them, with the source whose flags they
  /// are analyzed with.
  std::vector<std::pair<std::string, std::string>> withFlagsOfOthers;
  std::vector<std::string> withSeveralCommands; ///< Sources: see Database::hasSeveral.
  std::string projectFolder; ///< See Database::commonFolder; without one, of the jobs.
  std::vector<std::string> extraArgs, extraArgsBefore;  ///< As in JobRequest.
  llvm::StringMap<std::unique_ptr<Database>> databases; ///< By path; null for a broken one.
};

struct JobRequest {
  /// Files; a folder stands for every entry of its database below it, or every C++ source where the
  /// bundled runtime serves it.
  std::vector<std::string> sources;
  /// -p: a compile_commands.json or its folder; if empty, it is searched for (see findDatabase).
  std::string buildPath;
  /// The flags after "--", which take the place of a database.
  std::optional<std::vector<std::string>> fixedFlags;
  /// Sources without a database compile against the bundled runtime, wherever they lie.
  bool bundledRuntime = false;
  /// The folder runtime/compat, whose torch/torch.h is the bundled runtime's; may be empty. Sources
  /// of the tree that holds it need no database.
  std::string runtimeInclude;
  /// Added to every command line at its end, or right after the compiler's name.
  std::vector<std::string> extraArgs, extraArgsBefore;
};

/// A source that cannot be analysed costs an error, never the other sources. A header is analysed
/// through a unit of the database that includes it (the nearest by name first: foo.cpp for foo.h),
/// else as a file of its own with the flags of the nearest entry, as other files that their
/// database lacks.
JobList listJobs(const JobRequest &request);

/// The job of \p file, a source of \p database, as it would be in \p list; none if it cannot be
/// read.
std::optional<Job> jobOf(const std::string &file, const Database &database, const JobList &list);

} // namespace gradtidy
