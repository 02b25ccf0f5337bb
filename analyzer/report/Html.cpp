#include "Formats.h"
#include "Markup.h"
#include "Printable.h"
#include "RunChecks.h"
#include "Uri.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

namespace gradtidy {
namespace {

using llvm::StringRef;

constexpr StringRef style = R"(
:root { color-scheme: light dark; --text: #1f2328; --quiet: #59636e; --page: #fff; --box: #f6f8fa;
  --line: #d1d9e0; --certain: #cf222e; --likely: #9a6700; --advice: #0969da; --mark: #fff1c2;
  --word: #8250df; --literal: #0a3069; --comment: #59636e; --gone: #ffebe9; --new: #dafbe1 }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --quiet: #9198a1; --page: #0d1117;
  --box: #151b23; --line: #3d444d; --certain: #ff7b72; --likely: #d29922; --advice: #58a6ff;
  --mark: #3a2f0b; --word: #d2a8ff; --literal: #a5d6ff; --comment: #9198a1; --gone: #4a1e20;
  --new: #12361f } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 68rem; padding: 2rem 1rem 6rem; color: var(--text);
  background: var(--page); font: 16px/1.5 system-ui, sans-serif }
a { color: var(--advice) }
h1 { font-size: 1.6rem; margin: 0 }
h2 { font: 600 1rem ui-monospace, monospace; margin: 2.5rem 0 .75rem; overflow-wrap: anywhere }
.quiet { color: var(--quiet) }
table { border-collapse: collapse; margin: 1rem 0; width: 100% }
td, th { border-bottom: 1px solid var(--line); padding: .35rem .5rem; text-align: left;
  overflow-wrap: anywhere }
.number { text-align: right; font-variant-numeric: tabular-nums }
form { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .5rem 1rem;
  align-items: center; padding: .6rem 0; background: var(--page); border-bottom: 1px solid var(--line) }
form input[type=search], form select { font: inherit; padding: .2rem .5rem; max-width: 100%;
  color: inherit; background: var(--box); border: 1px solid var(--line); border-radius: 6px }
form input[type=search] { flex: 1 1 12rem; min-width: 0 }
article { border: 1px solid var(--line); border-left: 4px solid var(--color); border-radius: 6px;
  margin: 0 0 1rem; overflow: hidden; scroll-margin-top: 4rem }
article header { padding: .75rem 1rem }
.level0 { --color: var(--certain) } .level1 { --color: var(--likely) }
.level2 { --color: var(--advice) } .compiler { --color: var(--quiet) }
.level { color: var(--color); font-weight: 600 }
.check { font-family: ui-monospace, monospace; font-size: .9em }
pre { margin: 0; padding: .5rem 0; background: var(--box); border-top: 1px solid var(--line);
  overflow-x: auto; font: 13px/1.55 ui-monospace, monospace; tab-size: 4 }
pre > span { display: block; padding: 0 1rem; min-width: max-content }
pre i { font-style: normal; color: var(--quiet); display: inline-block; min-width: 3.5ch;
  margin-right: 1.5ch; text-align: right; user-select: none }
pre .here { background: var(--mark) }
pre .says { color: var(--color); font-family: system-ui, sans-serif; font-weight: 600;
  padding-left: 4rem }
pre .note { color: var(--quiet); font-weight: 400 }
pre .gap { color: var(--quiet) }
pre .gone { background: var(--gone) } pre .new { background: var(--new) }
pre b { font-weight: 400; color: var(--word) } pre q { quotes: none; color: var(--literal) }
pre em { color: var(--comment) }
.step { display: inline-block; min-width: 1.5em; padding: 0 .35em; border-radius: 1em;
  border: 1px solid currentColor; text-align: center; font-size: .85em; line-height: 1.4 }
details { border-top: 1px solid var(--line); padding: .5rem 1rem; font-size: .9rem }
details pre { border: 0; margin: .5rem -1rem -.5rem }
[hidden] { display: none !important }
@media (max-width: 40rem) { body { padding: 1rem .5rem 4rem } .summary { display: none }
  pre > span { padding: 0 .5rem } pre .says { padding-left: 1rem; white-space: normal; min-width: 0;
  max-width: calc(100vw - 2rem) } }
@media print { form { display: none } }
)";

/// Shows the findings that the form asks for, and files that have some.
constexpr StringRef script = R"(
const form = document.querySelector('form');
const filter = () => {
  const levels = new Set([...form.querySelectorAll('[name=level]:checked')].map(box => box.value));
  const check = form.check.value, text = form.text.value.toLowerCase();
  let shown = 0;
  for (const section of document.querySelectorAll('section')) {
    let any = false;
    for (const article of section.querySelectorAll('article')) {
      const fits = levels.has(article.dataset.level) && (!check || article.dataset.check === check) &&
        (!form.file.value || section.dataset.file === form.file.value) &&
        article.textContent.toLowerCase().includes(text);
      article.hidden = !fits;
      any ||= fits;
      shown += fits;
    }
    section.hidden = !any;
  }
  document.querySelector('output').value = shown + ' shown';
};
form.addEventListener('input', filter);
form.addEventListener('submit', event => event.preventDefault());
filter();
)";

/// A part of a line of code, whose tabs stay.
std::string codeText(StringRef code) {
  std::string html;
  while (!code.empty()) {
    const StringRef part = code.take_until([](char c) { return c == '\t'; });
    html += markupText(part);
    code = code.drop_front(part.size());
    if (code.consume_front("\t"))
      html += '\t';
  }
  return html;
}

/// A line of C++ with its keywords, literals and comments marked. What began on a line before is
/// not known, and has no color.
std::string colored(StringRef line) {
  static const llvm::StringSet<> keywords = {
      "auto",     "bool",     "break",    "case",     "catch",   "class",  "const",    "constexpr",
      "continue", "default",  "delete",   "do",       "double",  "else",   "enum",     "explicit",
      "false",    "float",    "for",      "friend",   "if",      "int",    "long",     "namespace",
      "new",      "nullptr",  "operator", "override", "private", "public", "return",   "sizeof",
      "static",   "struct",   "switch",   "template", "this",    "throw",  "true",     "try",
      "typename", "unsigned", "using",    "virtual",  "void",    "while",  "#include", "#define"};
  const auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '#'; };
  std::string html;
  while (!line.empty()) {
    size_t length = 1;
    StringRef tag;
    if (line.starts_with("//")) {
      length = line.size();
      tag = "em";
    } else if (line.starts_with("/*")) {
      const size_t end = line.find("*/", 2);
      length = end == StringRef::npos ? line.size() : end + 2;
      tag = "em";
    } else if (line.front() == '"' || line.front() == '\'') {
      while (length < line.size() && line[length] != line.front())
        length += line[length] == '\\' ? 2 : 1;
      length = std::min(length + 1, line.size());
      tag = "q";
    } else if (isWord(line.front())) {
      const StringRef word = line.take_while(isWord);
      length = word.size();
      if (keywords.contains(word))
        tag = "b";
      else if (llvm::isDigit(word.front()))
        tag = "q";
    }
    const std::string text = codeText(line.take_front(length));
    html += tag.empty() ? text : ("<" + tag + ">" + text + "</" + tag + ">").str();
    line = line.drop_front(length);
  }
  return withoutCommands(html, "&#58;", "&#35;"); // Which may lie in several words.
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

/// The lines that the edits of a fix in one file touch, before and behind them.
struct ChangedLines {
  unsigned first = 0;
  std::vector<std::string> before, after;
};

class Page {
public:
  Page(llvm::raw_ostream &out, const ReportContext &context) : out(out), context(context) {}

  void write(llvm::ArrayRef<ReportedFinding> findings) {
    out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<title>gradtidy</title>\n<style>"
        << style << "</style>\n</head>\n<body>\n<h1>gradtidy</h1>\n";
    writeSummary(findings);
    for (const std::string &sentence : context.notAnalyzed)
      out << "<p class=\"quiet\">" << markupText(sentence) << "</p>\n";
    for (size_t begin = 0; begin < findings.size();) {
      const StringRef file = findings[begin].file;
      const std::string name = markupText(context.shown(file));
      out << "<section data-file=\"" << name << "\" id=\"file-" << begin << "\">\n<h2>";
      if (file.empty())
        out << "command line";
      else
        out << "<a href=\"" << markupText(uriOf(file)) << "\">" << name << "</a>";
      out << "</h2>\n";
      for (; begin < findings.size() && findings[begin].file == file; ++begin)
        writeFinding(findings[begin]);
      out << "</section>\n";
    }
    if (!findings.empty())
      out << "<script>" << script << "</script>\n";
    out << "</body>\n</html>\n";
  }

private:
  void writeSummary(llvm::ArrayRef<ReportedFinding> findings) {
    out << "<p class=\"quiet\">";
    if (findings.empty())
      out << "No findings";
    else
      out << findings.size() << " finding" << (findings.size() == 1 ? "" : "s");
    std::map<std::string, unsigned> checks;
    std::vector<std::pair<size_t, unsigned>>
        files; // The first finding of each, and how many there are.
    std::set<std::string> levels;
    for (const auto &[i, finding] : llvm::enumerate(findings)) {
      ++checks[finding.check];
      levels.insert(classOf(finding.level));
      if (i == 0 || findings[i - 1].file != finding.file)
        files.emplace_back(i, 0);
      ++files.back().second;
    }
    if (!findings.empty())
      out << " in " << files.size() << " file" << (files.size() == 1 ? "" : "s");
    out << " · gradtidy " << GRADTIDY_VERSION;
    if (!context.date.empty())
      out << " · " << markupText(context.date);
    if (!context.commit.empty())
      out << " · commit " << markupText(context.commit);
    if (!context.successful)
      out << " · <strong>not everything could be analyzed</strong>";
    out << "</p>\n";
    if (findings.empty())
      return;

    out << "<form>\n";
    for (const std::string &level : levels)
      out << "<label class=\"" << level << "\"><input type=\"checkbox\" name=\"level\" value=\""
          << level << "\" checked> <span class=\"level\">" << shortName(level)
          << "</span></label>\n";
    out << "<select name=\"check\" aria-label=\"check\"><option value=\"\">all checks</option>";
    for (const auto &[check, count] : checks)
      out << "<option>" << markupText(check) << "</option>";
    out << "</select>\n<select name=\"file\" aria-label=\"file\"><option value=\"\">all "
           "files</option>";
    for (const auto &[first, count] : files)
      out << "<option>" << markupText(context.shown(findings[first].file)) << "</option>";
    out << "</select>\n<input type=\"search\" name=\"text\" placeholder=\"text\" "
           "aria-label=\"text\">\n<output></output>\n</form>\n"
           "<details open><summary>Contents</summary>\n"
           "<table>\n<tr><th>check</th><th class=\"summary\">what it "
           "finds</th><th class=\"number\">findings</th></tr>\n";
    for (const auto &[check, count] : checks) {
      const std::optional<RunCheck> row = findAnyCheck(check);
      out << "<tr><td class=\"check\">" << link(check) << "</td><td class=\"summary\">"
          << (row ? markupText(row->summary) : "") << "</td><td class=\"number\">" << count
          << "</td></tr>\n";
    }
    out << "</table>\n<table>\n<tr><th>file</th><th class=\"number\">findings</th></tr>\n";
    for (const auto &[first, count] : files)
      out << "<tr><td class=\"check\"><a href=\"#file-" << first << "\">"
          << markupText(context.shown(findings[first].file)) << "</a></td><td class=\"number\">"
          << count << "</td></tr>\n";
    out << "</table>\n</details>\n";
  }

  /// The name of a check, with its page where there is one.
  std::string link(StringRef check) const {
    if (context.pages.empty() || !findAnyCheck(check))
      return markupText(check);
    return "<a href=\"" + markupText(uriOf(context.pages + "/" + check.str() + ".md")) + "\">" +
           markupText(check) + "</a>";
  }

  static StringRef shortName(StringRef level) {
    return level == "level0"   ? "wrong"
           : level == "level1" ? "likely"
           : level == "level2" ? "advice"
                               : "compiler";
  }

  void writeFinding(const ReportedFinding &finding) {
    out << "<article class=\"" << classOf(finding.level) << "\" data-level=\""
        << classOf(finding.level) << "\" data-check=\"" << markupText(finding.check)
        << "\" id=\"finding-" << ++number << "\">\n<header><span class=\"level\">"
        << nameOf(finding.level) << "</span> <span class=\"check quiet\">" << link(finding.check);
    if (finding.line)
      out << " <a href=\"#finding-" << number << "\">" << finding.line << ':' << finding.column
          << "</a>";
    out << "</span><br>" << markupText(finding.message) << "</header>\n";
    if (finding.line)
      writeCode(finding);
    for (const auto &[step, note] : llvm::enumerate(finding.notes))
      if (note.file != finding.file || !note.line) {
        out << "<details open><summary>" << stepOf(step, finding) << markupText(note.message)
            << "</summary>";
        if (note.line)
          out << "<span class=\"check quiet\">" << markupText(context.shown(note.file)) << ':'
              << note.line << "</span>\n<pre><span><i>" << note.line << "</i>"
              << colored(text.line(note.file, note.line)) << "</span></pre>";
        out << "</details>\n";
      }
    writeFix(finding);
    out << "</article>\n";
  }

  /// The number of a step on the path to the finding.
  static std::string stepOf(size_t step, const ReportedFinding &finding) {
    return "<span class=\"step\">" + std::to_string(step + 1) + "</span> " +
           (step + 1 < finding.notes.size() ? "↓ " : "→ ");
  }

  /// The lines around the finding and those of its notes in this file, with what is said of them.
  void writeCode(const ReportedFinding &finding) {
    constexpr unsigned around = 2;
    std::map<unsigned, std::string> said; // By line.
    std::set<unsigned> lines;
    const auto add = [&](unsigned line, StringRef kind, const std::string &message) {
      said[line] += ("<span class=\"says " + kind + "\">" + message + "</span>").str();
      for (unsigned near = line > around ? line - around : 1; near <= line + around; ++near)
        lines.insert(near);
    };
    for (const auto &[step, note] : llvm::enumerate(finding.notes))
      if (note.file == finding.file && note.line)
        add(note.line, "note", stepOf(step, finding) + markupText(note.message));
    add(finding.line, "", markupText(finding.message));
    out << "<pre>";
    unsigned last = 0;
    for (const unsigned line : lines) {
      if (line > text.lineCount(finding.file) && !said.contains(line))
        break;
      const StringRef code = text.line(finding.file, line);
      if (last && line > last + 1)
        out << "<span class=\"gap\"><i>⋮</i></span>";
      last = line;
      out << "<span" << (said.contains(line) ? " class=\"here\"" : "") << "><i>" << line << "</i>"
          << colored(code) << "</span>";
      if (const auto text = said.find(line); text != said.end())
        out << text->second;
    }
    out << "</pre>\n";
  }

  /// The lines that edits change; edits of neighboring or the same lines are one change. Sorted by
  /// place, as the edits are.
  std::vector<ChangedLines> changesOf(llvm::ArrayRef<ReportedEdit> edits) {
    std::vector<ChangedLines> changes;
    for (size_t i = 0; i < edits.size();) {
      const ReportedEdit &start = edits[i];
      ChangedLines change;
      change.first = start.line;
      std::string after;
      unsigned line = start.line, column = 1;
      // Copies what lies between the place reached and another one.
      const auto copyTo = [&](unsigned endLine, unsigned endColumn) {
        for (; line < endLine; ++line, column = 1)
          after += (text.line(start.file, line).drop_front(column - 1) + "\n").str();
        after += text.line(start.file, line).slice(column - 1, endColumn - 1);
        column = endColumn;
      };
      do {
        const ReportedEdit &edit = edits[i++];
        copyTo(edit.line, edit.column);
        after += edit.text;
        line = edit.endLine;
        column = edit.endColumn;
      } while (i < edits.size() && edits[i].file == start.file && edits[i].line <= line);
      after += text.line(start.file, line).drop_front(column - 1);
      for (unsigned old = start.line; old <= line; ++old)
        change.before.push_back(text.line(start.file, old).str());
      llvm::SmallVector<StringRef> lines;
      StringRef(after).split(lines, '\n');
      for (const StringRef one : lines)
        change.after.push_back(one.str());
      // A line is neither gone nor new if it stands on both sides.
      while (!change.before.empty() && !change.after.empty() &&
             change.before.back() == change.after.back()) {
        change.before.pop_back();
        change.after.pop_back();
      }
      changes.push_back(std::move(change));
    }
    return changes;
  }

  void writeFix(const ReportedFinding &finding) {
    if (finding.fixes.empty() || llvm::any_of(finding.fixes, [](const ReportedEdit &edit) {
          return !edit.line; // The file cannot be read.
        }))
      return;
    out << "<details><summary>Fix</summary><pre>";
    for (const ChangedLines &change : changesOf(finding.fixes)) {
      unsigned line = change.first;
      for (const std::string &gone : change.before)
        out << "<span class=\"gone\"><i>" << line++ << "</i>- " << colored(gone) << "</span>";
      for (const std::string &added : change.after)
        out << "<span class=\"new\"><i></i>+ " << colored(added) << "</span>";
    }
    out << "</pre></details>\n";
  }

  llvm::raw_ostream &out;
  const ReportContext &context;
  SourceText text;
  unsigned number = 0;
};

} // namespace

void writeHtml(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
               const ReportContext &context) {
  Page(out, context).write(findings);
}

} // namespace gradtidy
