#include "SearchRecorder.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

namespace gradtidy {

namespace path = llvm::sys::path;

void SearchRecorder::add(llvm::StringRef name, bool isAngled, clang::OptionalFileEntryRef file) {
  if (path::is_absolute(name)) {
    if (!file)
      names[{"/"}].insert(name.ltrim('/').str());
    return;
  }
  std::vector<std::string> folders;
  const std::string from = isAngled ? std::string() : includer();
  if (!seen.emplace(from, isAngled, name).second)
    return;
  if (!isAngled)
    folders.push_back(from);
  // "…" is looked for in more folders than <…>: the directive of a missing header does not matter.
  llvm::append_range(folders, searchedFolders(isAngled && file));
  std::vector<std::string> before;
  for (const std::string &folder : folders) {
    llvm::SmallString<256> candidate(folder);
    path::append(candidate, name);
    const auto there = compiler.getFileManager().getOptionalFileRef(candidate);
    if (there && file && *there == *file)
      break;
    // What is there is not what the directive means: #include_next, for example.
    if (!there)
      before.push_back(folder);
  }
  if (!before.empty())
    names[before].insert(name.str());
}

void SearchRecorder::addEverywhere(const std::vector<std::string> &all) {
  for (const std::string &folder : searchedFolders(/*isAngled=*/false))
    for (const std::string &name : all)
      if (!compiler.getFileManager().getOptionalFileRef(folder + "/" + name))
        names[{folder}].insert(name);
}

std::vector<Lookup> SearchRecorder::lookups() const {
  std::vector<Lookup> all;
  for (const auto &[folders, of] : names)
    all.push_back({folders, {of.begin(), of.end()}});
  return all;
}

/// Those of the command line that do not exist, which the search leaves out and which may turn up
/// in any place of its order, and those searched, in their order.
std::vector<std::string> SearchRecorder::searchedFolders(bool isAngled) const {
  std::vector<std::string> folders;
  for (const auto &entry : compiler.getHeaderSearchOpts().UserEntries)
    if (std::string folder = absolute(entry.Path);
        !compiler.getFileManager().getOptionalDirectoryRef(folder))
      folders.push_back(std::move(folder));
  const clang::HeaderSearch &search = compiler.getPreprocessor().getHeaderSearchInfo();
  for (auto folder = isAngled ? search.angled_dir_begin() : search.search_dir_begin();
       folder != search.search_dir_end(); ++folder)
    folders.push_back(absolute(folder->getName()));
  return folders;
}

/// The folder of the file that is being read; the working directory for what the command line
/// includes.
std::string SearchRecorder::includer() const {
  const clang::PreprocessorLexer *lexer = compiler.getPreprocessor().getCurrentFileLexer();
  const auto file = lexer ? lexer->getFileEntry() : std::nullopt;
  return absolute(file ? path::parent_path(file->getName()) : ".");
}

std::string SearchRecorder::absolute(llvm::StringRef given) const {
  llvm::SmallString<256> absolute(given);
  compiler.getFileManager().makeAbsolutePath(absolute);
  path::remove_dots(absolute);
  return std::string(absolute);
}

} // namespace gradtidy
