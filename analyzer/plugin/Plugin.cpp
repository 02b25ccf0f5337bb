#include "Plugin.h"

#include "analyzer/model/Model.h"
#include "analyzer/model/ShippedModels.h"
#include "analyzer/source/BoundedFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <mutex>

namespace gradtidy {

llvm::Expected<const Model *> loadModels(llvm::StringRef paths) {
  if (paths.empty())
    return &Model::bundled();
  static std::mutex mutex;
  static std::map<std::string, Model> loaded;
  const std::lock_guard lock(mutex);
  if (const auto found = loaded.find(paths.str()); found != loaded.end())
    return &found->second;

  constexpr ptrdiff_t maxModels = 100;
  if (llvm::count(paths, ';') >= maxModels)
    return llvm::createStringError("more than " + std::to_string(maxModels) + " models are named");
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

} // namespace gradtidy
