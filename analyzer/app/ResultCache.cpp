#include "ResultCache.h"

#include "analyzer/model/Model.h"
#include "analyzer/plugin/CheckAdapter.h"
#include "analyzer/source/BoundedFile.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang-tidy/ClangTidyOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

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
                     job.command.Directory + "\n" + llvm::join(job.command.CommandLine, "\n");
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
  const llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(text));
  return folder.file(llvm::utohexstr(hash.high64, true, 16) + llvm::utohexstr(hash.low64, true, 16),
                     "result");
}

std::optional<UnitResult> ResultCache::find(const Job &job, const std::string &projectFolder) {
  const std::string file = fileOf(job, projectFolder);
  const auto bytes = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, false);
  if (!bytes)
    return std::nullopt;
  std::optional<UnitResult> result = fromBytes((*bytes)->getBuffer());
  if (!result || !result->unit.absentFiles ||
      !llvm::all_of(result->unit.files, [&](const ReadFile &read) { return isUnchanged(read); }) ||
      !llvm::all_of(*result->unit.absentFiles,
                    [&](const std::string &path) { return isAbsent(path); }))
    return std::nullopt;
  if (!result->unit.header.empty() && !headers.holds(result->unit.header))
    return std::nullopt;
  if (!llvm::all_of(result->questions, [&](const UnitResult::Question &question) {
        return partners.of(job, question.functions) == question.found;
      }))
    return std::nullopt;
  folder.touch(file);
  // What it took then says nothing of this run.
  result->seconds.clear();
  result->unit.header.clear();
  return result;
}

void ResultCache::add(const Job &job, const std::string &projectFolder, const UnitResult &result) {
  if (result.error.empty() && result.unit.outcome == Unit::Outcome::Analysed &&
      result.unit.absentFiles)
    folder.write(fileOf(job, projectFolder), toBytes(result));
}

bool ResultCache::isUnchanged(const ReadFile &file) {
  // Many units read the same headers.
  const auto [place, added] = known.try_emplace(file.path, file.identity, false);
  auto &[identity, holds] = place->second;
  if (added || identity != file.identity) {
    identity = file.identity;
    holds = identity.holdsFor(file.path);
  }
  return holds;
}

bool ResultCache::isAbsent(const std::string &path) {
  const auto [place, added] = absent.try_emplace(path, false);
  if (added)
    place->second = !llvm::sys::fs::exists(path);
  return place->second;
}

} // namespace gradtidy
