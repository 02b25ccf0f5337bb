#include "UnitInputs.h"

#include "analyzer/frontend/CacheFolder.h"
#include "analyzer/frontend/UserCode.h"
#include "analyzer/model/Model.h"
#include "analyzer/plugin/Plugin.h"
#include "analyzer/source/BoundedFile.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang-tidy/ClangTidyOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

namespace gradtidy {

namespace tidy = clang::tidy;

static std::string textOf(llvm::StringRef file) {
  const auto text = readFileIfPossible(file, limits::model);
  return text ? text->getBuffer().str() : std::string();
}

void InputFiles::add(const InputFiles &others) {
  llvm::StringSet<> known;
  for (const ReadFile &file : files)
    known.insert(file.path);
  for (const ReadFile &file : others.files)
    if (known.insert(file.path).second)
      files.push_back(file);
  for (const Lookup &lookup : others.lookups)
    if (!llvm::is_contained(lookups, lookup))
      lookups.push_back(lookup);
  for (const auto &header : others.headers)
    if (!llvm::is_contained(headers, header))
      headers.push_back(header);
}

bool InputFiles::add(const Unit &unit) {
  InputFiles own{unit.files, unit.lookups.value_or(std::vector<Lookup>()), {}};
  if (!unit.header.empty())
    own.headers.emplace_back(unit.header, unit.headerFolders);
  add(own);
  return unit.lookups.has_value();
}

std::string UnitInputs::keyOf(const Job &job) {
  std::string text = identityOfProgram() + "\n" + job.file + "\n" + projectFolder + "\n" +
                     projectRootOf(job) + "\n" + job.command.Directory + "\n" +
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
  return checksum(text);
}

bool UnitInputs::hold(const InputFiles &read) {
  return llvm::all_of(read.files, [&](const ReadFile &file) { return isUnchanged(file); }) &&
         lookups.holds(read.lookups) && llvm::all_of(read.headers, [&](const auto &header) {
           return headers.holds(header.first, header.second);
         });
}

bool UnitInputs::isUnchanged(const ReadFile &file) {
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
const std::string &UnitInputs::projectRootOf(const Job &job) {
  const auto [place, added] = projectRoots.try_emplace(llvm::sys::path::parent_path(job.file));
  if (added)
    place->second = findProjectRoot(job.file, projectFolder);
  return place->second;
}

} // namespace gradtidy
