#include "Formats.h"
#include "Printable.h"

#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <tuple>

namespace gradtidy {
namespace {

using clang::tidy::ClangTidyError;
using clang::tooling::DiagnosticMessage;
using clang::tooling::FileByteRange;
using llvm::StringRef;

/// The end of the range that \p message underlines from its own place on; else that place.
unsigned endOf(const DiagnosticMessage &message) {
  for (const FileByteRange &range : message.Ranges)
    if (range.FilePath == message.FilePath && range.FileOffset <= message.FileOffset &&
        message.FileOffset < range.FileOffset + range.Length)
      return range.FileOffset + range.Length;
  return message.FileOffset;
}

std::string severityOf(const ClangTidyError &error) {
  if (error.IsWarningAsError || error.DiagLevel == ClangTidyError::Error)
    return "error";
  return error.DiagLevel == ClangTidyError::Warning ? "warning" : "note";
}

std::vector<ReportedEdit> editsOf(const ClangTidyError &error, SourceText &text) {
  std::vector<ReportedEdit> edits;
  const auto *fix = clang::tooling::selectFirstFix(error);
  if (!fix)
    return edits;
  for (const auto &file : *fix)
    for (const clang::tooling::Replacement &replacement : file.second) {
      ReportedEdit edit;
      edit.file = absoluteIn(error.BuildDirectory, replacement.getFilePath());
      edit.offset = replacement.getOffset();
      edit.length = replacement.getLength();
      edit.text = replacement.getReplacementText().str();
      Position begin = text.position(edit.file, edit.offset);
      Position end = text.position(edit.file, edit.offset + edit.length);
      std::tie(edit.line, edit.column) = std::tie(begin.line, begin.column);
      std::tie(edit.endLine, edit.endColumn) = std::tie(end.line, end.column);
      edits.push_back(std::move(edit));
    }
  llvm::sort(edits, [](const ReportedEdit &a, const ReportedEdit &b) {
    return std::tie(a.file, a.offset) < std::tie(b.file, b.offset);
  });
  return edits;
}

} // namespace

StringRef ReportContext::shown(StringRef file) const {
  file.consume_front(root);
  return file;
}

StringRef severityWord(const ReportedFinding &finding) {
  if (finding.severity != "warning" || !finding.level)
    return finding.severity;
  switch (*finding.level) {
  case Level::Certain:
    return "error";
  case Level::Likely:
    return "warning";
  case Level::Advice:
    return "note";
  }
  llvm_unreachable("unknown level");
}

std::string absoluteIn(StringRef directory, StringRef file) {
  if (file.empty())
    return {};
  llvm::SmallString<256> path(file);
  llvm::sys::path::make_absolute(directory, path);
  llvm::sys::path::remove_dots(path);
  return std::string(path);
}

std::vector<ReportedFinding> toReported(llvm::ArrayRef<ClangTidyError> errors,
                                        const LevelOf &levelOf, SourceText text) {
  std::vector<ReportedFinding> findings;
  for (const ClangTidyError &error : errors) {
    ReportedFinding finding;
    finding.number = findings.size();
    finding.check = error.DiagnosticName;
    finding.severity = severityOf(error);
    finding.level = levelOf(error);
    finding.message = printable(error.Message.Message);
    finding.file = absoluteIn(error.BuildDirectory, error.Message.FilePath);
    if (!finding.file.empty()) {
      Position begin = text.position(finding.file, error.Message.FileOffset);
      Position end = text.position(finding.file, endOf(error.Message));
      std::tie(finding.line, finding.column) = std::tie(begin.line, begin.column);
      std::tie(finding.endLine, finding.endColumn) = std::tie(end.line, end.column);
    }
    for (const DiagnosticMessage &note : error.Notes) {
      std::string file = absoluteIn(error.BuildDirectory, note.FilePath);
      Position place = file.empty() ? Position() : text.position(file, note.FileOffset);
      finding.notes.push_back({std::move(file), place.line, place.column, printable(note.Message)});
    }
    finding.fixes = editsOf(error, text);
    findings.push_back(std::move(finding));
  }
  llvm::sort(findings, [](const ReportedFinding &a, const ReportedFinding &b) {
    return std::tie(a.file, a.line, a.column, a.check, a.message) <
           std::tie(b.file, b.line, b.column, b.check, b.message);
  });
  return findings;
}

} // namespace gradtidy
