// The run over all jobs: which result comes from where, and what the results come to.
#pragma once

#include "CommandLine.h"
#include "Fixes.h"
#include "UnitResult.h"
#include "analyzer/flow/IrRequest.h"
#include "analyzer/source/Jobs.h"

#include <set>
#include <string>
#include <vector>

namespace clang::tidy {
class ClangTidyContext;
} // namespace clang::tidy

namespace gradtidy {

/// A unit and what came of it.
struct Outcome {
  size_t number = 0; ///< Among all units of the run, whatever the shard.
  std::string file;
  UnitResult result;
  std::string loss; ///< Why there is no result: a clear text without a full stop. Or empty.
};

struct Run {
  std::vector<Outcome> outcomes;   ///< By number.
  std::vector<std::string> errors; ///< As in JobList.
  size_t known = 0;                ///< Units whose results are those of an earlier run.
  double wallSeconds = 0;
  int signal = 0; ///< That ended the run early, or 0.
};

/// Analyses the jobs of the command line's shard in worker processes. What comes of a unit depends
/// on the sources and options alone.
/// \param ir asks for texts in place of findings; or null.
Run analyse(const JobList &list, clang::tidy::ClangTidyContext &context,
            const CommandLine &commandLine, const IrRequest *ir = nullptr);

/// What all units came to.
struct Results {
  std::vector<clang::tidy::ClangTidyError> errors; ///< By place; each once.
  unsigned analysed = 0, lost = 0;                 ///< Units.
  unsigned errorsAfterMissingHeader = 0, errorsOutsideUserCode = 0;
  clang::tidy::ClangTidyStats stats;
  UnitCoverage coverage;
  PhaseSeconds seconds;
  FixedFiles fixedFiles;
  std::set<std::string> systemHeaders, outerHeaders, forOtherCompilers; ///< See SystemIncludes.
  std::set<std::string> unreachable;                                    ///< See unreachableCode().
  size_t overHeader = 0; ///< Units parsed over a precompiled header.
};

/// \param strict makes certain findings errors.
Results sumUp(const Run &run, bool strict);

} // namespace gradtidy
