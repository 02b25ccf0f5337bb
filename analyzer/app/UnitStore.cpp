#include "UnitStore.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

namespace gradtidy {

/// Whether an editor has another text of a file that the unit read. What a header of the unit's own
/// was made of is not among these.
static bool readsUnsaved(const Job &job, const Unit &unit) {
  return job.text || (job.others &&
                      (unit.isOverOwnHeader || llvm::any_of(unit.files, [&](const ReadFile &file) {
                         return job.others->contains(file.path);
                       })));
}

std::optional<UnitResult> UnitStore::find(const Job &job) {
  if (!kept || job.text)
    return std::nullopt;
  const std::string file = kept->file(inputs.keyOf(job), "unit");
  const std::optional<std::string> bytes = CacheFolder::read(file);
  std::optional<UnitResult> result = bytes ? fromBytes(*bytes) : std::nullopt;
  if (!result || readsUnsaved(job, result->unit) || !inputs.hold(result->inputs))
    return std::nullopt;
  const std::string text = kept->file(result->ir, "ir");
  if (!result->ir.empty() && !llvm::sys::fs::exists(text))
    return std::nullopt;
  kept->touch(file);
  kept->touch(text);
  // What it took then, and how, says nothing of this run.
  result->seconds.clear();
  result->unit.header.clear();
  return result;
}

void UnitStore::add(const Job &job, UnitResult &result) {
  const bool isDone = result.error.empty() && result.unit.outcome == Unit::Outcome::Analysed;
  result.isRepeatable = isDone && result.inputs.add(result.unit);
  const bool isKept = kept && result.isRepeatable && !readsUnsaved(job, result.unit);
  const std::optional<CacheFolder> &place = isKept ? kept : ofRun;
  std::string &text = result.unit.text;
  if (!text.empty()) {
    result.ir = checksum(text);
    const std::error_code error = place
                                      ? place->write(place->file(result.ir, "ir"), text)
                                      : std::make_error_code(std::errc::no_such_file_or_directory);
    if (error) {
      if (isKept)
        trouble.tell(kept->path(), error.message());
      return;
    }
    text.clear();
  }
  if (isKept)
    if (const std::error_code error =
            kept->write(kept->file(inputs.keyOf(job), "unit"), toBytes(result)))
      trouble.tell(kept->path(), error.message());
}

std::optional<std::string> UnitStore::textOf(const UnitResult &result) const {
  if (result.ir.empty() || !result.unit.text.empty())
    return result.unit.text;
  for (const std::optional<CacheFolder> *place : {&kept, &ofRun})
    if (*place)
      if (std::optional<std::string> text = CacheFolder::read((*place)->file(result.ir, "ir")))
        return text;
  return std::nullopt;
}

void UnitStore::tidyUp() const {
  if (kept)
    kept->evict({});
}

} // namespace gradtidy
