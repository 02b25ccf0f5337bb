#include "Explain.h"

#include "Configuration.h"
#include "Installation.h"
#include "analyzer/report/Printable.h"
#include "analyzer/report/RunChecks.h"
#include "analyzer/report/TerminalMarkdown.h"
#include "checks/Catalogue.h"
#include "clang-tidy/GlobList.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include <sys/ioctl.h>
#include <unistd.h>

namespace gradtidy {

namespace {

/// How the pages mark what was put into them.
bool isMarker(llvm::StringRef line) { return line.starts_with("<!--") || line.starts_with("!["); }

/// Those of the catalogue, and those of runs behind them.
std::vector<RunCheck> allChecks() {
  std::vector<RunCheck> all;
  for (const CatalogueRow &row : catalogue())
    all.push_back({row.name, row.level, row.summary});
  all.insert(all.end(), runChecks().begin(), runChecks().end());
  return all;
}

/// The checks that \p name is the name of, or a glob for; "missing-*" stands for "ml-missing-*".
std::vector<RunCheck> rowsOf(llvm::StringRef name) {
  const bool isWhole = name.starts_with("ml-") || name.starts_with("run-") || name.starts_with("*");
  const clang::tidy::GlobList list((isWhole ? "" : "ml-") + name.str());
  std::vector<RunCheck> rows;
  for (const RunCheck &row : allChecks())
    if (list.contains(row.name))
      rows.push_back(row);
  return rows;
}

/// Markdown, but for what only serves those who make pages.
std::optional<std::string> readPage(llvm::StringRef folder, llvm::StringRef check) {
  const auto page = llvm::MemoryBuffer::getFile(folder + "/" + check + ".md");
  if (!page)
    return std::nullopt;
  std::string text;
  for (const llvm::StringRef line : llvm::split((*page)->getBuffer().rtrim(), '\n'))
    if (!isMarker(line))
      text += line.str() + "\n";
  return text;
}

/// The lines that the terminal on standard output shows at once; 0 if it cannot be told.
unsigned rowsOfTerminal() {
  winsize size = {};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

/// Shows \p text through $PAGER, or less; false if that cannot be.
bool page(const std::string &text) {
  const char *named = std::getenv("PAGER");
  const std::string command = named && *named ? named : "less";
  ::setenv("LESS", "FRX", /*overwrite=*/0); // As git does.
  std::signal(SIGPIPE, SIG_IGN);            // NOLINT(cert-err33-c): who has read enough quits.
  FILE *pipe = ::popen(command.c_str(), "w");
  if (!pipe)
    return false;
  std::fwrite(text.data(), 1, text.size(), pipe);
  // 127: the shell has found no such program.
  return WEXITSTATUS(::pclose(pipe)) != 127;
}

/// As Markdown for programs; for people as their terminal has it, a screen at a time.
void show(const std::string &markdown, const CommandLine &commandLine) {
  const bool isTerminal = llvm::sys::Process::StandardOutIsDisplayed();
  if (!isTerminal && !commandLine.useColor.value_or(false)) {
    llvm::outs() << markdown;
    return;
  }
  constexpr unsigned widest = 100; // Longer lines are hard to read.
  const unsigned columns = llvm::sys::Process::StandardOutColumns();
  const std::string text =
      renderMarkdown(markdown, std::min(columns ? columns : widest, widest),
                     commandLine.useColor.value_or(llvm::sys::Process::StandardOutHasColors()));
  llvm::outs().flush();
  if (!isTerminal || llvm::count(text, '\n') < rowsOfTerminal() || !page(text))
    llvm::outs() << text;
}

} // namespace

int explain(const CommandLine &commandLine, llvm::StringRef executable) {
  if (commandLine.sources.empty())
    for (const RunCheck &row : allChecks())
      llvm::outs() << llvm::left_justify(row.name, 30) << ' ' << row.summary << '\n';
  const std::string folder = findPages(executable);
  std::vector<RunCheck> rows;
  for (const std::string &name : commandLine.sources) {
    const std::vector<RunCheck> named = rowsOf(name);
    if (named.empty()) {
      std::vector<llvm::StringRef> names;
      for (const RunCheck &row : allChecks())
        names.push_back(row.name);
      ErrorLine() << "unknown check '" << name << "'" << nearest(name, names);
      return commandLine.statusOfFailure();
    }
    for (const RunCheck &row : named)
      if (llvm::none_of(rows, [&](const RunCheck &one) { return one.name == row.name; }))
        rows.push_back(row);
  }
  std::string pages;
  for (const RunCheck &row : rows) {
    const std::optional<std::string> page = readPage(folder, row.name);
    if (!page) {
      ErrorLine() << "the page of '" << row.name
                  << "' is not to be found: docs/checks lies in share/gradtidy of an installation";
      return commandLine.statusOfFailure();
    }
    pages += (pages.empty() ? "" : "\n") + *page;
  }
  if (!rows.empty())
    show(pages, commandLine);
  return 0;
}

} // namespace gradtidy
