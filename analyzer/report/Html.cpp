#include "Formats.h"
#include "Printable.h"

#include "analyzer/source/Paths.h"
#include "checks/Catalogue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

namespace gradtidy {
namespace {

using llvm::StringRef;

constexpr StringRef style = R"(
:root { color-scheme: light dark; --text: #1f2328; --quiet: #59636e; --page: #fff; --box: #f6f8fa;
  --line: #d1d9e0; --certain: #cf222e; --likely: #9a6700; --advice: #0969da; --mark: #fff1c2 }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --quiet: #9198a1; --page: #0d1117;
  --box: #151b23; --line: #3d444d; --certain: #ff7b72; --likely: #d29922; --advice: #58a6ff;
  --mark: #3a2f0b } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 64rem; padding: 2rem 1rem 6rem; color: var(--text);
  background: var(--page); font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.6rem; margin: 0 }
h2 { font: 600 1rem ui-monospace, monospace; margin: 2.5rem 0 .75rem; overflow-wrap: anywhere }
.quiet { color: var(--quiet) }
table { border-collapse: collapse; margin: 1.5rem 0; width: 100% }
td, th { border-bottom: 1px solid var(--line); padding: .35rem .5rem; text-align: left }
td.number { text-align: right; font-variant-numeric: tabular-nums }
article { border: 1px solid var(--line); border-left: 4px solid var(--color); border-radius: 6px;
  margin: 0 0 1rem; overflow: hidden }
article header { padding: .75rem 1rem }
.level0 { --color: var(--certain) } .level1 { --color: var(--likely) }
.level2 { --color: var(--advice) } .compiler { --color: var(--quiet) }
.level { color: var(--color); font-weight: 600 }
.check { font-family: ui-monospace, monospace; font-size: .9em }
pre { margin: 0; padding: .5rem 0; background: var(--box); border-top: 1px solid var(--line);
  overflow-x: auto; font: 13px/1.55 ui-monospace, monospace; tab-size: 4 }
pre span { display: block; padding: 0 1rem; min-width: max-content }
pre i { font-style: normal; color: var(--quiet); display: inline-block; min-width: 3.5ch;
  margin-right: 1.5ch; text-align: right; user-select: none }
pre .here { background: var(--mark) }
pre .says { color: var(--color); font-family: system-ui, sans-serif; font-weight: 600;
  padding-left: 4rem }
pre .note { color: var(--quiet); font-weight: 400 }
pre .gap { color: var(--quiet) }
details { border-top: 1px solid var(--line); padding: .5rem 1rem; font-size: .9rem }
details pre { border: 0; margin-top: .5rem }
)";

std::string escaped(StringRef text) {
  std::string html;
  llvm::raw_string_ostream out(html);
  llvm::printHTMLEscaped(printable(text), out);
  return withoutCommands(html, "&#58;", "&#35;");
}

/// Code, whose tabs stay.
std::string escapedCode(StringRef code) {
  std::string html;
  for (StringRef rest = code; !rest.empty();) {
    const auto [part, next] = rest.split('\t');
    html += escaped(part);
    if (part.size() < rest.size())
      html += '\t';
    rest = next;
  }
  return html;
}

StringRef nameOf(std::optional<Level> level) {
  if (!level)
    return "compiler";
  switch (*level) {
  case Level::Certain:
    return "wrong for certain";
  case Level::Likely:
    return "very likely wrong or wasteful";
  case Level::Advice:
    return "advice";
  }
  llvm_unreachable("unknown level");
}

std::string classOf(std::optional<Level> level) {
  return level ? "level" + std::to_string(int(*level)) : "compiler";
}

class Page {
public:
  explicit Page(llvm::raw_ostream &out) : out(out) {
    if (const std::string folder = folderPath(""); !folder.empty())
      root = llvm::StringRef(folder).rtrim('/').str() + "/";
  }

  void write(llvm::ArrayRef<ReportedFinding> findings) {
    out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<title>gradtidy</title>\n<style>"
        << style << "</style>\n</head>\n<body>\n<h1>gradtidy</h1>\n";
    writeSummary(findings);
    StringRef file;
    for (const ReportedFinding &finding : findings) {
      if (finding.file != file)
        out << "<h2>" << escaped(shown(finding.file)) << "</h2>\n";
      file = finding.file;
      writeFinding(finding);
    }
    out << "</body>\n</html>\n";
  }

private:
  void writeSummary(llvm::ArrayRef<ReportedFinding> findings) {
    std::map<std::string, unsigned> counts; // By check.
    std::set<StringRef> files;
    for (const ReportedFinding &finding : findings) {
      ++counts[finding.check];
      files.insert(finding.file);
    }
    if (findings.empty()) {
      out << "<p>No findings.</p>\n";
      return;
    }
    out << "<p class=\"quiet\">" << findings.size() << " finding"
        << (findings.size() == 1 ? "" : "s") << " in " << files.size() << " file"
        << (files.size() == 1 ? "" : "s")
        << "</p>\n<table>\n<tr><th>check</th><th>what it finds</th><th>findings</th></tr>\n";
    for (const auto &[check, count] : counts) {
      const CatalogueRow *row = findRow(check);
      out << "<tr><td class=\"check\">" << escaped(check) << "</td><td>"
          << (row ? escaped(row->summary) : "") << "</td><td class=\"number\">" << count
          << "</td></tr>\n";
    }
    out << "</table>\n";
  }

  void writeFinding(const ReportedFinding &finding) {
    out << "<article class=\"" << classOf(finding.level) << "\" id=\"finding-" << ++number
        << "\">\n<header><span class=\"level\">" << nameOf(finding.level)
        << "</span> <span class=\"check quiet\">" << escaped(finding.check) << "</span><br>"
        << escaped(finding.message) << "</header>\n";
    if (finding.line)
      writeCode(finding);
    for (const ReportedNote &note : finding.notes)
      if (note.file != finding.file || !note.line)
        out << "<details open><summary>" << escaped(note.message) << "</summary>"
            << "<span class=\"check quiet\">" << escaped(shown(note.file)) << ':' << note.line
            << "</span>\n"
            << "<pre><span>" << escapedCode(text.line(note.file, note.line))
            << "</span></pre></details>\n";
    if (!finding.fixes.empty()) {
      out << "<details><summary>Fix-it</summary><pre>";
      for (const ReportedEdit &edit : finding.fixes)
        out << "<span><i>" << edit.line << "</i>"
            << (edit.length ? edit.text.empty() ? "take away what is there"
                                                : "put there instead: " + escaped(edit.text)
                            : "put in: " + escaped(edit.text))
            << "</span>";
      out << "</pre></details>\n";
    }
    out << "</article>\n";
  }

  /// The lines around the finding and those of its notes in this file, with what is said of them.
  void writeCode(const ReportedFinding &finding) {
    constexpr unsigned around = 2;
    std::map<unsigned, std::string> said; // By line.
    std::set<unsigned> lines;
    const auto add = [&](unsigned line, StringRef kind, StringRef message) {
      said[line] += ("<span class=\"says " + kind + "\">" + escaped(message) + "</span>").str();
      for (unsigned near = line > around ? line - around : 1; near <= line + around; ++near)
        lines.insert(near);
    };
    for (const ReportedNote &note : finding.notes)
      if (note.file == finding.file && note.line)
        add(note.line, "note", note.message);
    add(finding.line, "", finding.message);
    out << "<pre>";
    unsigned last = 0;
    for (const unsigned line : lines) {
      const StringRef code = text.line(finding.file, line);
      if (last && line > last + 1)
        out << "<span class=\"gap\"><i>⋮</i></span>";
      last = line;
      out << "<span" << (said.contains(line) ? " class=\"here\"" : "") << "><i>" << line << "</i>"
          << escapedCode(code) << "</span>";
      if (const auto text = said.find(line); text != said.end())
        out << text->second;
    }
    out << "</pre>\n";
  }

  StringRef shown(StringRef file) const {
    if (!root.empty())
      file.consume_front(root);
    return file;
  }

  llvm::raw_ostream &out;
  std::string root; ///< With a slash at its end.
  SourceText text;
  unsigned number = 0;
};

} // namespace

void writeHtml(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings) {
  Page(out).write(findings);
}

} // namespace gradtidy
