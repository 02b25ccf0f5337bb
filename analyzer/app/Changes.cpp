#include "Changes.h"

#include "GitFolder.h"
#include "Subprocess.h"
#include "analyzer/source/BoundedFile.h"
#include "analyzer/source/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace gradtidy {
namespace {

using llvm::StringRef;
namespace fs = llvm::sys::fs;

llvm::Error fail(const llvm::Twine &why) { return llvm::createStringError(why); }

/// A working tree of git, and its repository.
struct Repository {
  std::string top;    ///< The top folder of the working tree.
  std::string folder; ///< What git calls GIT_DIR; empty if git is to find it.
};

/// What git prints of \p repository when it reads \p input.
llvm::Expected<std::string> git(const Repository &repository, llvm::ArrayRef<StringRef> command,
                                StringRef input = {}) {
  const auto program = llvm::sys::findProgramByName("git");
  if (!program)
    return fail("--diff asks git, which is not on the PATH; a patch on standard input does without "
                "(--diff=-)");
  llvm::SmallString<128> in, out, err;
  int inFile = -1;
  if (fs::createTemporaryFile("gradtidy", "in", inFile, in))
    return fail("cannot write a temporary file");
  const llvm::FileRemover removeIn(in);
  llvm::raw_fd_ostream given(inFile, /*shouldClose=*/true);
  given << input;
  given.close();
  const bool isGiven = !given.has_error();
  given.clear_error();
  if (!isGiven || fs::createTemporaryFile("gradtidy", "out", out))
    return fail("cannot write a temporary file");
  const llvm::FileRemover removeOut(out);
  if (fs::createTemporaryFile("gradtidy", "err", err))
    return fail("cannot write a temporary file");
  const llvm::FileRemover removeErr(err);
  // It writes no index, and starts no program that is not needed to compare. An empty name of a
  // file system monitor is none in every version of git.
  std::vector<std::string> words = {*program,       "-C",
                                    repository.top, "--no-optional-locks",
                                    "-c",           "core.quotePath=false",
                                    "-c",           "core.fsmonitor="};
  if (!repository.folder.empty())
    words.insert(words.end(), {"--git-dir=" + repository.folder, "--work-tree=" + repository.top});
  words.insert(words.end(), command.begin(), command.end());
  const int status = runSubprocess(words, {in.str().str(), out.str().str(), err.str().str()});
  auto said = readFile(status ? err : out, limits::results);
  if (!said)
    return said.takeError();
  const StringRef reason = (*said)->getBuffer().trim();
  if (status)
    return fail("git: " + (reason.empty() ? "it ended without an answer" : reason));
  return (*said)->getBuffer().str();
}

/// The repository of the project at \p root: the one that the environment names, as git's hooks
/// do, else that of .git. Git would also take the project itself for one if it is laid out like
/// one, which is in the hands of whoever made the commit; in a repository, git runs what its
/// configuration names.
llvm::Expected<Repository> repositoryOf(const std::string &root) {
  Repository repository{root, {}};
  if (const auto top = llvm::sys::Process::GetEnv("GIT_WORK_TREE"))
    repository.top = folderPath(*top);
  if (const auto given = llvm::sys::Process::GetEnv("GIT_DIR")) {
    repository.folder = folderPath(*given);
    return repository;
  }
  const std::string folder = gitFolder(root);
  if (folder.empty())
    return fail("--diff asks git, and '" + root + "' has no .git");
  // Git says whether it trusts the owner of the repository (safe.directory) only where it has found
  // it by itself. To find it starts no program.
  auto found = git({root, {}}, {"rev-parse", "--absolute-git-dir"});
  if (!found)
    return found.takeError();
  if (!fs::equivalent(StringRef(*found).rtrim('\n'), folder))
    return fail("git: '" + folder + "' is no repository");
  repository.folder = folder;
  return repository;
}

/// \p text without git's quotes: names of files with control characters, quotes or backslashes
/// have some.
std::string unquote(StringRef text) {
  if (!text.consume_front("\""))
    return text.str();
  std::string plain;
  while (!text.empty() && text.front() != '"') {
    char letter = text.front();
    text = text.drop_front();
    if (letter == '\\' && !text.empty()) {
      constexpr StringRef codes = "abtnvfr", letters = "\a\b\t\n\v\f\r";
      unsigned octal = 0;
      if (const size_t code = codes.find(text.front()); code != StringRef::npos) {
        letter = letters[code];
        text = text.drop_front();
      } else if (!text.take_front(3).getAsInteger(8, octal)) {
        letter = static_cast<char>(octal);
        text = text.drop_front(std::min<size_t>(3, text.size()));
      } else {
        letter = text.front();
        text = text.drop_front();
      }
    }
    plain += letter;
  }
  return plain;
}

/// The path in a line that begins with "--- " or "+++ "; without the time that diff adds.
std::string pathOf(StringRef line) {
  line = line.drop_front(4);
  return line.starts_with("\"") ? unquote(line) : line.split('\t').first.rtrim("\r").str();
}

/// Whether the lines of a patch are not those that clang counts in \p file: a patch says of a link
/// where it leads, and does not end a line at a carriage return.
bool hasOtherLines(StringRef file) {
  if (fs::is_symlink_file(file))
    return true;
  const auto text = readFileIfPossible(file);
  StringRef rest = text ? text->getBuffer() : StringRef();
  while (!(rest = rest.drop_until([](char letter) { return letter == '\r'; })).empty())
    if (!(rest = rest.drop_front()).starts_with("\n"))
      return true;
  return false;
}

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
  std::string before;
  unsigned removed = 0, added = 0; // Lines of the hunk that are still to come.
  unsigned number = 0;             // Of the next line behind the change.
  bool namesFiles = false;
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
    // Files whose mode alone changes have the first line only.
    namesFiles |= line.starts_with("diff ") || line.starts_with("+++ ");
    if (line.starts_with("--- ")) {
      before = pathOf(line);
    } else if (line.starts_with("+++ ")) {
      const std::string after = pathOf(line);
      StringRef file = after;
      lines = nullptr;
      if (file == "/dev/null")
        continue;
      if (StringRef(before).starts_with("a/") || before == "/dev/null")
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
  // Else what went wrong before the pipe would hide every finding.
  if (!namesFiles && !patch.trim().empty())
    return fail("there is no patch in '" + patch.ltrim().split('\n').first.rtrim() + "'");
  for (auto &[file, changed] : changes.files)
    if (hasOtherLines(file))
      changed.push_back(everyLine);
  return changes;
}

llvm::Expected<Changes> Changes::since(const std::string &revision, const std::string &root) {
  // An option of git's is no revision.
  if (StringRef(revision).starts_with("-"))
    return fail("--diff=" + revision + " names no revision");
  auto repository = repositoryOf(root);
  if (!repository)
    return repository.takeError();
  const std::string &top = repository->top;
  // Attributes, which a stranger may write, make no file a binary one, of which git shows no lines.
  const auto compare = [&](std::initializer_list<StringRef> how) {
    std::vector<StringRef> command = {"diff",
                                      "--no-color",
                                      "--no-ext-diff",
                                      "--no-textconv",
                                      "--src-prefix=a/",
                                      "--dst-prefix=b/",
                                      "--text",
                                      "--ignore-submodules=all"};
    llvm::append_range(command, how);
    command.insert(command.end(), {revision, "--"});
    return git(*repository, command);
  };
  auto patch = compare({"-U0"});
  if (!patch)
    return patch.takeError();
  auto changes = ofPatch(*patch, top);
  if (!changes)
    return changes.takeError();
  const auto addWhole = [&](StringRef file) {
    changes->files[absolutePath(file, top)].push_back(everyLine);
  };

  auto untracked = git(*repository, {"ls-files", "--others", "--exclude-standard", "-z"});
  if (!untracked)
    return untracked.takeError();
  for (const StringRef file : llvm::split(*untracked, '\0'))
    if (!file.empty())
      addWhole(file);

  // Of files that attributes have git convert, the lines it compares are none of those on disk.
  auto names = compare({"--name-only", "-z"});
  if (!names)
    return names.takeError();
  auto attributes =
      git(*repository, {"check-attr", "-z", "--stdin", "filter", "working-tree-encoding"}, *names);
  if (!attributes)
    return attributes.takeError();
  llvm::SmallVector<StringRef, 0> words;
  StringRef(*attributes).split(words, '\0');
  for (llvm::ArrayRef<StringRef> rest = words; rest.size() > 2; rest = rest.drop_front(3))
    if (rest[2] != "unspecified" && rest[2] != "unset")
      addWhole(rest[0]);
  return changes;
}

bool Changes::contain(StringRef file, unsigned first, unsigned last) const {
  auto lines = files.find(file);
  if (lines == files.end()) // It may be a link to a changed file.
    lines = files.find(realPath(file));
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
