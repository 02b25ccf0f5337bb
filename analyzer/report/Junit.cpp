#include "Formats.h"
#include "Markup.h"

#include "llvm/Support/raw_ostream.h"

namespace gradtidy {

void writeJunit(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
                const ReportContext &context) {
  const size_t tests = findings.empty() ? 1 : findings.size();
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"" << tests
      << "\" failures=\"" << findings.size() << "\">\n  <testsuite name=\"gradtidy\" tests=\""
      << tests << "\" failures=\"" << findings.size() << "\" errors=\"0\">\n";
  // Readers take a report without any test for one that was not written.
  if (findings.empty())
    out << "    <testcase name=\"no findings\" classname=\"gradtidy\"/>\n";
  for (const ReportedFinding &finding : findings) {
    const std::string file = markupText(context.shown(finding.file));
    out << "    <testcase name=\"" << markupText(finding.check) << ':' << finding.line
        << "\" classname=\"" << file << "\" file=\"" << file << "\" line=\"" << finding.line
        << "\">\n      <failure type=\"" << severityWord(finding) << "\" message=\""
        << markupText(finding.message) << "\">" << file << ':' << finding.line << ':'
        << finding.column << ": " << markupText(finding.message) << " ["
        << markupText(finding.check) << ']';
    for (const ReportedNote &note : finding.notes) {
      out << "&#10;  ";
      if (!note.file.empty())
        out << markupText(context.shown(note.file)) << ':' << note.line << ": ";
      out << markupText(note.message);
    }
    out << "</failure>\n    </testcase>\n";
  }
  if (!context.notAnalyzed.empty()) {
    out << "    <system-out>";
    for (const std::string &sentence : context.notAnalyzed)
      out << markupText(sentence) << "&#10;";
    out << "</system-out>\n";
  }
  out << "  </testsuite>\n</testsuites>\n";
}

} // namespace gradtidy
