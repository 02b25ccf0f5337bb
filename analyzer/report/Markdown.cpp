#include "Formats.h"
#include "Printable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace gradtidy {
namespace {

using llvm::StringRef;

/// \p text as one line in which Markdown finds no mark-up, HTML, mention or end of a table's cell.
std::string plain(StringRef text) {
  std::string escaped;
  for (const char c : printable(text))
    if (c == '<')
      escaped += "&lt;";
    else if (c == '@') // No user of the platform is meant.
      escaped += "&#64;";
    else {
      if (StringRef("\\`*_{}[]()#+!|>~&").contains(c))
        escaped += '\\';
      escaped += c;
    }
  return escaped;
}

/// "src/train.cpp:19".
std::string place(const ReportContext &context, StringRef file, unsigned line) {
  if (file.empty())
    return {};
  return plain(context.shown(file)) + (line ? ":" + std::to_string(line) : "");
}

} // namespace

void writeMarkdown(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
                   const ReportContext &context) {
  const auto writeNotAnalyzed = [&] {
    for (const std::string &sentence : context.notAnalyzed)
      out << '\n' << plain(sentence) << '\n';
  };
  if (findings.empty()) {
    out << "### gradtidy: no findings\n";
    return writeNotAnalyzed();
  }
  out << "### gradtidy: " << findings.size() << " finding" << (findings.size() == 1 ? "" : "s")
      << "\n\n| level | place | finding | check |\n|---|---|---|---|\n";
  for (const ReportedFinding &finding : findings) {
    out << "| " << severityWord(finding) << " | " << place(context, finding.file, finding.line)
        << " | " << plain(finding.message);
    for (const auto &[number, note] : llvm::enumerate(finding.notes))
      out << "<br>" << number + 1 << ". " << place(context, note.file, note.line) << ' '
          << plain(note.message);
    out << " | " << plain(finding.check) << " |\n";
  }
  writeNotAnalyzed();
}

} // namespace gradtidy
