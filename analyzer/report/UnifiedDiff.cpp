#include "UnifiedDiff.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace gradtidy {
namespace {

using clang::tooling::Replacement;
using llvm::StringRef;

constexpr size_t context = 3;

/// With their ends; the last one may have none.
std::vector<StringRef> linesOf(StringRef text) {
  std::vector<StringRef> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.take_front(end));
    text = text.drop_front(end);
  }
  return lines;
}

/// The lines [begin, end) of the old text become \p text.
struct Change {
  size_t begin, end;
  std::string text;
};

/// Changes of whole lines, in order, which do not touch each other.
class LineChanges {
public:
  LineChanges(StringRef before, const clang::tooling::Replacements &edits) : before(before) {
    for (const StringRef line : linesOf(before))
      starts.push_back(size_t(line.data() - before.data()));
    for (const Replacement &edit : edits)
      add(edit);
    endLast();
  }

  std::vector<Change> take() && { return std::move(changes); }

private:
  void add(const Replacement &edit) {
    const size_t first = lineAt(edit.getOffset()), end = edit.getOffset() + edit.getLength();
    if (changes.empty() || first >= changes.back().end) {
      endLast();
      copied = first < starts.size() ? starts[first] : before.size();
      changes.push_back({first, first, {}});
    }
    Change &change = changes.back();
    change.text += before.slice(copied, edit.getOffset());
    change.text += edit.getReplacementText();
    copied = end;
    change.end = std::max(change.end, std::min(lineAt(end) + 1, starts.size()));
  }

  /// Adds what is left of the last line of the last change.
  void endLast() {
    if (!changes.empty())
      changes.back().text += before.slice(
          copied, changes.back().end < starts.size() ? starts[changes.back().end] : before.size());
  }

  /// Behind the last line end there is one more.
  size_t lineAt(size_t offset) const {
    if (offset == before.size() && (before.empty() || before.ends_with("\n")))
      return starts.size();
    return size_t(llvm::upper_bound(starts, offset) - starts.begin()) - 1;
  }

  StringRef before;
  std::vector<size_t> starts;
  std::vector<Change> changes;
  size_t copied = 0; ///< The end of what the last change has of the old text.
};

class Hunk {
public:
  explicit Hunk(size_t begin) : begin(begin) {}

  void add(char mark, StringRef line) {
    body += mark;
    body += line;
    if (!line.ends_with("\n"))
      body += "\n\\ No newline at end of file\n";
    old += mark != '+';
    fresh += mark != '-';
  }

  /// \param shift how many lines the hunks before have added.
  std::string text(long shift) const {
    return llvm::formatv("@@ -{0} +{1} @@\n", range(long(begin), old),
                         range(long(begin) + shift, fresh))
               .str() +
           body;
  }

  long added() const { return long(fresh) - long(old); }

private:
  /// Of no lines the number is that of the line before.
  static std::string range(long begin, size_t count) {
    return llvm::formatv("{0},{1}", count ? begin + 1 : begin, count);
  }

  size_t begin, old = 0, fresh = 0;
  std::string body;
};

/// As git and patch write the name of a file that has control characters, quotes or backslashes.
std::string inQuotes(const std::string &name) {
  const auto isSpecial = [](char letter) {
    return llvm::isPrint(letter) ? letter == '"' || letter == '\\'
                                 : static_cast<unsigned char>(letter) < 0x80;
  };
  if (llvm::none_of(name, isSpecial))
    return name;
  std::string text = "\"";
  for (const char letter : name)
    text += isSpecial(letter)
                ? llvm::formatv("\\{0}{1}{2}", letter >> 6, letter >> 3 & 7, letter & 7).str()
                : std::string(1, letter);
  return text + "\"";
}

} // namespace

std::string unifiedDiff(StringRef name, StringRef before,
                        const clang::tooling::Replacements &edits) {
  const std::vector<StringRef> lines = linesOf(before);
  std::vector<Change> changes = LineChanges(before, edits).take();
  std::string hunks;
  long shift = 0;
  size_t shown = 0; // Lines before this one are part of a hunk, or of none.
  std::optional<Hunk> hunk;
  const auto addContext = [&](size_t end) {
    for (; shown < end; ++shown)
      hunk->add(' ', lines[shown]);
  };
  const auto finish = [&] {
    if (!hunk)
      return;
    addContext(std::min(shown + context, lines.size()));
    hunks += hunk->text(shift);
    shift += hunk->added();
    hunk.reset();
  };
  for (const Change &change : changes) {
    std::vector<StringRef> fresh = linesOf(change.text);
    size_t begin = change.begin, end = change.end;
    size_t first = 0, last = fresh.size();
    while (begin < end && first < last && lines[begin] == fresh[first])
      ++begin, ++first;
    while (begin < end && first < last && lines[end - 1] == fresh[last - 1])
      --end, --last;
    if (begin == end && first == last)
      continue;
    if (hunk && begin > shown + 2 * context)
      finish();
    if (!hunk) {
      shown = std::max(shown, begin - std::min(begin, context));
      hunk.emplace(shown);
    }
    addContext(begin);
    for (; shown < end; ++shown)
      hunk->add('-', lines[shown]);
    for (; first < last; ++first)
      hunk->add('+', fresh[first]);
  }
  finish();
  if (hunks.empty())
    return {};
  const bool isRelative = !llvm::sys::path::is_absolute(name);
  const auto nameOn = [&](StringRef side) {
    return inQuotes((isRelative ? side : StringRef()).str() + name.str());
  };
  return "--- " + nameOn("a/") + "\n+++ " + nameOn("b/") + "\n" + hunks;
}

} // namespace gradtidy
