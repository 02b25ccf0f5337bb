#include "Formats.h"
#include "Markup.h"

#include "llvm/Support/raw_ostream.h"

namespace gradtidy {

void writeCheckstyle(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
                     const ReportContext &context) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n";
  const std::string *file = nullptr;
  for (const ReportedFinding &finding : findings) {
    if (!file || *file != finding.file) {
      out << (file ? "  </file>\n" : "") << "  <file name=\""
          << markupText(context.shown(finding.file)) << "\">\n";
      file = &finding.file;
    }
    const llvm::StringRef severity = severityWord(finding);
    out << "    <error line=\"" << finding.line << "\" column=\"" << finding.column
        << "\" severity=\"" << (severity == "note" ? "info" : severity) << "\" message=\""
        << markupText(finding.message) << "\" source=\"gradtidy." << markupText(finding.check)
        << "\"/>\n";
  }
  out << (file ? "  </file>\n" : "") << "</checkstyle>\n";
}

} // namespace gradtidy
