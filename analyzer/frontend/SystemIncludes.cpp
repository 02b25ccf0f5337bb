#include "SystemIncludes.h"
#include "Paths.h"
#include "analyzer/source/Paths.h"

#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"

#include <vector>

namespace gradtidy {

namespace SrcMgr = clang::SrcMgr;

namespace {

std::string pathOf(clang::FileEntryRef file, const clang::FileManager &files) {
  llvm::SmallString<256> path = file.getName();
  files.makeAbsolutePath(path);
  return cleanPath(path, {});
}

} // namespace

void SystemIncludes::forEach(const clang::FileEntry &source,
                             llvm::function_ref<void(const clang::FileEntry &)> visit,
                             llvm::function_ref<void(clang::FileEntryRef)> others) const {
  llvm::DenseSet<const clang::FileEntry *> reached = {&source};
  std::vector<const clang::FileEntry *> open = {&source};
  while (!open.empty()) {
    const clang::FileEntry &next = *open.back();
    open.pop_back();
    visit(next);
    const auto files = included.find(&next);
    if (files == included.end())
      continue;
    for (const clang::FileEntryRef file : files->second) {
      if (!reached.insert(&file.getFileEntry()).second)
        continue;
      others(file);
      if (!scope.userCode.isFrameworkFile(file, preprocessor.getFileManager()))
        open.push_back(&file.getFileEntry());
    }
  }
}

std::set<std::string> SystemIncludes::of(const clang::FileEntry &source) const {
  std::set<std::string> found;
  forEach(
      source, [](const clang::FileEntry &) {},
      [&](clang::FileEntryRef file) {
        if (isHidden(file))
          found.insert(pathOf(file, preprocessor.getFileManager()));
      });
  return found;
}

std::set<std::string> SystemIncludes::forOtherCompilers(const clang::FileEntry &source) const {
  std::set<std::string> found;
  const auto add = [&](const clang::FileEntry &file) {
    if (const auto places = skipped.find(&file); places != skipped.end())
      found.insert(places->second.begin(), places->second.end());
  };
  forEach(source, add, [](clang::FileEntryRef) {});
  return found;
}

bool SystemIncludes::isHidden(clang::FileEntryRef file) const {
  const clang::FileManager &files = preprocessor.getFileManager();
  if (scope.userCode.containsFile(file, kinds.lookup(&file.getFileEntry()), files))
    return false;
  const bool isOther = otherNames.contains(&file.getFileEntry()) ||
                       llvm::any_of(scope.frameworkHeaders, [&](const std::string &header) {
                         return file.getName().ends_with("/" + header);
                       });
  return scope.userCode.containsFile(file, SrcMgr::C_User, files) ||
         (isOther && scope.userCode.isFrameworkFile(file, files) &&
          liesIn(realPath(pathOf(file, files)), scope.projectRoot));
}

bool SystemIncludes::isNameOfFramework(llvm::StringRef name) const {
  return llvm::any_of(scope.frameworkHeaders, [&](llvm::StringRef header) {
    return name.split('/').first == header.split('/').first;
  });
}

void SystemIncludes::InclusionDirective(clang::SourceLocation hash, const clang::Token &,
                                        llvm::StringRef name, bool, clang::CharSourceRange,
                                        clang::OptionalFileEntryRef file, llvm::StringRef,
                                        llvm::StringRef, const clang::Module *, bool,
                                        SrcMgr::CharacteristicKind kind) {
  if (!file)
    return;
  kinds.try_emplace(&file->getFileEntry(), kind);
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  if (SrcMgr::isSystem(sources.getFileCharacteristic(hash)))
    return;
  if (!isNameOfFramework(name))
    otherNames.insert(&file->getFileEntry());
  if (const auto *includer = sources.getFileEntryForID(sources.getFileID(hash)))
    included[includer].insert(*file);
}

void SystemIncludes::FileChanged(clang::SourceLocation location, FileChangeReason reason,
                                 SrcMgr::CharacteristicKind kind, clang::FileID) {
  if (reason != SystemHeaderPragma)
    return;
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  if (const auto *file = sources.getFileEntryForID(sources.getFileID(location)))
    kinds[file] = kind;
}

void SystemIncludes::ask(clang::SourceLocation begin, llvm::StringRef text) {
  chain = begin;
  // What gcc, too, has, but not as clang has it, tells them apart as well.
  static constexpr llvm::StringLiteral names[] = {
      "__clang",      "__GNUC",        "__GNUG__",        "__VERSION__",
      "__OPTIMIZE__", "__has_feature", "__has_extension", "__has_builtin"};
  if (llvm::any_of(names, [&](llvm::StringRef name) { return text.contains(name); }))
    asking.insert(begin);
}

/// From \p begin to the end of the directive there.
static llvm::StringRef directiveAt(clang::SourceLocation begin,
                                   const clang::SourceManager &sources) {
  const auto [file, offset] = sources.getDecomposedSpellingLoc(begin);
  const llvm::StringRef text = sources.getBufferData(file).drop_front(offset);
  size_t end = text.find('\n');
  while (end != llvm::StringRef::npos && text.take_front(end).rtrim().ends_with("\\"))
    end = text.find('\n', end + 1);
  return text.take_front(end);
}

void SystemIncludes::If(clang::SourceLocation begin, clang::SourceRange, ConditionValueKind) {
  ask(begin, directiveAt(begin, preprocessor.getSourceManager()));
}

void SystemIncludes::Elif(clang::SourceLocation place, clang::SourceRange, ConditionValueKind,
                          clang::SourceLocation begin) {
  ask(begin, directiveAt(place, preprocessor.getSourceManager()));
}

void SystemIncludes::Ifdef(clang::SourceLocation begin, const clang::Token &macro,
                           const clang::MacroDefinition &) {
  ask(begin, macro.getIdentifierInfo()->getName());
}

void SystemIncludes::Ifndef(clang::SourceLocation begin, const clang::Token &macro,
                            const clang::MacroDefinition &) {
  ask(begin, macro.getIdentifierInfo()->getName());
}

void SystemIncludes::Else(clang::SourceLocation, clang::SourceLocation begin) { ask(begin, ""); }

void SystemIncludes::SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) {
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  if (!asking.contains(chain) || SrcMgr::isSystem(sources.getFileCharacteristic(range.getBegin())))
    return;
  const clang::FileID id = sources.getFileID(range.getBegin());
  const auto file = sources.getFileEntryRefForID(id);
  // Attributes, pragmas and macros of another compiler are no code to analyze.
  const llvm::StringRef text = clang::Lexer::getSourceText(
      clang::CharSourceRange::getCharRange(range), sources, preprocessor.getLangOpts());
  if (!file || !text.contains('{') ||
      !scope.userCode.containsFile(*file, SrcMgr::C_User, sources.getFileManager()))
    return;
  skipped[&file->getFileEntry()].insert(
      pathOf(*file, sources.getFileManager()) + ":" +
      std::to_string(sources.getSpellingLineNumber(range.getBegin())));
}

} // namespace gradtidy
