#include "Fixes.h"
#include "RewriteFile.h"

#include "analyzer/report/Formats.h"
#include "analyzer/report/Printable.h"
#include "analyzer/report/UnifiedDiff.h"
#include "analyzer/source/BoundedFile.h"
#include "analyzer/source/Paths.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang-tidy/ClangTidyOptions.h"
#include "clang/Format/Format.h"
#include "clang/Tooling/Core/Replacement.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <set>

namespace gradtidy {

namespace tidy = clang::tidy;
namespace tooling = clang::tooling;
using llvm::StringRef;

namespace {

constexpr const char *changed = "it has changed since it was analyzed";

std::string fileOf(const tidy::ClangTidyError &finding, const tooling::Replacement &edit) {
  return absoluteIn(finding.BuildDirectory, edit.getFilePath());
}

/// Adds \p edit to \p edits, which hold of the same text; false if they contradict each other.
bool addTo(tooling::Replacements &edits, const tooling::Replacement &edit) {
  llvm::Error conflict = edits.add(edit);
  if (!conflict)
    return true;
  llvm::consumeError(std::move(conflict));
  // Insertions at one place follow each other, and what was not touched yet may be.
  const unsigned begin = edits.getShiftedCodePosition(edit.getOffset());
  const unsigned end = edits.getShiftedCodePosition(edit.getOffset() + edit.getLength());
  if (end - begin != edit.getLength())
    return false;
  edits = edits.merge(tooling::Replacements(tooling::Replacement(
      edit.getFilePath(), begin, edit.getLength(), edit.getReplacementText())));
  return true;
}

/// Whether \p file is one of version control itself, which holds what it runs, and no source.
bool isOfVersionControl(StringRef file) {
  return std::any_of(llvm::sys::path::begin(file), llvm::sys::path::end(file), [](StringRef part) {
    return part == ".git" || part == ".hg" || part == ".svn" || part == ".jj";
  });
}

} // namespace

void useLineEndsOfFiles(std::vector<tidy::ClangTidyError> &errors, SourceText &text) {
  for (tidy::ClangTidyError &finding : errors)
    for (auto &file : finding.Message.Fix) {
      tooling::Replacements edits;
      for (const tooling::Replacement &edit : file.second)
        llvm::cantFail(edits.add(
            tooling::Replacement(edit.getFilePath(), edit.getOffset(), edit.getLength(),
                                 text.withItsLineEnds(fileOf(finding, edit), edit.getOffset(),
                                                      edit.getReplacementText()))));
      file.second = std::move(edits);
    }
}

Fixes::Fixes(llvm::ArrayRef<tidy::ClangTidyError> errors, const FixedFiles &analyzed,
             SourceText &text, StringRef onlyBelow)
    : text(text), onlyBelow(onlyBelow), fixStates(errors.size(), FixState::NotTried) {
  for (const tidy::ClangTidyError &finding : errors)
    for (const auto &file : finding.Message.Fix) {
      if (file.second.empty()) // See Unit::diagnostics.
        files[file.first().str()].objection = "it lies outside of the project";
      for (const tooling::Replacement &edit : file.second) {
        const std::string name = fileOf(finding, edit);
        const auto [entry, added] = files.try_emplace(name);
        if (added)
          entry->second.objection = objectionTo(name, analyzed, entry->second);
      }
    }
  std::set<std::vector<tooling::Replacement>> known;
  for (size_t i = 0; i < errors.size(); ++i) {
    std::vector<tooling::Replacement> edits;
    for (const auto &file : errors[i].Message.Fix)
      llvm::append_range(edits, file.second);
    llvm::sort(edits);
    if (edits.empty() || !known.insert(edits).second)
      continue;
    asked += edits.size();
    const bool fits = add(errors[i]);
    made += fits ? edits.size() : 0;
    fixStates[i] = fits ? FixState::Applied : FixState::Failed;
  }
}

std::string Fixes::objectionTo(const std::string &file, const FixedFiles &analyzed,
                               File &entry) const {
  llvm::SmallString<256> real;
  if (const std::error_code error = llvm::sys::fs::real_path(file, real))
    return error.message();
  if (!onlyBelow.empty() && !liesIn(real, onlyBelow))
    return "it lies outside of the folder '" + onlyBelow + "'";
  if (isOfVersionControl(real))
    return "it belongs to version control";
  const auto known = analyzed.find(file);
  if (known == analyzed.end())
    return "it is not known what it was like when it was analyzed";
  const std::optional<StringRef> content = text.content(file);
  if (!content)
    return whyUnreadable(file);
  if (!known->second || known->second->size != content->size() ||
      known->second->content != checksum(*content))
    return changed;
  entry.before = *content;
  return {};
}

/// Takes the fix of \p finding, if all of it can be made.
bool Fixes::add(const tidy::ClangTidyError &finding) {
  std::map<std::string, tooling::Replacements> together;
  for (const auto &file : finding.Message.Fix)
    for (const tooling::Replacement &edit : file.second) {
      const std::string name = fileOf(finding, edit);
      const File &entry = files.at(name);
      if (!entry.objection.empty() ||
          uint64_t(edit.getOffset()) + edit.getLength() > entry.before.size())
        return false;
      tooling::Replacements &edits = together.try_emplace(name, entry.edits).first->second;
      if (!addTo(edits, tooling::Replacement(name, edit.getOffset(), edit.getLength(),
                                             edit.getReplacementText())))
        return false;
    }
  for (auto &[name, edits] : together)
    files.at(name).edits = std::move(edits);
  return true;
}

llvm::Expected<tooling::Replacements> Fixes::editsOf(const std::string &name, const File &file,
                                                     tidy::ClangTidyContext &context) {
  tooling::Replacements edits = file.edits;
  const std::string style = context.getOptionsForFile(name).FormatStyle.value_or("none");
  if (style != "none") {
    std::string why;
    const auto files =
        boundedFileSystem(limits::configuration, [&](const std::string &error) { why = error; });
    auto format = clang::format::getStyle(style, name, "none", file.before, files.get());
    if (!format)
      return format.takeError();
    if (!why.empty())
      return llvm::createStringError(why);
    auto clean = clang::format::cleanupAroundReplacements(file.before, edits, *format);
    if (clean)
      clean = clang::format::formatReplacements(file.before, *clean, *format);
    if (!clean)
      return clean.takeError();
    edits = std::move(*clean);
  }
  return edits;
}

bool Fixes::forEach(tidy::ClangTidyContext &context,
                    llvm::function_ref<std::string(const std::string &, const File &,
                                                   const tooling::Replacements &)>
                        use) {
  bool isComplete = true;
  for (auto &[name, file] : files) {
    if (file.objection.empty() && !file.edits.empty()) {
      llvm::Expected<tooling::Replacements> edits = editsOf(name, file, context);
      file.objection = edits ? use(name, file, *edits) : llvm::toString(edits.takeError());
    }
    if (file.objection.empty())
      continue;
    isComplete = false;
    made -= std::min<unsigned>(made, std::distance(file.edits.begin(), file.edits.end()));
    ErrorLine() << "'" << name << "' could not be fixed and is unchanged: " << file.objection;
  }
  return isComplete;
}

bool Fixes::write(tidy::ClangTidyContext &context) {
  const bool isComplete = forEach(
      context, [](const std::string &name, const File &file, const tooling::Replacements &edits) {
        llvm::Expected<std::string> after = tooling::applyAllReplacements(file.before, edits);
        return after ? rewriteFile(name, file.before, *after) : llvm::toString(after.takeError());
      });
  if (asked)
    StatusLine() << "gradtidy applied " << made << " of " << asked << " suggested fixes.";
  return isComplete;
}

bool Fixes::show(llvm::raw_ostream &out, tidy::ClangTidyContext &context, StringRef root) {
  return forEach(
      context, [&](const std::string &name, const File &file, const tooling::Replacements &edits) {
        StringRef shown = name;
        shown.consume_front(root);
        out << unifiedDiff(shown, file.before, edits);
        return std::string();
      });
}

} // namespace gradtidy
