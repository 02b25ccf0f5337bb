#include "LevelLog.h"

#include "clang-tidy/ClangTidyDiagnosticConsumer.h"

#include <map>
#include <mutex>

namespace gradtidy {

namespace tidy = clang::tidy;

namespace {

class LevelLog {
public:
  void add(FindingKey key, Level level) {
    const std::lock_guard lock(mutex);
    levels.insert_or_assign(std::move(key), level);
  }

  std::optional<Level> find(const FindingKey &key) const {
    const std::lock_guard lock(mutex);
    const auto found = levels.find(key);
    return found == levels.end() ? std::nullopt : std::optional(found->second);
  }

private:
  mutable std::mutex mutex;
  std::map<FindingKey, Level> levels;
};

LevelLog &levelLog() {
  static LevelLog log;
  return log;
}

FindingKey keyOf(const tidy::ClangTidyError &error) {
  return {error.DiagnosticName, error.Message.FilePath, error.Message.FileOffset,
          error.Message.Message};
}

} // namespace

void logLevel(FindingKey finding, Level level) { levelLog().add(std::move(finding), level); }

std::optional<Level> levelOf(const tidy::ClangTidyError &error) {
  return levelLog().find(keyOf(error));
}

void setLevel(const tidy::ClangTidyError &error, Level level) {
  levelLog().add(keyOf(error), level);
}

} // namespace gradtidy
