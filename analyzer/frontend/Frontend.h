// One job, one AST: parses a translation unit as fast as the analysis allows. Bodies outside user
// code are skipped, who looks at the AST sees the user's declarations only, and what a clang-tidy
// user expects of what the compiler says (NOLINT, filters, options) is clang-tidy's own.
#pragma once

#include "FileIdentity.h"
#include "Lookups.h"
#include "Overlay.h"
#include "UserCode.h"
#include "analyzer/source/Jobs.h"
#include "analyzer/source/SharedFunction.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
} // namespace clang

namespace gradtidy {

class HeaderCache;

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

  /// Compiler errors and enabled compiler warnings, and the findings of who analyzes the unit;
  /// every path in them is clean (see Paths.h), the files that fixes change are free of symbolic
  /// links. Of a fix that would change files outside of the project these are named, without edits.
  std::vector<clang::tidy::ClangTidyError> diagnostics;

  bool headerIsMissing = false; ///< Which one, the diagnostics say.

  /// Compiler errors left out, since they follow from a missing header, which is among the
  /// diagnostics, or lie outside user code.
  unsigned errorsAfterMissingHeader = 0, errorsOutsideUserCode = 0;

  /// See SystemIncludes.
  std::set<std::string> systemHeaders, outerHeaders, forOtherCompilers;
  std::set<std::string> unreachable; ///< See unreachableCode().

  /// Of diagnostics shown and left out.
  clang::tidy::ClangTidyStats stats;
  std::vector<SilencedFinding> silenced;

  std::vector<std::string> frameworkFolders; ///< See UserCode::folders().

  /// The files that fixes of the diagnostics change, by the names that they have there.
  std::vector<ReadFile> fixedFiles;
  std::vector<ReadFile> files; ///< All that were read, but for those in the header.
  /// Where headers may turn up that would be included; nothing if that cannot be told.
  std::optional<std::vector<Lookup>> lookups;
  std::string header;                     ///< The stamp of the precompiled header, or empty.
  std::vector<std::string> headerFolders; ///< See HeaderCache::Header.
  bool isOverOwnHeader = false;           ///< It is the unit's own: see OwnHeader.
  /// Where the time went, in Chrome's format, if asked for: a text for each half of the work.
  std::vector<std::string> traces;

  // --- what was seen of the AST: see Frontend::Look
  std::string text;                   ///< The IR, as Print.h writes it.
  std::vector<SharedFunction> shared; ///< The functions that it shares with other sources.
  int standard = 0;                   ///< clang's number of the version of C++.
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

  /// From now on these files stand in for others. The overlay is well formed.
  void setOverlay(Overlay files) { overlay = std::move(files); }

  /// From now on units have traces.
  void enableTrace() { traces = true; }

  /// From now on a header of its own is made for every unit that has none: see
  /// docs/decisions/0014-own-headers.md. Those that there are, are used in any case.
  void makeOwnHeaders() { makesOwnHeaders = true; }

  /// Looks at a unit that was parsed, and writes into it what it has seen. The traversal scope are
  /// the user's declarations.
  using Look = std::function<void(clang::ASTContext &, const UserCode &, Unit &)>;

  /// A crash of the parser or of \p look is contained: it costs this unit's diagnostics.
  /// \param frameworkHeaders as Model::headers() has them.
  /// \param renamed          as Model::renamed() has them.
  /// \param look             may be null.
  Unit run(const Job &job, const std::vector<std::string> &frameworkHeaders,
           const llvm::StringMap<std::string> &renamed, const Look &look);

  /// The files that the parse of \p job reads.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> filesOf(const Job &job) const;

  /// Those that the context remembers names of checks by, for all units.
  const llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> &diagnosticIds() const { return ids; }

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
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> savedFiles() const;

  clang::tidy::ClangTidyContext &context;
  std::string projectFolder;
  HeaderCache *headers;
  Overlay overlay;
  bool traces = false, makesOwnHeaders = false;
  llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> ids;
};

} // namespace gradtidy
