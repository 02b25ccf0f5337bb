// One job, one AST: parses a translation unit as fast as the analysis allows and runs the enabled
// checks over it. Bodies outside user code are skipped, the checks see the user's declarations
// only, and what a clang-tidy user expects (NOLINT, filters, options) is clang-tidy's own.
#pragma once

#include "FileIdentity.h"
#include "Lookups.h"
#include "Overlay.h"
#include "UserCode.h"
#include "analyzer/source/Jobs.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clang::tidy {
class ClangTidyASTConsumerFactory;
} // namespace clang::tidy

namespace gradtidy {

class CompanionFinder;
class HeaderCache;
class PartnerFinder;
struct Companion;

/// A file as it was when it was read.
struct ReadFile {
  std::string path; ///< Absolute.
  FileIdentity identity;
};

/// A finding that a NOLINT comment has silenced.
struct SilencedFinding {
  std::string check;
  std::string file; ///< Absolute.
  unsigned line = 0;
};

/// What came of one job.
struct Unit {
  enum class Outcome {
    Analysed,  ///< The checks ran, perhaps over a file with errors.
    NotParsed, ///< The compiler could not even start; the diagnostics say why.
    Crashed,   ///< The diagnostics are lost.
  };
  Outcome outcome = Outcome::NotParsed;

  /// Findings, compiler errors and enabled compiler warnings; every path in them is clean (see
  /// Paths.h), the files that fixes change are free of symbolic links.
  /// Of a fix that would change files outside of the project these are named, without edits.
  std::vector<clang::tidy::ClangTidyError> diagnostics;

  bool headerIsMissing = false; ///< Which one, the diagnostics say.

  /// Compiler errors left out, since they follow from a missing header, which is among the
  /// diagnostics, or lie outside user code.
  unsigned errorsAfterMissingHeader = 0, errorsOutsideUserCode = 0;

  /// See SystemIncludes.
  std::set<std::string> systemHeaders, forOtherCompilers;

  /// Of diagnostics shown and left out.
  clang::tidy::ClangTidyStats stats;
  /// Of the unit and of those that were analyzed over its AST.
  std::vector<SilencedFinding> silenced;

  /// Partners that do not go together with the unit: they define what is defined already, or have
  /// errors of their own. What was found is not to be relied on, then.
  std::set<std::string> misfits;

  /// The files that fixes of the diagnostics change, by the names that they have there.
  std::vector<ReadFile> fixedFiles;
  std::vector<ReadFile> files; ///< All that were read, but for those in the header.
  /// Where headers may turn up that would be included; nothing if that cannot be told.
  std::optional<std::vector<Lookup>> lookups;
  std::string header;                     ///< The stamp of the precompiled header, or empty.
  std::vector<std::string> headerFolders; ///< See HeaderCache::Header.
  std::string trace; ///< Where the time went, in Chrome's format, if asked for.

  std::vector<Companion> companions; ///< Units of partners, analysed over the same AST.
};

struct Companion {
  std::string source; ///< Absolute.
  Unit unit;
};

/// The name of the time that goes into parses that crash. Their memory is not given back.
inline constexpr llvm::StringLiteral inVainPhase = "parsing in vain";

class Frontend {
public:
  /// \param context       gives options and collects statistics; must outlive this object.
  /// \param projectFolder the project root of files outside version control.
  /// \param headers       precompiled headers; null to do without. Must outlive this object.
  Frontend(clang::tidy::ClangTidyContext &context, std::string projectFolder,
           HeaderCache *headers = nullptr);
  ~Frontend();

  /// From now on these files stand in for others. The overlay is well formed.
  void setOverlay(Overlay files) { overlay = std::move(files); }

  /// From now on units have traces.
  void enableTrace() { traces = true; }

  /// From now on a header of its own is made for every unit that has none: see
  /// docs/decisions/0014-own-headers.md. Those that there are, are used in any case.
  void makeOwnHeaders() { makesOwnHeaders = true; }

  /// A crash of the parser or of a check is contained: it costs this unit's diagnostics.
  /// What is said of partners and their headers is left out: it belongs to their own units.
  /// \param frameworkHeaders as Model::headers() has them.
  /// \param renamed          as Model::renamed() has them.
  /// \param findPartners     null for a unit by itself.
  /// \param findCompanions   null if other units are nobody's business. A crash may be theirs,
  /// else:
  ///                         the unit is not tried in other ways then.
  Unit run(const Job &job, const std::vector<std::string> &frameworkHeaders,
           const llvm::StringMap<std::string> &renamed, PartnerFinder *findPartners = nullptr,
           CompanionFinder *findCompanions = nullptr);

  struct Request; ///< Of one run.

  /// What a unit is parsed over.
  enum class Over {
    Nothing,
    Framework, ///< The precompiled header of the framework.
    Own,       ///< The unit's own where there is one, else the framework's.
  };

private:
  struct Attempt;
  Attempt attempt(const Request &request, Over over);
  Attempt withoutOwnHeader(const Request &request, const Attempt &rejected);
  void parse(const Request &request, Over over, Attempt &attempt);

  clang::tidy::ClangTidyContext &context;
  std::string projectFolder;
  HeaderCache *headers;
  Overlay overlay;
  bool traces = false, makesOwnHeaders = false;
  /// The context remembers names of checks by these, for all units.
  llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> ids;
  std::unique_ptr<clang::tidy::ClangTidyASTConsumerFactory> consumers;
};

} // namespace gradtidy
