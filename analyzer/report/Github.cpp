#include "Formats.h"
#include "Printable.h"

#include "analyzer/source/Paths.h"
#include "llvm/Support/raw_ostream.h"

namespace gradtidy {
namespace {

using llvm::StringRef;

/// Escapes the message of a workflow command; in a property, ":" and "," too.
std::string escape(StringRef text, bool property) {
  std::string result;
  for (char c : text) {
    if (c == '%')
      result += "%25";
    else if (c == '\r')
      result += "%0D";
    else if (c == '\n')
      result += "%0A";
    else if (property && c == ':')
      result += "%3A";
    else if (property && c == ',')
      result += "%2C";
    else
      result += c;
  }
  return result;
}

StringRef commandOf(const ReportedFinding &finding) {
  if (finding.severity == "error")
    return "error";
  return finding.severity == "note" || finding.level == Level::Advice ? "notice" : "warning";
}

/// \p file as seen from \p folder, if it lies below.
StringRef relativeTo(StringRef folder, StringRef file) {
  StringRef rest = file;
  return rest.consume_front(folder) && rest.consume_front("/") ? rest : file;
}

} // namespace

void writeGithub(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
                 llvm::ArrayRef<std::string> notAnalyzed) {
  // Without a working directory the paths stay absolute.
  const std::string folder = folderPath("");

  for (const ReportedFinding &finding : findings) {
    out << "::" << commandOf(finding) << ' ';
    if (!finding.file.empty()) {
      out << "file=" << escape(printableLine(relativeTo(folder, finding.file)), true) << ',';
      if (finding.line)
        out << "line=" << finding.line << ",endLine=" << finding.endLine
            << ",col=" << finding.column << ',';
      // The column of another line would be read as one of the first.
      if (finding.line && finding.endLine == finding.line)
        out << "endColumn=" << finding.endColumn << ',';
    }
    out << "title=" << escape(printableLine(finding.check), true) << "::";

    std::string message = finding.message;
    for (const ReportedNote &note : finding.notes) {
      message += '\n';
      if (!note.file.empty())
        message +=
            (printable(relativeTo(folder, note.file)) + ":" + llvm::Twine(note.line) + ": ").str();
      message += note.message;
    }
    out << withoutCommands(escape(message, false)) << '\n';
  }
  for (const std::string &sentence : notAnalyzed)
    out << "::notice title=gradtidy::" << withoutCommands(escape(printable(sentence), false))
        << '\n';
}

} // namespace gradtidy
