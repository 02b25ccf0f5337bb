#include "UnusedNolint.h"

#include "clang-tidy/GlobList.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>
#include <map>

namespace gradtidy {
namespace {

namespace tidy = clang::tidy;
using llvm::StringRef;

constexpr unsigned lastLine = std::numeric_limits<unsigned>::max();

/// One name in the parentheses of a comment.
struct Silencer {
  StringRef comment; ///< "NOLINTNEXTLINE"
  std::string glob;
  size_t offset = 0;
  unsigned firstLine = 0, endLine = 0; ///< The lines that it silences.
};

/// The silencers of one text.
std::vector<Silencer> silencersOf(StringRef content) {
  std::vector<Silencer> found;
  std::map<std::string, std::vector<size_t>> open; // Of NOLINTBEGIN, by what is in parentheses.
  unsigned line = 1;
  size_t counted = 0;
  for (size_t at = content.find("NOLINT"); at != StringRef::npos;
       at = content.find("NOLINT", at + 1)) {
    line += unsigned(content.slice(counted, at).count('\n'));
    counted = at;
    StringRef rest = content.substr(at);
    const StringRef comment = rest.take_while(llvm::isAlpha);
    rest = rest.drop_front(comment.size());
    if (!rest.consume_front("("))
      continue;
    const StringRef names = rest.take_until([](char c) { return c == ')' || c == '\n'; });
    if (comment == "NOLINTEND") {
      for (const size_t each : open[names.str()])
        found[each].endLine = line;
      open.erase(names.str());
      continue;
    }
    const bool isBlock = comment == "NOLINTBEGIN", isNext = comment == "NOLINTNEXTLINE";
    if (!isBlock && !isNext && comment != "NOLINT")
      continue;
    for (const StringRef name : llvm::split(names, ',')) {
      const StringRef glob = name.trim();
      if (!glob.starts_with("ml-"))
        continue;
      const unsigned first = line + isNext;
      if (isBlock)
        open[names.str()].push_back(found.size());
      found.push_back({comment, glob.str(), size_t(glob.data() - content.data()), first,
                       isBlock ? lastLine : first});
    }
  }
  return found;
}

} // namespace

std::vector<tidy::ClangTidyError>
findUnusedNolint(const std::set<std::string> &files, const std::vector<SilencedFinding> &silenced,
                 llvm::function_ref<bool(StringRef, StringRef)> isEnabled, SourceText &text) {
  std::vector<tidy::ClangTidyError> unused;
  for (const std::string &file : files) {
    const StringRef content = text.content(file).value_or(StringRef());
    for (const Silencer &silencer : silencersOf(content)) {
      const tidy::GlobList globs(silencer.glob);
      const bool isUsed = llvm::any_of(silenced, [&](const SilencedFinding &finding) {
        return finding.file == file && finding.line >= silencer.firstLine &&
               finding.line <= silencer.endLine && globs.contains(finding.check);
      });
      if (isUsed || !isEnabled(silencer.glob, file))
        continue;
      tidy::ClangTidyError error("unused-nolint", tidy::ClangTidyError::Warning, "", false);
      error.Message.Message =
          (silencer.comment + "(" + silencer.glob + ") silences nothing; remove it").str();
      error.Message.FilePath = file;
      error.Message.FileOffset = unsigned(silencer.offset);
      unused.push_back(std::move(error));
    }
  }
  return unused;
}

} // namespace gradtidy
