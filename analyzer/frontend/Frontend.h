// One job, one AST: parses a translation unit as fast as the analysis allows and runs the enabled
// checks over it. Bodies outside user code are skipped, the checks see the user's declarations
// only, and what a clang-tidy user expects (NOLINT, filters, options) is clang-tidy's own.
#pragma once

#include "CacheFolder.h"
#include "UserCode.h"
#include "analyzer/source/Jobs.h"
#include "analyzer/source/Partners.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
} // namespace clang

namespace clang::tidy {
class ClangTidyASTConsumerFactory;
} // namespace clang::tidy

namespace gradtidy {

class HeaderCache;

/// A file as it was when it was read.
struct ReadFile {
  std::string path; ///< Absolute.
  FileIdentity identity;
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
  std::vector<clang::tidy::ClangTidyError> diagnostics;

  bool headerIsMissing = false; ///< Which one, the diagnostics say.

  /// Compiler errors left out, since they follow from a missing header, which is among the
  /// diagnostics, or lie outside user code.
  unsigned errorsAfterMissingHeader = 0, errorsOutsideUserCode = 0;

  /// Of diagnostics shown and left out.
  clang::tidy::ClangTidyStats stats;

  /// Partners that do not go together with the unit: they define what is defined already, or have
  /// errors of their own. What was found is not to be relied on, then.
  std::set<std::string> misfits;

  std::vector<ReadFile> files; ///< All that were read, but for those in the header.
  std::string header;          ///< The stamp of the precompiled header, or empty.
  std::string trace;           ///< Where the time went, in Chrome's format, if asked for.
};

/// Says which sources to parse behind those parsed so far, whose user's declarations are the
/// traversal scope of the context. Asked again behind these, until there are none.
using PartnerFinder = std::function<std::vector<Partner>(clang::ASTContext &, const UserCode &)>;

class Frontend {
public:
  /// \param context       gives options and collects statistics; must outlive this object.
  /// \param projectFolder the project root of files outside version control.
  /// \param headers       precompiled headers; null to do without. Must outlive this object.
  Frontend(clang::tidy::ClangTidyContext &context, std::string projectFolder,
           HeaderCache *headers = nullptr);
  ~Frontend();

  /// From now on units have traces.
  void enableTrace() { traces = true; }

  /// A crash of the parser or of a check is contained: it costs this unit's diagnostics.
  /// What is said of partners and their headers is left out: it belongs to their own units.
  /// \param frameworkHeaders as Model::headers() has them.
  /// \param findPartners     null for a unit by itself.
  Unit run(const Job &job, const std::vector<std::string> &frameworkHeaders,
           const PartnerFinder &findPartners = {});

  struct Request; ///< Of one run.

private:
  struct Attempt;
  Attempt attempt(const Request &request, HeaderCache *headers);
  void parse(const Request &request, HeaderCache *headers, Attempt &attempt);

  clang::tidy::ClangTidyContext &context;
  std::string projectFolder;
  HeaderCache *headers;
  bool traces = false;
  /// The context remembers names of checks by these, for all units.
  llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> ids;
  std::unique_ptr<clang::tidy::ClangTidyASTConsumerFactory> consumers;
};

} // namespace gradtidy
