#include "Inclusions.h"

#include "clang/Lex/MacroInfo.h"
#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

const clang::FileEntry *Inclusions::fileAt(clang::SourceLocation location) const {
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  if (!userCode.contains(location, sources))
    return nullptr;
  return sources.getFileEntryForID(sources.getFileID(sources.getExpansionLoc(location)));
}

FileSet Inclusions::reachedFrom(const clang::FileEntry *source) const {
  FileSet reached = {source};
  std::vector<const clang::FileEntry *> open = {source};
  while (!open.empty()) {
    const auto facts = factsOf.find(open.back());
    open.pop_back();
    if (facts != factsOf.end())
      for (const clang::FileEntry *file : facts->second.included)
        if (reached.insert(file).second)
          open.push_back(file);
  }
  return reached;
}

bool Inclusions::standAlone(const clang::FileEntry *source, const FileSet &files) const {
  const auto own = factsOf.find(source);
  return llvm::all_of(files, [&](const clang::FileEntry *file) {
    const auto facts = factsOf.find(file);
    if (facts == factsOf.end())
      return true;
    // A header that another source was the first to include has not seen what this one defines.
    return llvm::all_of(facts->second.macrosOf,
                        [&](const auto *other) { return files.contains(other); }) &&
           (file == source || own == factsOf.end() ||
            llvm::none_of(own->second.defined.keys(), [&](llvm::StringRef name) {
              return facts->second.missed.contains(name);
            }));
  });
}

Foreword Inclusions::forewordOf(const FileSet &files) const {
  Foreword foreword;
  for (const clang::FileEntry *file : files)
    if (const auto facts = factsOf.find(file); facts != factsOf.end()) {
      for (llvm::StringRef name : facts->second.defined.keys())
        foreword.macros.push_back(name.str());
      foreword.seesHeader |= facts->second.seesHeader;
    }
  return foreword;
}

void Inclusions::InclusionDirective(clang::SourceLocation hash, const clang::Token &,
                                    llvm::StringRef, bool, clang::CharSourceRange,
                                    clang::OptionalFileEntryRef file, llvm::StringRef,
                                    llvm::StringRef, const clang::Module *, bool,
                                    clang::SrcMgr::CharacteristicKind) {
  if (const clang::FileEntry *includer = file ? fileAt(hash) : nullptr)
    factsOf[includer].included.insert(&file->getFileEntry());
}

void Inclusions::MacroDefined(const clang::Token &name, const clang::MacroDirective *) {
  if (const clang::FileEntry *file = fileAt(name.getLocation()))
    factsOf[file].defined.insert(name.getIdentifierInfo()->getName());
}

void Inclusions::ask(const clang::Token &name, const clang::MacroDefinition &macro) {
  const clang::FileEntry *file = fileAt(name.getLocation());
  if (!file)
    return;
  Facts &facts = factsOf[file];
  const clang::MacroInfo *info = macro.getMacroInfo();
  if (!info) {
    facts.missed.insert(name.getIdentifierInfo()->getName());
    return;
  }
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  const clang::SourceLocation definition = info->getDefinitionLoc();
  facts.seesHeader |= isOfHeader(definition, sources);
  addDefinition(facts, definition);
}

void Inclusions::use(const clang::Token &name, const clang::MacroDefinition &macro) {
  if (const clang::FileEntry *file = fileAt(name.getLocation()))
    addDefinition(factsOf[file], macro.getMacroInfo()->getDefinitionLoc());
}

void Inclusions::addDefinition(Facts &file, clang::SourceLocation definition) {
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  // Those of the compiler and of others' headers are the same for all.
  if (definition.isInvalid() || sources.isLoadedSourceLocation(definition) ||
      sources.isWrittenInBuiltinFile(definition) || sources.isWrittenInCommandLineFile(definition))
    return;
  const clang::FileID origin = sources.getFileID(sources.getExpansionLoc(definition));
  const clang::FileEntry *entry = sources.getFileEntryForID(origin);
  if (!entry || fileAt(definition))
    file.macrosOf.insert(entry);
}

} // namespace gradtidy
