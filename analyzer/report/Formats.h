// Findings in other formats than text (Text.h): JSON, SARIF 2.1.0, GitHub annotations, HTML, JUnit,
// GitLab code quality, Checkstyle, Markdown.
#pragma once

#include "SourceText.h"
#include "checks/Finding.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace clang::tidy {
struct ClangTidyError;
} // namespace clang::tidy
namespace llvm {
class raw_ostream;
} // namespace llvm

namespace gradtidy {

/// Lines and columns count from 1; columns are bytes, as clang prints them. 0 means unknown (an
/// error of the command line lies in no file: its path is empty).
struct ReportedNote {
  std::string file;
  unsigned line = 0, column = 0;
  std::string message;
};

/// One replacement of a fix-it: \p length bytes from \p offset become \p text.
struct ReportedEdit {
  std::string file;
  unsigned offset = 0, length = 0;
  std::string text;
  unsigned line = 0, column = 0, endLine = 0, endColumn = 0;
};

struct ReportedFinding {
  std::string check;          ///< "ml-…", or "clang-diagnostic-…" for what the compiler says.
  std::string severity;       ///< "warning", "error" or "note".
  std::optional<Level> level; ///< None for what the compiler says.
  std::string file;           ///< Absolute.
  unsigned line = 0, column = 0;
  unsigned endLine = 0, endColumn = 0; ///< Behind the last character; the start if unknown.
  std::string message;                 ///< Printable, as those of the notes.
  std::vector<ReportedNote> notes;
  std::vector<ReportedEdit> fixes; ///< To be made together, or not at all.
  size_t number = 0;               ///< Among the errors that toReported() was given.
};

/// \p file, which the compiler may have been given relative to \p directory, absolute; empty if \p
/// file is.
std::string absoluteIn(llvm::StringRef directory, llvm::StringRef file);

using LevelOf = std::function<std::optional<Level>(const clang::tidy::ClangTidyError &)>;

/// Turns file offsets into lines and columns of \p text; a file that cannot be read gives line 0.
/// The result is sorted by file, line, column and check.
std::vector<ReportedFinding> toReported(llvm::ArrayRef<clang::tidy::ClangTidyError> errors,
                                        const LevelOf &levelOf, SourceText text = {});

/// The format that docs/json.md describes.
void writeJson(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
               llvm::ArrayRef<std::string> notAnalyzed = {});

/// What a report says beside its findings.
struct ReportContext {
  /// The top folder of the repository, with a slash at its end: paths below it are shown relative
  /// to it. Empty to show absolute paths.
  std::string root = {};
  std::string pages = {};  ///< The folder of the pages of checks, or empty.
  bool successful = true;  ///< Everything that was asked for was analyzed.
  std::string date = {};   ///< Of the analysis, or empty.
  std::string commit = {}; ///< Of the repository, or empty.
  /// What was not analyzed although it was asked for, a sentence each.
  std::vector<std::string> notAnalyzed = {};

  /// \p file as it is shown.
  llvm::StringRef shown(llvm::StringRef file) const;
};

/// "error", "warning" or "note", as SARIF has them.
llvm::StringRef severityWord(Level level);

/// The severity that the finding's level gives it, unless it is an error by itself.
llvm::StringRef severityWord(const ReportedFinding &finding);

/// SARIF 2.1.0, with the whole catalogue as rules, the pages of those that have findings, and paths
/// relative to the context's root (SRCROOT).
void writeSarif(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
                const ReportContext &context);

/// JUnit: a failed test for each finding; one that passes if there is none.
void writeJunit(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
                const ReportContext &context);

/// GitLab's code quality report.
void writeGitlab(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
                 const ReportContext &context);

/// Checkstyle.
void writeCheckstyle(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
                     const ReportContext &context);

/// A table in Markdown, for the summary of a job.
void writeMarkdown(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
                   const ReportContext &context);

/// Workflow commands of GitHub Actions, one line a finding; paths relative to the working
/// directory.
void writeGithub(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
                 llvm::ArrayRef<std::string> notAnalyzed = {});

/// One page that needs no other file: each finding with the code around it, the path that leads
/// there and its fix; it can be filtered, and links to the pages of the checks and to the sources.
void writeHtml(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
               const ReportContext &context);

} // namespace gradtidy
