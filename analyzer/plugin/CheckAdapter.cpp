#include "CheckAdapter.h"

#include "LevelLog.h"
#include "analyzer/model/Model.h"
#include "analyzer/model/ShippedModels.h"
#include "analyzer/source/BoundedFile.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "llvm/ADT/StringExtras.h"

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

llvm::Expected<const Model *> loadModels(llvm::StringRef paths) {
  if (paths.empty())
    return &Model::bundled();
  static std::mutex mutex;
  static std::map<std::string, Model> loaded;
  const std::lock_guard lock(mutex);
  if (const auto found = loaded.find(paths.str()); found != loaded.end())
    return &found->second;

  Model model = Model::bundled();
  for (llvm::StringRef path : llvm::split(paths, ';')) {
    if (const std::optional<llvm::StringRef> shipped = shippedModel(path)) {
      if (llvm::Error error = model.add(*shipped, path))
        return error;
      continue;
    }
    auto text = readFile(path, limits::model);
    if (!text)
      return llvm::createStringError("cannot read model '" + path +
                                     "': " + llvm::toString(text.takeError()));
    if (llvm::Error error = model.add((*text)->getBuffer(), path))
      return error;
  }
  return &loaded.emplace(paths.str(), std::move(model)).first->second;
}

void logLevel(FindingKey finding, Level level) { levelLog().add(std::move(finding), level); }

std::optional<Level> levelOf(const tidy::ClangTidyError &error) {
  return levelLog().find(keyOf(error));
}

void setLevel(const tidy::ClangTidyError &error, Level level) {
  levelLog().add(keyOf(error), level);
}

} // namespace gradtidy
