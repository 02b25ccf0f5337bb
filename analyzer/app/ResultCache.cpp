#include "ResultCache.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

std::string ResultCache::fileOf(const Job &job) {
  return folder.file(checksum(inputs.keyOf(job) + "\n" + job.askedFor), "result");
}

std::optional<UnitResult> ResultCache::find(const Job &job) {
  const std::string file = fileOf(job);
  const std::optional<std::string> bytes = CacheFolder::read(file);
  if (!bytes)
    return std::nullopt;
  std::optional<UnitResult> result = fromBytes(*bytes);
  if (!result || !inputs.hold(result->inputs))
    return std::nullopt;
  const auto isCompiledAsThen = [&](const std::pair<std::string, std::string> &linked) {
    const Job *other = sharedSources.jobOf(linked.first, job);
    return other && inputs.keyOf(*other) == linked.second;
  };
  if (!llvm::all_of(result->links, isCompiledAsThen))
    return std::nullopt;
  const auto hasAnswer = [&](const Question &question) {
    const Job *asking =
        question.asking == job.file ? &job : sharedSources.jobOf(question.asking, job);
    return asking && sharedSources.of(*asking, question.functions) == question.found;
  };
  if (!llvm::all_of(result->questions, hasAnswer))
    return std::nullopt;
  folder.touch(file);
  // What it took then says nothing of this run.
  result->seconds.clear();
  result->unit.header.clear();
  return result;
}

void ResultCache::add(const Job &job, const UnitResult &result) {
  if (result.error.empty() && result.unit.outcome == Unit::Outcome::Analysed && result.isRepeatable)
    if (const std::error_code error = folder.write(fileOf(job), toBytes(result)))
      trouble.tell(folder.path(), error.message());
}

} // namespace gradtidy
