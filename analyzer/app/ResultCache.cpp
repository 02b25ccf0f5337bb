#include "ResultCache.h"

#include "analyzer/frontend/UserCode.h"
#include "analyzer/model/Model.h"
#include "analyzer/plugin/CheckAdapter.h"
#include "analyzer/source/BoundedFile.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang-tidy/ClangTidyOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

namespace gradtidy {

namespace tidy = clang::tidy;

namespace {

std::string textOf(llvm::StringRef file) {
  const auto text = readFileIfPossible(file, limits::model);
  return text ? text->getBuffer().str() : std::string();
}

} // namespace

std::string ResultCache::fileOf(const Job &job, const std::string &projectFolder) {
  std::string text = identityOfProgram() + "\n" + job.askedFor + "\n" + projectFolder + "\n" +
                     projectRootOf(job, projectFolder) + "\n" + job.command.Directory + "\n" +
                     llvm::join(job.command.CommandLine, "\n");
  // What clang's driver reads besides.
  for (const char *variable : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "SDKROOT"})
    if (const char *value = std::getenv(variable))
      text += std::string("\n") + variable + "=" + value;
  const tidy::ClangTidyOptions options = context.getOptionsForFile(job.file);
  text += "\n" + tidy::configurationAsText(options);
  for (const tidy::FileFilter &filter : context.getGlobalOptions().LineFilter) {
    text += "\n" + filter.Name;
    for (const auto &[first, last] : filter.LineRanges)
      text += " " + std::to_string(first) + "-" + std::to_string(last);
  }
  const std::string models = options.CheckOptions.lookup(modelsOption).Value;
  for (llvm::StringRef model : llvm::split(models, ';'))
    text += "\n" + textOf(model);
  return folder.file(checksum(text), "result");
}

std::optional<UnitResult> ResultCache::find(const Job &job, const std::string &projectFolder) {
  const std::string file = fileOf(job, projectFolder);
  const std::optional<std::string> bytes = CacheFolder::read(file);
  if (!bytes)
    return std::nullopt;
  std::optional<UnitResult> result = fromBytes(*bytes);
  if (!result || !result->unit.lookups ||
      !llvm::all_of(result->unit.files, [&](const ReadFile &read) { return isUnchanged(read); }) ||
      !lookups.holds(*result->unit.lookups))
    return std::nullopt;
  if (!result->unit.header.empty() &&
      !headers.holds(result->unit.header, result->unit.headerFolders))
    return std::nullopt;
  if (!llvm::all_of(result->questions, [&](const UnitResult::Question &question) {
        return partners.of(job, question.functions) == question.found &&
               commandsOf(partners, job, question.found) == question.commands;
      }))
    return std::nullopt;
  folder.touch(file);
  // What it took then says nothing of this run.
  result->seconds.clear();
  result->unit.header.clear();
  return result;
}

void ResultCache::add(const Job &job, const std::string &projectFolder, const UnitResult &result) {
  if (result.error.empty() && result.unit.outcome == Unit::Outcome::Analysed && result.unit.lookups)
    if (const std::error_code error = folder.write(fileOf(job, projectFolder), toBytes(result)))
      trouble.tell(folder.path(), error.message());
}

bool ResultCache::isUnchanged(const ReadFile &file) {
  // Many units read the same headers.
  const auto [place, added] = known.try_emplace(file.path, file.identity, false);
  auto &[identity, holds] = place->second;
  if (added || identity != file.identity) {
    identity = file.identity;
    holds = identity.holdsFor(file.path, realPaths);
  }
  return holds;
}

/// A version control folder may turn up, and user code be more or less then.
const std::string &ResultCache::projectRootOf(const Job &job, const std::string &projectFolder) {
  const auto [place, added] = projectRoots.try_emplace(llvm::sys::path::parent_path(job.file));
  if (added)
    place->second = findProjectRoot(job.file, projectFolder);
  return place->second;
}

} // namespace gradtidy
