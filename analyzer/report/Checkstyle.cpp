#include "Formats.h"
#include "Xml.h"

#include "llvm/Support/raw_ostream.h"

namespace gradtidy {

void writeCheckstyle(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
                     const ReportContext &context) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n";
  const std::string *file = nullptr;
  for (const ReportedFinding &finding : findings) {
    if (!file || *file != finding.file) {
      out << (file ? "  </file>\n" : "") << "  <file name=\""
          << xmlText(context.shown(finding.file)) << "\">\n";
      file = &finding.file;
    }
    const llvm::StringRef severity = severityWord(finding);
    out << "    <error line=\"" << finding.line << "\" column=\"" << finding.column
        << "\" severity=\"" << (severity == "note" ? "info" : severity) << "\" message=\""
        << xmlText(finding.message) << "\" source=\"gradtidy." << xmlText(finding.check)
        << "\"/>\n";
  }
  out << (file ? "  </file>\n" : "") << "</checkstyle>\n";
}

} // namespace gradtidy
