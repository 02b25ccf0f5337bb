#include "Changes.h"

#include "analyzer/source/BoundedFile.h"
#include "analyzer/source/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <climits>

namespace gradtidy {
namespace {

using llvm::StringRef;
namespace fs = llvm::sys::fs;

llvm::Error fail(const llvm::Twine &why) { return llvm::createStringError(why); }

/// What git prints in the folder \p root.
llvm::Expected<std::string> git(const std::string &root, llvm::ArrayRef<StringRef> command) {
  const auto program = llvm::sys::findProgramByName("git");
  if (!program)
    return fail("--diff asks git, which is not on the PATH; a patch on standard input does without "
                "(--diff=-)");
  llvm::SmallString<128> out, err;
  if (fs::createTemporaryFile("gradtidy", "out", out) ||
      fs::createTemporaryFile("gradtidy", "err", err))
    return fail("cannot write a temporary file");
  const llvm::FileRemover removeOut(out), removeErr(err);
  // It writes no index, and starts no program that is not needed to compare. A bare repository may
  // be part of what a stranger has committed, its configuration with it.
  std::vector<StringRef> arguments = {*program, "-C",
                                      root,     "--no-optional-locks",
                                      "-c",     "core.quotePath=false",
                                      "-c",     "core.fsmonitor=false",
                                      "-c",     "safe.bareRepository=explicit"};
  llvm::append_range(arguments, command);
  const std::optional<StringRef> redirects[] = {StringRef(""), StringRef(out), StringRef(err)};
  const int status = llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt, redirects);
  auto said = readFile(status ? err : out, limits::results);
  if (!said)
    return said.takeError();
  if (status)
    return fail("git: " + (*said)->getBuffer().trim());
  return (*said)->getBuffer().str();
}

/// The path in a line that begins with "--- " or "+++ "; without the time that diff adds.
StringRef pathOf(StringRef line) { return line.drop_front(4).split('\t').first.rtrim("\r"); }

/// Reads "12,3" or "12".
bool readRange(StringRef text, unsigned &start, unsigned &count) {
  const auto [first, second] = text.split(',');
  count = 1;
  return !first.getAsInteger(10, start) && (second.empty() || !second.getAsInteger(10, count));
}

} // namespace

llvm::Expected<Changes> Changes::ofPatch(StringRef patch, const std::string &root) {
  Changes changes;
  std::vector<Lines> *lines = nullptr;
  StringRef before;
  unsigned removed = 0, added = 0; // Lines of the hunk that are still to come.
  unsigned number = 0;             // Of the next line behind the change.
  for (const StringRef line : llvm::split(patch, '\n')) {
    if (removed || added) {
      const char kind = line.empty() ? ' ' : line.front();
      if (kind == '\\') // No newline at the end of the file.
        continue;
      if (kind == '+') {
        lines->push_back({number, number});
        ++number;
      } else if (kind == '-') {
        lines->push_back({number ? number - 1 : 0, number});
      } else {
        ++number;
      }
      removed -= kind != '+' && removed;
      added -= kind != '-' && added;
      continue;
    }
    if (line.starts_with("--- ")) {
      before = pathOf(line);
    } else if (line.starts_with("+++ ")) {
      StringRef file = pathOf(line);
      lines = nullptr;
      if (file == "/dev/null")
        continue;
      if (before.starts_with("a/") || before == "/dev/null")
        file.consume_front("b/");
      lines = &changes.files[absolutePath(file, root)];
    } else if (line.starts_with("@@ -")) {
      llvm::SmallVector<StringRef, 4> words;
      llvm::SplitString(line, words);
      unsigned start = 0;
      if (words.size() < 4 || !readRange(words[1].drop_front(), start, removed) ||
          !readRange(words[2].drop_front(), number, added))
        return fail("the patch has a line that is no hunk: " + line);
      if (!added) // Then it is the line before.
        ++number;
      if (!lines) { // The file is removed.
        removed = added = 0;
      }
    }
  }
  return changes;
}

llvm::Expected<Changes> Changes::since(const std::string &revision, const std::string &root) {
  // An option of git's is no revision.
  if (StringRef(revision).starts_with("-"))
    return fail("--diff=" + revision + " names no revision");
  // First, since diff takes what is no repository for another way to call it.
  auto untracked = git(root, {"ls-files", "--others", "--exclude-standard", "-z"});
  if (!untracked)
    return untracked.takeError();
  auto patch = git(root, {"diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-prefix",
                          "-U0", revision, "--"});
  if (!patch)
    return patch.takeError();
  auto changes = ofPatch(*patch, root);
  if (changes)
    for (const StringRef file : llvm::split(*untracked, '\0'))
      if (!file.empty())
        changes->files[absolutePath(file, root)].push_back({0, UINT_MAX});
  return changes;
}

bool Changes::contain(StringRef file, unsigned first, unsigned last) const {
  const auto lines = files.find(file);
  return lines != files.end() && llvm::any_of(lines->second, [&](const Lines &changed) {
           return changed.first <= std::max(first, last) && first <= changed.last;
         });
}

bool Changes::concern(const ReportedFinding &finding) const {
  return contain(finding.file, finding.line, finding.endLine) ||
         llvm::any_of(
             finding.notes,
             [&](const ReportedNote &note) { return contain(note.file, note.line, note.line); }) ||
         llvm::any_of(finding.fixes, [&](const ReportedEdit &edit) {
           return contain(edit.file, edit.line, edit.endLine);
         });
}

} // namespace gradtidy
