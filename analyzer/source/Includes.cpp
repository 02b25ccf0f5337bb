#include "Includes.h"
#include "BoundedFile.h"
#include "Flags.h"
#include "Paths.h"

#include "clang/Basic/TokenKinds.h"
#include "clang/Lex/DependencyDirectivesScanner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <tuple>

namespace gradtidy {

using llvm::StringRef;
namespace path = llvm::sys::path;
namespace scan = clang::dependency_directives_scan;

std::vector<std::string> nearestFirst(llvm::ArrayRef<std::string> candidates, StringRef file) {
  std::vector<std::tuple<bool, size_t, size_t>> ranks; // Other stem, distance, place in the order.
  for (size_t i = 0; i < candidates.size(); ++i)
    ranks.emplace_back(path::stem(candidates[i]) != path::stem(file),
                       file.size() - commonFolder(candidates[i], file).size(), i);
  llvm::sort(ranks);
  std::vector<std::string> result;
  for (const auto &[otherStem, distance, place] : ranks)
    result.push_back(candidates[place]);
  return result;
}

llvm::ArrayRef<IncludeScan::Include> IncludeScan::includesOf(StringRef file) {
  auto [entry, added] = scanned.try_emplace(file);
  if (!added)
    return entry->second;
  const auto buffer = readFileIfPossible(file);
  if (!buffer)
    return {};
  StringRef text = buffer->getBuffer();
  llvm::SmallVector<scan::Token, 64> tokens;
  llvm::SmallVector<scan::Directive, 32> directives;
  // A file that cannot be scanned to its end includes what was found so far.
  (void)clang::scanSourceForDependencyDirectives(text, tokens, directives);
  for (const scan::Directive &directive : directives) {
    if (directive.Kind != scan::pp_include && directive.Kind != scan::pp_include_next &&
        directive.Kind != scan::pp_import)
      continue;
    for (const scan::Token &token : directive.Tokens) {
      StringRef name = text.substr(token.Offset, token.Length);
      bool quoted = token.is(clang::tok::string_literal);
      if ((quoted || token.is(clang::tok::header_name)) && name.size() > 2)
        entry->second.push_back(
            {name.drop_front().drop_back().str(), quoted || name.front() == '"'});
    }
  }
  return entry->second;
}

namespace {

/// The folders that \p command searches for headers of its project, in the order given. System
/// folders are left out: nothing of the project lies there.
std::vector<std::string> searchFolders(const clang::tooling::CompileCommand &command) {
  std::vector<std::string> folders;
  const std::vector<std::string> words =
      normaliseFlags(command.CommandLine, command.Filename, command.Directory);
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if (!word.consume_front("-iquote") && !word.consume_front("-I"))
      continue;
    if (word.empty() && i + 1 < words.size())
      word = words[++i];
    folders.push_back(folderPath(word, command.Directory));
  }
  return folders;
}

} // namespace

bool IncludeScan::exists(StringRef file) {
  auto [entry, added] = existing.try_emplace(file);
  if (added)
    entry->second = llvm::sys::fs::is_regular_file(file);
  return entry->second;
}

bool IncludeScan::reaches(const clang::tooling::CompileCommand &unit, StringRef header,
                          StringRef projectFolder) {
  std::vector<std::string> folders = searchFolders(unit);
  llvm::StringSet<> seen;
  std::vector<std::string> open = {unit.Filename};
  while (!open.empty()) {
    std::string file = std::move(open.back());
    open.pop_back();
    auto enter = [&](const std::string &target) {
      if (!liesIn(target, projectFolder) || !exists(target))
        return false;
      if (seen.insert(target).second)
        open.push_back(target);
      return true;
    };
    for (const Include &include : includesOf(file)) {
      if (include.quoted && enter(absolutePath(include.name, path::parent_path(file))))
        continue;
      for (const std::string &folder : folders)
        if (enter(absolutePath(include.name, folder)))
          break;
    }
    if (seen.contains(header))
      return true;
  }
  return false;
}

std::string IncludeScan::findUnitIncluding(const Database &database, StringRef header) {
  // What lies outside the project (the framework, a package manager's folder) includes nothing of
  // it.
  StringRef projectFolder = commonFolder(database.commonFolder(), header);
  StringRef withDatabase = commonFolder(projectFolder, path::parent_path(database.path()));
  if (withDatabase != path::root_path(withDatabase))
    projectFolder = withDatabase;
  for (const std::string &unit : nearestFirst(database.sources(), header))
    if (reaches(*database.find(unit), header, projectFolder))
      return unit;
  return {};
}

} // namespace gradtidy
